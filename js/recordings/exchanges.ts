import type { ChatMessage } from "../chat/chat-message.ts";
import { Conversation } from "../chat/conversation.ts";
import { anthropic } from "../formats/anthropic-format.ts";
import { isPlainObject, type PlainObject } from "../formats/data.ts";
import { openai } from "../formats/openai-format.ts";
import { objectsIn } from "../formats/tool-parts.ts";
import { converseMessages } from "./bedrock.ts";
import type { RecordingFormat } from "./formats.ts";
import { geminiMessages } from "./gemini.ts";
import { factsOf, milliseconds } from "./message-facts.ts";
import type { RecordingReader } from "./reader.ts";
import { chatOf, type RecordedChat, type ReplyFacts, usageOf } from "./recorded-chat.ts";
import { withCompleteCalls } from "./tool-calls.ts";

/** A request to a provider's API, as far as it is recorded, and the response to it. */
export interface Exchange {
  request: PlainObject;
  response: PlainObject;
  /** What is known beside them. */
  facts?: ReplyFacts;
}

interface API {
  format: RecordingFormat;
  /** True for a response with a reply. */
  isResponse: (response: PlainObject) => boolean;
  /** The messages of a request, and the reply if there is a response. */
  messages: (request: PlainObject, response?: PlainObject) => readonly ChatMessage[];
}

const listOf = (given: unknown): unknown[] => (Array.isArray(given) ? given : []);

const completion = ({ choices, message = objectsIn(choices)[0]?.message }: PlainObject): unknown => message;
const converseReply = ({ output }: PlainObject): unknown => (isPlainObject(output) ? output.message : undefined);
const candidate = ({ candidates }: PlainObject): unknown => objectsIn(candidates)[0]?.content;

const withReply = (messages: unknown, reply: unknown): unknown[] => [
  ...listOf(messages),
  ...(isPlainObject(reply) ? [{ role: "assistant", ...reply }] : []),
];

const APIS: readonly API[] = [
  {
    format: "openai",
    isResponse: (response) =>
      isPlainObject(completion(response)) && (Array.isArray(response.choices) || typeof response.done === "boolean"),
    messages: ({ messages }, response = {}) =>
      openai.from(withCompleteCalls(withReply(messages, completion(response)))).messages,
  },
  {
    format: "openai-responses",
    isResponse: ({ object, output, usage }) => Array.isArray(output) && (object === "response" || isPlainObject(usage)),
    messages: ({ instructions, input = [] }, { output = [] } = {}) =>
      openai.responses.from({ instructions, input, output }).messages,
  },
  {
    format: "anthropic",
    isResponse: ({ type, role, content, usage }) =>
      type === "message" && role === "assistant" && Array.isArray(content) && isPlainObject(usage),
    messages: ({ system, messages }, response) => {
      const reply = response && { role: "assistant", content: response.content };
      const list = withReply(messages, reply);
      return anthropic.from(system === undefined ? list : { system, messages: list }).messages;
    },
  },
  {
    format: "bedrock",
    isResponse: (response) => isPlainObject(converseReply(response)),
    messages: ({ system, messages }, response = {}) =>
      converseMessages(withReply(messages, converseReply(response)), system),
  },
  {
    format: "gemini",
    isResponse: (response) => isPlainObject(candidate(response)),
    messages: (request, response = {}) => {
      const reply = candidate(response);
      const contents = [...listOf(request.contents), ...(reply === undefined ? [] : [reply])];
      return geminiMessages({ ...request, contents });
    },
  },
];

const apiOf = ({ response }: Exchange): API | undefined => APIS.find(({ isResponse }) => isResponse(response));

/** The response of an API with the request, or with members of it beside its own; a line of a batch or a log; a pair. */
function exchangeIn(record: PlainObject): Exchange {
  const { request, response, custom_id: id, body, params, result, input, output, modelId, timestamp } = record;
  if (isPlainObject(input) && isPlainObject(output) && typeof modelId === "string") {
    const [sent, got] = [bodyOf(input.inputBodyJson), bodyOf(output.outputBodyJson)];
    const counts = {
      inputTokens: input.inputTokenCount,
      outputTokens: output.outputTokenCount,
      cacheReadInputTokens: input.cacheReadInputTokenCount,
      cacheWriteInputTokens: input.cacheWriteInputTokenCount,
    };
    return { request: sent, response: got, facts: { model: modelId, at: timestamp, usage: usageOf(counts) } };
  }
  if (typeof id === "string")
    return {
      request: bodyOf(body ?? params),
      response: bodyOf(Object(result).message ?? Object(response).body),
    };
  if (isPlainObject(response) && (isPlainObject(request) || Array.isArray(request)))
    return { request: bodyOf(Object(request).body ?? request), response: bodyOf(response.body ?? response) };
  return { request: record, response: record };
}

/** Returns a body, which may be written as JSON. */
function bodyOf(given: unknown): PlainObject {
  if (isPlainObject(given)) return given;
  try {
    return Object(JSON.parse(String(given))) as PlainObject;
  } catch {
    return {};
  }
}

const exchangesIn = (given: unknown): Exchange[] => objectsIn(Array.isArray(given) ? given : [given]).map(exchangeIn);

/** The API of the first response; undefined if there are other messages than responses. */
function apiIn(given: unknown): API | undefined {
  const records = objectsIn(Array.isArray(given) ? given : [given]);
  const apis = records.map((record) => apiOf(exchangeIn(record)));
  const isOther = ({ role, type }: PlainObject, index: number) =>
    apis[index] === undefined && (role ?? type) !== undefined;
  return records.some(isOther) ? undefined : apis.find((api) => api !== undefined);
}

/** Reads requests with their responses, and responses alone. Requests without a reply are left out. */
export const exchangeReaders: readonly RecordingReader[] = APIS.map(({ format }) => ({
  format,
  recognizes: (given) => apiIn(given)?.format === format,
  read: (given) => joinContinued(withPrevious(exchangesIn(given)).flatMap(chatsOfExchange)),
}));

/** Adds the items of the response that a response of OpenAI continues to its input. */
function withPrevious(exchanges: readonly Exchange[]): Exchange[] {
  const items = new Map<unknown, unknown[]>();
  return exchanges.map((exchange) => {
    const { request, response } = exchange;
    const { id, previous_response_id: previous, output, instructions = request.instructions } = response;
    if (typeof id !== "string" || !Array.isArray(output)) return exchange;
    const given = request.input ?? [];
    const own = typeof given === "string" ? [{ role: "user", content: given }] : listOf(given);
    const input = [...(items.get(previous) ?? []), ...own];
    items.set(id, [...input, ...output]);
    return { ...exchange, request: { ...request, instructions, input } };
  });
}

function chatsOfExchange(exchange: Exchange): RecordedChat[] {
  const { request, response, facts = {} } = exchange;
  const api = apiOf(exchange);
  if (api === undefined) return [];
  const sent = api.messages(request).length;
  const messages = api.messages(request, response);
  const first = messages.findIndex(({ role }, index) => index >= sent && role === "assistant");
  const reply = replyFacts(request, response);
  const own = { ...reply, ...facts, usage: reply.usage ?? facts.usage };
  const known = (message: ChatMessage, index: number): ReplyFacts | ReplyFacts[] => {
    if (index < sent) return factsOf(message as unknown as PlainObject);
    return index === first ? own : [];
  };
  const others = typeof request.title === "string" ? { title: request.title } : {};
  return [chatOf(new Conversation({ messages }), messages.map(known), others)];
}

/** What a response says of itself. */
function replyFacts(request: PlainObject, response: PlainObject): ReplyFacts {
  const { id, usage, usageMetadata = response.usage_metadata, created, created_at: at = created } = response;
  const names = [response.model, response.modelVersion, request.model, request.modelId];
  return {
    ...(typeof id === "string" ? { id } : {}),
    model: names.find((name) => typeof name === "string") as string | undefined,
    at: milliseconds(at) ?? at,
    usage: usageOf(usage ?? usageMetadata ?? response),
  };
}

/**
 * Joins chats of which one sent the messages of an earlier one again, with its reply: one chat with the requests of both.
 * Reasoning may be missing, because not all clients send it again.
 */
export function joinContinued(chats: readonly RecordedChat[]): RecordedChat[] {
  const joined: { keys: string[]; chat: RecordedChat }[] = [];
  for (const chat of chats) {
    const keys = chat.conversation.messages.map(keyOf);
    const place = joined.reduce((last, earlier, index) => (begins(keys, earlier.keys) ? index : last), -1);
    const earlier = new Map(joined[place]?.chat.requests.map((request) => [request.messages, request]));
    const requests = chat.requests.map((request) => earlier.get(request.messages) ?? request);
    const whole = { keys, chat: { ...chat, requests } };
    if (place < 0) joined.push(whole);
    else joined[place] = whole;
  }
  return joined.map(({ chat }) => chat);
}

const begins = (keys: readonly string[], first: readonly string[]): boolean =>
  first.length <= keys.length && first.every((key, index) => key === keys[index]);

/** What makes two messages the same: the role, texts, calls and results. */
function keyOf({ role, content, toolCalls, toolCallId }: ChatMessage): string {
  const texts = typeof content === "string" ? [content] : objectsIn(content).map(partKey);
  const calls = objectsIn(toolCalls).map(({ id, name }) => [id, name]);
  return JSON.stringify([role, texts.filter((text) => text !== ""), calls, toolCallId]);
}

const partKey = ({ type, text, toolCallId }: PlainObject): unknown =>
  type === "reasoning" ? "" : (toolCallId ?? text ?? type);
