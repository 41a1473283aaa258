import { complaint } from "../page/problem.ts";
import { Field, problemId, useProblem } from "./field.tsx";
import { useTextHeight } from "./use-text-height.ts";

interface TextFieldProps {
  readonly id: string;
  readonly label: string;
  /** The accessible name: the label with its context, “answer of turn 3”. Default: the label. */
  readonly fullLabel?: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly quiet?: boolean;
  readonly code?: boolean;
  readonly numeric?: boolean;
  /** Whether the text is secret: hidden, and not stored by the browser. */
  readonly secret?: boolean;
  /** The problem of a field that is not part of the page's state. */
  readonly trouble?: string | null;
  /** The minimal number of visible lines; without it the text is one line. */
  readonly lines?: number;
  /** Called on Ctrl+Enter, or Cmd+Enter on a Mac. */
  readonly onRun?: () => void;
}

export function TextField({
  id,
  label,
  fullLabel,
  value,
  onInput,
  hint,
  placeholder,
  quiet,
  code,
  numeric,
  secret,
  trouble = null,
  lines,
  onRun,
}: TextFieldProps) {
  const known = useProblem(id);
  const area = useTextHeight(value);
  const problem = trouble === null ? known : complaint(trouble);
  const described = [problem === null ? "" : problemId(id), hint === undefined ? "" : `${id}-hint`]
    .filter((part) => part !== "")
    .join(" ");
  const shared = {
    id,
    value,
    placeholder,
    class: code === true ? "input code" : "input",
    spellcheck: code !== true,
    autocomplete: secret === true ? "new-password" : "off",
    "aria-label": fullLabel,
    inputMode: numeric === true ? ("numeric" as const) : undefined,
    "aria-invalid": problem !== null || undefined,
    "aria-describedby": described === "" ? undefined : described,
    onInput: (event: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onInput(event.currentTarget.value),
    onKeyDown: (event: KeyboardEvent) => {
      if (onRun === undefined || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      onRun();
    },
  };
  return (
    <Field id={id} label={label} hint={hint} quiet={quiet} problem={problem}>
      {secret === true ? (
        <input type="password" {...shared} />
      ) : lines === undefined ? (
        <input type="text" {...shared} />
      ) : (
        <textarea ref={area} rows={Math.max(lines, linesOf(value))} {...shared} />
      )}
    </Field>
  );
}

const MAX_LINES = 12;

const linesOf = (text: string): number => Math.min(MAX_LINES, text.split("\n").length);
