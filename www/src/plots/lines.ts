import { amountAxis, axisWidth, clamped, type Look, legendOf, type Plot, stepAxis } from "./plot.ts";
import { element, rounded, text, textWidth } from "./svg.ts";

/** Lines of amounts over requests. */
export interface Lines extends Pick<Plot, "title" | "finding" | "unit"> {
  readonly lines: readonly Line[];
  amount(value: number): string;
}

export interface Line {
  readonly label: string;
  /** `chosen` and `none` are drawn above the others, and are named at every width. */
  readonly role: "chosen" | "none" | "least" | "other";
  readonly values: readonly number[];
}

const HEIGHT = 190;
/** The height of a label at the end of a line. */
const LABEL = 14;
/** How much wider a bold label is. */
const BOLD = 1.12;
/** The least width in which all lines are named at their ends. */
const WIDE = 520;

const lookOf = ({ role }: Line): Look => ({ class: `plot-line plot-${role}` });

export function linesPlot({ lines, amount, unit, ...named }: Lines): Plot {
  const steps = Math.max(0, ...lines.map(({ values }) => values.length));
  const max = Math.max(Number.MIN_VALUE, ...lines.map(({ values }) => values.at(-1) ?? 0));
  const numbers = Array.from({ length: steps }, (_, index) => index + 1);
  const inOrder = lines.toSorted((one, other) => (other.values.at(-1) ?? 0) - (one.values.at(-1) ?? 0));
  return {
    ...named,
    unit,
    steps,
    columns: [unit.charAt(0).toUpperCase() + unit.slice(1), ...lines.map(({ label }) => label)],
    row: (step) => [String(step + 1), ...lines.map(({ values }) => amount(values[step] ?? 0))],
    words: (step) =>
      `After ${unit} ${step + 1}: ${lines
        .toSorted((one, other) => (one.values[step] ?? 0) - (other.values[step] ?? 0))
        .map(({ label, values }) => `${label} ${amount(values[step] ?? 0)}`)
        .join(", ")}`,
    draw(width) {
      const isWide = width >= WIDE;
      const legend = isWide
        ? { height: 0, content: "" }
        : legendOf(
            inOrder
              .filter(({ role }) => role !== "other")
              .map((line) => ({ label: line.label, look: lookOf(line), sign: "line" })),
            width,
          );
      const right = isWide
        ? width - 12 - Math.max(...lines.map(({ label, role }) => textWidth(label) * (role === "chosen" ? BOLD : 1)))
        : width;
      const top = legend.height + 10;
      const area = { left: axisWidth(max, amount), right, top, bottom: top + HEIGHT };
      const x = (step: number): number => area.left + ((step + 0.5) * (right - area.left)) / steps;
      const y = (value: number): number => area.bottom - (HEIGHT * value) / max;
      const order = { other: 0, none: 1, least: 2, chosen: 3 };
      const paths = lines
        .toSorted((one, other) => order[one.role] - order[other.role])
        .map((line) => {
          const points = line.values.map((value, step) => `${rounded(x(step))} ${rounded(y(value))}`);
          return element("path", { ...lookOf(line), d: `M${points.join("L")}` });
        });
      const labels = isWide
        ? apart(
            inOrder.map(({ values }) => y(values.at(-1) ?? 0)),
            area.bottom,
          ).map((place, index) => {
            const { label, role } = inOrder[index] as Line;
            return text(right + 8, place + 4, label, { class: role === "other" ? undefined : `plot-label-${role}` });
          })
        : [];
      return {
        height: area.bottom + 24,
        content: [
          legend.content,
          amountAxis(area, max, amount),
          ...paths,
          ...labels,
          stepAxis(area, numbers, unit),
        ].join(""),
        mark: (step) =>
          element("path", { class: "plot-cursor", d: `M${rounded(x(step))} ${area.top}V${area.bottom}` }) +
          lines
            .map((line) =>
              element("circle", {
                class: `plot-dot plot-${line.role}`,
                cx: x(step),
                cy: y(line.values[step] ?? 0),
                r: 3,
              }),
            )
            .join(""),
        stepAt: (at) => clamped(Math.floor(((at - area.left) / (right - area.left)) * steps), steps),
      };
    },
  };
}

/** The places, which ascend, moved so that labels do not overlap and end above `bottom`. */
function apart(places: readonly number[], bottom: number): number[] {
  const moved = [...places];
  for (let index = 1; index < moved.length; index++)
    moved[index] = Math.max(moved[index] as number, (moved[index - 1] as number) + LABEL);
  for (let index = moved.length - 1, limit = bottom; index >= 0; index--, limit -= LABEL)
    moved[index] = Math.min(moved[index] as number, limit);
  return moved;
}
