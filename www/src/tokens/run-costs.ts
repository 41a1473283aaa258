import { type ChatParameters, customSource } from "../chat/calls.ts";
import { messageOf } from "../page/problem.ts";
import type { CostJob, CostRow } from "./cost-rows.ts";
import type { CostAnswer } from "./costs-worker.ts";

interface Receiver {
  row(row: CostRow): void;
  /** Called after the last row, or with the reason after a failure. */
  end(failure: string | null): void;
}

/** A run of at most this size is computed on the page, which takes less time than starting a worker. */
const SMALL = 40;

const isCustom = (parameters: ChatParameters): boolean => customSource(parameters) !== undefined;

/** The job without custom strategies of a chat, which run in the sandbox. */
const withoutCustom = (job: CostJob): CostJob =>
  job.kind === "turns" ? job : { ...job, strategies: job.strategies.filter(([, given]) => !isCustom(given)) };

async function customRowsOf(job: CostJob): Promise<readonly CostRow[]> {
  if (job.kind === "turns") return [];
  const strategies = job.strategies.filter(([, given]) => isCustom(given));
  if (strategies.length === 0) return [];
  return (await import("../custom/plans.ts")).customRows({ ...job, strategies });
}

/** An idle worker, to be reused; null for none. */
let idle: Worker | null = null;

/**
 * Computes the rows of a job after `delay` milliseconds, in a worker unless the run is small. `size` is the number of turns or
 * messages of the run. Returns a function that cancels the job.
 */
export function runCosts(make: () => CostJob, size: number, delay: number, to: Receiver): () => void {
  let isCancelled = false;
  let worker: Worker | null = null;
  const end = (failure: string | null): void => {
    if (isCancelled) return;
    if (failure !== null) console.error("The costs could not be computed.", failure);
    if (failure === null && worker !== null) idle = worker;
    else worker?.terminate();
    worker = null;
    to.end(failure);
  };
  const start = async (): Promise<void> => {
    const whole = make();
    const job = withoutCustom(whole);
    const custom = customRowsOf(whole).then((rows) => {
      if (!isCancelled) for (const row of rows) to.row(row);
    });
    if (size <= SMALL && job.counter === "estimate") {
      const { costRows } = await import("./cost-rows.ts");
      for (const row of costRows(job)) {
        if (isCancelled) return;
        to.row(row);
        await new Promise((resume) => setTimeout(resume));
      }
      await custom;
      end(null);
      return;
    }
    worker = idle ?? new Worker(new URL("./costs-worker.ts", import.meta.url), { type: "module" });
    idle = null;
    worker.onmessage = ({ data }: MessageEvent<CostAnswer>) => {
      if (isCancelled) return;
      if (data === null) void custom.then(() => end(null));
      else to.row(data);
    };
    // A worker that can't be loaded gives no message.
    worker.onerror = ({ message }) =>
      end(message?.replace(/^Uncaught (?:\w*Error: )?/, "") || "the worker can’t be loaded");
    worker.postMessage(job);
  };
  const timer = setTimeout(() => void start().catch((error: unknown) => end(messageOf(error))), delay);
  return () => {
    isCancelled = true;
    clearTimeout(timer);
    worker?.terminate();
  };
}
