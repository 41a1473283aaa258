/** Long enough that a slice of work is worth its start, short enough that a key pressed meanwhile is not late. */
const SLICE_MS = 6;

const whenIdle = (run: () => void): void => {
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback === "function") requestIdleCallback(run, { timeout: 100 });
  else setTimeout(run, 1);
};

/**
 * Does work in slices while nothing else is to be done, from `delay` milliseconds on. Gives a function that gives the
 * work up.
 */
export function idly<T>(work: Generator<undefined, T>, delay: number, done: (result: T) => void): () => void {
  let given = false;
  const slice = (): void => {
    const end = performance.now() + SLICE_MS;
    while (!given && performance.now() < end) {
      const step = work.next();
      if (step.done === true) {
        done(step.value);
        return;
      }
    }
    if (!given) whenIdle(slice);
  };
  const timer = setTimeout(() => whenIdle(slice), delay);
  return () => {
    given = true;
    clearTimeout(timer);
    // What it holds open is closed.
    work.return(undefined as T);
  };
}
