// The program of the worker that computes the costs of long runs, and the strategy for an opened chat.

import { Conversation, init, type PriceList } from "turnfold";
import wasm from "turnfold/turnfold.wasm?url";
import { advisedStrategy } from "../chat/advice.ts";
import { type NeedsJob, needsOf } from "../chat/needs-of.ts";
import type { HistoryChoice } from "../chat/state.ts";
import { type CostJob, type CostRow, costRows } from "./cost-rows.ts";
import { exactCounters } from "./exact.ts";

/** A chat, as a saved conversation, for which a strategy is wanted. */
export interface AdviceJob {
  readonly kind: "advice";
  readonly conversation: unknown;
  readonly prices: PriceList;
}

/** Sent to the page: a row, or null at the end; the strategy for an `AdviceJob`; a list of needs for a `NeedsJob`. */
export type CostAnswer = CostRow | null;

const started = init(fetch(wasm));

async function answer({ data: job }: MessageEvent<CostJob | AdviceJob | NeedsJob>): Promise<void> {
  await started;
  if (job.kind === "advice") {
    postMessage(advisedStrategy(Conversation.fromJSON(job.conversation), job.prices) satisfies HistoryChoice);
    return;
  }
  if (job.kind === "needs") {
    postMessage(needsOf(job));
    return;
  }
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
