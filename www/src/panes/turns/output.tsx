import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { RenderStats } from "turnfold";
import { Announcer } from "../../controls/announcer.tsx";
import { Deferred } from "../../controls/deferred.tsx";
import { formatted } from "../../page/numbers.ts";
import { comparison, position, previewed, shownOf, showsDetails } from "../../page/view.ts";
import { outcome, shown } from "../../states/store.ts";
import { frameAt, frameWith, originalFrame } from "../../turns/frames.ts";
import { labelOf, type StrategyChoice } from "../../turns/options.ts";
import type { Frame } from "../../turns/render.ts";
import { StrategyPicker } from "../strategy.tsx";
import { FigureLine } from "../tokens/figure.tsx";
import { useTurnsFigure } from "../tokens/turns-figure.tsx";
import { Dropped } from "./dropped.tsx";
import { Messages } from "./messages.tsx";
import { TurnSlider } from "./turn-slider.tsx";

/** The right side: the messages that request the next turn. */
export function Output() {
  const { frame, stale } = shown.value;
  const frames = { count: outcome.value.turns.length, at: frameAt, with: frameWith, original: originalFrame };
  return <FrameView frame={frame} stale={stale} title="Messages" frames={frames} isChosen />;
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
  /** The frames of a run that went on after another decision, and what was decided. */
  readonly decision?: { readonly said: string; at(count: number): Frame | null };
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
  /** Whether the frames are those of the turns of the page and not of an agent. */
  readonly isChosen?: boolean;
}

/** The strategy of the page, and the messages with their statistics. */
export function FrameView(props: FrameViewProps) {
  const { frame: latest, stale, frames, isChosen = false } = props;
  const turns = shownOf(frames.count);
  const wanted = turns === frames.count ? latest : frames.at(turns);
  const lastGood = useRef(latest);
  // `latest` is null only when there is no last valid frame either.
  if (wanted !== null || latest === null) lastGood.current = wanted;
  const frame = lastGood.current;
  return (
    <>
      {frame === null ? (
        <>
          <StrategyPicker ofAgent={!isChosen} />
          <Problems />
        </>
      ) : (
        <ShownFrame {...props} frame={frame} latest={latest} turns={turns} />
      )}
      <Announcer text={frame === null || stale ? "" : spoken(frame, frame.stats)} />
    </>
  );
}

const loadProblems = async () => (await import("./problems.tsx")).ProblemList;

function Problems() {
  const { problems, refusal } = outcome.value;
  if (problems.size === 0 && refusal === null) return null;
  return <Deferred load={loadProblems} what="The list of problems" />;
}

interface ShownFrameProps extends Omit<FrameViewProps, "frame"> {
  readonly frame: Frame;
  /** The frame after all turns. */
  readonly latest: Frame | null;
  /** The number of turns before the messages. */
  readonly turns: number;
}

function ShownFrame({ frame, latest, turns, stale, title, frames, isLive = false, isChosen = false }: ShownFrameProps) {
  const figure = useTurnsFigure(frame, isChosen && showsDetails.value);
  return (
    <div class="frame" data-stale={stale || undefined}>
      <StrategyPicker
        ofAgent={!isChosen}
        below={frames.count > 0 && !isLive && <TurnSlider count={frames.count} />}
        details={
          <Deferred
            load={loadDetails}
            props={{
              frame,
              latest: latest ?? frame,
              turns,
              count: frames.count,
              canMove: !isLive,
              figure,
              isChosen,
              hasOriginal: frames.original !== null,
              decision: frames.decision?.said,
            }}
            what="The details"
          />
        }
      >
        <FigureLine {...figure} />
      </StrategyPicker>
      <Problems />
      {typeof title === "string" ? <h2 class="visually-hidden">{title}</h2> : title}
      {comparison.value.with === "nothing" ? (
        <Messages frame={(previewed.value === null ? null : frames.at(previewed.value)) ?? frame} />
      ) : (
        <Deferred
          load={loadComparison}
          props={{
            before: comparedWith(frames, turns),
            after: frame,
            what: comparison.value,
            decision: frames.decision?.said,
          }}
          what="The comparison"
        />
      )}
      <Dropped drops={frame.dropped} />
    </div>
  );
}

const loadDetails = async () => (await import("./statistics.tsx")).FrameDetails;

/** Loaded on demand, with the library that finds differences. */
const loadComparison = async () => (await import("../comparison.tsx")).ComparisonView;

function comparedWith(frames: Frames, turns: number): Frame | null {
  const now = comparison.value;
  switch (now.with) {
    case "earlier":
      return frames.at(turns - 1);
    case "original":
      return frames.original?.(position.value === null ? null : turns) ?? null;
    case "decision":
      return frames.decision?.at(turns) ?? null;
    case "request":
      return now.strategy === null ? frames.at(now.turns ?? turns) : frames.with(now.strategy, now.turns ?? turns);
    default:
      return null;
  }
}

/** The totals as a sentence for screen readers. */
function spoken({ messages, tokens, dropped, counter }: Frame, stats: RenderStats): string {
  const left = dropped.length === 0 ? "nothing left out" : `${formatted(dropped.length)} left out`;
  const about = counter.method === "estimate" ? "about " : "";
  return `${labelOf(stats.strategy ?? "none")}: ${formatted(messages.length)} messages, ${about}${formatted(tokens)} tokens, ${left}.`;
}
