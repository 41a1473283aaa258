import { computed, type ReadonlySignal } from "@preact/signals";
import {
  type Conversation,
  countMessages,
  estimate,
  type Fate,
  type HistoryProblem,
  type Plan,
  planHistory,
} from "turnfold";
import { type Problem, problemOf } from "../problem.ts";
import { loads, state } from "../store.ts";
import { type Amounts, amountsOf } from "../tokens/settings.ts";
import { parametersOf, refusedField, type Settings, settingsOf } from "./parameters.ts";
import { type Reading, readMessages } from "./reading.ts";
import { chat } from "./store.ts";

const text = computed(() => chat.value.messages);
const shape = computed(() => chat.value.shape);

/** The parsed text of the editor. */
export const reading = computed((): Reading => readMessages(text.value, shape.value));

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
  const problems = source.value.conversation?.lint() ?? [];
  return Map.groupBy(problems, ({ index }) => index);
});

/** A computed value that stays the same object while it is equal. */
function steady<T>(read: () => T): ReadonlySignal<T> {
  const text = computed(() => JSON.stringify(read()));
  return computed(() => JSON.parse(text.value) as T);
}

const settings = steady((): Settings => settingsOf(chat.value));
export const amounts = steady((): Amounts => amountsOf(state.value.tokens));
export const parameters = computed(() => parametersOf(settings.value, amounts.value));

interface Planned {
  /** Null with a problem or without a conversation. */
  readonly plan: Plan | null;
  /** By the ids of fields. */
  readonly problems: ReadonlyMap<string, Problem>;
  /** An error that belongs to no field. */
  readonly refusal: Problem | null;
}

/** The plan of the conversation. */
export const planned = computed((): Planned => {
  const { conversation } = source.value;
  const { parameters: given, problems } = parameters.value;
  if (given === null || conversation === null) return { plan: null, problems, refusal: null };
  try {
    return { plan: planHistory(conversation, given), problems, refusal: null };
  } catch (error) {
    const field = refusedField(error, settings.value);
    const problem = problemOf(error);
    return field === null
      ? { plan: null, problems, refusal: problem }
      : { plan: null, problems: new Map([[field, problem]]), refusal: null };
  }
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
  /** From 1. */
  readonly number: number;
  readonly covers: readonly number[];
  /** Indices of the requests that cover them. */
  readonly requests: readonly number[];
}

/** Requests that cover the same messages form a group. */
export const groups = computed((): readonly Group[] => {
  const requests = planned.value.plan?.requests ?? [];
  const byCovers = Map.groupBy(requests.keys(), (place) => requests[place]?.covers.join() ?? "");
  return [...byCovers.values()].map((places, index) => ({
    number: index + 1,
    covers: requests[places[0] as number]?.covers ?? [],
    requests: places,
  }));
});

/** The group of each message that is in one. */
export const groupOf = computed(
  (): ReadonlyMap<number, Group> =>
    new Map(groups.value.flatMap((group) => group.covers.map((index) => [index, group] as const))),
);

/** The tokens of the largest request for a summary; 0 without any. */
export const largestSummary = computed((): number =>
  Math.max(
    0,
    ...(planned.value.plan?.requests ?? []).map(({ messages }) =>
      messages.reduce((sum, { content }) => sum + estimate.count(String(content)), 0),
    ),
  ),
);

/** Neighbours that have one fate, and one summary. */
export interface Run {
  readonly first: number;
  readonly last: number;
  readonly tokens: number;
  readonly fate: Fate["fate"] | undefined;
  readonly group: number | undefined;
}

/** The messages of the conversation as runs. */
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
