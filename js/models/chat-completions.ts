import { Conversation } from "../chat/conversation.ts";
import { TurnfoldError } from "../errors.ts";
import type { CacheMarks } from "../formats/cache-marks.ts";
import { isPlainObject, type PlainObject } from "../formats/data.ts";
import { openai } from "../formats/formats.ts";
import type { LLMChunk, LLMReply, LLMRequest, ModelToolCall } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import { describe } from "../values/describe.ts";
import { modelOf, streamEndedError } from "./client-callback.ts";
import { cacheOptions, withTools } from "./model-options.ts";

/**
 * Makes the body of a request for chat completions.
 *
 * @internal
 */
export function completionsBody(
  request: LLMRequest,
  parameters: Record<string, unknown>,
  stream: boolean,
  cache: CacheMarks | undefined,
): PlainObject {
  const { messages, schema } = request;
  return {
    ...withTools(parameters, request, toolOf),
    messages: openai.to(new Conversation({ messages }), cacheOptions(cache, request)),
    ...(schema === undefined
      ? {}
      : { response_format: { type: "json_schema", json_schema: { name: "answer", schema } } }),
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

function toolOf({ name, description, schema }: NonNullable<LLMRequest["tools"]>[number]): PlainObject {
  return {
    type: "function",
    function: { name, ...(description === undefined ? {} : { description }), parameters: schema },
  };
}

/**
 * Reads the reply from a completion.
 *
 * @throws {TurnfoldError} `invalid_reply`
 *
 * @internal
 */
export function replyOf(completion: unknown): LLMReply {
  const choice = choiceOf(completion);
  const message = choice?.message;
  const { error } = Object(completion) as { error?: unknown };
  if (!isPlainObject(message) && error !== undefined && error !== null) throw providerError(error);
  if (!isPlainObject(message)) throw invalidCompletion(completion);
  const { text, toolCalls } = contentOf(message);
  return {
    content: text,
    toolCalls,
    finishReason: reasonOf(choice, message),
    usage: completionUsage(completion as PlainObject),
    ...modelOf(completion as PlainObject),
  };
}

/**
 * Reads the pieces of a streamed completion. Tool calls are yielded when they are complete.
 *
 * @param isDone whether the stream has ended with `[DONE]`, which servers may send without a finish reason.
 * @throws {TurnfoldError} `invalid_reply` when the stream ends before the reply does.
 *
 * @internal
 */
export async function* chunksOf(
  stream: AsyncIterable<unknown>,
  isDone: () => boolean = () => false,
): AsyncGenerator<LLMChunk> {
  const calls: PlainObject[] = [];
  let [length, hasEnded, isRefusal] = [0, false, false];
  for await (const chunk of stream) {
    if (!isPlainObject(chunk)) throw invalidCompletion(chunk);
    if (chunk.error !== undefined && chunk.error !== null) throw providerError(chunk.error);
    const choice = choiceOf(chunk);
    // Some servers send a whole message instead of the last delta.
    const delta = isPlainObject(choice?.delta) ? choice.delta : isPlainObject(choice?.message) ? choice.message : {};
    const text = textOf(delta);
    isRefusal ||= typeof delta.refusal === "string" && delta.refusal !== "";
    length += text.length;
    if (Array.isArray(delta.tool_calls)) delta.tool_calls.forEach((call, index) => void addCall(calls, call, index));
    const reason = choice?.finish_reason;
    hasEnded ||= typeof reason === "string" && reason !== "";
    yield {
      ...(text === "" ? {} : { text }),
      usage: completionUsage(chunk),
      ...modelOf(chunk),
      ...(typeof reason === "string" ? { finishReason: isRefusal ? "refusal" : reason } : {}),
    };
  }
  if (!(hasEnded || isDone())) throw streamEndedError(length);
  if (calls.length > 0) yield { toolCalls: contentOf({ tool_calls: calls }).toolCalls };
}

/** Adds a piece of a call to the calls so far. A server that sends no index sends whole calls. */
function addCall(calls: PlainObject[], piece: unknown, defaultIndex: number): void {
  if (!isPlainObject(piece)) return;
  const { index = defaultIndex, id, type } = piece;
  const given = isPlainObject(piece.function) ? piece.function : {};
  const hasIndex = typeof piece.index === "number";
  const begun = hasIndex ? calls.find((call) => call.index === index) : undefined;
  if (begun === undefined) {
    const { name = "", arguments: text = "" } = given;
    calls.push({ index: hasIndex ? index : null, id, type: type ?? "function", function: { name, arguments: text } });
    return;
  }
  const callFunction = begun.function as PlainObject;
  if (typeof id === "string" && id !== "") begun.id = id;
  // Names are not split; some servers repeat them with each piece.
  if (typeof given.name === "string" && given.name !== "") callFunction.name = given.name;
  if (typeof given.arguments === "string") callFunction.arguments = `${callFunction.arguments}${given.arguments}`;
}

function choiceOf(completion: unknown): PlainObject | undefined {
  const choices = isPlainObject(completion) ? completion.choices : undefined;
  return Array.isArray(choices) && isPlainObject(choices[0]) ? choices[0] : undefined;
}

/** Reads the text and the calls of a message, as the format `openai` reads them. */
function contentOf(message: PlainObject): { text: string; toolCalls: ModelToolCall[] } {
  const calls = (Array.isArray(message.tool_calls) ? message.tool_calls : []).map((call, index) => {
    const { index: _, ...rest } = call as PlainObject;
    // Some servers send no ids.
    return { ...rest, id: typeof rest.id === "string" && rest.id !== "" ? rest.id : `call_${index}` };
  });
  if (calls.length === 0) return { text: textOf(message), toolCalls: [] };
  const read = openai.from([{ role: "assistant", content: null, tool_calls: calls }]).messages[0];
  return { text: textOf(message), toolCalls: (read as { toolCalls?: ModelToolCall[] }).toolCalls ?? [] };
}

/** Returns the text of a message or of a delta: its content, or the text of a refusal. */
function textOf({ content, refusal }: PlainObject): string {
  if (typeof content === "string" && content !== "") return content;
  if (Array.isArray(content))
    return content.map((part) => (isPlainObject(part) ? String(part.text ?? "") : "")).join("");
  return typeof refusal === "string" ? refusal : "";
}

function reasonOf(choice: PlainObject | undefined, { refusal }: PlainObject): string | null {
  if (typeof refusal === "string" && refusal !== "") return "refusal";
  return typeof choice?.finish_reason === "string" ? choice.finish_reason : null;
}

/**
 * Reads usage by OpenAI's names and, for tokens read from the cache, DeepSeek's. Values that are not numbers are
 * ignored later.
 */
function completionUsage({ usage }: PlainObject): Usage {
  if (!isPlainObject(usage)) return {};
  const details = isPlainObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  return {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    cacheReadTokens: details.cached_tokens ?? usage.prompt_cache_hit_tokens,
    cacheWriteTokens: details.cache_write_tokens,
  } as Usage;
}

function invalidCompletion(given: unknown): TurnfoldError {
  return new TurnfoldError("invalid_reply", `the reply must be a chat completion, got ${describe(given)}`, {
    hint: "the endpoint must implement OpenAI's chat completions",
  });
}

/** Makes the error for an error event of a stream; its cause has the members that tell whether it is transient. */
function providerError(error: unknown): Error {
  const given = isPlainObject(error) ? error.message : error;
  const message = typeof given === "string" ? given : describe(error);
  return new Error(message, { cause: error });
}
