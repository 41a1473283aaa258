// The program of the worker that computes the costs of long runs.

import { init } from "turnfold";
import wasm from "turnfold/turnfold.wasm?url";
import { type CostJob, type CostRow, costRows } from "./cost-rows.ts";
import { exactCounters } from "./exact.ts";

/** Sent to the page: a row, or null at the end. */
export type CostAnswer = CostRow | null;

const started = init(fetch(wasm));

async function answer({ data: job }: MessageEvent<CostJob>): Promise<void> {
  await started;
  const counter = job.counter === "estimate" ? undefined : await exactCounters[job.counter]();
  for (const row of costRows(job, counter)) postMessage(row satisfies CostAnswer);
  postMessage(null satisfies CostAnswer);
}

addEventListener("message", (event) => {
  answer(event as MessageEvent<CostJob>).catch((error: unknown) => {
    // The page receives the error as an `error` event of the worker.
    queueMicrotask(() => {
      throw error;
    });
  });
});
