// The program beside a custom strategy in its worker: runs the strategy with the package.

import * as turnfold from "turnfold";
import { customHistory } from "../chat/calls.ts";
import { type NeedsJob, needsOf } from "../chat/needs-of.ts";
import { type CostJob, type CostRow, costRows } from "../tokens/cost-rows.ts";
import type { SavedRequests } from "./requests.ts";

export type Job =
  | { readonly kind: "turns" /** A saved step. */; readonly step: unknown; readonly turnsLeft: number | undefined }
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
      return requestsOf(strategy as turnfold.CustomStrategy, turnfold.Step.fromJSON(job.step), job.turnsLeft);
    case "plan":
      return planOf(strategy as turnfold.CustomHistoryStrategy, job.messages, job.tokens);
    case "costs":
      return [...costRows(job.job)] satisfies CostRow[];
    case "needs":
      return needsOf(job);
  }
}

function requestsOf(
  compression: turnfold.CustomStrategy,
  { turns, request }: turnfold.Step,
  turnsLeft: number | undefined,
): SavedRequests {
  const texts = new Map<string, number>();
  const options = { ...request, compression };
  const renderer = new turnfold.Renderer(options);
  const requests = [null, ...turns].map((turn, count) => {
    if (turn !== null) renderer.push(turn);
    if (turnsLeft !== undefined) renderer.setOptions({ turnsLeft: turnsLeft + turns.length - count });
    return renderer.render().messages.map(({ role, content }) => {
      const text = texts.get(content) ?? texts.size;
      texts.set(content, text);
      return { role, text };
    });
  });
  return { texts: [...texts.keys()], requests };
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
