import { Check } from "../controls/check.tsx";
import type { StrategyChoice } from "../options.ts";
import { comparable } from "../store.ts";
import type { Frame } from "../turns/render.ts";
import { type Comparison, comparison, showsOmitted } from "../view.ts";
import { ColourSwitch } from "./colour-switch.tsx";

export interface ViewBarProps {
  readonly frame: Frame;
  /** Whether a comparison with the state as it was opened is possible. */
  readonly hasOriginal: boolean;
}

/** The controls for the comparison and the marks of the messages. */
export const ViewBar = ({ frame, hasOriginal }: ViewBarProps) => (
  <section class="view-bar" aria-label="View">
    <CompareChoice hasOriginal={hasOriginal} />
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
const loadColours = async () => (await import("./tokens/frame-colours.tsx")).FrameColours;

const optionOf = (now: Comparison): string => (now.with === "strategy" ? `strategy ${now.strategy}` : now.with);

function comparisonOf(value: string): Comparison {
  if (value === "earlier" || value === "original") return { with: value };
  const [, strategy] = value.split(" ");
  return strategy === undefined ? { with: "nothing" } : { with: "strategy", strategy: strategy as StrategyChoice };
}

const CompareChoice = ({ hasOriginal }: { readonly hasOriginal: boolean }) => (
  <label class="compare">
    <span>Compare with</span>
    <select
      class="input"
      value={optionOf(comparison.value)}
      onChange={(event) => {
        comparison.value = comparisonOf(event.currentTarget.value);
      }}
    >
      <option value="nothing">nothing</option>
      <option value="earlier">one turn earlier</option>
      {hasOriginal && <option value="original">the opened state</option>}
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
