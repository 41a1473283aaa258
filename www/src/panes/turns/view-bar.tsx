import { Check } from "../../controls/check.tsx";
import { type Comparison, comparison, shownOf, showsOmitted } from "../../page/view.ts";
import { comparable } from "../../states/store.ts";
import type { StrategyChoice } from "../../turns/options.ts";
import type { Frame } from "../../turns/render.ts";
import { ColourSwitch } from "../colour-switch.tsx";

export interface ViewBarProps {
  readonly frame: Frame;
  /** Whether a comparison with the state as it was opened is possible. */
  readonly hasOriginal: boolean;
  /** The other decision with whose run a comparison is possible. */
  readonly decision: string | undefined;
  /** The number of turns. */
  readonly count: number;
}

/** The controls for the comparison and the marks of the messages. */
export const ViewBar = ({ frame, ...choice }: ViewBarProps) => (
  <section class="view-bar" aria-label="View">
    <CompareChoice {...choice} />
    <Check
      label="Show what was left out"
      isChecked={showsOmitted.value}
      onChange={(isChecked) => {
        showsOmitted.value = isChecked;
      }}
    />
    {comparison.value.with === "nothing" && <ColourSwitch load={loadColours} props={{ frame }} />}
  </section>
);

/** Loaded on demand, with the code that finds the texts near the screen. */
const loadColours = async () => (await import("../tokens/frame-colours.tsx")).FrameColours;

const optionOf = (now: Comparison): string =>
  now.with !== "request" ? now.with : now.strategy === null ? "turn" : `strategy ${now.strategy}`;

/** The counterpart of an option. The number of turns stays when the strategy changes. */
function comparisonOf(value: string, shown: number): Comparison {
  if (value === "earlier" || value === "original" || value === "decision" || value === "nothing")
    return { with: value };
  const turns = comparison.peek().with === "request" ? turnsOf(comparison.peek()) : null;
  if (value === "turn") return { with: "request", strategy: null, turns: turns ?? Math.max(0, shown - 1) };
  return { with: "request", strategy: value.split(" ")[1] as StrategyChoice, turns };
}

const turnsOf = (now: Comparison): number | null => (now.with === "request" ? now.turns : null);

type ChoiceProps = Omit<ViewBarProps, "frame">;

const CompareChoice = (choice: ChoiceProps) => (
  <>
    <CompareSelect {...choice} />
    {comparison.value.with === "request" && (
      <label class="compare">
        <span>after turn</span>
        <input
          class="input"
          type="number"
          aria-label="Turn of the other request"
          min={0}
          max={choice.count}
          value={turnsOf(comparison.value) ?? shownOf(choice.count)}
          onInput={({ currentTarget: { valueAsNumber } }) => {
            const now = comparison.value;
            if (now.with === "request" && valueAsNumber >= 0 && valueAsNumber <= choice.count)
              comparison.value = { ...now, turns: valueAsNumber };
          }}
        />
      </label>
    )}
  </>
);

const CompareSelect = ({ hasOriginal, decision, count }: ChoiceProps) => (
  <label class="compare">
    <span>Compare with</span>
    <select
      class="input"
      value={optionOf(comparison.value)}
      onChange={(event) => {
        comparison.value = comparisonOf(event.currentTarget.value, shownOf(count));
      }}
    >
      <option value="nothing">nothing</option>
      <option value="earlier">one turn earlier</option>
      <option value="turn">another turn</option>
      {hasOriginal && <option value="original">the opened state</option>}
      {decision !== undefined && <option value="decision">{decision}</option>}
      <optgroup label="Another strategy">
        {comparable.value.map(
          ({ name, label }) =>
            // An agent runs without a custom one.
            (hasOriginal || name !== "custom") && (
              <option key={name} value={`strategy ${name}`}>
                {label}
              </option>
            ),
        )}
      </optgroup>
    </select>
  </label>
);
