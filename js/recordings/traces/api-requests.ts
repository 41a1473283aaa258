import type { ChatMessage } from "../../chat/chat-message.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { isGemini, isResponses } from "../../formats/detect.ts";
import { openai } from "../../formats/openai-format.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { geminiMessages } from "../libraries/gemini.ts";
import { conversationIn } from "../libraries/messages.ts";
import { type RecordedUsage, usageOf, withCost } from "../reading/recorded-chat.ts";
import { timeFrom } from "../reading/values.ts";
import type { LoggedRequest } from "./request-log.ts";
import { eventsIn, replyOfEvents } from "./streamed-replies.ts";

/** The bodies of a request to a provider's API and of its response, each as JSON data or as text, and what is beside them. */
export interface Exchange {
  request: unknown;
  response?: unknown;
  url?: unknown;
  status?: unknown;
  /** Times of the request and of the response. */
  start?: unknown;
  end?: unknown;
  session?: unknown;
  /** The model that was billed, where that has another name than in the bodies. */
  model?: unknown;
  /** For a response without usage. */
  usage?: RecordedUsage | undefined;
  /** What the request cost. */
  dollars?: unknown;
  /** Estimated tokens of the history in whose place a proxy sent shorter messages. */
  omitted?: unknown;
}

/**
 * Reads a request to the Messages API of Anthropic, the Chat Completions or Responses API of OpenAI, or Gemini, and of
 * servers that are compatible with them; null for other requests, and for those that failed.
 */
export function loggedRequest(exchange: Exchange): LoggedRequest | null {
  const { request } = exchange;
  const body = request === undefined ? {} : bodyOf(request);
  if (body === null || /count_?tokens|embed|moderations/i.test(String(exchange.url))) return null;
  const reply = bodyOf(exchange.response) ?? {};
  const hasFailed = Number(exchange.status) >= 400 || isPlainObject(reply.error) || reply.type === "error";
  const [sent, replies] = (hasFailed ? null : messagesIn(body, String(exchange.url), reply)) ?? [[], []];
  if (sent.length === 0 && (replies.length === 0 || request !== undefined)) return null;
  const start = timeFrom(exchange.start);
  const at = timeFrom(exchange.end) ?? start ?? timeFrom(reply.created ?? reply.created_at);
  const inPath = /\/models\/([^/:?]+)/.exec(String(exchange.url))?.[1];
  const [model, id, previous, session, title] = [
    [exchange.model, reply.model, reply.modelVersion, body.model, body.modelId, inPath],
    [reply.id, reply.responseId],
    [reply.previous_response_id, body.previous_response_id],
    [exchange.session, sessionIn(body)],
    [body.title],
  ].map((names) => names.find((name): name is string => typeof name === "string" && name !== ""));
  const counted = usageOf(reply.usage ?? reply.usageMetadata ?? reply) ?? exchange.usage;
  const usage = withCost(counted, exchange.dollars);
  const omitted = typeof exchange.omitted === "number" ? exchange.omitted : undefined;
  return { sent, reply: replies, id, model, usage, at, omitted, start: start ?? at, session, previous, title };
}

/** Returns the JSON object that a body is or, of a stream, what its events are together; null for another body. */
export function bodyOf(given: unknown): PlainObject | null {
  if (Array.isArray(given))
    return replyOfEvents(objectsIn(given).map((event) => (isPlainObject(event.data) ? event.data : event)));
  if (isPlainObject(given)) {
    // Gemini's servers for coding assistants have the request and the response in an object.
    const inner = given.request ?? given.response;
    return isPlainObject(inner) && (inner.contents ?? inner.candidates) !== undefined ? { ...given, ...inner } : given;
  }
  if (typeof given !== "string") return null;
  if (!/^\s*[[{]/.test(given)) return replyOfEvents(eventsIn(given).map((event) => bodyOf(event) ?? event));
  try {
    return bodyOf(JSON.parse(given));
  } catch {
    return null;
  }
}

/** True for the body of a request to a model. */
export const isRequest = ({ messages, contents, input, model }: PlainObject): boolean =>
  [messages, contents].some((list) => Array.isArray(list) && list.length > 0 && list.every(isPlainObject)) ||
  (typeof model === "string" && (typeof input === "string" || Array.isArray(input)));

/** The messages of a request, and the reply; null for a request of another kind. */
function messagesIn(
  body: PlainObject,
  url: string,
  reply: PlainObject,
): [sent: ChatMessages, reply: ChatMessages] | null {
  const { contents, messages, input, instructions } = body;
  const { output, candidates } = reply;
  const isItems = isResponses(input) || Array.isArray(output) || /\/responses\b/.test(url);
  if (Array.isArray(contents) || Array.isArray(candidates)) {
    const list = Array.isArray(contents) ? contents : [];
    const said = objectsIn([objectsIn(candidates)[0]?.content]).filter(({ parts }) => objectsIn(parts).length > 0);
    const whole = [...list, ...said];
    return isGemini(whole) ? split(geminiMessages({ ...body, contents: whole }), said.length) : null;
  }
  if (!Array.isArray(messages) && isItems) {
    const sent = openai.responses.from({ input: input ?? [], ...(instructions === undefined ? {} : { instructions }) });
    return [sent.messages, Array.isArray(output) ? openai.responses.from(output).messages : []];
  }
  const read = (list: unknown[]) => (list.length === 0 ? [] : conversationIn(list, body)?.[1].messages);
  const list = Array.isArray(messages) ? messages : [];
  const said = messageIn(reply);
  const whole = read([...list, ...said]);
  if (whole !== undefined) return split(whole, said.length);
  // Gateways may give the response in another format than the request.
  const sent = read(list);
  return sent === undefined ? null : [sent, read(said) ?? []];
}

type ChatMessages = readonly ChatMessage[];

/** Splits a history and its reply, the last message if there is one. */
const split = (whole: ChatMessages, replies: number): [ChatMessages, ChatMessages] => [
  whole.slice(0, whole.length - replies),
  whole.slice(whole.length - replies),
];

/** The message of a response; none of one without content. */
function messageIn(reply: PlainObject): PlainObject[] {
  const { role, content, tool_calls: calls, output, choices } = reply;
  const { message = objectsIn(choices)[0]?.message ?? Object(output).message } = reply;
  const own =
    Array.isArray(content) || role === "assistant"
      ? { content, ...(calls === undefined ? {} : { tool_calls: calls }) }
      : {};
  const said = isPlainObject(message) ? message : own;
  return isEmpty(said) ? [] : [{ role: "assistant", ...said }];
}

const isEmpty = ({ content, tool_calls: calls, refusal }: PlainObject): boolean =>
  [content ?? "", calls ?? [], refusal ?? ""].every((given) => (given as string | unknown[]).length === 0);

/** The session of a request: Claude Code has it in the id of the user, Codex as the key of the cache. */
function sessionIn({ metadata, prompt_cache_key: key }: PlainObject): unknown {
  const { user_id: user, session_id: id } = isPlainObject(metadata) ? metadata : {};
  return id ?? /session(?:_id)?["_:\s]+([\w-]{8,})/.exec(String(user))?.[1] ?? key;
}
