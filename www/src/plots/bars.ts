import { formatted } from "../page/numbers.ts";
import {
  amountAxis,
  axisWidth,
  clamped,
  type Key,
  type Look,
  legendOf,
  type Plot,
  short,
  stepAxis,
  triangle,
} from "./plot.ts";
import { element, rectangle, rounded } from "./svg.ts";

/** Stacked bars, one for each request. */
export interface Bars extends Pick<Plot, "title" | "finding" | "unit"> {
  /** The number of each request, from 1; a long history has numbers omitted. */
  readonly numbers: readonly number[];
  /** The series from the bottom to the top. */
  readonly series: readonly Series[];
  /** The tokens of other requests, drawn as a line. */
  readonly line: { readonly label: string; readonly values: readonly number[] } | null;
  /** The indexes of the requests that do not begin with the one before; null if unknown. */
  readonly folds: readonly number[] | null;
  /** What such a request is. Default: “rewritten”. */
  readonly fold?: string;
}

export interface Series {
  readonly label: string;
  readonly look: Look;
  readonly values: readonly number[];
}

const HEIGHT = 132;
const NONE: Look = { class: "plot-line plot-none" };
/** Bars narrower than this touch each other. */
const MIN_GAPPED = 4;

export function barsPlot({ series, line, folds, fold = "rewritten", numbers, unit, ...named }: Bars): Plot {
  const shown = series.filter(({ values }) => values.some((value) => value > 0));
  const totals = numbers.map((_, index) => shown.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const max = Math.max(1, ...totals, ...(line?.values ?? []));
  const isFold = new Set(folds);
  const keys: Key[] = [
    ...shown.map(({ label, look }) => ({ label, look })),
    ...(line === null ? [] : [{ label: line.label, look: NONE, sign: "line" } as const]),
    ...(isFold.size === 0 ? [] : [{ label: fold, look: { class: "plot-fold" }, sign: "triangle" } as const]),
  ];
  const row = (step: number): string[] => [
    formatted(numbers[step] ?? 0),
    formatted(totals[step] ?? 0),
    ...shown.map(({ values }) => formatted(values[step] ?? 0)),
    ...(line === null ? [] : [formatted(line.values[step] ?? 0)]),
    ...(isFold.size === 0 ? [] : [isFold.has(step) ? "yes" : ""]),
  ];
  return {
    ...named,
    unit,
    steps: numbers.length,
    columns: [
      `Request of ${unit}`,
      "Tokens",
      ...shown.map(({ label }) => label),
      ...(line === null ? [] : [line.label]),
      ...(isFold.size === 0 ? [] : [fold]),
    ],
    row,
    words(step) {
      const parts = shown.flatMap(({ label, values }) =>
        (values[step] ?? 0) > 0 ? [`${label} ${formatted(values[step] ?? 0)}`] : [],
      );
      const other = line === null ? "" : `; ${formatted(line.values[step] ?? 0)} ${line.label}`;
      const name = `${unit.charAt(0).toUpperCase()}${unit.slice(1)} ${formatted(numbers[step] ?? 0)}`;
      return `${name}: ${formatted(totals[step] ?? 0)} tokens${isFold.has(step) ? `, ${fold}` : ""} (${parts.join(", ")})${other}`;
    },
    draw(width) {
      const legend = legendOf(keys, width);
      const top = legend.height + 8;
      const area = { left: axisWidth(max, short), right: width, top, bottom: top + HEIGHT };
      const each = (width - area.left) / numbers.length;
      const y = (tokens: number): number => area.bottom - (HEIGHT * tokens) / max;
      const x = (step: number): number => area.left + each * step;
      const drawn = largestOfEach(totals, Math.floor(width - area.left));
      const own = Math.max(each, (width - area.left) / drawn.length);
      const gap = own < MIN_GAPPED ? 0 : Math.min(3, own * 0.16);
      const base = numbers.map(() => 0);
      const layers = shown.map(({ look, values }) => {
        const d = drawn.map((step) => {
          const from = base[step] as number;
          const tokens = values[step] ?? 0;
          base[step] = from + tokens;
          return tokens === 0 ? "" : rectangle(x(step), y(from + tokens), own - gap, y(from) - y(from + tokens));
        });
        return element("path", { ...look, d: d.join("") });
      });
      const other = line?.values
        .map((value, step) => `${rounded(x(step) + (each - gap) / 2)} ${rounded(y(value))}`)
        .join("L");
      const marks = [...isFold].map((step) => triangle(x(step) + (each - gap) / 2, area.bottom + 1)).join("");
      return {
        height: area.bottom + 24,
        content: [
          legend.content,
          amountAxis(area, max, short),
          ...layers,
          other === undefined ? "" : element("path", { ...NONE, d: `M${other}` }),
          marks === "" ? "" : element("path", { class: "plot-fold", d: marks }),
          stepAxis(area, numbers, unit),
        ].join(""),
        mark: (step) =>
          element("path", { class: "plot-mark", d: rectangle(x(step), area.top, Math.max(2, each - gap), HEIGHT) }),
        stepAt: (at) => clamped(Math.floor((at - area.left) / each), numbers.length),
      };
    },
  };
}

/** The share of the largest bar that a series needs to be distinguished. */
const DISTINCT = 0.04;

/** The series, with those that could hardly be seen as one. */
export function withRest(series: readonly Series[]): readonly Series[] {
  const totals = (series[0]?.values ?? []).map((_, step) =>
    series.reduce((sum, { values }) => sum + (values[step] ?? 0), 0),
  );
  const least = DISTINCT * Math.max(1, ...totals);
  const small = series.filter(({ values }) => Math.max(...values) < least);
  if (small.length < 2) return series;
  const values = totals.map((_, step) => small.reduce((sum, each) => sum + (each.values[step] ?? 0), 0));
  return [...series.filter((each) => !small.includes(each)), { label: "other", look: { class: "plot-rest" }, values }];
}

/** The steps to draw: of those that share a pixel, the one with the largest total. */
function largestOfEach(totals: readonly number[], pixels: number): readonly number[] {
  const count = Math.max(1, Math.min(totals.length, pixels));
  const largest: number[] = [];
  for (const [step, total] of totals.entries()) {
    const place = Math.floor((step * count) / totals.length);
    const known = largest[place];
    if (known === undefined || total > (totals[known] as number)) largest[place] = step;
  }
  return largest;
}
