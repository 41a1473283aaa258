import { choiceOption, type OptionChecks, readOptions } from "../boundary/options.ts";
import { isInAlphabet, isLongId } from "./call-ids.ts";
import { type ChatMessage, isSystem } from "./chat-message.ts";
import { type BrokenRule, correctCacheMarks, correctContents } from "./content-rules.ts";
import type { Provider } from "./parameters.ts";
import { isInSameMessage, type MessagePart, partsOf, type ToolPairs, toolPairs } from "./tool-pairs.ts";

/** A problem, with the index of its message. */
interface HistoryProblem {
  kind: string;
  index: number;
  message: string;
}

/** The provider by whose rules a conversation is checked. */
export interface ProviderOptions {
  /** Default: only what every provider refuses. */
  provider?: Provider | undefined;
}

/**
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkProvider(options: unknown, what: string): Provider | null {
  const check = choiceOption(["openai", "anthropic", "gemini"]);
  const checks = { provider: (given) => check(given ?? undefined, "provider") } satisfies OptionChecks<ProviderOptions>;
  return readOptions(what, options ?? {}, checks).provider ?? null;
}

/**
 * Finds what a provider refuses in messages, in addition to the problems that {@link Conversation.lint} finds for all
 * providers.
 *
 * @param found the problems for all providers.
 *
 * @internal
 */
export function providerProblems(
  messages: readonly ChatMessage[],
  provider: Provider,
  found: readonly HistoryProblem[],
): HistoryProblem[] {
  const problems: HistoryProblem[] = [];
  const add = (kind: string, index: number, problem: string): void => {
    problems.push({ kind, index, message: `message ${index} ${problem}` });
  };
  const pairs = toolPairs(messages);
  const isKnown = (kind: string, index: number) => found.some((one) => one.kind === kind && one.index === index);
  const first = messages.findIndex((message) => !isSystem(message));
  if (first >= 0) {
    if ((pairs.results[first] ?? []).some((result) => !isInSameMessage(result))) {
      add("starts_with_result", first, "is a tool result, and the first one that is no system message");
    } else if (alternates(provider) && startsWithAnswer(messages[first] as ChatMessage, provider)) {
      add("starts_with_assistant", first, "is an answer, and the first one that is no system message");
    }
  }
  const ids = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    for (const { id, result } of pairs.calls[index] ?? []) {
      if (result === null && !isKnown("unanswered_call", index))
        add("unanswered_call", index, "has a call without a result");
      const isRepeated = id !== "" && (ids.get(id) === index || (provider === "anthropic" && ids.has(id)));
      if (isRepeated && !isKnown("duplicate_call_id", index)) {
        add("duplicate_call_id", index, `calls with the id ${id}, which another call has`);
      }
      ids.set(id, index);
    }
    for (const id of new Set([...(pairs.calls[index] ?? []), ...(pairs.results[index] ?? [])].map(({ id }) => id))) {
      if (!isValidId(id, provider))
        add("invalid_call_id", index, `has the call id ${JSON.stringify(id)}, ${ID_RULES[provider]}`);
    }
    if (isSeparated(pairs, index)) {
      add("separated_result", index, "has a call whose result is not in the messages right behind it");
    }
    if (alternates(provider)) {
      const before = messages[index - 1];
      if (before !== undefined && canMerge(before, message)) {
        add("consecutive_roles", index, `has the role ${message.role}, as the message before it`);
      }
    }
  }
  const broken = ({ kind, problem }: BrokenRule, index: number): void => add(kind, index, problem);
  correctCacheMarks(correctContents(messages, provider, broken), provider, broken);
  return problems;
}

/** True for a provider whose messages of the user and of the model alternate, beginning with the user. */
export function alternates(provider: Provider | null): boolean {
  return provider === "anthropic" || provider === "gemini";
}

/** True for an answer with which no request may begin. A request to Anthropic may begin with the provider's summary. */
export function startsWithAnswer(message: ChatMessage, provider: Provider | null): boolean {
  if (message.role !== "assistant" || provider === "gemini") return message.role === "assistant";
  const isCompaction = ({ type, providerOptions }: MessagePart) =>
    type === "compaction" || (Object(Object(providerOptions).anthropic) as { type?: unknown }).type === "compaction";
  const [first] = partsOf(message);
  return first === undefined || !isCompaction(first);
}

const ID_RULES: Readonly<Record<Provider, string>> = {
  gemini: "which is empty",
  anthropic: "which must be of the characters a-z, A-Z, 0-9, _ and -",
  openai: "which must have 1 to 40 characters",
};

/** True when the provider accepts the id of a call. */
export function isValidId(id: string, provider: Provider): boolean {
  if (id === "") return false;
  if (provider === "gemini") return true;
  return provider === "openai" ? !isLongId(id) : isInAlphabet(id);
}

/** True when a result of the message's calls is not in the messages directly after it. */
export function isSeparated({ calls, resultMessageCounts }: ToolPairs, index: number): boolean {
  return (calls[index] ?? []).some(({ result }) => {
    if (result === null || result.problem !== null || isInSameMessage(result)) return false;
    return result.messageIndex > index + (resultMessageCounts[index] ?? 0);
  });
}

/** True for two messages of one role that can be merged: no system messages, no tool results. */
export function canMerge(before: ChatMessage, message: ChatMessage): boolean {
  return before.role === message.role && before.name === message.name && isPlainTurn(before) && isPlainTurn(message);
}

function isPlainTurn(message: ChatMessage): boolean {
  if (isSystem(message) || message.role === "tool" || message.toolCallId !== undefined) return false;
  return !partsOf(message).some(({ type }) => type === "tool-result");
}
