import { formatted } from "../page/numbers.ts";
import { element, rounded, text, textWidth } from "./svg.ts";

/** A plot: what is needed to draw it, to read it out, to list it as a table and to save it as an image. */
export interface Plot {
  readonly title: string;
  /** What the plot shows, as sentences. */
  readonly finding: string;
  /** What a step is: “turn”, “value”. */
  readonly unit: string;
  /** The number of its steps, which are chosen by keys and by a pointer. */
  readonly steps: number;
  /** What a step tells, shown before one is chosen; by default the last step as a sentence. */
  readonly hint?: string;
  /** Whether the steps follow each other downwards. */
  readonly isVertical?: boolean;
  /** A step as a sentence. */
  words(step: number): string;
  readonly columns: readonly string[];
  /** The cells of the row of a step in the table; the first one is its head. */
  row(step: number): readonly string[];
  draw(width: number): Drawing;
}

/** A plot at one width, in pixels. */
export interface Drawing {
  readonly height: number;
  /** The content of an `svg` element. */
  readonly content: string;
  /** The elements that mark a step. */
  mark(step: number): string;
  /** The step at a point; null for none. */
  stepAt(x: number, y: number): number | null;
}

/** The look of a series: attributes that the style sheet knows. */
export interface Look {
  readonly class: string;
  readonly "data-kind"?: string;
  readonly "data-fate"?: string;
}

/** An entry of the legend. */
export interface Key {
  readonly label: string;
  readonly look: Look;
  /** The form of its sign; a filled square by default. */
  readonly sign?: "line" | "arc" | "triangle";
}

const LINE = 18;
const SIGN = 10;

/** The legend, in as many lines as it needs. */
export function legendOf(keys: readonly Key[], width: number): { readonly height: number; readonly content: string } {
  let [x, y] = [0, 0];
  const content = keys.map(({ label, look, sign }) => {
    const room = SIGN + 5 + textWidth(label);
    if (x > 0 && x + room > width) [x, y] = [0, y + LINE];
    const at = x;
    x += room + 14;
    const d =
      sign === "line"
        ? `M${rounded(at)} ${y + 7}h${SIGN + 2}`
        : sign === "arc"
          ? `M${rounded(at)} ${y + 11}a5 7 0 0 1 ${SIGN} 0`
          : sign === "triangle"
            ? triangle(at + 5, y + 3)
            : `M${rounded(at)} ${y + 2}h${SIGN}v${SIGN}h-${SIGN}z`;
    return element("path", { ...look, d }) + text(at + SIGN + 5, y + 11, label);
  });
  return { height: keys.length === 0 ? 0 : y + LINE, content: content.join("") };
}

/** A small triangle that points up to `(x, y)`. */
export const triangle = (x: number, y: number): string => `M${rounded(x)} ${rounded(y)}l4 6h-8z`;

/** Round values from 0 to at most `max`, about `count` of them after 0. */
export function ticks(max: number, count: number): number[] {
  if (!(max > 0)) return [0];
  const rough = max / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.floor(max / step + 1e-9) + 1 }, (_, index) => index * step);
}

/** The left, right, top and bottom edge of the area of values. */
export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The room that the labels of amounts need. */
export const axisWidth = (max: number, amount: (value: number) => string): number =>
  8 + Math.max(...ticks(max, 3).map((value) => textWidth(amount(value))));

/** The lines of round amounts, with labels at their left. */
export const amountAxis = (
  { left, right, top, bottom }: Area,
  max: number,
  amount: (value: number) => string,
): string =>
  ticks(max, 3)
    .map((value) => {
      const y = bottom - ((bottom - top) * value) / max;
      const line = element("path", {
        class: value === 0 ? "plot-base" : "plot-grid",
        d: `M${left} ${rounded(y)}H${right}`,
      });
      return line + text(left - 6, y + 4, amount(value), { "text-anchor": "end" });
    })
    .join("");

/** The numbers of steps below the area: the first one with the name of the unit, and round ones. */
export function stepAxis({ left, right, bottom }: Area, numbers: readonly number[], unit: string): string {
  const [first, last] = [numbers[0] ?? 1, numbers.at(-1) ?? 1];
  const width = (right - left) / numbers.length;
  const round = ticks(last, Math.max(2, Math.min(8, (right - left) / 80))).filter(
    (value) => value > first && Number.isInteger(value),
  );
  // Numbers of steps may be omitted where a history is sampled.
  const label = (value: number): string => {
    const index = numbers.findIndex((number) => number >= value);
    const x = left + (index + 0.5) * width;
    if (value === first) return text(left, bottom + 18, `${unit} ${formatted(value)}`);
    if (x - left < textWidth(`${unit} ${first}`) + 16) return "";
    return text(Math.min(x, right - textWidth(String(value)) / 2), bottom + 18, formatted(value), {
      "text-anchor": "middle",
    });
  };
  return [first, ...round].map(label).join("");
}

/** A short amount: 12k, 1.5M. */
export const short = (value: number): string =>
  value.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 }).replace("K", "k");

export const clamped = (step: number, steps: number): number => Math.max(0, Math.min(steps - 1, step));
