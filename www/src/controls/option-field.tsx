import type { OptionEntry } from "../options.ts";
import { edit, state } from "../store.ts";
import { TextField } from "./text-field.tsx";

export const OptionField = ({ entry }: { readonly entry: OptionEntry }) => (
  <div class="option" title={entry.hint}>
    <TextField
      id={entry.name}
      label={entry.label}
      value={state.value.options[entry.name]}
      placeholder={entry.fallback}
      numeric
      onInput={(text) => edit({ options: { ...state.value.options, [entry.name]: text } })}
    />
  </div>
);
