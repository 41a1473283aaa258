import { complaint } from "../page/problem.ts";
import { Field, problemId } from "./field.tsx";

interface SelectFieldProps {
  readonly id: string;
  readonly label: string;
  /** The accessible name: the label with its context. Default: the label. */
  readonly fullLabel?: string;
  readonly hint?: string | undefined;
  /** The options, in their order. */
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** The value of the chosen option. A value that is not in `options` is shown as an additional option. */
  readonly value: string;
  readonly trouble: string | null;
  readonly onChange: (value: string) => void;
}

/** A choice as a drop-down list. */
export function SelectField({ id, label, fullLabel, hint, options, value, trouble, onChange }: SelectFieldProps) {
  const isKnown = options.some((option) => option.value === value);
  const described = [trouble === null ? "" : problemId(id), hint === undefined ? "" : `${id}-hint`]
    .filter((part) => part !== "")
    .join(" ");
  return (
    <Field id={id} label={label} hint={hint} problem={trouble === null ? null : complaint(trouble)}>
      <select
        id={id}
        class="input"
        value={value}
        aria-label={fullLabel}
        aria-invalid={trouble !== null || undefined}
        aria-describedby={described === "" ? undefined : described}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {!isKnown && <option value={value}>{value}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Field>
  );
}
