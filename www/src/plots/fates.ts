import { formatted } from "../page/numbers.ts";
import { type Key, type Look, legendOf, type Plot, ticks } from "./plot.ts";
import { element, rectangle, rounded, text, textWidth } from "./svg.ts";

/** A message of a chat, and its fate in the next request. */
export interface FatedMessage {
  readonly tokens: number;
  readonly fate: string;
  readonly look: Look;
}

/** Values that a call takes from an earlier message. */
export interface Use {
  readonly values: readonly string[];
  /** The index of the last message with them, and of the message that uses them. */
  readonly from: number;
  readonly by: number;
  /** Tokens between the two. */
  readonly distance: number;
  readonly status: "visible" | "recoverable" | "lost";
}

export interface Fates extends Pick<Plot, "title" | "finding"> {
  readonly messages: readonly FatedMessage[];
  readonly uses: readonly Use[];
}

/** The least and the greatest height of the arcs, and its share of the width between the two. */
const [MIN_ARCS, MAX_ARCS, ARCS] = [96, 150, 0.11];
const STRIP = 22;
/** The distance from an arc, in pixels, at which a pointer is on it. */
const NEAR = 12;

const STATUS: Readonly<Record<Use["status"], string>> = {
  visible: "in the request",
  recoverable: "can be recalled",
  lost: "not in the request",
};

/** All messages by their fates, with an arc from each value that was needed later to the call that used it. */
export function fatesPlot({ messages, uses, ...named }: Fates): Plot {
  const fates = [...new Map(messages.map(({ fate, look }) => [fate, look]))];
  const statuses = (["visible", "recoverable", "lost"] as const).filter((name) =>
    uses.some(({ status }) => status === name),
  );
  const keys: Key[] = [
    ...fates.map(([label, look]) => ({ label, look })),
    ...statuses.map((name): Key => ({ label: `used later, ${STATUS[name]}`, look: lookOf(name), sign: "arc" })),
  ];
  const total = Math.max(
    1,
    messages.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  const starts: number[] = [];
  let sum = 0;
  for (const { tokens } of messages) {
    starts.push(sum);
    sum += tokens;
  }
  return {
    ...named,
    unit: "use",
    hint: uses.length === 0 ? "" : "Choose an arc to see whether the call had the value, and why not.",
    steps: uses.length,
    columns: ["Used by message", "Values", "Last in message", "Tokens between", "When it was used"],
    row(step) {
      const { values, from, by, distance, status } = uses[step] as Use;
      return [formatted(by + 1), values.join(", "), formatted(from + 1), formatted(distance), STATUS[status]];
    },
    words(step) {
      const { values, from, by, distance, status } = uses[step] as Use;
      return `Message ${formatted(by + 1)} uses ${listed(values)} of message ${formatted(from + 1)}, ${distance === 0 ? "just before" : `${formatted(distance)} tokens back`}: ${STATUS[status]}`;
    },
    draw(width) {
      const legend = legendOf(keys, width);
      const top = uses.length === 0 ? 0 : Math.max(MIN_ARCS, Math.min(MAX_ARCS, ARCS * width));
      const base = legend.height + 8 + top;
      const x = (tokens: number): number => (width * tokens) / total;
      const middle = (index: number): number => x((starts[index] ?? 0) + (messages[index]?.tokens ?? 0) / 2);
      const arcs = uses.map(({ from, by }): Arc => {
        const [left, right] = [middle(from), middle(by)];
        const ends = [from, by].map((index) => x(messages[index]?.tokens ?? 0) / 2);
        const half = Math.max(2, (right - left) / 2);
        return { left, right, ends, half, height: Math.max(6, (top - 4) * Math.sqrt((right - left) / width)) };
      });
      const d = ({ left, right, half, height }: Arc): string =>
        `M${rounded(left)} ${base}A${rounded(half)} ${rounded(height)} 0 0 1 ${rounded(right)} ${base}`;
      const strips = fates.map(([name, look]) => {
        const own = messages.flatMap(({ tokens, fate }, index) => {
          const room = x(tokens);
          return fate === name ? [rectangle(x(starts[index] ?? 0), base, room > 3 ? room - 0.6 : room, STRIP)] : [];
        });
        return element("path", { ...look, d: own.join("") });
      });
      return {
        height: base + STRIP + 22,
        content: [
          legend.content,
          ...strips,
          ...statuses.map((name) =>
            element("path", {
              ...lookOf(name),
              d: arcs.flatMap((arc, step) => (uses[step]?.status === name ? [d(arc)] : [])).join(""),
            }),
          ),
          numbers(messages.length, width, middle, base + STRIP + 16),
        ].join(""),
        mark(step) {
          const { from, by } = uses[step] as Use;
          const ends = [from, by].map((index) =>
            rectangle(x(starts[index] ?? 0), base - 1, Math.max(2, x(messages[index]?.tokens ?? 0)), STRIP + 2),
          );
          return (
            element("path", { class: "plot-arc plot-arc-marked", d: d(arcs[step] as Arc) }) +
            element("path", { class: "plot-mark", d: ends.join("") })
          );
        },
        stepAt(at, y) {
          let [best, nearest] = [null as number | null, NEAR];
          for (const [step, arc] of arcs.entries()) {
            // Arcs of what is lost are drawn above the others.
            const distance = distanceTo(arc, at, base - y) - (uses[step]?.status === "visible" ? 0 : 3);
            if (distance < nearest) [best, nearest] = [step, distance];
          }
          return best;
        },
      };
    },
  };
}

interface Arc {
  readonly left: number;
  readonly right: number;
  /** Half the widths of the messages at its ends. */
  readonly ends: readonly number[];
  readonly half: number;
  readonly height: number;
}

/** The distance of a point from an arc: from the messages at its ends for a point in the strip. */
function distanceTo({ left, right, ends, half, height }: Arc, x: number, above: number): number {
  const [start = 0, end = 0] = ends;
  if (above <= 0) return Math.max(0, Math.min(Math.abs(x - left) - start, Math.abs(x - right) - end));
  const part = (x - (left + right) / 2) / half;
  return Math.abs(part) > 1 ? Number.POSITIVE_INFINITY : Math.abs(height * Math.sqrt(1 - part * part) - above);
}

const lookOf = (status: Use["status"]): Look => ({ class: `plot-arc plot-arc-${status}` });

/** The first values, in quotes. */
export function listed(values: readonly string[]): string {
  const shown = values.slice(0, 3).map((value) => `“${value}”`);
  return values.length > 3 ? `${shown.join(", ")} and ${values.length - 3} more` : shown.join(", ");
}

/** The numbers of messages below the strip, where there is room. */
function numbers(count: number, width: number, middle: (index: number) => number, y: number): string {
  let free = textWidth("message 1") + 16;
  const round = ticks(count, 10).filter((number) => number > 1 && Number.isInteger(number));
  const labels = round.map((number) => {
    const label = formatted(number);
    const x = middle(number - 1);
    const half = textWidth(label) / 2;
    if (x - half < free || x + half > width) return "";
    free = x + half + 24;
    return text(x, y, label, { "text-anchor": "middle" });
  });
  return text(0, y, "message 1") + labels.join("");
}
