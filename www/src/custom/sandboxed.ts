// The program beside a custom strategy in its worker: runs the strategy with the package.

import * as turnfold from "turnfold";
import { customHistory } from "../chat/calls.ts";
import { type NeedsJob, needsOf } from "../chat/needs-of.ts";
import { type CostJob, type CostRow, costRows } from "../tokens/cost-rows.ts";
import type { Request } from "./requests.ts";

export type Job =
  | {
      readonly kind: "turns";
      /** A saved step; null for that of the last job. */
      readonly step: unknown;
      readonly turnsLeft: number | undefined;
      /** The prices of the page, which the strategy gets in its options. */
      readonly prices: turnfold.PriceList;
      /** The numbers of turns whose requests are wanted. Those that take too long are not in the answer. */
      readonly counts: readonly number[];
    }
  | { readonly kind: "plan"; readonly messages: readonly turnfold.ChatMessage[]; readonly tokens: readonly number[] }
  | { readonly kind: "costs"; readonly job: CostJob }
  | NeedsJob;

/** Why a strategy has no result, with the stack of its error. */
export interface Failure {
  readonly failure: string;
  readonly stack: string;
}

let started: Promise<void> | null = null;

/** A function that answers jobs with a strategy. `wasm` is given with the first one. */
function serve(strategy: unknown): (wasm: ArrayBuffer | null, job: Job) => Promise<{ value: unknown } | Failure> {
  customHistory.make = () => strategy as turnfold.CustomHistoryStrategy;
  return async (wasm, job) => {
    if (started === null && wasm !== null) started = turnfold.init(wasm);
    await started;
    try {
      return { value: answer(strategy, job) };
    } catch (error) {
      const own = turnfold.TurnfoldError.isInstance(error) && error.cause instanceof Error ? error.cause : error;
      const { message, stack = "" } = own instanceof Error ? own : { message: String(own) };
      return { failure: message, stack };
    }
  };
}

function answer(given: unknown, job: Job): unknown {
  const method = job.kind === "turns" ? "toMessages" : "plan";
  const strategy = Object(given) as Partial<turnfold.CustomStrategy & turnfold.CustomHistoryStrategy>;
  if (typeof strategy[method] !== "function" || typeof strategy.name !== "string" || strategy.name === "")
    throw new TypeError(`This is needed: export default { name: "mine", ${method}(…) { … } }`);
  switch (job.kind) {
    case "turns":
      if (job.step !== null) lastStep = turnfold.Step.fromJSON(job.step);
      return requestsOf(strategy as turnfold.CustomStrategy, lastStep as turnfold.Step, job);
    case "plan":
      return planOf(strategy as turnfold.CustomHistoryStrategy, job.messages, job.tokens);
    case "costs":
      return [...costRows(job.job)] satisfies CostRow[];
    case "needs":
      return needsOf(job);
  }
}

let lastStep: turnfold.Step | null = null;

/** The next job, such as that of the next key, waits for at most this long. */
const SLICE_MS = 300;

function requestsOf(
  strategy: turnfold.CustomStrategy,
  { turns, request }: turnfold.Step,
  { turnsLeft, prices, counts }: Extract<Job, { kind: "turns" }>,
): readonly Request[] {
  const end = performance.now() + SLICE_MS;
  const made: Request[] = [];
  for (const count of counts) {
    const left = turnsLeft === undefined ? {} : { turnsLeft: turnsLeft + turns.length - count };
    const options = { ...request, ...left, compression: [strategy, { prices }] } as const;
    const { messages, breakpoints } = turnfold.toMessages(turns.slice(0, count), null, options);
    made.push({ messages, breakpoints });
    if (performance.now() > end) break;
  }
  return made;
}

/** A plan as plain data. */
function planOf(
  strategy: turnfold.CustomHistoryStrategy,
  messages: readonly turnfold.ChatMessage[],
  tokens: readonly number[],
): unknown {
  const plan: unknown = strategy.plan(messages, { tokens });
  if (typeof (Object(plan) as { then?: unknown }).then === "function")
    throw new TypeError("plan returned a promise, and nothing waits for it");
  return plan;
}

export { serve, turnfold };
