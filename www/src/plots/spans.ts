import { formatted } from "../page/numbers.ts";
import { type Key, type Look, legendOf, type Plot, ticks } from "./plot.ts";
import { element, rectangle, rounded, text, textWidth } from "./svg.ts";

/** Something that took time. */
export interface Span {
  readonly label: string;
  readonly lane: "model" | "tools";
  readonly turn: number;
  /** Milliseconds from the beginning of the run. */
  readonly start: number;
  readonly duration: number;
  readonly failed?: boolean;
}

interface Spans extends Pick<Plot, "title" | "finding"> {
  readonly spans: readonly Span[];
  /** The duration of the run in milliseconds. */
  readonly duration: number;
}

/** The height of a row with the space below it, where they are not more than `MAX_HEIGHT` together. */
const ROW = 19;
const MAX_HEIGHT = 240;
/** The least height in which a name is legible. */
const LEGIBLE = 16;
const HEADS = 48;

const LOOKS = {
  model: { class: "plot-model" },
  tools: { class: "plot-part", "data-kind": "toolCalls" },
  failed: { class: "plot-failed" },
} satisfies Record<string, Look>;

/** A duration in words: 340 ms, 2.4 s, 3 min 20 s. */
export function time(duration: number): string {
  if (duration < 1000) return `${Math.round(duration)} ms`;
  const seconds = duration / 1000;
  if (seconds < 60) return `${seconds.toLocaleString("en", { maximumFractionDigits: 1 })} s`;
  const rest = Math.round(seconds) % 60;
  const minutes = `${formatted(Math.floor(Math.round(seconds) / 60))} min`;
  return rest === 0 ? minutes : `${minutes} ${rest} s`;
}

/** A lane for the model and one for tools, with more of them where calls ran together. */
export function spansPlot({ spans, duration, ...named }: Spans): Plot {
  const rows = rowsOf(spans);
  const count = Math.max(0, ...rows) + 1;
  const row = Math.max(2, Math.min(ROW, MAX_HEIGHT / count));
  const lane = row > 8 ? row - 3 : row - 0.5;
  const hasTools = spans.some(({ lane }) => lane === "tools");
  const keys: Key[] = spans.some(({ failed }) => failed) ? [{ label: "failed", look: LOOKS.failed }] : [];
  const lookOf = ({ lane, failed }: Span): keyof typeof LOOKS => (failed === true ? "failed" : lane);
  return {
    ...named,
    unit: "step",
    hint: "",
    steps: spans.length,
    columns: ["Turn", "What", "After", "Duration"],
    row(step) {
      const { label, turn, start, duration, failed } = spans[step] as Span;
      return [formatted(turn), failed === true ? `${label}, failed` : label, time(start), time(duration)];
    },
    words(step) {
      const { label, turn, start, duration, failed } = spans[step] as Span;
      return `Turn ${formatted(turn)}, after ${time(start)}: ${label}, ${time(duration)}${failed === true ? ", failed" : ""}`;
    },
    draw(width) {
      const legend = legendOf(keys, width);
      const top = legend.height + 4;
      const left = HEADS;
      const bottom = top + count * row;
      const x = (at: number): number => left + ((width - left) * at) / Math.max(1, duration);
      const box = (span: Span, step: number): string =>
        rectangle(
          x(span.start),
          top + (rows[step] as number) * row,
          Math.max(1, x(span.start + span.duration) - x(span.start) - (x(span.duration) - left > 4 ? 0.8 : 0)),
          lane,
        );
      const bars = (Object.keys(LOOKS) as (keyof typeof LOOKS)[]).map((look) =>
        element("path", {
          ...LOOKS[look],
          d: spans.flatMap((span, step) => (lookOf(span) === look ? [box(span, step)] : [])).join(""),
        }),
      );
      const names = spans.map(({ lane: kind, label, start, duration }, step) => {
        const room = x(start + duration) - x(start) - 8;
        const isNamed = kind === "tools" && lane >= LEGIBLE && textWidth(label) < room;
        const y = top + (rows[step] as number) * row + 12;
        return isNamed ? text(x(start) + 4, y, label, { class: "plot-inside" }) : "";
      });
      const axis = ticks(duration, Math.max(2, Math.min(8, width / 110))).map((at) => {
        const label = time(at);
        const anchor = at === 0 ? {} : { "text-anchor": "middle" };
        const grid = element("path", { class: "plot-grid", d: `M${rounded(x(at))} ${top}V${bottom}` });
        return grid + (x(at) + textWidth(label) / 2 > width ? "" : text(x(at), bottom + 14, label, anchor));
      });
      return {
        height: bottom + 22,
        content: [
          legend.content,
          ...axis,
          text(0, top + 12, "model"),
          hasTools ? text(0, top + row + 12, "tools") : "",
          ...bars,
          ...names,
        ].join(""),
        mark: (step) => element("path", { class: "plot-mark", d: box(spans[step] as Span, step) }),
        stepAt(at, y) {
          const place = Math.floor((y - top) / row);
          let [best, nearest] = [null as number | null, 8];
          for (const [step, { start, duration }] of spans.entries()) {
            if (rows[step] !== place) continue;
            const distance = Math.max(x(start) - at, at - x(start + duration), 0);
            if (distance < nearest) [best, nearest] = [step, distance];
          }
          return best;
        },
      };
    },
  };
}

/** The row of each span: calls that overlap are below each other. */
function rowsOf(spans: readonly Span[]): number[] {
  const ends: number[] = [];
  return spans.map(({ lane, start, duration }) => {
    if (lane === "model") return 0;
    const free = ends.findIndex((end) => end <= start + 0.001);
    const row = free < 0 ? ends.length : free;
    ends[row] = start + duration;
    return row + 1;
  });
}
