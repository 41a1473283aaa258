import { useState } from "preact/hooks";
import { memo } from "../../reuse.ts";
import type { Point } from "../../tokens/timeline.ts";
import { formatted } from "../../tokens/words.ts";
import { moveTo } from "../../view.ts";
import type { Points } from "./use-timeline.ts";

interface RunPlotProps {
  /** The requests of all turns; null until they are counted. */
  readonly timeline: Points | null;
  readonly strategy: string | null;
  /** The number of turns of the request that is shown, and of all. */
  readonly turns: number;
  readonly count: number;
  /** Whether another request can be shown. */
  readonly canMove: boolean;
}

/** The height of the plot in its own units; a request is one unit wide. */
const HEIGHT = 100;
/** How far a key moves, in requests. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};
/** The part of the width of a request that its bar has. */
const BAR = 0.86;

/** The tokens of each request of a run: what the one before it had already, and what it adds. A click shows the request. */
export function RunPlot({ timeline, strategy, turns, count, canMove }: RunPlotProps) {
  const [hovered, setHovered] = useState<number | null>(null);
  const points = timeline?.points ?? [];
  // Reserves its space, so that nothing moves when it appears.
  if (points.length < 2) return <div class="run-plot" />;
  const nearest = (clientX: number, { left, width }: DOMRect): number =>
    Math.max(0, Math.min(points.length - 1, Math.floor(((clientX - left) / width) * points.length)));
  const shown = points.findLastIndex((point) => point.turns <= turns);
  const told = points[hovered ?? shown];
  return (
    <figure class="run-plot" data-stale={timeline?.stale || undefined}>
      <div
        class="run-plot-area"
        role="slider"
        tabIndex={0}
        aria-label={sentenceOf(points, strategy)}
        aria-valuemin={0}
        aria-valuemax={count}
        aria-valuenow={turns}
        aria-valuetext={told && wordsOf(told, strategy)}
        aria-disabled={!canMove}
        onKeyDown={(event) => {
          const step = STEPS[event.key];
          const point = points[Math.max(0, Math.min(points.length - 1, shown + (step ?? 0)))];
          if (!canMove || step === undefined || point === undefined) return;
          event.preventDefault();
          moveTo(point.turns, count);
        }}
        onPointerMove={(event) => setHovered(nearest(event.clientX, event.currentTarget.getBoundingClientRect()))}
        onPointerLeave={() => setHovered(null)}
        onClick={(event) => {
          const point = points[nearest(event.clientX, event.currentTarget.getBoundingClientRect())];
          if (canMove && point !== undefined) moveTo(point.turns, count);
        }}
      >
        <svg viewBox={`0 0 ${points.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <Bars points={points} hasPlain={strategy !== null} />
          <rect class="run-plot-shown" x={hovered ?? shown} y={0} width={1} height={HEIGHT} />
        </svg>
      </div>
      <figcaption>
        {told !== undefined && <span>{wordsOf(told, strategy)}</span>}
        <span class="run-plot-key" aria-hidden="true">
          <span class="run-plot-repeated">sent before</span> <span class="run-plot-added">new</span>
          {strategy !== null && <span class="run-plot-plain">without a strategy</span>}
        </span>
      </figcaption>
      <PlotTable points={points} hasPlain={strategy !== null} />
    </figure>
  );
}

interface PointsProps {
  readonly points: readonly Point[];
  readonly hasPlain: boolean;
}

const Bars = memo(({ points, hasPlain }: PointsProps) => {
  const max = Math.max(1, ...points.map(({ folded, plain }) => Math.max(folded.tokens, plain.tokens)));
  const size = (tokens: number): number => (HEIGHT * tokens) / max;
  return (
    <>
      {points.map(({ turns, folded: { tokens, repeated } }, index) => (
        <g key={turns}>
          <rect class="run-plot-added" x={index} y={HEIGHT - size(tokens)} width={BAR} height={size(tokens)} />
          <rect
            class="run-plot-repeated"
            x={index}
            y={HEIGHT - size(repeated ?? 0)}
            width={BAR}
            height={size(repeated ?? 0)}
          />
        </g>
      ))}
      {hasPlain && (
        <polyline
          class="run-plot-plain"
          points={points.map(({ plain }, index) => `${index + BAR / 2},${HEIGHT - size(plain.tokens)}`).join(" ")}
        />
      )}
    </>
  );
});

/** The numbers of the plot, for those who do not see it. */
function PlotTable({ points, hasPlain }: PointsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="run-plot-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        <div class="run-plot-rows">
          <table>
            <thead>
              <tr>
                <th scope="col">Request of turn</th>
                <th scope="col">Tokens</th>
                <th scope="col">Sent before</th>
                {hasPlain && <th scope="col">Without a strategy</th>}
              </tr>
            </thead>
            <tbody>
              {points.map(({ turns, folded, plain }) => (
                <tr key={turns}>
                  <th scope="row">{formatted(turns + 1)}</th>
                  <td>{formatted(folded.tokens)}</td>
                  <td>{folded.repeated === null ? "" : formatted(folded.repeated)}</td>
                  {hasPlain && <td>{formatted(plain.tokens)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

function wordsOf({ turns, folded, plain }: Point, strategy: string | null): string {
  const repeated = folded.repeated === null ? "" : `, ${formatted(folded.repeated)} of them sent before`;
  const without = strategy === null ? "" : `; ${formatted(plain.tokens)} without a strategy`;
  return `Turn ${formatted(turns + 1)}: ${formatted(folded.tokens)} tokens${repeated}${without}`;
}

function sentenceOf(points: readonly Point[], strategy: string | null): string {
  const course = (of: "folded" | "plain"): string => {
    const [first, last] = [points[0], points.at(-1)] as [Point, Point];
    const top = points.reduce((best, point) => (point[of].tokens > best[of].tokens ? point : best));
    return `${formatted(first[of].tokens)} at turn 1, at most ${formatted(top[of].tokens)} at turn ${top.turns + 1}, ${formatted(last[of].tokens)} at turn ${last.turns + 1}`;
  };
  const plain = strategy === null ? "" : `; with none ${course("plain")}`;
  return `Tokens over the turns: with ${strategy ?? "none"} ${course("folded")}${plain}.`;
}
