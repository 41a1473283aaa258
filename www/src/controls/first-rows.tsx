import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { formatted } from "../tokens/words.ts";

/** Rows that are shown at first, and with each press on the button. */
const STEP = 100;

interface FirstRowsProps<T> {
  readonly items: readonly T[];
  /** What the rows are, in words: “problems”. */
  readonly what: string;
  /** The element of the row with the button. */
  readonly as: "li" | "p";
  /** The number of rows that are shown at least. */
  readonly least?: number;
  readonly children: (item: T, index: number) => ComponentChildren;
}

/** The first rows of what is seldom long, and a button for more of them. */
export function FirstRows<T>({ items, what, as: Row, least = 0, children }: FirstRowsProps<T>) {
  const most = useSignal(STEP);
  const shown = items.slice(0, Math.max(most.value, least));
  const more = items.length - shown.length;
  return (
    <>
      {shown.map(children)}
      {more > 0 && (
        <Row key="more">
          <button
            type="button"
            class="link"
            onClick={() => {
              most.value = shown.length + STEP;
            }}
          >
            {formatted(more)} more {what}
          </button>
        </Row>
      )}
    </>
  );
}
