/** Long enough to be worth its overhead, short enough not to delay a key. */
const SLICE_MS = 6;

/**
 * Does work in slices after `delay` milliseconds, and yields to the event loop between them. Returns a function that
 * cancels it.
 */
export function inSlices<T>(work: Generator<undefined, T>, delay: number, done: (result: T) => void): () => void {
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
    if (!given) timer = setTimeout(slice);
  };
  let timer = setTimeout(slice, delay);
  return () => {
    given = true;
    clearTimeout(timer);
    // Disposes of what the generator uses.
    work.return(undefined as T);
  };
}
