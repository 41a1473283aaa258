import { cellNamed, withCell } from "../../programs/cells.ts";
import { inputField } from "../../programs/fields.ts";
import { problemAt, shape } from "../../programs/program.ts";
import { editPrograms, programs } from "../../programs/store.ts";
import { CellField } from "./cell-field.tsx";
import { FieldList } from "./field-list.tsx";

/** A field for each input except the history. */
export function Inputs() {
  const { inputs } = programs.value;
  const fields = shape.value?.inputs ?? [];
  return (
    <section aria-labelledby="program-inputs-title">
      <h2 class="pane-title program-first" id="program-inputs-title">
        Inputs
      </h2>
      <div class="program-inputs">
        <FieldList list="program-inputs" find="Find an input" fields={fields} idOf={inputField}>
          {(field) => (
            <CellField
              id={inputField(field.name)}
              field={field}
              cell={cellNamed(inputs, field.name)}
              problem={problemAt(inputField(field.name))}
              onInput={(text) => editPrograms({ inputs: withCell(programs.value.inputs, field.name, text) })}
            />
          )}
        </FieldList>
      </div>
    </section>
  );
}
