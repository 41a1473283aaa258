/** The range of the times of a `Date`, in milliseconds; no duration is longer. */
const MAX_TIME = 8.64e15;

/** Reads a clock. NaN when it throws: hosts that isolate programs have clocks that do. */
function read(clock: () => number): number {
  try {
    return clock();
  } catch {
    return Number.NaN;
  }
}

const monotonicTime = () => read(() => performance.now());

/**
 * Returns the time in milliseconds since 1970, and 0 when the host's clock has none. It may be earlier than one that was
 * returned before: users and time servers set the clocks of hosts, and tests replace them.
 */
export function currentTime(): number {
  const time = read(() => Date.now());
  return Math.abs(time) <= MAX_TIME ? time : 0;
}

/** Returns the milliseconds since a time of {@link currentTime}; 0 when the clock was set back. */
export function sinceTime(time: number): number {
  return Math.max(0, currentTime() - time);
}

/** Measures a duration. Never negative, even with a clock that goes back; 0 with one that throws. */
export class Stopwatch {
  private readonly startedAt = monotonicTime();

  /** Milliseconds since it was made, to the microsecond: every digit is saved with each call of a tool. */
  get elapsed(): number {
    const elapsed = Math.round(1000 * (monotonicTime() - this.startedAt)) / 1000;
    return elapsed > 0 ? Math.min(elapsed, MAX_TIME) : 0;
  }
}

/**
 * Lets other tasks of the host run. It uses no timer: one would wait for at least 1 ms, in browsers 4 ms, and for ever
 * where a test has replaced the timers. After `scheduler.yield` a program would resume before other tasks.
 */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof MessageChannel === "undefined") {
      setTimeout(resolve, 0);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
