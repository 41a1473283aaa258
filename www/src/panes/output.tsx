import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Announcer } from "../controls/announcer.tsx";
import { Deferred } from "../controls/deferred.tsx";
import { frameAt, frameWith, originalFrame } from "../frames.ts";
import type { StrategyChoice } from "../options.ts";
import type { Frame } from "../render.ts";
import { outcome, shown } from "../store.ts";
import { comparison, position, shownOf } from "../view.ts";
import { Dropped } from "./dropped.tsx";
import { Messages } from "./messages.tsx";
import { ProblemList } from "./problems.tsx";
import { Statistics, spoken } from "./statistics.tsx";
import { StrategyPicker } from "./strategy.tsx";
import { ViewBar } from "./view-bar.tsx";

/** The right side: the messages that request the next turn. */
export function Output() {
  const { frame, stale } = shown.value;
  const frames = { count: outcome.value.turns.length, at: frameAt, with: frameWith, original: originalFrame };
  return (
    <>
      <StrategyPicker />
      <ProblemList />
      <FrameView frame={frame} stale={stale} title="Messages" frames={frames} isChosen />
    </>
  );
}

/** Other frames of a history. A frame is null when it can't be rendered. */
export interface Frames {
  /** The number of turns of the history. */
  readonly count: number;
  /** Returns the frame after `count` turns. */
  at(count: number): Frame | null;
  /** Returns the frame after `count` turns with another strategy. */
  with(strategy: StrategyChoice, count: number): Frame | null;
  /** Returns the frame of the history as it was opened, after `count` or, for null, all turns. Null without such a history. */
  readonly original: ((count: number | null) => Frame | null) | null;
}

interface FrameViewProps {
  /** The frame after all turns. */
  readonly frame: Frame | null;
  /** Whether the frame is the last valid one. */
  readonly stale: boolean;
  readonly title: ComponentChildren;
  readonly frames: Frames;
  /** Whether this frame is being sent to the model: then no other frame can be shown. */
  readonly isLive?: boolean;
  /** Whether the frames are those of the strategy of the page. */
  readonly isChosen?: boolean;
}

/** Messages with their statistics. */
export function FrameView({ frame: latest, stale, title, frames, isLive = false, isChosen = false }: FrameViewProps) {
  const turns = shownOf(frames.count);
  const wanted = turns === frames.count ? latest : frames.at(turns);
  const lastGood = useRef(latest);
  // `latest` is null only when there is no last valid frame either.
  if (wanted !== null || latest === null) lastGood.current = wanted;
  const frame = lastGood.current;
  return (
    <>
      {frame !== null && (
        <div class="frame" data-stale={stale || undefined}>
          <Statistics frame={frame} isChosen={isChosen} />
          {typeof title === "string" ? <h2 class="visually-hidden">{title}</h2> : title}
          <ViewBar frame={frame} count={frames.count} hasOriginal={frames.original !== null} isLive={isLive} />
          {comparison.value.with === "nothing" ? (
            <Messages frame={frame} />
          ) : (
            <Deferred
              load={loadComparison}
              props={{ before: comparedWith(frames, turns), after: frame, what: comparison.value }}
              what="The comparison"
            />
          )}
          <Dropped drops={frame.dropped} />
        </div>
      )}
      <Announcer text={frame === null || stale ? "" : spoken(frame, frame.stats)} />
    </>
  );
}

/** Loaded on demand, with the library that finds differences. */
const loadComparison = async () => (await import("./comparison.tsx")).ComparisonView;

function comparedWith(frames: Frames, turns: number): Frame | null {
  const now = comparison.value;
  switch (now.with) {
    case "earlier":
      return frames.at(turns - 1);
    case "original":
      return frames.original?.(position.value === null ? null : turns) ?? null;
    case "strategy":
      return frames.with(now.strategy, turns);
    default:
      return null;
  }
}
