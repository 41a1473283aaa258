import { invalidOption } from "../boundary/options.ts";
import { Conversation } from "../chat/conversation.ts";
import { NO_BEGINNING } from "../chat/repair.ts";
import { TurnfoldError } from "../errors.ts";
import type { AnthropicMessages } from "../formats/anthropic.ts";
import { anthropic } from "../formats/anthropic-format.ts";
import type { CacheMarks } from "../formats/cache-marks.ts";
import { isPlainObject, type PlainObject } from "../formats/data.ts";
import type { FormatOptions } from "../formats/format.ts";
import { readMember } from "../model/error-chain.ts";
import type { LLM, LLMChunk, LLMReply, LLMRequest, ModelToolCall } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import { describe } from "../values/describe.ts";
import { jsonOrText } from "../values/json-or-text.ts";
import { printable } from "../values/printable.ts";
import { clientCallback, modelOf, streamEndedError, withCreate } from "./client-callback.ts";
import { checkModelOptions, formatOptions, type ModelOptions, withTools } from "./model-options.ts";

/** The members of Anthropic's client that {@link anthropicModel} uses. */
export interface AnthropicClient {
  messages: { create(body: never, options?: never): unknown };
}

/** Options of {@link anthropicModel}. */
export interface AnthropicModelOptions extends ModelOptions {
  /** Maximum tokens of a reply. Default 8192. */
  max_tokens?: number | undefined;
  /** How requests are marked for the cache. They are marked by default; null marks nothing. */
  cache?: CacheMarks | null | undefined;
}

const DEFAULT_MAX_TOKENS = 8192;

/**
 * Makes a callback that calls a model through Anthropic's client. It streams, calls tools, passes the schema of a
 * reply, marks breakpoints for the cache, and reports the tokens of the cache. Thoughts of the model are not kept; its
 * compactions of a conversation are.
 *
 * @param client `new Anthropic()`, or any client with the same method, such as those for Bedrock and Vertex.
 * @throws {TurnfoldError} `invalid_option`
 *
 * @example
 * ```ts
 * const llm = anthropicModel(claude, { model: "claude-sonnet-5-5", max_tokens: 4096 });
 * ```
 */
export function anthropicModel(client: AnthropicClient, options: AnthropicModelOptions): LLM {
  const messages = readMember(client, "messages");
  if (typeof readMember(messages, "create") !== "function") {
    throw invalidOption("client", "a client of Anthropic", client, "anthropicModel(new Anthropic(), { model })");
  }
  const { stream, format, parameters } = checkModelOptions(options, {});
  const marks = withoutOwnMark(format, parameters);
  const ask = withCreate(messages, (request) => bodyOf(request, parameters, stream, marks));
  return clientCallback(ask, stream, { replyOf, chunksOf });
}

/** Leaves one of the four marks to the parameter `cache_control`, with which the API marks the end of a request. */
function withoutOwnMark(format: FormatOptions, parameters: PlainObject): FormatOptions {
  const { cache } = format;
  if (cache === undefined || !isPlainObject(parameters.cache_control)) return format;
  return { ...format, cache: { ...cache, breakpoints: Math.min(cache.breakpoints ?? 3, 3) } };
}

function bodyOf(request: LLMRequest, parameters: PlainObject, stream: boolean, format: FormatOptions): PlainObject {
  const { messages, schema } = request;
  const config = isPlainObject(parameters.output_config) ? parameters.output_config : {};
  return {
    max_tokens: DEFAULT_MAX_TOKENS,
    ...withTools(parameters, request, toolOf, { type: "none" }),
    ...withFirstUser(anthropic.to(new Conversation({ messages }), formatOptions(format, request))),
    ...(schema === undefined ? {} : { output_config: { ...config, format: { type: "json_schema", schema } } }),
    ...(stream ? { stream: true } : {}),
  };
}

/**
 * Returns a request whose first message is of the user, as the API requires. A compaction replaces the messages before
 * it.
 */
function withFirstUser(request: AnthropicMessages): AnthropicMessages {
  const [first] = request.messages;
  if (first === undefined || first.role === "user") return request;
  const [block] = Array.isArray(first.content) ? (first.content as PlainObject[]) : [];
  if (block?.type === "compaction") return request;
  return { ...request, messages: [{ role: "user", content: NO_BEGINNING }, ...request.messages] };
}

function toolOf({ name, description, schema }: NonNullable<LLMRequest["tools"]>[number]): PlainObject {
  return { name, ...(description === undefined ? {} : { description }), input_schema: schema };
}

function replyOf(message: unknown): LLMReply {
  if (!isPlainObject(message) || !Array.isArray(message.content)) throw invalidMessageReply(message);
  const blocks = message.content.filter(isPlainObject);
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
  return {
    content: text,
    toolCalls: callsOf(blocks.filter(({ type }) => type === "tool_use")),
    finishReason: reasonOf(message),
    usage: usageOf(message.usage),
    ...modelOf(message),
    ...compactionIn(blocks),
  };
}

/** Returns the message with the last summary of what is before the reply; a failed one has no content. */
function compactionIn(blocks: readonly PlainObject[]): { compaction?: object } {
  const block = blocks.filter(({ type, content }) => type === "compaction" && typeof content === "string").at(-1);
  if (block === undefined) return {};
  const [compaction] = anthropic.from([{ role: "assistant", content: [block] }]).messages;
  return compaction === undefined ? {} : { compaction };
}

async function* chunksOf(stream: AsyncIterable<unknown>): AsyncGenerator<LLMChunk> {
  /** The calls by the index of their blocks, with the text of their input so far. */
  const calls = new Map<unknown, { block: PlainObject; input: string }>();
  const compactions = new Map<unknown, PlainObject>();
  let [length, hasEnded] = [0, false];
  let usage: PlainObject = {};
  for await (const event of stream) {
    if (!isPlainObject(event)) throw invalidMessageReply(event);
    switch (event.type) {
      case "message_start": {
        const { message } = event;
        if (!isPlainObject(message)) throw invalidMessageReply(message);
        if (isPlainObject(message.usage)) usage = message.usage;
        yield { usage: usageOf(usage), ...modelOf(message) };
        break;
      }
      case "content_block_start": {
        const block = event.content_block;
        if (!isPlainObject(block)) break;
        if (block.type === "tool_use") calls.set(event.index, { block, input: "" });
        if (block.type === "compaction") compactions.set(event.index, block);
        if (block.type === "text" && typeof block.text === "string" && block.text !== "") yield { text: block.text };
        break;
      }
      case "content_block_delta": {
        const { delta } = event;
        if (!isPlainObject(delta)) break;
        if (delta.type === "text_delta" && typeof delta.text === "string") {
          length += delta.text.length;
          yield { text: delta.text };
        }
        const compaction = compactions.get(event.index);
        if (compaction !== undefined) {
          const { type, ...members } = delta;
          compactions.set(event.index, { ...compaction, ...members });
        }
        const call = calls.get(event.index);
        if (delta.type === "input_json_delta" && call !== undefined) call.input += String(delta.partial_json ?? "");
        break;
      }
      case "message_delta": {
        const { delta } = event;
        // Counts that the last event omits are those of the first.
        if (isPlainObject(event.usage)) usage = { ...usage, ...withoutNulls(event.usage) };
        const reason = isPlainObject(delta) ? reasonOf(delta) : null;
        hasEnded ||= reason !== null;
        yield { usage: usageOf(usage), finishReason: reason };
        break;
      }
      case "error":
        throw new Error(isPlainObject(event.error) ? printable(String(event.error.message)) : "the reply failed", {
          cause: event.error,
        });
    }
  }
  if (!hasEnded) throw streamEndedError(length);
  const finishedCalls = [...calls.values()].map(({ block, input }) => ({ ...block, input: inputOf(block, input) }));
  if (finishedCalls.length > 0) yield { toolCalls: callsOf(finishedCalls) };
  if (compactions.size > 0) yield compactionIn([...compactions.values()]);
}

/**
 * Returns the input of a call: the streamed text, or the input at the start of the block. It stays text when the reply
 * was cut off within it.
 */
function inputOf({ input }: PlainObject, text: string): unknown {
  return text === "" ? (input ?? {}) : jsonOrText(text);
}

const callsOf = (blocks: readonly PlainObject[]): ModelToolCall[] =>
  blocks.map(({ id, name, input }) => ({ id, name, args: input }) as ModelToolCall);

const withoutNulls = (usage: PlainObject): PlainObject =>
  Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null));

const reasonOf = ({ stop_reason: reason }: PlainObject): string | null => (typeof reason === "string" ? reason : null);

/** Reads usage. Tokens of the cache are added to the input, because Anthropic's `input_tokens` omits them. */
function usageOf(usage: unknown): Usage {
  if (!isPlainObject(usage) || typeof usage.input_tokens !== "number") return {};
  const count = (name: string) => (typeof usage[name] === "number" ? usage[name] : 0);
  const [read, written] = [count("cache_read_input_tokens"), count("cache_creation_input_tokens")];
  return {
    inputTokens: usage.input_tokens + read + written,
    outputTokens: count("output_tokens"),
    cacheReadTokens: read,
    cacheWriteTokens: written,
  };
}

function invalidMessageReply(given: unknown): TurnfoldError {
  return new TurnfoldError("invalid_reply", `the reply must be a message of Anthropic, got ${describe(given)}`);
}
