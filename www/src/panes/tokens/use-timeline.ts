import { useEffect, useMemo, useState } from "preact/hooks";
import { inSlices } from "../../tokens/slices.ts";
import { type Point, Timeline } from "../../tokens/timeline.ts";
import type { Frame } from "../../turns/render.ts";

/** Earlier turns are counted after a pause, so that typing stays fast. */
const PAUSE_MS = 150;

export interface Points {
  readonly points: readonly Point[];
  /** Whether the points are outdated while new ones are counted. */
  readonly stale: boolean;
}

/** The points of the frame's history; null until they are counted. */
export function useTimeline({ requestHistory, counter }: Frame): Points | null {
  const timeline = useMemo(() => new Timeline(), []);
  const [last, setLast] = useState<{ readonly of: Frame["requestHistory"]; readonly points: readonly Point[] } | null>(
    null,
  );
  useEffect(() => {
    if (requestHistory === null) return;
    return inSlices(timeline.points(requestHistory, counter), PAUSE_MS, (points) =>
      setLast({ of: requestHistory, points }),
    );
  }, [requestHistory, counter]);
  const stale = last?.of !== requestHistory;
  return useMemo(
    () => (last === null || requestHistory === null ? null : { points: last.points, stale }),
    [last, requestHistory === null, stale],
  );
}
