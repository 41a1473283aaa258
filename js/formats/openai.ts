import { shortenId } from "../chat/call-ids.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import { bigIntToJson } from "../chat/safe-integers.ts";
import { setMember } from "../values/deep-copy.ts";
import { describe } from "../values/describe.ts";
import {
  type Bag,
  bagAt,
  isBag,
  kindOf,
  messagesOf,
  only,
  partsAt,
  refuseOwnMembers,
  refuseUIMessage,
  same,
  type TypedBag,
  textAt,
  without,
} from "./data.ts";
import { fromDataURL, mediaTypeOf, payloadOf } from "./media.ts";
import { keep, OWN, restore } from "./original.ts";
import { invalid, type Path, unsupported } from "./problem.ts";
import { isItem } from "./responses-items.ts";
import { acceptedByOpenAI, changeIds, decodeIds, markedLongId } from "./sendable.ts";
import {
  argumentsText,
  checkToolPart,
  listOf,
  outcomeOf,
  parsedArguments,
  type Stretch,
  stretchesOf,
} from "./tool-parts.ts";

/** A text part. */
export interface OpenAITextPart {
  type: "text";
  text: string;
}

/** A part of a user message. */
export type OpenAIUserPart =
  | OpenAITextPart
  | { type: "image_url"; image_url: { url: string; detail?: "auto" | "low" | "high" } }
  | { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } }
  | { type: "file"; file: { file_data?: string; file_id?: string; filename?: string } };

/** A tool call. */
export type OpenAIToolCall =
  | { id: string; type: "function"; function: { name: string; arguments: string } }
  | { id: string; type: "custom"; custom: { name: string; input: string } };

/** A message of the assistant. */
export interface OpenAIAssistantMessage {
  role: "assistant";
  content?: string | (OpenAITextPart | { type: "refusal"; refusal: string })[] | null;
  tool_calls?: OpenAIToolCall[];
  refusal?: string | null;
  name?: string;
  audio?: { id: string } | null;
  /** Deprecated by OpenAI in favour of `tool_calls`. */
  function_call?: { name: string; arguments: string } | null;
}

/** A message of OpenAI's chat completions. */
export type OpenAIMessage =
  | { role: "system"; content: string | OpenAITextPart[]; name?: string }
  | { role: "developer"; content: string | OpenAITextPart[]; name?: string }
  | { role: "user"; content: string | OpenAIUserPart[]; name?: string }
  | OpenAIAssistantMessage
  | { role: "tool"; content: string | OpenAITextPart[]; tool_call_id: string }
  | { role: "function"; content: string | null; name: string };

const NAME = "OpenAI";
const INSTEAD = { toolCalls: "tool_calls", toolCallId: "tool_call_id" };

/**
 * Converts messages of OpenAI's chat completions to those of a conversation. `toOpenAI` restores them exactly, except
 * for content that OpenAI refuses.
 *
 * - `developer` is a system message; `tool_calls` and the older `function_call` become `toolCalls`, with arguments parsed as
 *   JSON (text that is not JSON stays text); results become messages with `toolCallId`.
 * - Images, audio and files with data become parts `image` and `file`. Other parts and members are kept unchanged.
 * - Data that these members can't express, such as white space in arguments, is kept in `original`.
 *
 * @throws {TurnfoldError} `invalid_message`, with `path` and `expected` in its details.
 */
export function fromOpenAI(messages: unknown): ChatMessage[] {
  let functionCall: string | null = null;
  const copied = messagesOf(messages, "messages");
  decodeIds(copied);
  return copied.map((message, index) => {
    const path = ["messages", index];
    refuseUIMessage(message, path);
    refuseOwnMembers(message, path, INSTEAD);
    if (isBag(message.function_call)) functionCall = `function_call_${index}`;
    const id = functionCall ?? `function_call_${index}`;
    if (message.role === "function") functionCall = null;
    const neutral = fromMessage(message, path, id);
    return keep("openai", message, neutral, () => only(toMessages(neutral, path))) as ChatMessage;
  });
}

/**
 * Converts the messages of a conversation, whatever their origin, to those of OpenAI's chat completions.
 *
 * - Each tool result is a message of its own, directly after the message with the call; an output that is not text is
 *   written as JSON. OpenAI can't mark a result as an error: only its text shows it.
 * - Content that OpenAI refuses is corrected: empty lists are removed, and null becomes an empty text if there are no
 *   calls. Ids of calls of more than 40 characters are shortened to their beginning and a hash, except those that
 *   `fromOpenAI` read, which the server that made them accepts; calls without an id get one. Big integers become texts
 *   of their digits.
 * - Dropped, because OpenAI can't express it: reasoning; approvals of calls; options for other providers
 *   (`providerOptions`, `cache_control`, citations); this package's own members (`timestamp`, `pinned`, `summary`,
 *   `partial`, `unfinished`, `original`).
 *
 * @throws {TurnfoldError} `unsupported_part` for content that OpenAI can't express, `invalid_message`; with `index` and
 * `path`.
 */
export function toOpenAI(messages: readonly ChatMessage[]): OpenAIMessage[] {
  const copied = messagesOf(messages, "messages", bigIntToJson);
  changeIds(copied, (id, isOpenAIs) => (isOpenAIs ? id : shortenId(id)));
  return copied.flatMap((message, index) => {
    const path = ["messages", index];
    const id = String(listOf(message.toolCalls)[0]?.id ?? message.toolCallId ?? "");
    const back = () => only(toMessages(message, path));
    const original = restore("openai", message, back, (given) => fromMessage(given, path, id));
    const converted = original === null ? toMessages(message, path) : [original];
    return converted.map(acceptedByOpenAI) as OpenAIMessage[];
  });
}

// ── from ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** @param functionCall the id given to a call without one, and to its result. */
function fromMessage(message: Bag, path: Path, functionCall: string): Bag {
  const { role } = message;
  const { content = null } = message;
  const neutral: Bag = {
    role: role === "developer" ? "system" : role === "function" ? "tool" : role,
    content: fromContent(content, [...path, "content"]),
    ...without(message, ["role", "content", "tool_calls", "tool_call_id", "function_call"]),
  };
  if (role === "tool") neutral.toolCallId = textAt(message, "tool_call_id", path);
  else if (message.tool_call_id !== undefined) neutral.tool_call_id = message.tool_call_id;
  if (role === "function") {
    textAt(message, "name", path);
    neutral.toolCallId = functionCall;
  }
  const calls = callsOf(message, path, functionCall);
  if (calls.length > 0) neutral.toolCalls = calls.map((call, index) => fromCall(call, [...path, "tool_calls", index]));
  return neutral;
}

function fromContent(content: unknown, path: Path): unknown {
  if (content === null || typeof content === "string") return content;
  if (!Array.isArray(content)) throw invalid(path, "a text, a list of parts, or null", content);
  return partsAt(content, path).map((part) => {
    const neutral = fromPart(part);
    return keep("openai", part, neutral, () => toUserPart(neutral, path));
  });
}

/** Returns the part of a conversation; the part itself if conversations have none of its kind. */
function fromPart(part: TypedBag): TypedBag {
  const { image_url: image, input_audio: audio, file } = part;
  if (part.type === "image_url" && isBag(image) && typeof image.url === "string") {
    const inline = fromDataURL(image.url);
    const rest = { ...without(part, ["type", "image_url"]), ...without(image, ["url"]) };
    return inline === null
      ? { type: "image", image: image.url, ...rest }
      : { type: "image", image: inline.base64, mediaType: inline.mediaType, ...rest };
  }
  if (part.type === "input_audio" && isBag(audio) && isText(audio.data) && isText(audio.format)) {
    const mediaType = audio.format === "mp3" ? "audio/mpeg" : `audio/${audio.format}`;
    return { type: "file", data: audio.data, mediaType, ...without(part, ["type", "input_audio"]) };
  }
  if (part.type === "file" && isBag(file) && typeof file.file_data === "string") {
    const inline = fromDataURL(file.file_data);
    if (inline === null) return part;
    const rest = without(part, ["type", "file"]);
    const neutral: TypedBag = { type: "file", data: inline.base64, mediaType: inline.mediaType, ...rest };
    if (typeof file.filename === "string") neutral.filename = file.filename;
    return neutral;
  }
  return part;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Returns the calls of a message; a deprecated `function_call` gets that type and a generated id. */
function callsOf(message: Bag, path: Path, id: string): Bag[] {
  const { tool_calls: calls, function_call: call } = message;
  const all: Bag[] = [];
  if (call !== undefined && call !== null) {
    all.push({ id, type: "function_call", function: bagAt(message, "function_call", path) });
  }
  if (calls === undefined || calls === null) return all;
  if (!Array.isArray(calls)) throw invalid([...path, "tool_calls"], "a list", calls);
  for (const [index, call] of calls.entries()) {
    if (!isBag(call)) throw invalid([...path, "tool_calls", index], "a call, an object", call);
    all.push(call);
  }
  return all;
}

function fromCall(call: Bag, path: Path): Bag {
  const neutral = fromCallAlone(call, path);
  return markedLongId(keep("openai", call, neutral, () => toCall(neutral)));
}

function fromCallAlone(call: Bag, path: Path): Bag {
  const id = textAt(call, "id", path);
  const rest = without(call, ["id", "type", "function", "custom"]);
  if (isBag(call.custom)) {
    const at = [...path, "custom"];
    return { id, name: textAt(call.custom, "name", at), args: textAt(call.custom, "input", at), ...rest };
  }
  if (isBag(call.function)) {
    const at = [...path, "function"];
    return {
      ...rest,
      id,
      name: textAt(call.function, "name", at),
      args: parsedArguments(textAt(call.function, "arguments", at)),
    };
  }
  // An unknown type of call: all its members are its arguments.
  const type = textAt(call, "type", path);
  if (type === "function" || type === "custom") bagAt(call, type, path);
  return { id, name: type, args: rest };
}

// ── to ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Members that OpenAI does not accept. */
const FOREIGN = ["providerOptions", "cache_control", "citations", "original"];

function toMessages(message: Bag, path: Path): Bag[] {
  const { role, content = null, toolCalls, toolCallId } = message;
  const rest = without(message, [...OWN, ...FOREIGN, "role", "content", "toolCalls", "toolCallId"]);
  if (typeof toolCallId === "string") {
    const given = toContent(content, [...path, "content"], "a tool's result");
    return [{ role: "tool", tool_call_id: toolCallId, content: given ?? "", ...rest }];
  }
  const calls = toolCalls === undefined ? [] : listedCalls(toolCalls, path);
  if (!Array.isArray(content)) {
    if (role === "tool") throw noCallId(message, path);
    return [{ role, content: toContent(content, [...path, "content"], String(role)), ...rest, ...callMembers(calls) }];
  }
  const parts = partsAt(content, [...path, "content"]);
  const messages: Bag[] = [];
  let last: Bag | null = null;
  for (const stretch of stretchesOf(parts, [...path, "content"])) {
    if (stretch.results) {
      for (const { part, path } of stretch.parts) messages.push(toResult(part, path));
      continue;
    }
    const own = contentMessage(stretch, String(role), rest);
    if (own === null) continue;
    if (role === "tool") throw noCallId(message, path);
    messages.push(own);
    last = own;
  }
  // A message of tool results alone is written as those results; one of reasoning alone becomes an empty text.
  if (last === null && calls.length === 0 && (messages.length > 0 || role === "tool")) return messages;
  if (last === null) messages.push({ role, content: emptied(parts, calls), ...rest, ...callMembers(calls) });
  else if (calls.length > 0) {
    const { tool_calls: own } = last;
    for (const [name, value] of Object.entries(callMembers([...listOf(own), ...calls]))) last[name] = value;
  }
  return messages;
}

function emptied(parts: readonly TypedBag[], calls: readonly Bag[]): unknown {
  if (parts.length === 0) return parts;
  return calls.length > 0 ? null : "";
}

function noCallId({ toolCallId }: Bag, path: Path): Error {
  return invalid([...path, "toolCallId"], "the id of the call that it answers", toolCallId);
}

function listedCalls(toolCalls: unknown, path: Path): Bag[] {
  const at = [...path, "toolCalls"];
  if (!Array.isArray(toolCalls)) throw invalid(at, "a list of { id, name, args }", toolCalls);
  return toolCalls.map((call, index) => {
    if (!isBag(call)) throw invalid([...at, index], "a call, { id, name, args }", call);
    textAt(call, "id", [...at, index]);
    textAt(call, "name", [...at, index]);
    return (
      restore(
        "openai",
        call,
        () => toCall(call),
        (given) => fromCallAlone(given, [...at, index]),
      ) ?? toCall(call)
    );
  });
}

/** Returns the members of a message with its calls. */
function callMembers(calls: readonly Bag[]): Bag {
  const listed = calls.filter(({ type }) => type !== "function_call");
  const call = calls.find(({ type }) => type === "function_call");
  return { ...(listed.length > 0 && { tool_calls: listed }), ...(call && { function_call: call.function }) };
}

function toCall(call: Bag): Bag {
  const rest = without(call, [...FOREIGN, "id", "name", "args"]);
  const { id, name, args } = call;
  return { id, type: "function", function: { name, arguments: argumentsText(args) }, ...rest };
}

/** Makes a message of the parts that are not results, with its calls; null when nothing is left. */
function contentMessage({ parts }: Stretch, role: string, rest: Bag): Bag | null {
  const calls: Bag[] = [];
  const content: TypedBag[] = [];
  for (const { part, path } of parts) {
    checkToolPart(part, path);
    if (part.type === "tool-call") calls.push(toCall(callIn(part)));
    else if (!isDropped(part)) content.push(toPart(part, path, role));
  }
  if (content.length === 0 && calls.length === 0) return null;
  return { role, content: shortened(content, parts.length), ...rest, ...callMembers(calls) };
}

/** Converts a call that is a part to an element of `toolCalls`. */
function callIn(part: Bag): Bag {
  const { toolCallId, toolName, input } = part;
  return { id: toolCallId, name: toolName, args: input };
}

/** Returns a single text next to calls or reasoning as a text instead of a list. */
function shortened(content: readonly TypedBag[], parts: number): unknown {
  const [first] = content;
  if (first === undefined) return null;
  const alone = content.length === 1 && parts > 1 && same(first, { type: "text", text: first.text });
  return alone ? first.text : content;
}

/** True for content that is not sent to OpenAI. */
function isDropped({ type }: TypedBag): boolean {
  return type === "reasoning" || type === "tool-approval-request" || type === "tool-approval-response";
}

function toResult(part: TypedBag, path: Path): Bag {
  checkToolPart(part, path);
  const at = [...path, "output"];
  const { content } = outcomeOf(part.output as Bag, at, NAME);
  return {
    role: "tool",
    tool_call_id: part.toolCallId,
    content: toContent(content, [...at, "value"], "a tool's result"),
  };
}

function toContent(content: unknown, path: Path, role: string): unknown {
  if (content === null || typeof content === "string") return content;
  if (!Array.isArray(content)) throw invalid(path, "a text, a list of parts, or null", content);
  return partsAt(content, path).map((part, index) => toPart(part, [...path, index], role));
}

const THEIRS = ["image_url", "input_audio"];

/** Converts a part of a message of this role; only user messages may contain more than text. */
function toPart(part: TypedBag, path: Path, role: string): Bag & TypedBag {
  if (role !== "user" && (part.type === "image" || part.type === "file" || THEIRS.includes(part.type))) {
    const who = role === "assistant" || role === "system" ? `a message of role ${role}` : role;
    throw unsupported(path, kindOf(part), `${who} of ${NAME}`, "give it in a user message");
  }
  const original = restore("openai", part, () => toUserPart(part, path), fromGivenPart);
  return (original as TypedBag | null) ?? toUserPart(part, path);
}

function fromGivenPart(given: Bag): Bag {
  return typeof given.type === "string" ? fromPart(given as TypedBag) : given;
}

/** Types of parts of other providers that OpenAI can't express. */
const UNKNOWN_HERE = [
  "container_upload",
  "custom",
  "document",
  "mcp_tool_result",
  "mcp_tool_use",
  "reasoning-file",
  "redacted_thinking",
  "search_result",
  "server_tool_use",
  "thinking",
  "tool_reference",
  "tool_result",
  "tool_use",
];

function toUserPart(part: TypedBag, path: Path): TypedBag {
  const rest = without(part, FOREIGN) as TypedBag;
  switch (part.type) {
    case "image":
      return toImage(rest, path);
    case "file":
      return toFile(rest, path);
    case "image-data":
      return toImage({ ...without(rest, ["data"]), type: "image", image: part.data }, path);
    case "image-url":
      return toImage({ ...without(rest, ["url"]), type: "image", image: part.url }, path);
    case "tool-call":
    case "tool-result":
      throw unsupported(path, kindOf(part), NAME, "put calls and results in the content of messages");
  }
  if (UNKNOWN_HERE.includes(part.type) || part.type.endsWith("_tool_result") || isItem(part)) {
    throw unsupported(path, kindOf(part), NAME, "say it as text, or leave the message out");
  }
  return rest;
}

function toImage(part: TypedBag, path: Path): TypedBag {
  const payload = payloadOf(part.image, part.mediaType);
  if (payload === null) throw unsupported(path, "an image without data", NAME, "give `image`: base64, bytes or a URL");
  const { detail } = part;
  const image: Bag = { url: "url" in payload ? payload.url : dataURL(payload, path) };
  if (detail !== undefined) image.detail = detail;
  return { type: "image_url", image_url: image, ...without(part, ["type", "image", "mediaType", "detail"]) };
}

function toFile(part: TypedBag, path: Path): TypedBag {
  // An uploaded file has an id and no data.
  if (part.data === undefined && isBag(part.file)) return part;
  const payload = payloadOf(part.data, part.mediaType);
  if (payload === null || "url" in payload) {
    const what = payload === null ? "a file without data" : "a file at a URL";
    throw unsupported(path, what, NAME, "give `data`: base64 or bytes, with its `mediaType`");
  }
  if (typeof part.context === "string" && part.context !== "") {
    throw unsupported([...path, "context"], "the context of a document", NAME, "say it as text beside the document");
  }
  const rest = without(part, ["type", "data", "mediaType", "filename", "context"]);
  const { base64, mediaType } = payload;
  if (mediaType?.startsWith("audio/")) {
    const format = mediaType === "audio/mpeg" ? "mp3" : mediaType.slice("audio/".length);
    if (format !== "mp3" && format !== "wav") {
      throw unsupported(path, `audio of type ${describe(mediaType)}`, NAME, "give it as wav or mp3");
    }
    return { type: "input_audio", input_audio: { data: base64, format }, ...rest };
  }
  if (mediaType?.startsWith("image/")) return toImage({ type: "image", image: base64, mediaType, ...rest }, path);
  const file: Bag = {};
  if (typeof part.filename === "string") setMember(file, "filename", part.filename);
  file.file_data = dataURL(payload, path);
  return { type: "file", file, ...rest };
}

function dataURL({ base64, mediaType }: { base64: string; mediaType: string | null }, path: Path): string {
  const type = mediaType ?? mediaTypeOf(base64);
  if (type === null) throw unsupported(path, "data of no known type", NAME, "give its `mediaType`");
  return `data:${type};base64,${base64}`;
}
