import { batch, computed, signal } from "@preact/signals";
import {
  applyPlan,
  type LLM,
  type LLMChunk,
  type LLMRequest,
  type Managed,
  manageHistory,
  type Plan,
  TurnfoldError,
} from "turnfold/chat";
import { counted, formatted } from "../page/numbers.ts";
import { complaint, type Problem, problemOf, problemText } from "../page/problem.ts";
import { cachingLast } from "../page/reuse.ts";
import { askEndpoint, endpoint, endpointRefusal } from "../run/endpoint.ts";
import { newId } from "../states/state.ts";
import { loads, notice, showProblem } from "../states/store.ts";
import { expectedTokens } from "./calls.ts";
import { parameters, planned, preparingPlan, source } from "./plan.ts";
import type { SummaryRow } from "./state.ts";
import { chat, editChat } from "./store.ts";

/** The default answer of a scripted model. */
export const SCRIPT = "In short: what was said here, as a scripted model would put it.";

// One signal for each member of the state, so that typing in a long text does not apply the plan again before it is read.
const summarizer = computed(() => chat.value.summarizer);
const scripted = computed(() => chat.value.scripted);
const summaries = computed(() => chat.value.summaries);

const scriptedTexts = cachingLast((plan: Plan, typed: string): readonly string[] =>
  plan.requests.map(() => (typed.trim() === "" ? SCRIPT : typed)),
);
const typedTexts = cachingLast((plan: Plan, typed: readonly SummaryRow[]): readonly string[] =>
  plan.requests.map((_, index) => typed[index]?.text ?? ""),
);

/** The summaries of a plan in the order of its requests; from an endpoint, those that have arrived. */
function textsFor(plan: Plan): readonly string[] {
  switch (summarizer.value) {
    case "scripted":
      return scriptedTexts(plan, scripted.value);
    case "typed":
      return typedTexts(plan, summaries.value);
    case "endpoint":
      return summaryRun.value?.texts ?? answered.value?.texts ?? plan.requests.map(() => "");
  }
}

/** The summaries of the plan. */
export const summaryTexts = computed((): readonly string[] => {
  const { plan } = planned.value;
  return plan === null ? [] : textsFor(plan);
});

interface SummaryRun {
  readonly texts: readonly string[];
  readonly stop: AbortController;
}

/** The answers as they arrive; null when nothing was requested. */
export const summaryRun = signal<SummaryRun | null>(null);

interface Answered {
  readonly plan: Plan;
  readonly texts: readonly string[];
  readonly managed: Managed | null;
  readonly problem: Problem | null;
  readonly notes: readonly string[];
}

const lastAnswers = signal<Answered | null>(null);

/** The endpoint's answers to the current plan. */
export const answered = computed(() => {
  const last = lastAnswers.value;
  return last !== null && last.plan === planned.value.plan ? last : null;
});

export interface Result {
  readonly managed: Managed | null;
  /** Why there is no result. */
  readonly problem: Problem | null;
  /** What the user must do to get a result. */
  readonly waits: string | null;
}

const nothing: Result = { managed: null, problem: null, waits: null };

/** Applies a plan with the summaries of the page. The last result is cached. */
const applied = cachingLast((plan: Plan, texts: readonly string[]): Result => {
  const missing = texts.filter((text) => text.trim() === "").length;
  if (missing > 0) {
    const of = counted(texts.length, "summary text");
    return { ...nothing, waits: `${formatted(missing)} of ${of} ${missing === 1 ? "is" : "are"} missing.` };
  }
  try {
    return { ...nothing, managed: applyPlan(plan, texts) };
  } catch (error) {
    return { ...nothing, problem: problemOf(error) };
  }
});

const needsEndpoint = (plan: Plan): boolean => plan.requests.length > 0 && summarizer.value === "endpoint";

/** The result of applying the current plan. */
export const result = computed((): Result => {
  const { plan } = planned.value;
  if (plan === null) return nothing;
  if (!needsEndpoint(plan)) return applied(plan, summaryTexts.value);
  const last = answered.value;
  if (last === null) return { ...nothing, waits: "The endpoint has not been asked yet." };
  return { ...nothing, managed: last.managed, problem: last.problem };
});

const expectedOf = cachingLast(expectedTokens);
const expected = computed(() => {
  const { plan } = planned.value;
  return plan === null ? null : expectedOf(plan);
});

/** Computes the plan and the result of a new text in steps. */
export function* preparing(next: string): Generator<undefined, void> {
  const plan = yield* preparingPlan(next);
  if (plan === null) return;
  expectedOf(plan);
  yield;
  if (!needsEndpoint(plan)) applied(plan, textsFor(plan));
  yield;
}

/** The tokens before and after. Summaries that neither a model nor the user has written count as in `expectedTokens`. */
export const sizes = computed(
  (): { readonly before: number; readonly after: number; readonly isRough: boolean } | null => {
    const { plan } = planned.value;
    if (plan === null || expected.value === null) return null;
    const { managed } = result.value;
    const isWritten = plan.requests.length === 0 || summarizer.value !== "scripted";
    const isRough = plan.requests.length > 0 && !(managed !== null && isWritten);
    const { before, after } = managed !== null && isWritten ? managed.report.tokens : expected.value;
    return { before, after, isRough };
  },
);

/** The id of the button that asks the endpoint. */
export const ASK_BUTTON = "ask-summaries";

/** Asks the endpoint for all summaries of the plan in parallel. */
export async function askForSummaries(): Promise<void> {
  const { plan } = planned.value;
  const { conversation } = source.value;
  const given = parameters.value.parameters;
  if (plan === null || conversation === null || given === null || summaryRun.value !== null) return;
  const refusal = endpointRefusal();
  if (refusal !== null) return showProblem(refusal);
  const stop = new AbortController();
  const notes: string[] = [];
  const loaded = loads.value;
  summaryRun.value = { texts: plan.requests.map(() => ""), stop };
  // A changed plan has no use for these answers.
  const leave = planned.subscribe((now) => now.plan !== plan && stop.abort());
  let managed: Managed | null = null;
  let problem: Problem | null = null;
  try {
    managed = await manageHistory(conversation, given, {
      llm: modelFor(plan, notes),
      signal: stop.signal,
      // The report contains the warnings.
      onWarning: () => {},
    });
  } catch (error) {
    const isStopped = TurnfoldError.isInstance(error) && error.code === "aborted";
    problem = isStopped ? complaint("Stopped: the conversation is unchanged.") : problemOf(error);
  } finally {
    leave();
    batch(() => {
      const texts = summaryRun.value?.texts ?? [];
      summaryRun.value = null;
      if (loads.value !== loaded) return;
      lastAnswers.value = { plan, texts, managed, problem, notes };
      const text =
        problem === null ? `The endpoint returned ${counted(texts.length, "answer")}.` : problemText(problem);
      if (planned.value.plan !== plan) {
        showProblem("The plan has changed, so the endpoint’s answers are not used.");
      } else notice.value = { tone: problem === null ? "info" : "problem", text, undo: null };
    });
  }
}

/** The endpoint as a model. Its answers are shown as they arrive. */
function modelFor(plan: Plan, notes: string[]): LLM {
  const settings = endpoint.value;
  const answer = async function* (request: LLMRequest, requestIndex: number): AsyncGenerator<LLMChunk> {
    for await (const chunk of askEndpoint(settings, request, (note) =>
      notes.push(`Request ${formatted(requestIndex + 1)}: ${note}`),
    )) {
      const now = summaryRun.value;
      if (now !== null && typeof chunk !== "string" && requestIndex >= 0) {
        const texts = now.texts.map((text, index) => (index === requestIndex ? text + (chunk.text ?? "") : text));
        summaryRun.value = { ...now, texts };
      }
      yield chunk;
    }
  };
  // Requests whose summaries were no shorter before are not made again.
  const texts = plan.requests.map(({ messages }) => messages.at(-1)?.content);
  return (request) => answer(request, texts.indexOf(request.messages.at(-1)?.content));
}

export function typeSummary(requestIndex: number, text: string): void {
  const { summaries } = chat.value;
  const rows = Array.from(
    { length: Math.max(summaries.length, requestIndex + 1) },
    (_, index) => summaries[index] ?? { id: newId(), text: "" },
  );
  editChat({ summaries: rows.map((row, index) => (index === requestIndex ? { ...row, text } : row)) });
}

/** Makes the current summaries editable. */
export function editSummaries(): void {
  editChat({ summarizer: "typed", summaries: summaryTexts.value.map((text) => ({ id: newId(), text })) });
}
