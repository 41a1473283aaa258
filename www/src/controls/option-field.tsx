import { withSeparators } from "../page/numbers.ts";
import { fieldId } from "../page/problem.ts";
import { edit, state } from "../states/store.ts";
import type { OptionEntry } from "../turns/options.ts";
import { TextField } from "./text-field.tsx";

interface NumberFieldProps {
  readonly id: string;
  readonly entry: Pick<OptionEntry, "label" | "fallback" | "hint">;
  readonly value: string;
  readonly onInput: (text: string) => void;
  /** The problem of a field of the Chat tab. */
  readonly trouble?: string | null;
}

/** A field for a number with a default, which the empty field shows. */
export const NumberField = ({ id, entry, value, onInput, trouble = null }: NumberFieldProps) => (
  <div class="option" title={entry.hint}>
    <TextField
      id={id}
      label={entry.label}
      value={value}
      placeholder={withSeparators(entry.fallback)}
      numeric
      trouble={trouble}
      onInput={onInput}
    />
  </div>
);

export const OptionField = ({ entry }: { readonly entry: OptionEntry }) => (
  <NumberField
    id={fieldId(entry.name)}
    entry={entry}
    value={state.value.options[entry.name]}
    onInput={(text) => edit({ options: { ...state.value.options, [entry.name]: text } })}
  />
);
