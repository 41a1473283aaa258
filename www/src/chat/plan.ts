import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import {
  type Conversation,
  countMessages,
  type Fate,
  type HistoryProblem,
  type Plan,
  planHistory,
  type RequestParameters,
  TurnfoldError,
} from "turnfold/chat";
import { CustomError } from "../custom/custom-error.ts";
import { plansMade } from "../custom/plans.ts";
import { allowed, CUSTOM_FIELD, hasNotRun } from "../custom/ran.ts";
import { type Problem, problemOf } from "../page/problem.ts";
import { cachingLast } from "../page/reuse.ts";
import { loads, state } from "../states/store.ts";
import { type Amounts, amountsOf } from "../tokens/settings.ts";
import { inSlices } from "../tokens/slices.ts";
import { largestRequest } from "./calls.ts";
import { parametersOf, refusedField, type Settings, settingsOf } from "./parameters.ts";
import { type Reading, readMessages } from "./reading.ts";
import { chat, editChat } from "./store.ts";

/** Reading and planning a longer text takes longer than the pause between two keys. */
const LONG_TEXT = 300_000;
const PAUSE_MS = 600;

/** The last read text while a long text is being typed, with the number of its load; null otherwise. */
const paused = signal<{ readonly text: string; readonly loads: number } | null>(null);
let cancel = (): void => {};

/**
 * Changes the text after a key. A long text is read after a pause in typing, when `prepare` has computed the values to be shown.
 * `prepare` works in steps, so that the next key does not wait for all of them.
 */
export function typeMessages(next: string, prepare: (next: string) => Generator<undefined, void>): void {
  const isKey = Math.abs(next.length - chat.peek().messages.length) < 2;
  const last = text.peek();
  cancel();
  batch(() => {
    paused.value = isKey && next.length > LONG_TEXT ? { text: last, loads: loads.peek() } : null;
    editChat({ messages: next });
  });
  if (paused.peek() !== null) cancel = inSlices(prepare(next), PAUSE_MS, readNow);
}

/** Computes the plan of a new text in steps. */
export function* preparingPlan(next: string): Generator<undefined, Plan | null> {
  const { conversation } = lastReading(next, shape.peek());
  const given = parameters.peek().parameters;
  yield;
  if (conversation === null) return null;
  lintOf(conversation);
  yield;
  if (given === null) return null;
  const { plan } = planOf(conversation, given);
  yield;
  if (plan !== null) largestOf(plan);
  yield;
  return plan;
}

/** Reads the typed text without waiting for the pause. */
export function readNow(): void {
  cancel();
  paused.value = null;
}

/** Whether the typed text has changes that are not read yet. */
export const isWaiting = computed(() => paused.value?.loads === loads.value);

/** The text that was read last: the typed text, or an earlier one during typing. */
export const text = computed((): string => {
  const { messages } = chat.value;
  return isWaiting.value ? (paused.value?.text ?? messages) : messages;
});
const shape = computed(() => chat.value.shape);

/** The parsed text of the editor. */
export const reading = computed((): Reading => lastReading(text.value, shape.value));

/** `readMessages` with its last result cached. */
const lastReading = cachingLast(readMessages);

interface Source {
  readonly conversation: Conversation | null;
  /** Whether the conversation is that of the last valid text. */
  readonly isStale: boolean;
}

let lastGood: { readonly conversation: Conversation; readonly loads: number } | null = null;

/** The conversation of the editor, or the last valid one. */
export const source = computed((): Source => {
  const { conversation, problem } = reading.value;
  if (conversation !== null) lastGood = { conversation, loads: loads.value };
  else if (problem === null || lastGood?.loads !== loads.value) lastGood = null;
  return { conversation: lastGood?.conversation ?? null, isStale: problem !== null };
});

/** Problems that providers reject, by the index of the message. */
export const torn = computed((): ReadonlyMap<number, readonly HistoryProblem[]> => {
  const { conversation } = source.value;
  const problems = conversation === null ? [] : lintOf(conversation);
  return Map.groupBy(problems, ({ index }) => index);
});

/** A computed value that stays the same object while its JSON text is the same. */
function steady<T>(read: () => T): ReadonlySignal<T> {
  const text = computed(() => JSON.stringify(read()));
  return computed(() => JSON.parse(text.value) as T);
}

const settings = steady((): Settings => settingsOf(chat.value));
export const amounts = steady((): Amounts => amountsOf(state.value.tokens));
export const parameters = computed(() => {
  // The plan of a custom strategy is made again when the sandbox has an answer.
  if (settings.value.strategy === "custom") [allowed.value, plansMade.value];
  return parametersOf(settings.value, amounts.value);
});

interface Made {
  readonly plan: Plan | null;
  readonly error: unknown;
}

function makePlan(conversation: Conversation, given: RequestParameters): Made {
  try {
    return { plan: planHistory(conversation, given), error: null };
  } catch (error) {
    return { plan: null, error };
  }
}

const planOf = cachingLast(makePlan);
const lintOf = cachingLast((conversation: Conversation) => conversation.lint());
const largestOf = cachingLast(largestRequest);

interface Planned {
  /** The plan; null without a conversation and with a problem, except one of a custom strategy. */
  readonly plan: Plan | null;
  /** The problems by the ids of fields. */
  readonly problems: ReadonlyMap<string, Problem>;
  /** An error without a field. */
  readonly refusal: Problem | null;
}

let lastPlan: { readonly conversation: Conversation; readonly plan: Plan } | null = null;

/** The plan of the conversation. While a custom strategy runs, and when it fails, the last one. */
export const planned = computed((): Planned => {
  const { conversation } = source.value;
  const { parameters: given, problems } = parameters.value;
  if (given === null || conversation === null) return { plan: null, problems, refusal: null };
  const { plan, error } = planOf(conversation, given);
  if (plan !== null) {
    lastPlan = { conversation, plan };
    return { plan, problems, refusal: null };
  }
  const last = lastPlan?.conversation === conversation ? lastPlan.plan : null;
  if (hasNotRun(error)) return { plan: last, problems, refusal: null };
  if (settings.value.strategy === "custom" && TurnfoldError.isInstance(error) && error.code === "invalid_strategy") {
    const problem = error.cause instanceof CustomError ? error.cause.problem : problemOf(error);
    return { plan: last, problems: new Map([[`${CUSTOM_FIELD}-chat`, problem]]), refusal: null };
  }
  const field = refusedField(error, settings.value);
  const problem = problemOf(error);
  return field === null
    ? { plan: null, problems, refusal: problem }
    : { plan: null, problems: new Map([[field, problem]]), refusal: null };
});

interface Counts {
  readonly each: readonly number[];
  /** Including the tokens of the request format. */
  readonly total: number;
}

/** The tokens of the messages. */
export const counts = computed((): Counts => {
  const { plan } = planned.value;
  if (plan !== null) return { each: plan.messages.map(({ tokens }) => tokens), total: plan.tokens.before };
  const { conversation } = source.value;
  if (conversation === null) return { each: [], total: 0 };
  const { messages, total } = countMessages(conversation.messages, { provider: settings.value.provider });
  return { each: messages, total };
});

/** Messages that are summarised together. */
export interface Group {
  /** The number of the group, from 1. */
  readonly number: number;
  readonly covers: readonly number[];
  /** The indexes of the requests that cover its messages. */
  readonly requests: readonly number[];
}

/** Requests that cover the same messages form a group. */
export const groups = computed((): readonly Group[] => {
  const requests = planned.value.plan?.requests ?? [];
  const byCovers = Map.groupBy(requests.keys(), (index) => requests[index]?.covers.join() ?? "");
  return [...byCovers.values()].map((requestIndexes, index) => ({
    number: index + 1,
    covers: requests[requestIndexes[0] as number]?.covers ?? [],
    requests: requestIndexes,
  }));
});

/** The group of each summarised message, by the index of the message. */
export const groupOf = computed(
  (): ReadonlyMap<number, Group> =>
    new Map(groups.value.flatMap((group) => group.covers.map((index) => [index, group] as const))),
);

/** The number of the group of each request, by the index of the request. */
export const groupOfRequest = computed(
  (): ReadonlyMap<number, number> =>
    new Map(groups.value.flatMap(({ number, requests }) => requests.map((index) => [index, number] as const))),
);

/** The tokens of the largest request for a summary; 0 without requests. */
export const largestSummary = computed((): number => {
  const { plan } = planned.value;
  return plan === null ? 0 : largestOf(plan);
});

/** The number of requests to the model so far. */
export const calls = computed(
  (): number => source.value.conversation?.messages.filter(({ role }) => role === "assistant").length ?? 0,
);

/** Consecutive messages with the same fate and the same summary. */
export interface Run {
  readonly first: number;
  readonly last: number;
  readonly tokens: number;
  readonly fate: Fate["fate"] | undefined;
  readonly group: number | undefined;
}

/** The messages of the conversation, grouped into runs. */
export const runs = computed((): readonly Run[] => {
  const fates = planned.value.plan?.messages ?? [];
  const found: Run[] = [];
  for (const [index, tokens] of counts.value.each.entries()) {
    const [fate, group] = [fates[index]?.fate, groupOf.value.get(index)?.number];
    const last = found.at(-1);
    if (last !== undefined && last.fate === fate && last.group === group)
      found[found.length - 1] = { ...last, last: index, tokens: last.tokens + tokens };
    else found.push({ first: index, last: index, tokens, fate, group });
  }
  return found;
});
