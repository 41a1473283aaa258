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

/** The right side: what the model gets for its next turn. */
export function Output() {
  const { frame, stale } = shown.value;
  const frames = { count: outcome.value.turns.length, at: frameAt, with: frameWith, original: originalFrame };
  return (
    <>
      <StrategyPicker />
      <ProblemList />
      <FrameView frame={frame} stale={stale} title="Messages" frames={frames} />
    </>
  );
}

/** The frames of a history beside its last one. Each is null where it can't be rendered. */
export interface Frames {
  /** How many turns the history has. */
  readonly count: number;
  /** After so many of its turns. */
  at(count: number): Frame | null;
  /** The same with another strategy. */
  with(strategy: StrategyChoice, count: number): Frame | null;
  /** Of the history that was opened, after so many of its turns or all; null where nothing was. */
  readonly original: ((count: number | null) => Frame | null) | null;
}

interface FrameViewProps {
  /** The frame after all turns. */
  readonly frame: Frame | null;
  /** The frame is the last one that could be rendered. */
  readonly stale: boolean;
  readonly title: ComponentChildren;
  readonly frames: Frames;
  /** The frame is what the model is asked with right now, so no other is looked at. */
  readonly isLive?: boolean;
}

/** Messages, and the account of what they show. */
export function FrameView({ frame: latest, stale, title, frames, isLive = false }: FrameViewProps) {
  const turns = shownOf(frames.count);
  const wanted = turns === frames.count ? latest : frames.at(turns);
  const lastGood = useRef(latest);
  // Without any, what was good belonged to a history that is no longer there.
  if (wanted !== null || latest === null) lastGood.current = wanted;
  const frame = lastGood.current;
  return (
    <>
      {frame !== null && (
        <div class="frame" data-stale={stale || undefined}>
          <Statistics frame={frame} />
          {typeof title === "string" ? <h2 class="visually-hidden">{title}</h2> : title}
          <ViewBar count={frames.count} hasOriginal={frames.original !== null} isLive={isLive} />
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

/** Finding differences takes a library that nobody needs before. */
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
