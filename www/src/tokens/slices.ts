/** The duration of a slice: long enough to outweigh its overhead, short enough not to delay a key. */
const SLICE_MS = 6;

/**
 * Runs `work` in slices after `delay` milliseconds, and yields to the event loop between them. Returns a function that cancels
 * the work.
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
    // Disposes of the resources of the generator.
    work.return(undefined as T);
  };
}
