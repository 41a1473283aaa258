import { useMemo } from "preact/hooks";
import type { Field } from "turnfold";
import { CodeField } from "../../controls/code-field.tsx";
import { SelectField } from "../../controls/select-field.tsx";
import { TextField } from "../../controls/text-field.tsx";
import { type Problem, problemText } from "../../page/problem.ts";
import { choicesOf, shownText, writingOf } from "../../programs/cells.ts";
import type { Cell } from "../../programs/state.ts";

interface CellFieldProps {
  readonly id: string;
  readonly field: Field;
  readonly cell: Cell | null;
  readonly problem: Problem | null;
  /** The turn of the value for labels, such as “of turn 3”; absent for an input. */
  readonly of?: string;
  readonly onInput: (text: string) => void;
}

/** The field of a value, according to its type. An empty field has no value. */
export function CellField({ id, field, cell, problem, of, onInput }: CellFieldProps) {
  const writing = writingOf(field);
  const value = cell?.text ?? "";
  const isJson = cell?.json === true && writing === "text";
  const problems = useMemo(() => (problem === null ? [] : [problem]), [problem]);
  const shared = {
    id,
    label: field.name,
    hint: isJson ? "JSON" : `${field.type}${field.optional === true ? ", optional" : ""}`,
    value,
    onInput,
    ...(of === undefined ? {} : { fullLabel: `${field.name} ${of}` }),
  };
  if (writing === "choice") {
    const options = choicesOf(field).map((json) => ({ value: json, label: shownText(JSON.parse(json)) }));
    return (
      <SelectField
        {...shared}
        options={[{ value: "", label: "none" }, ...options]}
        trouble={problem === null ? null : problemText(problem)}
        onChange={onInput}
      />
    );
  }
  // Editors for all values of a long history would be slow.
  if (writing === "json" && of === undefined) {
    return <CodeField {...shared} fullLabel={field.name} language="json" problems={problems} />;
  }
  const lines = writing === "number" ? {} : { lines: 1 };
  return (
    <TextField
      {...shared}
      {...lines}
      code={writing === "json" || isJson}
      numeric={field.type === "int"}
      trouble={problem === null ? null : problemText(problem)}
    />
  );
}
