import { Check } from "../controls/check.tsx";
import { Choices } from "../controls/choices.tsx";
import { Group } from "../controls/group.tsx";
import { OptionField } from "../controls/option-field.tsx";
import { limitsOf, strategies } from "../options.ts";
import { fieldId } from "../problem.ts";
import { edit, outcome, state } from "../store.ts";

/** The fields for the strategy and its limits. Without a strategy, an agent has no limits. */
export function StrategyPicker({ ofAgent = false }: { readonly ofAgent?: boolean }) {
  const { strategy, toolResults, options } = state.value;
  const chosen = strategies.find((entry) => entry.name === strategy);
  const own = limitsOf(strategy);
  const changed = own.filter(({ name }) => options[name].trim() !== "").length + (toolResults ? 1 : 0);
  const isLimited = !ofAgent || strategy !== "none";
  return (
    <section class="strategy" aria-label="Strategy">
      <h2 class="visually-hidden">Strategy</h2>
      <Choices
        name="strategy"
        legend="Strategy"
        options={strategies.map(({ name }) => ({ name, label: name }))}
        value={strategy}
        onChange={(name) => edit({ strategy: name })}
        code
      />
      <Group
        id="tune"
        title="Tune"
        summary={[...(changed > 0 && isLimited ? [`${changed} changed`] : []), chosen?.summary ?? ""].join(" · ")}
        invalid={own.some(({ name }) => outcome.value.problems.has(fieldId(name)))}
      >
        <p class="strategy-summary">{chosen?.summary}</p>
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
    </section>
  );
}
