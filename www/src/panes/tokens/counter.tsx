import type { TokenCounter } from "turnfold";
import { editTokens, state } from "../../states/store.ts";
import { loadCounter, loading, missing } from "../../tokens/counters.ts";
import { type CounterChoice, counterChoices } from "../../tokens/settings.ts";

const labels: Readonly<Record<CounterChoice, string>> = {
  estimate: "estimate",
  o200k: "exact, o200k",
  cl100k: "exact, cl100k",
};

/** The choice of the token counter. Exact counters are loaded when they are chosen. */
export function Counter({ counter }: { readonly counter: TokenCounter }) {
  const { counter: choice } = state.value.tokens;
  return (
    <div class="counter">
      <label>
        <span>Counted by</span>
        <select
          class="input"
          value={choice}
          onChange={(event) => {
            const chosen = counterChoices.find((name) => name === event.currentTarget.value);
            if (chosen !== undefined) editTokens({ counter: chosen });
          }}
        >
          {counterChoices.map((name) => (
            <option key={name} value={name}>
              {labels[name]}
            </option>
          ))}
        </select>
      </label>
      <p class="counter-state" role="status">
        {loading.value.has(choice) && `Loading ${choice}; until then these are estimates.`}
        {missing.value.has(choice) && counter.name !== choice && (
          <>
            {choice} could not be loaded, so these are estimates: {missing.value.get(choice)}. Look at your connection,
            then{" "}
            <button type="button" class="link" onClick={() => void loadCounter(choice)}>
              try again
            </button>{" "}
            or reload the page.
          </>
        )}
      </p>
    </div>
  );
}
