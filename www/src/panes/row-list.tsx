import type { ComponentChildren } from "preact";
import { AddButton, IconButton } from "../controls/button.tsx";
import { focusSoon } from "../focus.ts";
import { fieldId } from "../problem.ts";
import { patched, type Row, without } from "../state.ts";

interface RowListProps<R extends Row> {
  readonly rows: readonly R[];
  readonly change: (change: (rows: readonly R[]) => readonly R[]) => void;
  /** The class of a row. */
  readonly kind: string;
  /** The part of the page that a row belongs to, for styles. */
  readonly part?: string;
  /** The name of a row in labels, by its number from 1. */
  readonly nameOf: (number: number) => string;
  readonly blank: () => R;
  /** The field that has the focus in a new row. */
  readonly firstField: string;
  readonly addId: string;
  readonly addLabel: string;
  /** The fields of a row; `number` counts from 1. */
  readonly children: (row: R, name: string, patch: (part: Partial<R>) => void, number: number) => ComponentChildren;
  /** What is shown above the button that adds a row. */
  readonly below?: ComponentChildren;
}

/** A list of rows that can be added and deleted. */
export function RowList<R extends Row>(props: RowListProps<R>) {
  const { rows, change, kind, part, nameOf, blank, firstField, addId, addLabel, children, below } = props;
  return (
    <>
      <ul class="rows">
        {rows.map((row, index) => {
          const name = nameOf(index + 1);
          return (
            <li key={row.id} class={`row ${kind}`} data-part={part}>
              {children(row, name, (patch) => change((rows) => patched(rows, row.id, patch)), index + 1)}
              <IconButton
                icon="remove"
                label={`Delete ${name}`}
                onClick={() => {
                  change((rows) => without(rows, row.id));
                  focusSoon(addId);
                }}
              />
            </li>
          );
        })}
      </ul>
      {below}
      <AddButton
        id={addId}
        label={addLabel}
        onClick={() => {
          const row = blank();
          change((rows) => [...rows, row]);
          focusSoon(fieldId(firstField, row));
        }}
      />
    </>
  );
}
