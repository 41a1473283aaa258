import { messageOf } from "../boundary/host.ts";
import { type ChatMessage, isSystem } from "../chat/chat-message.ts";
import { ofMessages } from "../chat/conversation.ts";
import { jsonText } from "../chat/message-json.ts";
import { TurnfoldError } from "../errors.ts";
import { anthropic } from "../formats/anthropic-format.ts";
import { isPlainObject, omitMembers, type PlainObject } from "../formats/data.ts";
import { detectFormat } from "../formats/detect.ts";
import { openai } from "../formats/openai-format.ts";
import { groupItems, itemsOf, typeOf } from "../formats/responses-items.ts";
import { objectsIn } from "../formats/tool-parts.ts";
import type { Mechanism } from "../model/prices.ts";
import { parseExactly } from "../values/exact-json.ts";
import { textHash } from "../values/text-hash.ts";
import { elementSpans, type JsonSpan, listLike, memberSpans } from "./json-text.ts";

/** The providers' requests whose bodies are managed: Messages, Chat Completions and Responses. */
export type RequestFormat = "anthropic" | "openai" | "openai-responses";

/** The body of a request, read. */
export interface RequestBody {
  format: RequestFormat;
  data: PlainObject;
  /** The member with the history. */
  member: "messages" | "input";
  /** The elements of the history as the app gave them. */
  items: readonly PlainObject[];
  /** A hash of each, without what changes from request to request: marks for the cache, and instructions. */
  hashes: readonly string[];
  /** A message for the instructions that are beside the history; null when they are in it, or there are none. */
  instructions: ChatMessage | null;
  /** The messages of the history, each of one item or, in Responses, of consecutive ones. */
  messages: readonly ChatMessage[];
  /** For each message the index of its first item, and at the end the number of items. */
  starts: readonly number[];
  /** The text of the body; null when an object was given. */
  text: string | null;
}

/** A body that passes unchanged: the reason, or null for one without a history. */
export interface UnmanagedBody {
  reason: string | null;
}

/** Reads a body: its JSON text or an object. */
export function readBody(given: unknown, format: RequestFormat | undefined): RequestBody | UnmanagedBody {
  try {
    const data = typeof given === "string" ? parseExactly(given) : given;
    if (!isPlainObject(data)) return { reason: "the body is no JSON object" };
    return understood(data, format, typeof given === "string" ? given : null);
  } catch (error) {
    if (error instanceof SyntaxError) return { reason: `the body is no JSON: ${error.message}` };
    // A problem of the wasm is none of the body.
    if (TurnfoldError.isInstance(error) && error.code !== "invalid_message") throw error;
    return { reason: messageOf(error) };
  }
}

/** The members by which a request continues a history that the server has. */
const SERVER_STATE = ["previous_response_id", "conversation"];

function understood(
  data: PlainObject,
  given: RequestFormat | undefined,
  text: string | null,
): RequestBody | UnmanagedBody {
  const format = given ?? formatOf(data);
  if (format === null) return { reason: "the body is of no known format" };
  const member = format === "openai-responses" ? "input" : "messages";
  const onServer = SERVER_STATE.find((name) => member === "input" && (data[name] ?? null) !== null);
  if (onServer !== undefined) return { reason: `the server has the history: the body has \`${onServer}\`` };
  const items = data[member];
  if (typeof items === "string") return { reason: null };
  if (!Array.isArray(items) || !items.every(isPlainObject)) return { reason: `\`${member}\` is no list of objects` };
  if (text !== null && memberSpans(text, text.indexOf("{")).filter(([name]) => name === member).length > 1) {
    return { reason: `the body has \`${member}\` twice` };
  }
  const plain = items.map((item) => withTexts(withoutMarks(item)));
  const isReference = (item: PlainObject) => typeOf(item) === "item_reference";
  if (member === "input" && plain.some(isReference)) return { reason: "the server has items of the history" };
  const hashes = plain.map((item) => textHash(jsonText(isSystem(item) ? item.role : item) as string));
  return { format, data, member, items, hashes, text, ...converted(format, data, plain) };
}

function formatOf(data: PlainObject): RequestFormat | null {
  if (data.messages === undefined) return data.input === undefined ? null : "openai-responses";
  const isOpenAIs = objectsIn(data.tools).some((tool) => isPlainObject(tool.function));
  if (!isOpenAIs && detectFormat(data) === "anthropic") return "anthropic";
  return detectFormat(data.messages) === "openai" ? "openai" : null;
}

function converted(
  format: RequestFormat,
  { system, instructions }: PlainObject,
  plain: readonly PlainObject[],
): Pick<RequestBody, "instructions" | "messages" | "starts"> {
  const prompt = format === "openai" ? undefined : format === "anthropic" ? system : instructions;
  const isPrompt = (typeof prompt === "string" && prompt !== "") || (format === "anthropic" && Array.isArray(prompt));
  const lengths =
    format === "openai-responses"
      ? groupItems(itemsOf([...plain])).map((group) => group.length)
      : Array.from(plain, () => 1);
  const starts = [0];
  for (const length of lengths) starts.push((starts.at(-1) as number) + length);
  const [first, ...others] = isPrompt
    ? // Only a system prompt of Anthropic may be a list.
      anthropic.from({ system: prompt, messages: [] }).messages
    : [];
  const messages = formatNamed(format).from(plain).messages;
  if (others.length > 0 || messages.length !== lengths.length) {
    throw new TurnfoldError("invalid_message", "the messages of the body are not one for each item");
  }
  return { instructions: first ?? null, messages, starts };
}

const formatNamed = (format: RequestFormat) =>
  format === "anthropic" ? anthropic : format === "openai" ? openai : openai.responses;

// ── marks for the cache ──────────────────────────────────────────────────────────────────────────────────────────────

const MARKS = ["cache_control", "prompt_cache_breakpoint"];

/** The members of messages, items and blocks that have lists of blocks. */
const LISTS = ["content", "output"];

/** Returns an item or block without marks. */
function withoutMarks(item: PlainObject): PlainObject {
  const plain = omitMembers(item, MARKS);
  for (const name of LISTS) {
    const blocks = plain[name];
    if (Array.isArray(blocks))
      plain[name] = blocks.map((block) => (isPlainObject(block) ? withoutMarks(block) : block));
  }
  return plain;
}

/** Returns a message whose only block is a text with that text: to mark it, clients write it as a block. */
function withTexts(message: PlainObject): PlainObject {
  const { content } = message;
  const [only, ...others] = Array.isArray(content) ? (content as PlainObject[]) : [];
  const isText = others.length === 0 && only?.type === "text" && Object.keys(only).length === 2;
  return isText && typeof only.text === "string" ? { ...message, content: only.text } : message;
}

/** Returns the first mark in some items; null when there is none. */
export function markIn(items: readonly unknown[]): PlainObject | null {
  for (const item of items) {
    if (!isPlainObject(item)) continue;
    for (const name of MARKS) if (isPlainObject(item[name])) return item[name];
    for (const name of LISTS) {
      const found = Array.isArray(item[name]) ? markIn(item[name]) : null;
      if (found !== null) return found;
    }
  }
  return null;
}

/** Returns the mechanism of the cache that a request uses: that of Anthropic caches only what is marked. */
export function mechanismOf({ format, data, items }: RequestBody): Mechanism {
  if (format !== "anthropic") return "openai";
  const { system, tools, cache_control } = data;
  const places = [items, [{ cache_control }], Array.isArray(system) ? system : [], Array.isArray(tools) ? tools : []];
  const marks = places.map(markIn).filter((mark) => mark !== null);
  if (marks.length === 0) return "none";
  return marks.some(({ ttl }) => ttl === "1h") ? "anthropic-1h" : "anthropic";
}

// ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A part of the new history: messages that are sent as the app gave them, by their indexes, or another one. */
export type NewPart =
  | { start: number; end: number }
  | {
      message: ChatMessage;
      /** The index of the message that it was; null for a summary. */
      source: number | null;
      /** The mark of what it replaces. */
      mark: PlainObject | null;
    };

/** Returns the body with a new history, of the same kind as it was given. */
export function writeBody(body: RequestBody, parts: readonly NewPart[]): unknown {
  const { data, member, items, starts, text } = body;
  const itemsFrom = (start: number, end: number) => [starts[start] as number, starts[end] as number] as const;
  if (text === null) {
    const list = parts.flatMap((part) =>
      "start" in part ? items.slice(...itemsFrom(part.start, part.end)) : writtenItems(body, part),
    );
    return { ...data, [member]: list };
  }
  const [, list] = memberSpans(text, text.indexOf("{")).find(([name]) => name === member) as [string, JsonSpan];
  const spans = elementSpans(text, list.start);
  const [first, second] = spans as [JsonSpan, JsonSpan | undefined];
  const separator = second === undefined ? "," : text.slice(first.end, second.start);
  const texts = parts.flatMap((part) => {
    if ("start" in part) {
      const own = spans.slice(...itemsFrom(part.start, part.end));
      return own.length === 0 ? [] : [text.slice(own[0]?.start, own.at(-1)?.end)];
    }
    const { source } = part;
    const [start, end] = source === null ? [0, 0] : itemsFrom(source, source + 1);
    const sources = spans.slice(start, end).map((span, index) => ({ value: items[start + index], text, span }));
    const written = listLike(writtenItems(body, part), sources).slice(1, -1);
    return written === "" ? [] : [written];
  });
  const inside = text.slice(list.start, first.start) + texts.join(separator) + text.slice(spans.at(-1)?.end, list.end);
  return text.slice(0, list.start) + inside + text.slice(list.end);
}

/** A message that is not sent: with it, an answer before it is not the last message, from which formats cut blanks. */
const FOLLOWING = ofMessages([{ role: "user", content: "." }]).messages;

/** Writes a message in the format of the body. */
function writtenItems(
  { format }: RequestBody,
  { message, mark }: { message: ChatMessage; mark: PlainObject | null },
): PlainObject[] {
  const ttl: "5m" | "1h" | undefined = mark?.ttl === "1h" || mark?.ttl === "5m" ? mark.ttl : undefined;
  const place = { message: 0, offset: Number.MAX_SAFE_INTEGER };
  const options = mark === null ? {} : { cache: { breakpoints: 1, ttl, at: [place] } };
  const isAnswer = message.role === "assistant" && format === "anthropic";
  const conversation = ofMessages(isAnswer ? [message, ...FOLLOWING] : [message]);
  const written = formatNamed(format).to(conversation, options);
  if (Array.isArray(written)) return written as unknown as PlainObject[];
  const { system, messages } = written;
  const list = messages as unknown as PlainObject[];
  return [...(system === undefined ? [] : [{ role: "system", content: system }]), ...list].slice(
    0,
    isAnswer ? -1 : undefined,
  );
}
