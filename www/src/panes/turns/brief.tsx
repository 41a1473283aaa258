import { Group } from "../../controls/group.tsx";
import { OptionField } from "../../controls/option-field.tsx";
import { TextField } from "../../controls/text-field.tsx";
import { fieldId } from "../../page/problem.ts";
import { blankField } from "../../states/state.ts";
import { edit, outcome, state } from "../../states/store.ts";
import { turnCounts } from "../../turns/options.ts";
import { RowList } from "../row-list.tsx";
import { DataField, LimitsGroup, listed, type Part, type ToolFields, Tools, toolsInvalid } from "./givens.tsx";

/** The inputs of the agent before its first turn. */
export function Brief({ part, toolFields }: { readonly part: Part; readonly toolFields?: ToolFields }) {
  const problems = outcome.value.problems;
  const { mission, tools, signature, fields, options, systemPrompt } = state.value;
  // A running agent counts its turns itself.
  const counts = part === "run" ? turnCounts.filter((entry) => entry.name !== "turnsLeft") : turnCounts;
  const hasProblem = (...fieldIds: readonly string[]): boolean => fieldIds.some((id) => problems.has(id));
  return (
    <div class="brief">
      <h2 class="visually-hidden">Brief</h2>
      <TextField id="mission" label="Mission" value={mission} lines={2} onInput={(text) => edit({ mission: text })} />
      <Group id="tools" title="Tools" summary={listed(tools.map((tool) => tool.name))} invalid={toolsInvalid(part)}>
        <Tools part={part} fields={toolFields} />
      </Group>
      <Group
        id="data-group"
        title="Data"
        summary={listed(Object.keys(outcome.value.data))}
        invalid={hasProblem("data")}
      >
        <DataField />
      </Group>
      <Group
        id="output"
        title="Output and turns"
        summary={[signature === "" ? "no signature" : signature, `${options.maxTurns || "5"} turns`].join(" · ")}
        invalid={hasProblem("signature", ...turnCounts.map((entry) => entry.name))}
      >
        <TextField
          id="signature"
          label="Signature"
          hint="what the agent must return"
          placeholder="() -> {answer :string}"
          code
          value={signature}
          onInput={(text) => edit({ signature: text })}
        />
        <Fields rows={fields} />
        <div class="options">
          {counts.map((entry) => (
            <OptionField key={entry.name} entry={entry} />
          ))}
        </div>
      </Group>
      {part === "run" && <LimitsGroup />}
      <Group id="system-group" title="System prompt" summary={systemPrompt === "" ? "built in" : "your own"}>
        <TextField
          id="systemPrompt"
          label="System prompt"
          hint="empty: the built-in one"
          lines={4}
          value={systemPrompt}
          onInput={(text) => edit({ systemPrompt: text })}
        />
      </Group>
    </div>
  );
}

const Fields = ({ rows }: { readonly rows: typeof state.value.fields }) => (
  <RowList
    list="fields"
    rowHeight={32}
    rows={rows}
    change={(change) => edit({ fields: change(state.value.fields) })}
    kind="field-row"
    what="field description"
    blank={blankField}
    firstField="field"
    addId="add-field"
    addLabel="Describe a field"
  >
    {(row, which, patch) => (
      <>
        <TextField
          id={fieldId("field", row)}
          label={`Path of ${which}`}
          placeholder="path"
          quiet
          code
          value={row.path}
          onInput={(path) => patch({ path })}
        />
        <TextField
          id={fieldId("field-description", row)}
          label={`Text of ${which}`}
          placeholder="description"
          quiet
          value={row.description}
          onInput={(description) => patch({ description })}
        />
      </>
    )}
  </RowList>
);
