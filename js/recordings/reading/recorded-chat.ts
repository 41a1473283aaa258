import type { ChatMessage } from "../../chat/chat-message.ts";
import type { Conversation } from "../../chat/conversation.ts";
import { isPlainObject } from "../../formats/data.ts";

/** A chat of a recording, with the requests that were made in it. */
export interface RecordedChat {
  /**
   * Why it stands beside the one before it:
   *
   * - `chat`: it is a chat of its own;
   * - `compacted`: it continues that one after its history was compacted;
   * - `rewound`: it continues that one from an earlier place; the messages up to there are in both, the requests are not;
   * - `agent`: it is the work of a sub-agent.
   */
  kind: "chat" | "compacted" | "rewound" | "agent";
  /** The title of the chat, or the name of the sub-agent, where the recording has one. */
  title?: string;
  conversation: Conversation;
  /** The requests in the order of their replies. */
  requests: RecordedRequest[];
}

/** A request to a model, as far as the recording has it. */
export interface RecordedRequest {
  /** The number of the chat's messages that were sent. The message after them is the reply. */
  messages: number;
  /** The provider's id of the reply: requests with the same one, in copies of a session, are the same. */
  id?: string;
  /** The model, as the recording names it. */
  model?: string;
  /** Time of the reply, in milliseconds since 1970. */
  at?: number;
  usage?: RecordedUsage;
  /** Estimated tokens of these messages in whose place a proxy sent shorter ones. */
  omitted?: number;
}

/** Tokens that a provider counted and billed. The input is the sum of `fresh`, `read` and `written`. */
export interface RecordedUsage {
  /** Input that was neither read from the cache nor written to it. */
  fresh: number;
  /** Input that was read from the cache. */
  read: number;
  /** Input that was written to the cache. */
  written: number;
  /** The part of `written` that the cache keeps for an hour, where that has another price. */
  writtenForHour?: number;
  /** Output, with reasoning. */
  output: number;
  /** The part of `output` that is reasoning, where it is known. */
  reasoning?: number;
  /** Dollars that the recording itself names. */
  dollars?: number;
}

/** What a recording says of the request for a reply. */
export interface ReplyFacts {
  id?: string | undefined;
  model?: string | undefined;
  usage?: RecordedUsage | undefined;
  omitted?: number | undefined;
  /** A date as text, or seconds or milliseconds since 1970; anything else is ignored. */
  at?: unknown;
  /** True for a message of an earlier chat, which has its request. */
  isRepeated?: boolean;
}

/**
 * Makes a chat. Each message of the assistant is the reply to a request.
 *
 * @param facts those of each message, in their order; a list where several replies were joined to one message. A reply
 * without facts has the timestamp of its message.
 */
export function chatOf(
  conversation: Conversation,
  facts: readonly (ReplyFacts | readonly ReplyFacts[] | undefined)[] = [],
  others: Partial<Pick<RecordedChat, "kind" | "title">> = {},
): RecordedChat {
  const requests = conversation.messages.flatMap((message, messages) =>
    message.role === "assistant"
      ? [facts[messages] ?? {}]
          .flat()
          .filter(({ isRepeated }: ReplyFacts) => isRepeated !== true)
          .map((reply: ReplyFacts) => requestOf(messages, message, reply))
      : [],
  );
  return { kind: "chat", ...others, conversation, requests };
}

function requestOf(messages: number, { timestamp }: ChatMessage, facts: ReplyFacts): RecordedRequest {
  const { id, model, usage, omitted } = facts;
  const at = timeOf(facts.at ?? timestamp);
  return {
    messages,
    ...(id === undefined ? {} : { id }),
    ...(model === undefined ? {} : { model }),
    ...(at === undefined ? {} : { at }),
    ...(usage === undefined ? {} : { usage }),
    ...(omitted === undefined ? {} : { omitted }),
  };
}

/**
 * Returns a time in milliseconds since 1970; undefined for a value that is no time. A number that would be in the years
 * up to 1973 is in seconds.
 */
export function timeOf(given: unknown): number | undefined {
  const time =
    typeof given === "string" ? Date.parse(given) : given instanceof Date ? given.getTime() : (given as number);
  if (!Number.isFinite(time)) return undefined;
  return time >= 1e9 && time < 1e11 ? 1000 * time : time;
}

/** Makes a usage of counts, which may be anything; undefined where none of them is a number. */
export function usageOfCounts(counts: Partial<Record<keyof RecordedUsage, unknown>>): RecordedUsage | undefined {
  const known = Object.entries(counts).filter(([, count]) => typeof count === "number" && count >= 0);
  if (known.every(([name]) => name === "dollars")) return undefined;
  return { fresh: 0, read: 0, written: 0, output: 0, ...(Object.fromEntries(known) as Partial<RecordedUsage>) };
}

/** Adds what a request cost to its usage, where both are known. */
export function withCost(usage: RecordedUsage | undefined, dollars: unknown): RecordedUsage | undefined {
  return usage === undefined || typeof dollars !== "number" ? usage : { ...usage, dollars };
}

/**
 * Reads the usage of a reply as a provider's API gives it: that of OpenAI's Chat Completions and Responses, of
 * Anthropic, of Gemini, of Bedrock's Converse, of Ollama, of LangChain or of the AI SDK; undefined for an object without
 * counts.
 */
export function usageOf(given: unknown): RecordedUsage | undefined {
  if (!isPlainObject(given) || !Object.keys(given).some((name) => COUNT.test(name))) return undefined;
  const count = (...paths: string[]): number | undefined => {
    for (const path of paths) {
      const found = path
        .split(".")
        .reduce<unknown>((inner, name) => (isPlainObject(inner) ? inner[name] : undefined), given);
      if (typeof found === "number" && Number.isFinite(found) && found >= 0) return found;
    }
    return undefined;
  };
  const reasoning = count(
    "output_tokens_details.reasoning_tokens",
    "completion_tokens_details.reasoning_tokens",
    "reasoning_output_tokens",
    "output_token_details.reasoning",
    "outputTokenDetails.reasoningTokens",
    "outputTokens.reasoning",
    "thoughtsTokenCount",
    "reasoningTokens",
  );
  const read = count(...READ) ?? 0;
  const writtenForHour = count(
    "cache_creation.ephemeral_1h_input_tokens",
    "input_token_details.ephemeral_1h_input_tokens",
  );
  // LangChain has either the sum or its parts.
  const written =
    count(...WRITTEN) || (writtenForHour ?? 0) + (count("input_token_details.ephemeral_5m_input_tokens") ?? 0);
  const input = count(...INPUT);
  const output = count(...OUTPUT);
  // OpenRouter's.
  const dollars = count("cost");
  if (input === undefined && output === undefined) return undefined;
  // Anthropic and Bedrock count the cached input apart from the rest, the others within it, as LiteLLM does under
  // Anthropic's names; the AI SDK 5 gives either under its own.
  const isApart =
    (!("prompt_tokens" in given) &&
      ["cache_read_input_tokens", "cache_creation_input_tokens", "cacheReadInputTokens", "cacheWriteInputTokens"].some(
        (name) => name in given,
      )) ||
    Number(given.cachedInputTokens) > (input ?? 0);
  // Gemini counts thoughts apart from the output; others that use its names may not.
  const isWhole = count("totalTokenCount") === (input ?? 0) + (output ?? 0);
  const thoughts = isWhole ? 0 : (count("thoughtsTokenCount") ?? 0);
  return {
    fresh: isApart ? (input ?? 0) : Math.max(0, (input ?? 0) - read - written),
    read,
    written,
    ...(writtenForHour ? { writtenForHour } : {}),
    output: (output ?? 0) + thoughts,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(dollars === undefined ? {} : { dollars }),
  };
}

/** Matches the names of all counts of input and output. */
const COUNT = /tokens?|eval_count/i;

const INPUT = [
  "input_tokens",
  "prompt_tokens",
  "promptTokenCount",
  "inputTokens.total",
  "inputTokens",
  "promptTokens",
  "prompt_eval_count",
];
const OUTPUT = [
  "output_tokens",
  "completion_tokens",
  "candidatesTokenCount",
  "outputTokens.total",
  "outputTokens",
  "completionTokens",
  "eval_count",
];
const READ = [
  "cache_read_input_tokens",
  "input_tokens_details.cached_tokens",
  "input_token_details.cache_read",
  "cache_read_tokens",
  "prompt_tokens_details.cached_tokens",
  "cached_input_tokens",
  "cachedContentTokenCount",
  "cacheReadInputTokens",
  "inputTokens.cacheRead",
  "inputTokenDetails.cacheReadTokens",
  "cachedInputTokens",
  "cachedPromptTokens",
  "prompt_cache_hit_tokens",
];
const WRITTEN = [
  "cache_creation_input_tokens",
  "input_tokens_details.cache_write_tokens",
  "input_token_details.cache_creation",
  "cache_write_tokens",
  "cache_write_input_tokens",
  "prompt_tokens_details.cache_write_tokens",
  "cacheWriteInputTokens",
  "cacheCreationInputTokens",
  "inputTokens.cacheWrite",
  "inputTokenDetails.cacheWriteTokens",
];
