import type { ComponentChildren } from "preact";
import { AddButton, IconButton } from "../controls/button.tsx";
import { Find } from "../controls/find.tsx";
import { VirtualList } from "../controls/virtual-list.tsx";
import { focusSoon } from "../page/focus.ts";
import { fieldId } from "../page/problem.ts";
import { patched, type Row, without } from "../states/state.ts";

interface RowListProps<R extends Row> {
  /** The name of the list, unique on the page. */
  readonly list: string;
  /** The approximate height of a row in pixels. */
  readonly rowHeight: number;
  readonly rows: readonly R[];
  readonly change: (change: (rows: readonly R[]) => readonly R[]) => void;
  /** The class of a row. */
  readonly kind: string;
  /** The part of the page that a row belongs to, for styles. */
  readonly part?: string;
  /** The word for a row in labels, such as “call”. */
  readonly what: string;
  /** The owner of the rows in labels, such as “of turn 3”. */
  readonly of?: string;
  readonly blank: () => R;
  /** The field that has the focus in a new row. */
  readonly firstField: string;
  readonly addId: string;
  readonly addLabel: string;
  /** The fields of a row; `number` counts from 1. */
  readonly children: (row: R, name: string, patch: (part: Partial<R>) => void, number: number) => ComponentChildren;
  /** The content between the rows and the button that adds a row. */
  readonly below?: ComponentChildren;
}

/** All texts of a row, in lower case. */
export const textOf = (row: Row): string =>
  Object.values(row)
    .filter((value) => typeof value === "string")
    .join("\n")
    .toLowerCase();

/** Pixels between two rows; must equal the gap in history.css. */
export const ROW_GAP = 6;

/** The index of the row that a control belongs to, by the control's id; -1 for none. */
export const indexOfRow = (rows: readonly Row[], id: string): number => {
  const row = Number(/-(\d+)$/.exec(id)?.[1]);
  return rows.findIndex((each) => each.id === row);
};

const named = (name: string, of: string | undefined): string => (of === undefined ? name : `${name} ${of}`);

/** A list of rows that can be added and deleted. */
export function RowList<R extends Row>(props: RowListProps<R>) {
  const { list, rowHeight, rows, change, kind, part, what, of, blank, firstField, addId, addLabel, children, below } =
    props;
  return (
    <>
      <Find list={list} label={named(`Find a ${what}`, of)} what={what} items={rows} textOf={textOf} />
      <VirtualList
        name={list}
        items={rows}
        keyOf={({ id }) => id}
        rowHeight={rowHeight}
        gap={ROW_GAP}
        class="rows"
        indexOf={(id) => indexOfRow(rows, id)}
      >
        {(row, index, attributes) => {
          const name = named(`${what} ${index + 1}`, of);
          return (
            <li {...attributes} key={row.id} class={`row ${kind}`} data-part={part}>
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
        }}
      </VirtualList>
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
