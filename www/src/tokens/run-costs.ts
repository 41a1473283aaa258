import type { CostJob, CostRow } from "./cost-rows.ts";
import type { CostAnswer } from "./costs-worker.ts";

interface Receiver {
  row(row: CostRow): void;
  /** Called after the last row, or with true after a failure. */
  end(failed: boolean): void;
}

/** A run of at most this size is computed on the page, which takes less time than starting a worker. */
const SMALL = 12;

/** An idle worker, to be reused; null for none. */
let idle: Worker | null = null;

/**
 * Computes the rows of a job after `delay` milliseconds, in a worker unless the run is small. `size` is the number of turns or
 * messages of the run. Returns a function that cancels the job.
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
    const job = make();
    if (size <= SMALL && job.counter === "estimate") {
      const { costRows } = await import("./cost-rows.ts");
      for (const row of costRows(job)) {
        if (isCancelled) return;
        to.row(row);
        await new Promise((resume) => setTimeout(resume));
      }
      end(false);
      return;
    }
    worker = idle ?? new Worker(new URL("./costs-worker.ts", import.meta.url), { type: "module" });
    idle = null;
    worker.onmessage = ({ data }: MessageEvent<CostAnswer>) => {
      if (isCancelled) return;
      if (data === null) end(false);
      else to.row(data);
    };
    worker.onerror = () => end(true);
    worker.postMessage(job);
  };
  const timer = setTimeout(
    () =>
      void start().catch((error) => {
        reportError(error);
        end(true);
      }),
    delay,
  );
  return () => {
    isCancelled = true;
    clearTimeout(timer);
    worker?.terminate();
  };
}
