import type { ComponentChildren } from "preact";
import { Announcer } from "../controls/announcer.tsx";
import type { Frame } from "../render.ts";
import { shown } from "../store.ts";
import { Dropped } from "./dropped.tsx";
import { Messages } from "./messages.tsx";
import { ProblemList } from "./problems.tsx";
import { Statistics, spoken } from "./statistics.tsx";
import { StrategyPicker } from "./strategy.tsx";

/** The right side: what the model gets for its next turn. */
export function Output() {
  const { frame, stale } = shown.value;
  return (
    <>
      <StrategyPicker />
      <ProblemList />
      <FrameView frame={frame} stale={stale} title="Messages" />
    </>
  );
}

interface FrameViewProps {
  readonly frame: Frame | null;
  /** The frame is the last one that could be rendered. */
  readonly stale: boolean;
  readonly title: ComponentChildren;
}

/** Messages, and the account of what they show. */
export const FrameView = ({ frame, stale, title }: FrameViewProps) => (
  <>
    {frame !== null && (
      <div class="frame" data-stale={stale || undefined}>
        <Statistics frame={frame} />
        {typeof title === "string" ? <h2 class="visually-hidden">{title}</h2> : title}
        <Messages frame={frame} />
        <Dropped drops={frame.dropped} />
      </div>
    )}
    <Announcer text={frame === null || stale ? "" : spoken(frame, frame.stats)} />
  </>
);
