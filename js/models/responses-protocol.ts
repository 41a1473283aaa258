import { Conversation } from "../chat/conversation.ts";
import { TurnfoldError } from "../errors.ts";
import { isPlainObject, type PlainObject } from "../formats/data.ts";
import type { FormatOptions } from "../formats/format.ts";
import { openai } from "../formats/openai-format.ts";
import type { LLMChunk, LLMReply, LLMRequest, ModelToolCall } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import { describe } from "../values/describe.ts";
import { printable } from "../values/printable.ts";
import { modelOf, streamEndedError } from "./client-callback.ts";
import { formatOptions, withTools } from "./model-options.ts";

/**
 * Makes the body of a request to the Responses API. Nothing is stored unless the parameters request it: each request
 * has the whole history.
 *
 * @internal
 */
export function responsesBody(
  request: LLMRequest,
  parameters: Record<string, unknown>,
  stream: boolean,
  format: FormatOptions,
): PlainObject {
  const { messages, schema } = request;
  const { text } = parameters;
  return {
    store: false,
    ...withTools(parameters, request, toolOf),
    input: openai.responses.to(new Conversation({ messages }), formatOptions(format, request)),
    ...(schema === undefined
      ? {}
      : { text: { ...(isPlainObject(text) ? text : {}), format: { type: "json_schema", name: "answer", schema } } }),
    ...(stream ? { stream: true } : {}),
  };
}

/** Makes a tool that is not strict: the API's default, strict schemas, requires every member. */
function toolOf({ name, description, schema }: NonNullable<LLMRequest["tools"]>[number]): PlainObject {
  return {
    type: "function",
    name,
    ...(description === undefined ? {} : { description }),
    parameters: schema,
    strict: false,
  };
}

/**
 * Reads the reply from a response.
 *
 * @throws {TurnfoldError} `invalid_reply`; the error of the provider when the response failed.
 *
 * @internal
 */
export function replyOfResponse(response: unknown): LLMReply {
  if (!isPlainObject(response) || !Array.isArray(response.output)) throw invalidResponse(response);
  checkStatus(response);
  const messages = response.output.filter(isPlainObject).filter(({ type }) => type === "message");
  return {
    content: messages.map(textOf).join(""),
    toolCalls: callsIn(response.output),
    finishReason: reasonOf(response, messages.some(isRefusal)),
    usage: responseUsage(response),
    ...modelOf(response),
    ...compactionIn(response.output),
  };
}

/** Returns the message of the last item with a summary of what is before the reply. */
function compactionIn(items: readonly unknown[]): { compaction?: object } {
  const item = items.filter((each) => isPlainObject(each) && each.type === "compaction").at(-1);
  if (item === undefined) return {};
  const [compaction] = openai.responses.from([item]).messages;
  return compaction === undefined ? {} : { compaction };
}

/**
 * Reads the pieces of a streamed response. Tool calls are yielded when they are complete.
 *
 * @throws {TurnfoldError} `invalid_reply` when the stream ends before the response does.
 *
 * @internal
 */
export async function* chunksOfResponse(stream: AsyncIterable<unknown>): AsyncGenerator<LLMChunk> {
  let [length, isRefusing] = [0, false];
  for await (const event of stream) {
    if (!isPlainObject(event) || typeof event.type !== "string") throw invalidResponse(event);
    const { type, delta, item, response } = event;
    switch (type) {
      case "response.refusal.delta":
      case "response.output_text.delta":
        if (typeof delta !== "string") break;
        isRefusing ||= type === "response.refusal.delta";
        length += delta.length;
        yield { text: delta };
        break;
      case "response.output_item.done": {
        const toolCalls = callsIn([item]);
        if (toolCalls.length > 0) yield { toolCalls };
        const found = compactionIn([item]);
        if (found.compaction !== undefined) yield found;
        break;
      }
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        if (!isPlainObject(response)) throw invalidResponse(event);
        checkStatus(response);
        yield { usage: responseUsage(response), finishReason: reasonOf(response, isRefusing), ...modelOf(response) };
        return;
      case "error":
        throw responseError(isPlainObject(event.error) ? event.error : event);
    }
  }
  throw streamEndedError(length);
}

/** Reads the calls among items, as the format `openai.responses` reads them. */
function callsIn(items: readonly unknown[]): ModelToolCall[] {
  const calls = items.filter((item) => isPlainObject(item) && item.type === "function_call");
  if (calls.length === 0) return [];
  const [message] = openai.responses.from(calls).messages;
  return (message?.toolCalls ?? []).map(({ id, name, args }) => ({ id, name, args }));
}

function textOf({ content }: PlainObject): string {
  const parts = Array.isArray(content) ? content.filter(isPlainObject) : [];
  return parts.map(({ text, refusal }) => [text, refusal].find((value) => typeof value === "string") ?? "").join("");
}

function isRefusal({ content }: PlainObject): boolean {
  return Array.isArray(content) && content.some((part) => isPlainObject(part) && part.type === "refusal");
}

/**
 * Returns the provider's word for the finish reason: `max_output_tokens` or `content_filter` for an incomplete
 * response.
 */
function reasonOf({ status, incomplete_details: details }: PlainObject, isRefused: boolean): string | null {
  if (isRefused) return "refusal";
  if (isPlainObject(details) && typeof details.reason === "string") return details.reason;
  return typeof status === "string" ? status : null;
}

function responseUsage({ usage }: PlainObject): Usage {
  if (!isPlainObject(usage)) return {};
  const details = isPlainObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: details.cached_tokens,
    cacheWriteTokens: details.cache_write_tokens,
  } as Usage;
}

/** Throws for a response that failed, was cancelled, or is not finished. */
function checkStatus(response: PlainObject): void {
  const { status, error } = response;
  if (status === "failed" || isPlainObject(error))
    throw responseError(isPlainObject(error) ? error : { message: "the response failed" });
  if (status === "cancelled" || status === "queued" || status === "in_progress") {
    throw new TurnfoldError("invalid_reply", `the response is ${status.replace("_", " ")}, and has no answer`, {
      hint: "ask without `background`",
    });
  }
}

/** Statuses by the codes of failed responses and of events; other codes are for requests that can't be served. */
const STATUSES: Readonly<Record<string, number>> = {
  server_error: 500,
  rate_limit_exceeded: 429,
  vector_store_timeout: 504,
  server_overloaded: 503,
  failed_to_download_image: 408,
};

/** Makes the error of a response, with a status that tells whether it is transient. */
function responseError(error: PlainObject): Error {
  const { code, message } = error;
  const status = typeof code === "string" ? (STATUSES[code] ?? (Number(code) > 0 ? Number(code) : 400)) : error.status;
  const text = typeof message === "string" && message !== "" ? message : describe(error);
  return new Error(printable(text), { cause: { ...error, ...(status === undefined ? {} : { status }) } });
}

function invalidResponse(given: unknown): TurnfoldError {
  return new TurnfoldError("invalid_reply", `the reply must be a response, got ${describe(given)}`, {
    hint: "the endpoint must implement OpenAI's Responses API; openaiModel asks by chat completions",
  });
}
