import type { CostAnswer, CostJob, CostRow } from "./costs-worker.ts";

interface Receiver {
  row(row: CostRow): void;
  /** Everything was sent, or can't be. */
  end(failed: boolean): void;
}

/** Work on a run so small takes less time than starting a worker. */
const SMALL = 12;

/** A worker without work. */
let idle: Worker | null = null;

/**
 * Computes the rows of a job after `delay` milliseconds, in a worker unless the run is small. `size` is its number of turns or
 * messages. Returns a function that cancels it.
 */
export function runCosts(make: () => CostJob, size: number, delay: number, to: Receiver): () => void {
  let isCancelled = false;
  let worker: Worker | null = null;
  const end = (failed: boolean): void => {
    if (isCancelled) return;
    if (!failed && worker !== null) idle = worker;
    else worker?.terminate();
    worker = null;
    to.end(failed);
  };
  const start = async (): Promise<void> => {
    // The module is also the program of the worker.
    const { costRows, workerUrl } = await import("./costs-worker.ts");
    if (isCancelled) return;
    const job = make();
    if (size <= SMALL && job.counter === "estimate") {
      for (const row of costRows(job)) {
        if (isCancelled) return;
        to.row(row);
        await new Promise((resume) => setTimeout(resume));
      }
      end(false);
      return;
    }
    worker = idle ?? new Worker(workerUrl, { type: "module" });
    idle = null;
    worker.onmessage = ({ data }: MessageEvent<CostAnswer>) => {
      if (isCancelled) return;
      if (data === null) end(false);
      else to.row(data);
    };
    worker.onerror = () => end(true);
    worker.postMessage(job);
  };
  const timer = setTimeout(() => void start().catch(() => end(true)), delay);
  return () => {
    isCancelled = true;
    clearTimeout(timer);
    worker?.terminate();
  };
}
