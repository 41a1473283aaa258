import type { ComponentChildren } from "preact";
import { Check } from "../controls/check.tsx";
import { Deferred } from "../controls/deferred.tsx";
import { Group } from "../controls/group.tsx";
import { Icon } from "../controls/icon.tsx";
import { OptionField } from "../controls/option-field.tsx";
import { fieldId } from "../page/problem.ts";
import { coloursTokens, showsDetails } from "../page/view.ts";
import { chooseStrategy, edit, outcome, state } from "../states/store.ts";
import { limitsOf, strategies } from "../turns/options.ts";
import type { CustomStrategyProps } from "./custom-strategy.tsx";

interface StrategyBarProps<N extends string> {
  readonly options: readonly { readonly name: N; readonly label: string; readonly summary: string }[];
  readonly value: N;
  readonly onChange: (name: N) => void;
  /** The figure. */
  readonly children?: ComponentChildren;
  /** The content of a second line. */
  readonly below?: ComponentChildren;
  /** The content of the panel that the button opens. */
  readonly details: ComponentChildren;
  /** Whether the panel has a field with a problem: then it is open. */
  readonly isInvalid?: boolean;
}

/** The strategy with its effect in one line, and a button that opens a panel with everything else. */
export const StrategyBar = <N extends string>({
  options,
  value,
  onChange,
  children,
  below,
  details,
  isInvalid = false,
}: StrategyBarProps<N>) => {
  const isOpen = showsDetails.value || isInvalid;
  return (
    <>
      <section class="strategy-bar" aria-label="Strategy">
        <h2 class="visually-hidden">Strategy</h2>
        <select
          class="input"
          aria-label="Strategy"
          title={options.find(({ name }) => name === value)?.summary}
          value={value}
          onChange={({ currentTarget }) => {
            const chosen = options.find(({ name }) => name === currentTarget.value);
            if (chosen !== undefined) onChange(chosen.name);
          }}
        >
          {options.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        {children}
        <button
          type="button"
          class="details-toggle"
          aria-expanded={isOpen}
          aria-controls="details"
          onClick={() => {
            showsDetails.value = !isOpen;
          }}
        >
          Details
          <Icon name="chevron" />
        </button>
        {below}
      </section>
      {/* The colours of tokens stay when the panel is closed. */}
      <div id="details" class="details" hidden={!isOpen}>
        {(isOpen || coloursTokens.value) && details}
      </div>
    </>
  );
};

const loadCustom = async () => (await import("./custom-strategy.tsx")).CustomStrategy;

/** The editor of the user's own strategy. */
export const CustomField = (props: CustomStrategyProps) => (
  <Deferred load={loadCustom} props={props} what="The editor" />
);

interface StrategyPickerProps {
  /** Whether the messages are those of an agent, which has no limits without a strategy. */
  readonly ofAgent?: boolean;
  readonly children?: ComponentChildren;
  readonly below?: ComponentChildren;
  readonly details?: ComponentChildren;
}

/** The strategy of the turns. */
export const StrategyPicker = ({ ofAgent = false, children, below, details }: StrategyPickerProps) => (
  <>
    <StrategyBar
      options={strategies}
      value={state.value.strategy}
      onChange={chooseStrategy}
      below={below}
      details={
        <>
          <Tune ofAgent={ofAgent} />
          {details}
        </>
      }
    >
      {children}
    </StrategyBar>
    {state.value.strategy === "custom" && <CustomField kind="turns" ofAgent={ofAgent} />}
  </>
);

/** What the strategy does, and its limits. */
function Tune({ ofAgent }: { readonly ofAgent: boolean }) {
  const { strategy, toolResults, options } = state.value;
  const chosen = strategies.find((entry) => entry.name === strategy);
  const own = limitsOf(strategy);
  const changed = own.filter(({ name }) => options[name].trim() !== "").length + (toolResults ? 1 : 0);
  const isLimited = !ofAgent || strategy !== "none";
  return (
    <Group
      id="tune"
      title="Tune"
      summary={[...(changed > 0 && isLimited ? [`${changed} changed`] : []), chosen?.summary ?? ""].join(" · ")}
      invalid={own.some(({ name }) => outcome.value.problems.has(fieldId(name)))}
    >
      <p class="strategy-summary">
        {chosen?.summary} <code>{strategy}</code>
      </p>
      {isLimited && (
        <div class="options">
          {own.map((entry) => (
            <OptionField key={entry.name} entry={entry} />
          ))}
          <Check
            label="Tool results"
            isChecked={toolResults}
            onChange={(isChecked) => edit({ toolResults: isChecked })}
            title="Show the results of calls in turns that printed nothing"
          />
        </div>
      )}
    </Group>
  );
}
