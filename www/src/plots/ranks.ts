import { formatted, percent } from "../page/numbers.ts";
import type { Plot } from "./plot.ts";
import { element, fitting, rectangle, text } from "./svg.ts";

/** Things with their tokens, the largest first. */
export interface Ranking {
  readonly label: string;
  /** What a row is: “tool”. Empty where names say it. */
  readonly noun: string;
  readonly rows: readonly (readonly [name: string, tokens: number])[];
  /** The number of things that have no row, and their tokens. */
  readonly others: { readonly count: number; readonly tokens: number };
}

interface Ranks extends Pick<Plot, "title" | "finding"> {
  readonly rankings: readonly Ranking[];
  /** The tokens of which the rows are parts. */
  readonly total: number;
}

const ROW = 20;
/** The width of a character of code. */
const CODE = 7.3;
const HEAD = 24;
const GAP = 28;
/** The room of the numbers behind a bar. */
const NUMBERS = 96;
/** The least width in which rankings stand side by side. */
const WIDE = 640;
/** The most rows of a ranking. */
const MAX_ROWS = 8;

/** The largest entries of a map. */
export function rankingOf(label: string, noun: string, sizes: ReadonlyMap<string, number>): Ranking {
  const all = [...sizes].filter(([, tokens]) => tokens > 0).sort(([, one], [, other]) => other - one);
  const rest = all.slice(all.length > MAX_ROWS ? MAX_ROWS - 1 : MAX_ROWS);
  const others = { count: rest.length, tokens: rest.reduce((sum, [, tokens]) => sum + tokens, 0) };
  return { label, noun, rows: all.slice(0, all.length - rest.length), others };
}

/** Bars for each row of some rankings. */
export function ranksPlot({ rankings, total, ...named }: Ranks): Plot {
  const rows = rankings.flatMap(({ label, rows }) => rows.map(([name, tokens]) => ({ label, name, tokens })));
  const max = Math.max(1, ...rows.map(({ tokens }) => tokens));
  return {
    ...named,
    unit: "row",
    hint: "",
    steps: rows.length,
    isVertical: true,
    columns: ["What", "By", "Tokens", "Share"],
    row(step) {
      const { label, name, tokens } = rows[step] as (typeof rows)[number];
      return [name, label, formatted(tokens), percent(tokens, total)];
    },
    words(step) {
      const { label, name, tokens } = rows[step] as (typeof rows)[number];
      return `${label}: ${name}, ${formatted(tokens)} tokens, ${percent(tokens, total)}`;
    },
    draw(width) {
      const columns = width >= WIDE ? Math.min(2, rankings.length) : 1;
      const room = (width - (columns - 1) * GAP) / columns;
      const names = Math.min(room * 0.45, 280);
      const track = room - names - NUMBERS;
      const numbersOf = (x: number, y: number, tokens: number): string =>
        text(x + 6, y + 14, `${formatted(tokens)} · ${percent(tokens, total)}`);
      const ends = Array.from({ length: columns }, () => 0);
      const places: { readonly x: number; readonly y: number }[] = [];
      const heads = rankings.map(({ label, rows, others }) => {
        // The column that ends first.
        const column = ends.indexOf(Math.min(...ends));
        const x = column * (room + GAP);
        const y = ends[column] as number;
        for (const index of rows.keys()) places.push({ x, y: y + HEAD + index * ROW });
        const end = y + HEAD + rows.length * ROW;
        ends[column] = end + (others.count === 0 ? 0 : ROW) + 12;
        const rest =
          others.count === 0
            ? ""
            : text(x, end + 14, `${formatted(others.count)} others`) + numbersOf(x + names, end, others.tokens);
        return text(x, y + 15, label, { class: "plot-name" }) + rest;
      });
      const bars = rows.map(({ name, tokens }, step) => {
        const { x, y } = places[step] as (typeof places)[number];
        const length = Math.max(1, (track * tokens) / max);
        return (
          text(x, y + 14, fitting(name, names - 10, CODE), { class: "plot-code" }) +
          element("path", { class: "plot-bar", d: rectangle(x + names, y + 4, length, ROW - 8) }) +
          numbersOf(x + names + length, y, tokens)
        );
      });
      return {
        height: Math.max(...ends),
        content: [...heads, ...bars].join(""),
        mark(step) {
          const { x, y } = places[step] as (typeof places)[number];
          return element("path", { class: "plot-mark", d: rectangle(x, y, room, ROW) });
        },
        stepAt(at, y) {
          const step = places.findIndex(
            (place) => at >= place.x && at < place.x + room && y >= place.y && y < place.y + ROW,
          );
          return step < 0 ? null : step;
        },
      };
    },
  };
}
