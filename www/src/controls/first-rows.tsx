import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { formatted } from "../page/numbers.ts";

/** The number of rows that are shown at first, and that each press of the button adds. */
const STEP = 100;

interface FirstRowsProps<T> {
  readonly items: readonly T[];
  /** The word for the rows, such as “problems”. */
  readonly what: string;
  /** The element name of the row with the button. */
  readonly as: "li" | "p";
  /** The least number of rows that are shown. */
  readonly min?: number;
  readonly children: (item: T, index: number) => ComponentChildren;
}

/** Selects the elements of a row that can have the focus. */
const FOCUSABLE = "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex]";

/** Focuses the first element of a row that can have the focus, or the row. */
function focusIn(row: Element): void {
  const inside = row.querySelector<HTMLElement>(FOCUSABLE);
  if (inside === null && row instanceof HTMLElement) row.tabIndex = -1;
  (inside ?? (row as HTMLElement)).focus();
}

/** The first rows of a list that is seldom long, with a button that shows more. */
export function FirstRows<T>({ items, what, as: Row, min = 0, children }: FirstRowsProps<T>) {
  const max = useSignal(STEP);
  const shown = items.slice(0, Math.max(max.value, min));
  const more = items.length - shown.length;
  // The row before the button at the time of the press.
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const revealed = before.current?.nextElementSibling ?? null;
    before.current = null;
    // The last press removes the button, which has the focus.
    if (more === 0 && revealed !== null) focusIn(revealed);
  }, [max.value]);
  return (
    <>
      {shown.map(children)}
      {more > 0 && (
        <Row key="more">
          <button
            type="button"
            class="link"
            onClick={({ currentTarget }) => {
              before.current = currentTarget.parentElement?.previousElementSibling ?? null;
              max.value = shown.length + STEP;
            }}
          >
            {formatted(more)} more {what}
          </button>
        </Row>
      )}
    </>
  );
}
