/** Long enough that a slice of work is worth its start, short enough that a key pressed meanwhile is not late. */
const SLICE_MS = 6;

/**
 * Does work in slices, from `delay` milliseconds on: between them, whatever else there is to do is done. Gives a
 * function that gives the work up.
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
    // What it holds open is closed.
    work.return(undefined as T);
  };
}
