import type { FunctionComponent } from "preact";
import { CodeField } from "../../controls/code-field.tsx";
import { Group } from "../../controls/group.tsx";
import { NumberField } from "../../controls/option-field.tsx";
import { TextField } from "../../controls/text-field.tsx";
import { fieldId } from "../../page/problem.ts";
import { inputs } from "../../running/sandbox.ts";
import { blankTool, type ToolRow } from "../../states/state.ts";
import { edit, outcome, state } from "../../states/store.ts";
import { runLimits } from "../../turns/options.ts";
import { RowList } from "../row-list.tsx";

/** The tools, the same on all tabs, with the fields for the model, for programs, or both. */
export type Part = "brief" | "repl" | "run";

const fieldsOf: Readonly<Record<Part, readonly string[]>> = {
  brief: ["tool", "tool-signature"],
  repl: ["tool", "tool-signature", "answer", "delay"],
  run: ["tool", "tool-signature", "answer", "delay"],
};

export const toolsInvalid = (part: Part): boolean =>
  state.value.tools.some((tool) =>
    fieldsOf[part].some((name) => {
      const field = fieldId(name, tool);
      return outcome.value.problems.has(field) || inputs.value.problems.has(field);
    }),
  );

export const listed = (names: readonly string[]): string => names.filter((name) => name !== "").join(", ") || "none";

export const DataField = () => (
  <CodeField
    id="data"
    label="Data"
    fullLabel="Data"
    hint="a map in Clojure text or JSON: {:name value}"
    value={state.value.data}
    onInput={(text) => edit({ data: text })}
  />
);

interface ToolFieldsProps {
  readonly tool: ToolRow;
  /** The name of the tool in labels, such as “tool 2”. */
  readonly which: string;
  readonly change: (patch: Partial<ToolRow>) => void;
}

/** Further fields of a tool, which only one tab has. */
export type ToolFields = FunctionComponent<ToolFieldsProps>;

export function Tools({ part, fields: Fields }: { readonly part: Part; readonly fields?: ToolFields | undefined }) {
  const { tools } = state.value;
  return (
    <>
      {part !== "brief" && (
        <p class="field-hint">
          An answer is a value, such as <code>[1 2]</code> or JSON, or a JavaScript function, such as{" "}
          <code>{"({query}) => query.length"}</code>.
        </p>
      )}
      <RowList
        list="tools"
        rowHeight={72}
        rows={tools}
        change={(change) => edit({ tools: change(state.value.tools) })}
        kind="tool-row"
        part={part}
        what="tool"
        blank={blankTool}
        firstField="tool"
        addId="add-tool"
        addLabel="Add tool"
      >
        {(tool, which, change) => (
          <>
            <TextField
              id={fieldId("tool", tool)}
              label={`Name of ${which}`}
              placeholder="name"
              quiet
              code
              value={tool.name}
              onInput={(name) => change({ name })}
            />
            <TextField
              id={fieldId("tool-signature", tool)}
              label={`Signature of ${which}`}
              placeholder="(query :string) -> [:any]"
              quiet
              code
              value={tool.signature}
              onInput={(signature) => change({ signature })}
            />
            {part !== "repl" && (
              <TextField
                id={fieldId("tool-description", tool)}
                label={`Description of ${which}`}
                placeholder="description"
                quiet
                value={tool.description}
                onInput={(description) => change({ description })}
              />
            )}
            {part !== "repl" && tool.parameters !== "" && (
              <TextField
                id={fieldId("tool-parameters", tool)}
                label={`Parameters of ${which}`}
                placeholder="path: description"
                quiet
                lines={2}
                value={tool.parameters}
                onInput={(parameters) => change({ parameters })}
              />
            )}
            {part !== "brief" && <Answer tool={tool} which={which} change={change} />}
            {Fields && <Fields tool={tool} which={which} change={change} />}
          </>
        )}
      </RowList>
    </>
  );
}

const Answer: ToolFields = ({ tool, which, change }) => (
  <div class="answer">
    <TextField
      id={fieldId("answer", tool)}
      label={`Answer of ${which}`}
      placeholder="answer: a value or a function"
      quiet
      code
      lines={1}
      value={tool.answer}
      onInput={(answer) => change({ answer })}
    />
    <TextField
      id={fieldId("delay", tool)}
      label={`Delay of ${which} in milliseconds`}
      placeholder="delay"
      quiet
      numeric
      value={tool.delay}
      onInput={(delay) => change({ delay })}
    />
  </div>
);

/** The limits of one run of a program. */
export function LimitsGroup() {
  const { limits } = state.value;
  const given = runLimits.filter(({ name }) => limits[name] !== "");
  return (
    <Group
      id="limits"
      title="Limits"
      summary={given.length === 0 ? "defaults" : given.map(({ name, label }) => `${label} ${limits[name]}`).join(", ")}
      invalid={runLimits.some(({ name }) => inputs.value.problems.has(fieldId(`limit-${name}`)))}
    >
      <div class="options">
        {runLimits.map((entry) => (
          <NumberField
            key={entry.name}
            id={`limit-${entry.name}`}
            entry={entry}
            value={limits[entry.name]}
            onInput={(text) => edit({ limits: { ...state.value.limits, [entry.name]: text } })}
          />
        ))}
      </div>
    </Group>
  );
}
