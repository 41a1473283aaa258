import { memo } from "../../memo.ts";
import type { Point } from "../../tokens/timeline.ts";
import { formatted } from "../../tokens/words.ts";

interface SparklineProps {
  /** Empty until they are counted for the first time. */
  readonly points: readonly Point[];
  readonly stale: boolean;
  readonly strategy: string | null;
}

const WIDTH = 120;
const HEIGHT = 32;

/** A chart of the tokens of each request. */
export const Sparkline = memo(({ points, stale, strategy }: SparklineProps) => {
  const last = points.at(-1);
  // Reserves its space, so that nothing moves when it appears.
  if (last === undefined || last.turns === 0) return <div class="sparkline" />;
  const max = Math.max(1, ...points.map(({ folded, plain }) => Math.max(folded.tokens, plain.tokens)));
  const x = ({ turns }: Point): number => (WIDTH * turns) / last.turns;
  const y = (tokens: number): number => HEIGHT - (HEIGHT * tokens) / max;
  const line = (of: "folded" | "plain"): string =>
    points.map((point) => `${x(point).toFixed(1)},${y(point[of].tokens).toFixed(1)}`).join(" ");
  return (
    <figure class="sparkline" data-stale={stale || undefined}>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={sentenceOf(points, strategy)}
      >
        {strategy !== null && <polyline class="sparkline-plain" points={line("plain")} />}
        <polyline class="sparkline-folded" points={line("folded")} />
      </svg>
      <figcaption aria-hidden="true">
        <span>turn 1</span>
        <span>{last.turns + 1}</span>
      </figcaption>
    </figure>
  );
});

function sentenceOf(points: readonly Point[], strategy: string | null): string {
  const course = (of: "folded" | "plain"): string => {
    const [first, last] = [points[0], points.at(-1)] as [Point, Point];
    const top = points.reduce((best, point) => (point[of].tokens > best[of].tokens ? point : best));
    return `${formatted(first[of].tokens)} at turn 1, at most ${formatted(top[of].tokens)} at turn ${top.turns + 1}, ${formatted(last[of].tokens)} at turn ${last.turns + 1}`;
  };
  const plain = strategy === null ? "" : `; with none ${course("plain")}`;
  return `Tokens over the turns: with ${strategy ?? "none"} ${course("folded")}${plain}.`;
}
