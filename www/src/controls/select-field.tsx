import { complaint } from "../problem.ts";
import { Field, problemId } from "./field.tsx";

interface SelectFieldProps {
  readonly id: string;
  readonly label: string;
  /** The accessible name, if not the label: the label with its context. */
  readonly fullLabel?: string;
  readonly hint?: string | undefined;
  /** The options. */
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** The chosen option. Another value is shown as an option of its own. */
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
