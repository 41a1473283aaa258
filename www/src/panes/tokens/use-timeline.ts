import { useEffect, useMemo, useState } from "preact/hooks";
import type { Frame } from "../../render.ts";
import { inSlices } from "../../tokens/slices.ts";
import { type Point, Timeline } from "../../tokens/timeline.ts";

/** Typing is not held up by the turns before. */
const PAUSE_MS = 150;

interface Points {
  readonly points: readonly Point[];
  /** The last of them is not that of the frame that is shown: it is being counted. */
  readonly stale: boolean;
}

/** The tokens of every turn of the frame's history, once there is time to count them; null until then. */
export function useTimeline({ asked, counter }: Frame): Points | null {
  const timeline = useMemo(() => new Timeline(), []);
  const [last, setLast] = useState<{ readonly of: Frame["asked"]; readonly points: readonly Point[] } | null>(null);
  useEffect(() => {
    if (asked === null) return;
    return inSlices(timeline.points(asked, counter), PAUSE_MS, (points) => setLast({ of: asked, points }));
  }, [asked, counter]);
  return last === null || asked === null ? null : { points: last.points, stale: last.of !== asked };
}
