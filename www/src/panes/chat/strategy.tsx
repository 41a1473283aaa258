import {
  chatOptions,
  historyStrategies,
  optionOf,
  providerEntries,
  strategyEntry,
  summaryRoleEntries,
  tokenLimitEntries,
  whenEntries,
} from "../../chat/options.ts";
import { canClearFirst, optionField, weighs } from "../../chat/parameters.ts";
import { planned } from "../../chat/plan.ts";
import { type ChatOptionName, type ConceptRow, type HistoryChoice, limitOptions } from "../../chat/state.ts";
import { chat, chooseChatStrategy, editChat } from "../../chat/store.ts";
import { Check } from "../../controls/check.tsx";
import { Choices } from "../../controls/choices.tsx";
import { Group } from "../../controls/group.tsx";
import { NumberField } from "../../controls/option-field.tsx";
import { TextField } from "../../controls/text-field.tsx";
import { CUSTOM_FIELD } from "../../custom/ran.ts";
import { withSeparators } from "../../page/numbers.ts";
import { fieldId, problemText } from "../../page/problem.ts";
import { newId } from "../../states/state.ts";
import { RowList } from "../row-list.tsx";
import { CustomField, StrategyBar } from "../strategy.tsx";
import { FigureLine } from "../tokens/figure.tsx";
import { ChatStatistics, useChatFigure } from "./figure.tsx";

/** The strategies whose fields are outside of the panel. */
const hasOwnFields: ReadonlySet<HistoryChoice> = new Set(["fromTimestamp", "retrieveFacts", "custom"]);

/** The strategy of the chat, with its effect and the fields for the other request parameters. */
export function HistoryStrategyPicker() {
  const { strategy } = chat.value;
  const figure = useChatFigure();
  return (
    <>
      <StrategyBar
        options={historyStrategies}
        value={strategy}
        onChange={chooseChatStrategy}
        isInvalid={planned.value.problems.size > 0 && !hasOwnFields.has(strategy)}
        details={
          <>
            <Settings />
            {figure !== null && <ChatStatistics figure={figure} />}
          </>
        }
      >
        {figure !== null && <FigureLine {...figure} />}
      </StrategyBar>
      <Trouble field={optionField("strategy")} />
      {strategy === "fromTimestamp" && <Time />}
      {strategy === "retrieveFacts" && <Concepts />}
      {strategy === "custom" && (
        <CustomField kind="chat" problem={planned.value.problems.get(`${CUSTOM_FIELD}-chat`) ?? null} />
      )}
    </>
  );
}

function Settings() {
  const { strategy, clears, shortens } = chat.value;
  const { summary, options = [] } = strategyEntry(strategy);
  const canClear = canClearFirst(strategy);
  return (
    <>
      <p class="strategy-summary">
        {summary} <code>{strategy}</code>
      </p>
      <div class="options">
        {options.map((name) => {
          if (name === "time") return null;
          if (name === "exclude" || name === "clearInputs") return <Tools key={name} name={name} />;
          return <Option key={name} name={name} />;
        })}
        {canClear && (
          <Check
            label="Clear old tool results first"
            isChecked={clears}
            onChange={(isChecked) => editChat({ clears: isChecked })}
            title="Results are cleared before the strategy runs"
          />
        )}
        {canClear && clears && <Option name="keep" />}
        <Check
          label="Write tool results shorter"
          isChecked={shortens}
          onChange={(isChecked) => editChat({ shortens: isChecked })}
          title="Tables, counted lines and references say the same in fewer tokens (arrival: lossless)"
        />
      </div>
      <LimitsGroup />
      <SummariesGroup />
    </>
  );
}

const troubleOf = (field: string): string | null => {
  const problem = planned.value.problems.get(field);
  return problem === undefined ? null : problemText(problem);
};

const Trouble = ({ field }: { readonly field: string }) => {
  const trouble = troubleOf(field);
  return trouble === null ? null : <p class="field-problem">{trouble}</p>;
};

const setOption = (name: ChatOptionName, text: string): void =>
  editChat({ options: { ...chat.value.options, [name]: text } });

const Option = ({ name }: { readonly name: ChatOptionName }) => (
  <NumberField
    id={optionField(name)}
    entry={{ hint: "", ...optionOf(name, chat.value.strategy) }}
    value={chat.value.options[name]}
    trouble={troubleOf(optionField(name))}
    onInput={(text) => setOption(name, text)}
  />
);

const Time = () => (
  <div class="chat-time">
    <TextField
      id={optionField("time")}
      label="Time"
      hint="ISO text, or milliseconds since 1970"
      placeholder={chatOptions.time.fallback}
      code
      value={chat.value.options.time}
      trouble={troubleOf(optionField("time"))}
      onInput={(text) => setOption("time", text)}
    />
  </div>
);

const Tools = ({ name }: { readonly name: "exclude" | "clearInputs" }) => (
  <div class="option" title={chatOptions[name].hint}>
    <TextField
      id={optionField(name)}
      label={chatOptions[name].label}
      placeholder={chatOptions[name].fallback}
      code
      value={chat.value.options[name]}
      onInput={(text) => setOption(name, text)}
    />
  </div>
);

const Concepts = () => (
  <fieldset class="list chat-concepts">
    <legend>Concepts</legend>
    <RowList
      list="concepts"
      rowHeight={32}
      rows={chat.value.concepts}
      change={(change) => editChat({ concepts: change(chat.value.concepts) })}
      kind="field-row"
      what="concept"
      blank={(): ConceptRow => ({ id: newId(), name: "", description: "" })}
      firstField="chat-concept"
      addId="add-concept"
      addLabel="Add concept"
      below={<Trouble field={optionField("concepts")} />}
    >
      {(row, which, patch) => (
        <>
          <TextField
            id={fieldId("chat-concept", row)}
            label={`Name of ${which}`}
            placeholder="name"
            quiet
            value={row.name}
            onInput={(name) => patch({ name })}
          />
          <TextField
            id={fieldId("chat-concept-description", row)}
            label={`Description of ${which}`}
            placeholder="facts to gather about it"
            quiet
            value={row.description}
            onInput={(description) => patch({ description })}
          />
        </>
      )}
    </RowList>
  </fieldset>
);

function LimitsGroup() {
  const { tokenLimit, when, provider, options } = chat.value;
  const { problems } = planned.value;
  const shown = limitOptions.filter((name) =>
    tokenLimit === "number" ? name !== "share" && name !== "window" : name !== "maxTokens",
  );
  const given = shown
    .filter((name) => options[name] !== "")
    .map((name) => `${chatOptions[name].label} ${withSeparators(options[name])}`);
  const summary =
    [...given, ...(when === "default" ? [] : [whenEntries.find(({ name }) => name === when)?.label])].join(", ") ||
    "none";
  return (
    <Group
      id="chat-limits"
      title="Limits"
      summary={summary}
      invalid={[...shown, "patience" as const, "when" as const].some((name) => problems.has(optionField(name)))}
    >
      <Choices
        name="chat-token-limit"
        legend="The limit of tokens is"
        labelled
        options={tokenLimitEntries}
        value={tokenLimit}
        onChange={(name) => editChat({ tokenLimit: name })}
      />
      <div class="options chat-options">
        {shown.map((name) => (
          <Option key={name} name={name} />
        ))}
      </div>
      <Choices
        name="chat-when"
        legend="Strategies run"
        labelled
        options={whenEntries}
        value={when}
        onChange={(name) => editChat({ when: name })}
        code
      />
      <Trouble field={optionField("when")} />
      {weighs(chat.value) && (
        <div class="options chat-options">
          <Option name="patience" />
        </div>
      )}
      <Choices
        name="chat-provider"
        legend="Tokens around each message are those of"
        labelled
        options={providerEntries}
        value={provider}
        onChange={(name) => editChat({ provider: name })}
        code
      />
    </Group>
  );
}

function SummariesGroup() {
  const { summaryPrompt, summaryRole, options } = chat.value;
  const { problems } = planned.value;
  const summary = [
    summaryPrompt.trim() === "" ? "built-in prompt" : "your own prompt",
    `role ${summaryRole}`,
    ...(options.summaryMaxTokens === ""
      ? []
      : [`at most ${withSeparators(options.summaryMaxTokens)} tokens a request`]),
    ...(options.summaryNames === "" ? [] : [`${options.summaryNames} names below`]),
  ];
  return (
    <Group
      id="chat-summaries"
      title="Summaries"
      summary={summary.join(", ")}
      invalid={problems.has(optionField("summaryMaxTokens")) || problems.has(optionField("summaryNames"))}
    >
      <TextField
        id={optionField("summaryPrompt")}
        label="Prompt"
        hint="empty: the built-in one"
        lines={3}
        value={summaryPrompt}
        onInput={(text) => editChat({ summaryPrompt: text })}
      />
      <Choices
        name="chat-summary-role"
        legend="Role of summaries"
        labelled
        options={summaryRoleEntries}
        value={summaryRole}
        onChange={(name) => editChat({ summaryRole: name })}
        code
      />
      <div class="options chat-options">
        <Option name="summaryMaxTokens" />
        <Option name="summaryNames" />
      </div>
    </Group>
  );
}
