import { chatOptions, historyStrategies, labelOf } from "../../chat/options.ts";
import { Choices } from "../../controls/choices.tsx";
import { Group } from "../../controls/group.tsx";
import { NumberField } from "../../controls/option-field.tsx";
import { TextField } from "../../controls/text-field.tsx";
import { problemText } from "../../page/problem.ts";
import { parameters } from "../../programs/calling.ts";
import { cellNamed, withCell } from "../../programs/cells.ts";
import { isShown, programField, turnField } from "../../programs/fields.ts";
import { built, shape } from "../../programs/program.ts";
import { refusalText } from "../../programs/refusal.ts";
import { type PairStrategy, type ProgramOption, pairStrategies } from "../../programs/state.ts";
import { editPrograms, programs } from "../../programs/store.ts";
import { adapterEntries, kindEntries } from "../../programs/words.ts";
import { state } from "../../states/store.ts";
import { listed, Tools, toolsInvalid } from "../turns/givens.tsx";
import { FieldList } from "./field-list.tsx";
import { TurnCards } from "./turn-list.tsx";
import { TurnsAsJson } from "./turns-json.tsx";

/** The settings of the call. */
export function Settings() {
  const { kind, adapter, instructions } = programs.value;
  const { refusal } = built.value;
  return (
    <section class="brief program-settings" aria-label="Program">
      <div class="program-choices">
        <Choices
          name="program-kind"
          legend="Program"
          labelled
          options={kindEntries.map(({ summary, ...entry }) => ({ ...entry, hint: summary }))}
          value={kind}
          onChange={(name) => editPrograms({ kind: name })}
          code
        />
        <Choices
          name="program-adapter"
          legend="Adapter"
          labelled
          options={adapterEntries.map(({ summary, ...entry }) => ({ ...entry, hint: summary }))}
          value={adapter}
          onChange={(name) => editPrograms({ adapter: name })}
          code
        />
      </div>
      <p class="strategy-summary">
        {kindEntries.find(({ name }) => name === kind)?.summary}{" "}
        {adapterEntries.find(({ name }) => name === adapter)?.summary}
      </p>
      {refusal !== null && <p class="field-problem">{refusalText(refusal)}</p>}
      <TextField
        id={programField("instructions")}
        label="Instructions"
        hint="empty: derived from the names of the fields"
        lines={2}
        value={instructions}
        onInput={(text) => editPrograms({ instructions: text })}
      />
      {kind === "react" && <ToolsGroup />}
      <FieldsGroup />
      <DemosGroup />
      {shape.value?.history != null && <CompressionGroup />}
      <RepairsGroup />
    </section>
  );
}

const ToolsGroup = () => (
  <Group
    id="tools"
    title="Tools"
    summary={listed(state.value.tools.map((tool) => tool.name))}
    invalid={toolsInvalid("run")}
  >
    <p class="field-hint">These are the tools of the whole page, the same as on the other tabs.</p>
    <Tools part="run" />
  </Group>
);

const descriptionField = (name: string): string => programField(`description-${name}`);

function FieldsGroup() {
  const { descriptions } = programs.value;
  const fields = [...(shape.value?.inputs ?? []), ...(shape.value?.outputs ?? [])].filter(isShown);
  const own = fields.filter(({ name }) => (cellNamed(descriptions, name)?.text ?? "").trim() !== "");
  return (
    <Group
      id="program-fields"
      title="Descriptions"
      summary={own.length === 0 ? "none" : own.map(({ name }) => name).join(", ")}
    >
      <FieldList list="program-descriptions" find="Find a description" fields={fields} idOf={descriptionField}>
        {({ name, description }) => (
          <TextField
            id={descriptionField(name)}
            label={name}
            fullLabel={`Description of ${name}`}
            hint="what it is for; part of the messages"
            placeholder={cellNamed(descriptions, name) === null ? (description ?? "") : ""}
            value={cellNamed(descriptions, name)?.text ?? ""}
            onInput={(text) => editPrograms({ descriptions: withCell(programs.value.descriptions, name, text) })}
          />
        )}
      </FieldList>
    </Group>
  );
}

function DemosGroup() {
  const { demos, kind } = programs.value;
  const { problems } = built.value;
  return (
    <Group
      id="program-demos"
      title="Demos"
      summary={demos.length === 0 ? "none" : `${demos.length}, before the history`}
      invalid={demos.some(({ id }) => {
        const own = turnField("demos", id);
        return [...problems.keys()].some((field) => field === own || field.startsWith(`${own}-`));
      })}
    >
      {kind === "react" && <p class="field-hint">ReAct sends them in the request for the outputs, not in its steps.</p>}
      <TurnCards list="demos" />
      <TurnsAsJson list="demos" />
    </Group>
  );
}

const trouble = (name: ProgramOption): string | null => {
  const field = programField(name);
  const problem = parameters.value.problems.get(field) ?? built.value.problems.get(field);
  return problem === undefined ? null : problemText(problem);
};

interface OptionProps {
  readonly name: ProgramOption;
  readonly label: string;
  readonly fallback: string;
  readonly hint: string;
}

const Option = ({ name, ...entry }: OptionProps) => (
  <NumberField
    id={programField(name)}
    entry={entry}
    value={programs.value.options[name]}
    trouble={trouble(name)}
    onInput={(text) => editPrograms({ options: { ...programs.value.options, [name]: text } })}
  />
);

const strategyOptions: Readonly<Record<PairStrategy, readonly ("n" | "size")[]>> = {
  none: [],
  lastNMessages: ["n"],
  wholeHistory: [],
  chunked: ["size"],
};

/** How a long history is compressed. */
function CompressionGroup() {
  const { strategy, options } = programs.value;
  const entries = pairStrategies.flatMap((name) => historyStrategies.find((entry) => entry.name === name) ?? []);
  const limit = options.maxTokens === "" ? [] : [`at most ${options.maxTokens} tokens`];
  const counts = strategy === "none" ? [] : [...strategyOptions[strategy], "minMessages" as const];
  const shown = [...counts, "maxTokens" as const];
  return (
    <Group
      id="program-compression"
      title="A long history"
      summary={[strategy === "none" ? "stays as it is" : labelOf(strategy), ...limit].join(", ")}
      invalid={shown.some((name) => trouble(name) !== null)}
    >
      <Choices
        name="program-strategy"
        legend="Strategy"
        options={entries as readonly { readonly name: PairStrategy; readonly label: string }[]}
        value={strategy}
        onChange={(name) => editPrograms({ strategy: name })}
      />
      <p class="field-hint">
        {entries.find(({ name }) => name === strategy)?.summary} A turn counts as two messages, which stay together. The
        history is compressed when the model is called, and with a limit of tokens only above that limit. The messages
        on this page are not compressed.
      </p>
      <div class="options chat-options">
        {shown.map((name) => (
          <Option key={name} {...chatOptions[name]} name={name} hint={chatOptions[name].hint ?? ""} />
        ))}
      </div>
    </Group>
  );
}

function RepairsGroup() {
  const { options, kind } = programs.value;
  const repairs = options.maxRepairs === "" ? "1 repair" : `${options.maxRepairs} repairs`;
  const steps = options.maxSteps === "" ? "10 steps" : `${options.maxSteps} steps`;
  return (
    <Group
      id="program-limits"
      title="Limits"
      summary={[repairs, ...(kind === "react" ? [steps] : [])].join(", ")}
      invalid={trouble("maxRepairs") !== null || trouble("maxSteps") !== null}
    >
      <div class="options chat-options">
        <Option
          name="maxRepairs"
          label="maxRepairs"
          fallback="1"
          hint="How often the model is asked again when its reply can’t be used"
        />
        {kind === "react" && (
          <Option name="maxSteps" label="maxSteps" fallback="10" hint="Steps before the model has to answer" />
        )}
      </div>
    </Group>
  );
}
