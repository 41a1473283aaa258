import { Choices } from "../controls/choices.tsx";
import { OptionField } from "../controls/option-field.tsx";
import { limitsOf, strategies } from "../options.ts";
import { edit, state } from "../store.ts";

/**
 * The strategy and its limits. Without a strategy an agent has no limits.
 */
export function StrategyPicker({ ofAgent = false }: { readonly ofAgent?: boolean }) {
  const { strategy, toolResults } = state.value;
  const chosen = strategies.find((entry) => entry.name === strategy);
  return (
    <section class="strategy" aria-label="Strategy">
      <Choices
        name="strategy"
        legend="Strategy"
        options={strategies.map(({ name }) => ({ name, label: name }))}
        value={strategy}
        onChange={(name) => edit({ strategy: name })}
        code
      />
      <p class="strategy-summary">{chosen?.summary}</p>
      {(!ofAgent || strategy !== "none") && (
        <div class="options">
          {limitsOf(strategy).map((entry) => (
            <OptionField key={entry.name} entry={entry} />
          ))}
          <label class="check" title="Show what a call gave, in turns that printed nothing">
            <input
              type="checkbox"
              checked={toolResults}
              onChange={(event) => edit({ toolResults: event.currentTarget.checked })}
            />
            Tool results
          </label>
        </div>
      )}
    </section>
  );
}
