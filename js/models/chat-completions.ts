import { Conversation } from "../chat/conversation.ts";
import { TurnfoldError } from "../errors.ts";
import { isPlainObject, type PlainObject } from "../formats/data.ts";
import type { FormatOptions } from "../formats/format.ts";
import { openai } from "../formats/openai-format.ts";
import type { LLMChunk, LLMReply, LLMRequest } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import { describe } from "../values/describe.ts";
import { printable } from "../values/printable.ts";
import { CallAssembler } from "./call-assembler.ts";
import { modelOf, streamEndedError } from "./client-callback.ts";
import { formatOptions, withTools } from "./model-options.ts";

/**
 * Makes the body of a request for chat completions.
 *
 * @internal
 */
export function completionsBody(
  request: LLMRequest,
  parameters: Record<string, unknown>,
  stream: boolean,
  format: FormatOptions,
): PlainObject {
  const { messages, schema } = request;
  return {
    ...withTools(parameters, request, toolOf),
    messages: openai.to(new Conversation({ messages }), formatOptions(format, request)),
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
 * @throws {TurnfoldError} `invalid_reply`; the error of the provider when the completion has one.
 *
 * @internal
 */
export function replyOf(completion: unknown): LLMReply {
  if (!isPlainObject(completion)) throw invalidCompletion(completion);
  const choice = choicesOf(completion)[0];
  checkError(completion, choice);
  const { message } = choice ?? {};
  if (!isPlainObject(message)) throw invalidCompletion(completion);
  const assembler = new CallAssembler();
  for (const [index, call] of callsOf(message).entries()) assembler.add({ ...Object(call), index });
  return {
    content: textOf(message),
    toolCalls: assembler.calls(),
    finishReason: isRefusal(message) ? "refusal" : reasonOf(choice),
    usage: usageOf(completion, choice),
    ...modelOf(completion),
  };
}

/**
 * Reads the pieces of a streamed completion. Tool calls are yielded when they are complete.
 *
 * @param isDone whether the stream has ended with `[DONE]`, which servers may send without a finish reason.
 * @throws {TurnfoldError} `invalid_reply` when the stream ends before the reply does; the error of the provider when it
 * sends one.
 *
 * @internal
 */
export async function* chunksOf(
  stream: AsyncIterable<unknown>,
  isDone: () => boolean = () => false,
): AsyncGenerator<LLMChunk> {
  const assembler = new CallAssembler();
  let [length, hasBegun, hasEnded, isRefused] = [0, false, false, false];
  let position: unknown;
  for await (const chunk of stream) {
    if (!isPlainObject(chunk)) throw invalidCompletion(chunk);
    hasBegun = true;
    const choices = choicesOf(chunk);
    // Of several alternatives, the first that arrives is the reply.
    position ??= choices.map(positionOf)[0];
    const choice = choices.find((each) => positionOf(each) === position);
    checkError(chunk, choice);
    // Some servers send a whole message instead of the last delta.
    const delta = [choice?.delta, choice?.message].find(isPlainObject) ?? {};
    const text = textOf(delta);
    isRefused ||= isRefusal(delta);
    length += text.length;
    for (const call of callsOf(delta)) assembler.add(call);
    const reason = reasonOf(choice);
    hasEnded ||= reason !== null;
    yield {
      ...(text === "" ? {} : { text }),
      usage: usageOf(chunk, choice),
      ...modelOf(chunk),
      ...(reason === null ? {} : { finishReason: isRefused ? "refusal" : reason }),
    };
  }
  if (!(hasEnded || (hasBegun && isDone()))) throw streamEndedError(length);
  const toolCalls = assembler.calls();
  if (toolCalls.length > 0) yield { toolCalls };
}

const positionOf = ({ index }: PlainObject): unknown => index ?? 0;

function choicesOf({ choices }: PlainObject): PlainObject[] {
  return Array.isArray(choices) ? choices.filter(isPlainObject) : [];
}

/** Returns the calls of a message or of a delta. The older `function_call` is a call without an id. */
function callsOf({ tool_calls: calls, function_call: call }: PlainObject): unknown[] {
  const all = Array.isArray(calls) ? calls : [];
  return all.length === 0 && isPlainObject(call) ? [{ function: call }] : all;
}

/** Returns the text of a message or of a delta: its content, or the text of a refusal. Reasoning is no text. */
function textOf({ content, refusal }: PlainObject): string {
  if (typeof content === "string" && content !== "") return content;
  if (Array.isArray(content)) return content.map(partText).join("");
  return typeof refusal === "string" ? refusal : "";
}

function partText(part: unknown): string {
  if (!isPlainObject(part)) return typeof part === "string" ? part : "";
  const { type = "text", text } = part;
  return (type === "text" || type === "output_text") && typeof text === "string" ? text : "";
}

const isRefusal = ({ refusal }: PlainObject): boolean => typeof refusal === "string" && refusal !== "";

function reasonOf(choice: PlainObject | undefined): string | null {
  const reason = choice?.finish_reason;
  return typeof reason === "string" && reason !== "" ? reason : null;
}

/**
 * Reads usage by OpenAI's names and, for tokens read from the cache, those of DeepSeek and Moonshot. Moonshot has usage in
 * the choice, and Groq in a member of its own. Values that are not numbers are ignored later.
 */
function usageOf(completion: PlainObject, choice: PlainObject | undefined): Usage {
  const { x_groq: groq } = completion;
  const usage = [completion.usage, choice?.usage, isPlainObject(groq) ? groq.usage : undefined].find(isPlainObject);
  if (usage === undefined) return {};
  const details = isPlainObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  return {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    cacheReadTokens: details.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens,
    cacheWriteTokens: details.cache_write_tokens,
  } as Usage;
}

/**
 * Throws the error of a provider in a completion, or in its choice, or in place of it. The cause has the members that
 * tell whether it is transient.
 */
function checkError(completion: PlainObject, choice: PlainObject | undefined): void {
  const isError = completion.object === "error";
  const error = completion.error || choice?.error || (isError ? completion : null);
  if (!error) return;
  const inner = isPlainObject(error) && isPlainObject(error.error) ? error.error : error;
  const message = isPlainObject(inner) ? inner.message : inner;
  const text = typeof message === "string" && message !== "" ? message : describe(inner);
  throw new Error(printable(text), { cause: isPlainObject(inner) ? inner : completion });
}

function invalidCompletion(given: unknown): TurnfoldError {
  return new TurnfoldError("invalid_reply", `the reply must be a chat completion, got ${describe(given)}`, {
    hint: "the endpoint must implement OpenAI's chat completions",
  });
}
