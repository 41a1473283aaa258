import { computed, effect, signal } from "@preact/signals";
import type { ChatMessage, Fate } from "turnfold";
import { loads } from "../states/store.ts";
import { piecesOf } from "./parts.ts";
import { groups, planned, source, torn } from "./plan.ts";
import { result } from "./summaries.ts";
import { fateNames, reasonText } from "./words.ts";

/** A filter of messages: by their fate, or those with a problem. */
type Filter = Fate["fate"] | "problem";

/** The typed text of the search in the messages. Not part of the state. */
export const search = signal("");

/** The chosen filter; null for all messages. */
export const filter = signal<Filter | null>(null);

// A search in one conversation does not apply to the next.
effect(() => {
  loads.value;
  clearSearch();
});

export function clearSearch(): void {
  search.value = "";
  filter.value = null;
}

/** The words that a message must contain, in lower case. */
const words = computed(() =>
  search.value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== ""),
);

const texts = new WeakMap<ChatMessage, string>();

/** The whole visible text of a message, in lower case. */
function textOf(message: ChatMessage): string {
  let text = texts.get(message);
  if (text === undefined) {
    const pieces = piecesOf(message).map((piece) => ("id" in piece ? `${piece.name} ${piece.id} ` : "") + piece.text);
    text = [message.role, message.name ?? "", ...pieces].join("\n").toLowerCase();
    texts.set(message, text);
  }
  return text;
}

const NONE: readonly Fate[] = [];

const fates = computed((): readonly Fate[] => planned.value.plan?.messages ?? NONE);

/** The indexes of the messages that contain all words of the search, before the filter. */
const found = computed((): readonly number[] => {
  const messages = source.value.conversation?.messages ?? [];
  const all = messages.keys();
  if (words.value.length === 0) return [...all];
  return [...all].filter((index) => {
    const fate = fates.value[index];
    const about = fate === undefined ? "" : `${fateNames[fate.fate]} ${reasonText(fate)}`.toLowerCase();
    const text = textOf(messages[index] as ChatMessage);
    return words.value.every((word) => text.includes(word) || about.includes(word));
  });
});

const isOf = (index: number, wanted: Filter): boolean =>
  wanted === "problem" ? torn.value.has(index) : fates.value[index]?.fate === wanted;

/** The number of found messages for each filter. Filters without messages are omitted, except the chosen one. */
export const filters = computed((): readonly (readonly [Filter, number])[] =>
  ([...(Object.keys(fateNames) as Fate["fate"][]), "problem"] as const)
    .map((name) => [name, found.value.filter((index) => isOf(index, name)).length] as const)
    .filter(([name, count]) => count > 0 || name === filter.value),
);

/** The indexes of the messages that pass the search and the filter. */
export const listed = computed((): readonly number[] => {
  const { value: wanted } = filter;
  return wanted === null ? found.value : found.value.filter((index) => isOf(index, wanted));
});

/** The first word of the search, which messages show with the text around it; empty without a search. */
export const firstWord = computed(() => words.value[0] ?? "");

/**
 * The mapping between the indexes of the conversation and those of the result. `of` maps the index of a message to that of the
 * same message in the result, or of its summary. `from` maps an index of the result to that of the message; null for a summary.
 */
export const resultIndexes = computed(
  (): { readonly of: ReadonlyMap<number, number>; readonly from: readonly (number | null)[] } => {
    const { managed } = result.value;
    const before = source.value.conversation?.messages ?? [];
    const of = new Map<number, number>();
    if (managed === null) return { of, from: [] };
    const indexes = new Map(before.map((message, index) => [message, index]));
    const { messages: fated } = managed.report;
    const left = fated.filter(({ fate }) => fate === "kept" || fate === "stubbed").map(({ index }) => index);
    let next = 0;
    // The remaining messages keep their order, so those with cleared results are identified by their position.
    const from = managed.conversation.messages.map((message) => {
      if (!indexes.has(message) && message.summary !== undefined) return null;
      return left[next++] ?? null;
    });
    for (const [resultIndex, index] of from.entries()) if (index !== null) of.set(index, resultIndex);
    const summaries = [...from.keys()].filter((resultIndex) => from[resultIndex] === null);
    // Summaries are in the order of the messages that they replace.
    const inOrder = groups.value.toSorted((one, other) => (one.covers[0] ?? 0) - (other.covers[0] ?? 0));
    if (summaries.length === inOrder.length)
      for (const [at, { covers }] of inOrder.entries())
        for (const index of covers) if (!of.has(index)) of.set(index, summaries[at] as number);
    return { of, from };
  },
);
