import { NumberField } from "../../controls/option-field.tsx";
import { editTokens, state } from "../../states/store.ts";
import { type AmountName, amountEntries, fallbackOf, troubleOf } from "../../tokens/settings.ts";

/** Fields for some of the amounts. */
export const AmountFields = ({ names }: { readonly names: readonly AmountName[] }) => (
  <div class="options">
    {names.map((name) => (
      <NumberField
        key={name}
        id={`tokens-${name}`}
        entry={{ ...amountEntries[name], fallback: fallbackOf(name, state.value.tokens) }}
        value={state.value.tokens[name]}
        trouble={troubleOf(name, state.value.tokens)}
        onInput={(text) => editTokens({ [name]: text })}
      />
    ))}
  </div>
);
