import { signal } from "@preact/signals";
import type { ChatMessage, CustomPlan } from "turnfold";
import type { RequestNeed } from "turnfold/audit";
import { customHistory, customSource } from "../chat/calls.ts";
import type { NeedsJob } from "../chat/needs-of.ts";
import { complaint, messageOf } from "../page/problem.ts";
import type { CostJob, CostRow } from "../tokens/cost-rows.ts";
import { CustomError } from "./custom-error.ts";
import { allowed } from "./ran.ts";
import { WAITS } from "./requests.ts";
import { samples } from "./samples.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Job } from "./sandboxed.ts";

/** A plan that the sandbox has made, or the error. */
type Made = { readonly plan: CustomPlan } | { readonly error: CustomError };

/** The plans that were needed last: of the chat with and without other strategies before it. */
const MAX_PLANS = 4;

const made = new Map<string, Made | null>();

/** The number of plans that the sandbox has made. */
export const plansMade = signal(0);

customHistory.make = (source) => ({
  name: "custom",
  plan(messages, { tokens }) {
    const key = JSON.stringify([source, messages, tokens]);
    const known = made.get(key);
    if (known === undefined && allowed.value.has(source)) void makePlan(key, source, messages, tokens);
    if (known === undefined || known === null) throw WAITS;
    if ("error" in known) throw known.error;
    return known.plan;
  },
});

async function makePlan(
  key: string,
  source: string,
  messages: readonly ChatMessage[],
  tokens: readonly number[],
): Promise<void> {
  made.set(key, null);
  for (const old of [...made.keys()].slice(0, -MAX_PLANS)) made.delete(old);
  made.set(key, await answered(run<CustomPlan>("plans", source, { kind: "plan", messages, tokens })));
  plansMade.value++;
}

const answered = (plan: Promise<CustomPlan>): Promise<Made> =>
  plan.then(
    (plan) => ({ plan }),
    (error) => ({ error: error instanceof CustomError ? error : new CustomError(complaint(messageOf(error))) }),
  );

const sandboxes = new Map<string, Sandbox>();

/** Costs have a worker of their own, since they take long. */
async function run<T>(use: "plans" | "costs", source: string, job: Job): Promise<T> {
  const { Sandbox } = await import("./sandbox.ts");
  const sandbox = sandboxes.get(use) ?? new Sandbox();
  sandboxes.set(use, sandbox);
  return sandbox.run(source || samples.chat, job);
}

/** The needs of a chat with a custom strategy. */
export async function customNeeds(job: NeedsJob): Promise<readonly RequestNeed[]> {
  const source = customSource(job.parameters);
  if (source === undefined || !allowed.value.has(source)) throw new Error("the strategy has not run");
  return run("costs", source, job);
}

/** The rows of a job whose strategies are custom ones, which only the sandbox can compute. */
export async function customRows(job: Extract<CostJob, { readonly kind: "chat" }>): Promise<readonly CostRow[]> {
  const source = job.strategies.map(([, parameters]) => customSource(parameters)).find((found) => found !== undefined);
  if (source === undefined || !allowed.value.has(source)) return [];
  const nothing = { tokens: 0, isRough: false, largestSummary: 0, cost: null, known: 0, summaries: 0, requests: [] };
  return run<readonly CostRow[]>("costs", source, { kind: "costs", job }).catch((error: unknown) =>
    job.strategies.map(([name]) => ({ name, ...nothing, problem: messageOf(error) })),
  );
}
