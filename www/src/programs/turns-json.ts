import { computed, signal } from "@preact/signals";
import { type Field, History, TurnfoldError } from "turnfold";
import { nodeAt, problemAt, rangesIn, syntaxProblem } from "../chat/json.ts";
import type { Problem } from "../page/problem.ts";
import { newId } from "../states/state.ts";
import { cellOf, cellValue, UnreadableCell, writingOf } from "./cells.ts";
import { type Shape, shape } from "./program.ts";
import { refusalOf, refusalText } from "./refusal.ts";
import type { Cell, TurnRow } from "./state.ts";
import { editTurns, programs, type TurnList } from "./store.ts";

/** An invalid JSON text that is being typed, and the turns at that time. */
interface Draft {
  readonly text: string;
  readonly rows: readonly TurnRow[];
  readonly problem: Problem | null;
}

const drafts = { history: signal<Draft | null>(null), demos: signal<Draft | null>(null) };

const rowsOf = (list: TurnList) => computed(() => programs.value[list]);
const rows = { history: rowsOf("history"), demos: rowsOf("demos") };

const textsOf = (list: TurnList) =>
  computed((): { readonly text: string; readonly problem: Problem | null } => {
    const draft = drafts[list].value;
    // The text is discarded when the turns have changed since.
    if (draft !== null && draft.rows === rows[list].value) return draft;
    return { text: jsonOf(rows[list].value, shape.value), problem: null };
  });

/** The turns as JSON, or the typed text while it is invalid. */
export const turnsText = { history: textsOf("history"), demos: textsOf("demos") };

/** Replaces the turns with those of a text when it is valid; otherwise keeps the text. */
export function typeTurns(list: TurnList, text: string): void {
  const read = turnsIn(text, rows[list].peek(), shape.peek());
  if ("rows" in read) editTurns(list, () => read.rows);
  drafts[list].value = { text, rows: rows[list].value, problem: "rows" in read ? null : read.problem };
}

const fieldsByName = (fields: Shape | null): ReadonlyMap<string, Field> =>
  new Map([...(fields?.turn.inputs ?? []), ...(fields?.turn.outputs ?? [])].map((field) => [field.name, field]));

function jsonOf(rows: readonly TurnRow[], fields: Shape | null): string {
  const known = fieldsByName(fields);
  const turns = rows.map(({ values }) =>
    Object.fromEntries(values.map((cell) => [cell.name, plainValue(cell, known)])),
  );
  const text = JSON.stringify(turns, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value), 2);
  return text === "[]" ? "" : text;
}

function plainValue(cell: Cell, known: ReadonlyMap<string, Field>): unknown {
  const field = known.get(cell.name);
  try {
    return cellValue(cell, field === undefined ? "text" : writingOf(field));
  } catch (error) {
    if (error instanceof UnreadableCell) return cell.text;
    throw error;
  }
}

/** Reads turns from a list, or from a saved `History` with `messages`. An equal turn stays the same object. */
function turnsIn(
  text: string,
  before: readonly TurnRow[],
  fields: Shape | null,
): { readonly rows: readonly TurnRow[] } | { readonly problem: Problem } {
  if (text.trim() === "") return { rows: [] };
  let json: unknown;
  try {
    json = JSON.parse(text) as unknown;
  } catch (error) {
    return { problem: syntaxProblem(text, error) };
  }
  const isSaved = typeof json === "object" && json !== null && !Array.isArray(json) && "messages" in json;
  const list = isSaved ? (json as { readonly messages: unknown }).messages : json;
  const root = rangesIn(text);
  const node = isSaved ? nodeAt(root, ["messages"]) : root;
  try {
    new History(list as []);
  } catch (error) {
    const index = TurnfoldError.isInstance(error) ? error.details.index : undefined;
    const { start, end } = typeof index === "number" ? nodeAt(node, [index]) : node;
    return { problem: problemAt(text, refusalText(refusalOf(error)), start, end) };
  }
  const known = fieldsByName(fields);
  const rows = (list as Readonly<Record<string, unknown>>[]).map((turn, index): TurnRow => {
    const values = Object.entries(turn).flatMap(([name, value]) => {
      const field = known.get(name);
      return cellOf(name, value, field === undefined ? "text" : writingOf(field)) ?? [];
    });
    const old = before[index];
    if (old !== undefined && JSON.stringify(old.values) === JSON.stringify(values)) return old;
    return { id: old?.id ?? newId(), values };
  });
  return { rows };
}
