import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { formatted } from "../page/numbers.ts";
import { IconButton } from "./button.tsx";
import { showRow } from "./virtual-list.tsx";

export interface FindInListProps<T> {
  /** The name of the list. */
  readonly list: string;
  readonly label: string;
  /** The word for a row, such as “turn”. */
  readonly what: string;
  readonly items: readonly T[];
  /** The text of an item, in lower case. */
  readonly textOf: (item: T) => string;
}

/** The indexes of the rows that contain all words of the query, and of the row whose number is the query. */
function matchesOf<T>(items: readonly T[], textOf: (item: T) => string, query: string): readonly number[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const number = /^\d[\d,]*$/.test(query.trim()) ? Number(query.replaceAll(",", "")) : 0;
  const found: number[] = [];
  if (number >= 1 && number <= items.length) found.push(number - 1);
  for (const [index, item] of items.entries())
    if (index !== number - 1 && words.every((word) => textOf(item).includes(word))) found.push(index);
  return found;
}

/** A search in a list of which only some rows are rendered. Enter goes to the next match, Shift+Enter to the previous one. */
export function FindInList<T>({ list, label, what, items, textOf }: FindInListProps<T>) {
  const query = useSignal("");
  const at = useSignal(-1);
  const matches = useMemo(() => matchesOf(items, textOf, query.value), [items, textOf, query.value]);
  const current = matches[at.value];
  useMark(list, current);
  const go = (by: 1 | -1): void => {
    if (matches.length === 0) return;
    const next = at.value < 0 && by < 0 ? matches.length - 1 : at.value + by;
    at.value = (next + matches.length) % matches.length;
    void showRow(list, matches[at.value] as number, "center");
  };
  return (
    <search class="find-in-list">
      <input
        type="search"
        class="input"
        aria-label={label}
        placeholder={`${label}: number or words`}
        value={query.value}
        onInput={(event) => {
          query.value = event.currentTarget.value;
          at.value = -1;
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          go(event.shiftKey ? -1 : 1);
        }}
      />
      <IconButton icon="up" label={`Previous ${what} found`} disabled={matches.length === 0} onClick={() => go(-1)} />
      <IconButton icon="down" label={`Next ${what} found`} disabled={matches.length === 0} onClick={() => go(1)} />
      <span role="status" class="field-hint">
        {query.value.trim() === "" ? "" : saidOf(matches.length, at.value, what, current)}
      </span>
    </search>
  );
}

function saidOf(count: number, at: number, what: string, index: number | undefined): string {
  if (count === 0) return `No ${what} contains this.`;
  if (index === undefined) {
    const plural = `${what.replace(/y$/, "ie")}s`;
    return `${formatted(count)} ${count === 1 ? `${what} contains` : `${plural} contain`} this`;
  }
  return `${what} ${formatted(index + 1)}, ${formatted(at + 1)} of ${formatted(count)}`;
}

/** Marks the found row by a style sheet, because rows are removed and rendered again while the list is scrolled. */
function useMark(list: string, index: number | undefined): void {
  useEffect(() => {
    if (index === undefined) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`[data-list="${list}"] > [data-index="${index}"] { box-shadow: 0 0 0 2px var(--accent) }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    };
  }, [list, index]);
}
