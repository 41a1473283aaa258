import { parseArguments } from "../chat/call-arguments.ts";
import { shortenId } from "../chat/call-ids.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import { toolNameFor } from "../chat/content-rules.ts";
import { setMember } from "../values/deep-copy.ts";
import { isDeepEqual } from "../values/deep-equal.ts";
import { describe } from "../values/describe.ts";
import {
  copyMessages,
  describePart,
  isPlainObject,
  objectAt,
  omitMembers,
  onlyMessage,
  type PlainObject,
  partsAt,
  rejectOwnMembers,
  type TypedObject,
  textAt,
} from "./data.ts";
import { invalidMessage, type MessagePath, unsupportedPart } from "./format-errors.ts";
import { dataURL, fromDataURL, isImageType, mediaKind, payloadIn } from "./media.ts";
import { type MemberTable, membersOf, pickMembers, pickPart } from "./members.ts";
import { keepOriginal, restoreOriginal } from "./original.ts";
import { changeIds, correctCalls, correctForOpenAI, decodeIds, markLongId } from "./provider-corrections.ts";
import {
  checkToolPart,
  compactionText,
  isApproval,
  objectsIn,
  outcomeOf,
  type PartRun,
  partRuns,
  readOutput,
  withFailure,
  writeArguments,
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
const FORMAT = "openai";

/** The members of messages besides their content and calls, by role. */
const MESSAGE_MEMBERS: MemberTable = {
  system: ["name"],
  developer: ["name"],
  user: ["name"],
  assistant: ["name", "refusal", "audio"],
  tool: [],
  function: ["name"],
};

/** The members of parts, by type. */
const PART_MEMBERS: MemberTable = {
  text: ["text", "prompt_cache_breakpoint"],
  refusal: ["refusal"],
  image_url: ["image_url", "prompt_cache_breakpoint"],
  input_audio: ["input_audio", "prompt_cache_breakpoint"],
  file: ["file", "prompt_cache_breakpoint"],
};

/** Members of a conversation's images and files that parts of other types keep. */
const MEDIA_MEMBERS = ["prompt_cache_breakpoint"];

const OWN_MEMBER_HINTS = { toolCalls: "tool_calls", toolCallId: "tool_call_id" };

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
  const copied = copyMessages(messages, "messages");
  decodeIds(copied);
  return copied.map((message, index) => {
    const path = ["messages", index];
    rejectOwnMembers(message, path, OWN_MEMBER_HINTS);
    if (isPlainObject(message.function_call)) functionCall = `function_call_${index}`;
    const id = functionCall ?? `function_call_${index}`;
    if (message.role === "function") functionCall = null;
    const neutral = fromMessage(message, path, id);
    return keepOriginal("openai", message, neutral, () => onlyMessage(toMessages(neutral, path, []))) as ChatMessage;
  });
}

/**
 * Converts the messages of a conversation, whatever their origin, to those of OpenAI's chat completions.
 *
 * - Each tool result is a message of its own, directly after the message with the call; an output that is not text is
 *   written as JSON. OpenAI can't mark a result as an error: its text says that the tool failed. Images and files of
 *   results follow in a message of the user.
 * - Content that OpenAI refuses is corrected: empty lists are removed, and null becomes an empty text if there are no
 *   calls. Ids of calls of more than 40 characters are shortened to their beginning and a hash, except those that
 *   `fromOpenAI` read, which the server that made them accepts; calls without an id get one. Big integers become texts
 *   of their digits.
 * - Only members that OpenAI has are written, and those with which a message came from {@link fromOpenAI}. So
 *   reasoning, approvals of calls, options for other providers and this package's own members are not sent.
 *
 * @throws {TurnfoldError} `unsupported_part` for content that OpenAI can't express, `invalid_message`; with `index` and
 * `path`.
 */
export function toOpenAI(messages: readonly ChatMessage[]): OpenAIMessage[] {
  const copied = copyMessages(messages, "messages", true);
  changeIds(copied, (id, isOpenAIs) => (isOpenAIs ? id : shortenId(id)));
  correctCalls(copied, (name) => toolNameFor("openai", name));
  const list: PlainObject[] = [];
  let media: PlainObject[] = [];
  const addMedia = () => {
    if (media.length > 0) list.push({ role: "user", content: [{ type: "text", text: MEDIA_TEXT }, ...media] });
    media = [];
  };
  for (const [index, message] of copied.entries()) {
    const path = ["messages", index];
    const id = String(objectsIn(message.toolCalls)[0]?.id ?? message.toolCallId ?? "");
    const back = () => onlyMessage(toMessages(message, path, []));
    const original = restoreOriginal("openai", message, back, (given) => fromMessage(given, path, id));
    const found: PlainObject[] = [];
    for (const next of original === null ? toMessages(message, path, found) : [original]) {
      if (next.role !== "tool") addMedia();
      list.push(correctForOpenAI(next));
    }
    media.push(...found);
  }
  addMedia();
  return list as unknown as OpenAIMessage[];
}

/** Begins the message of the user with the images and files of results, which may contain only text. */
const MEDIA_TEXT = "Images and files of the results above:";

// ── from ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** @param functionCall the id given to a call without one, and to its result. */
function fromMessage(message: PlainObject, path: MessagePath, functionCall: string): PlainObject {
  const { role } = message;
  const { content = null } = message;
  const neutral: PlainObject = {
    role: role === "developer" ? "system" : role === "function" ? "tool" : role,
    content: fromContent(content, [...path, "content"]),
    ...omitMembers(message, ["role", "content", "tool_calls", "tool_call_id", "function_call"]),
  };
  if (role === "tool") neutral.toolCallId = textAt(message, "tool_call_id", path);
  else if (message.tool_call_id !== undefined) neutral.tool_call_id = message.tool_call_id;
  if (role === "function") {
    textAt(message, "name", path);
    neutral.toolCallId = functionCall;
  }
  const calls = callsOf(message, path, functionCall);
  if (calls.length > 0) neutral.toolCalls = calls;
  return neutral;
}

function fromContent(content: unknown, path: MessagePath): unknown {
  if (content === null || typeof content === "string") return content;
  if (!Array.isArray(content)) throw invalidMessage(path, "a text, a list of parts, or null", content);
  return partsAt(content, path).map((part) => {
    const neutral = fromPart(part);
    return keepOriginal("openai", part, neutral, () => toUserPart(neutral, path));
  });
}

/** Returns the part of a conversation; the part itself if conversations have none of its kind. */
function fromPart(part: TypedObject): TypedObject {
  const { image_url: image, input_audio: audio, file } = part;
  if (part.type === "image_url" && isPlainObject(image) && typeof image.url === "string") {
    const inline = fromDataURL(image.url);
    const rest = { ...omitMembers(part, ["type", "image_url"]), ...omitMembers(image, ["url"]) };
    return inline === null
      ? { type: "image", image: image.url, ...rest }
      : { type: "image", image: inline.base64, mediaType: inline.mediaType, ...rest };
  }
  if (part.type === "input_audio" && isPlainObject(audio) && isText(audio.data) && isText(audio.format)) {
    const mediaType = audio.format === "mp3" ? "audio/mpeg" : `audio/${audio.format}`;
    return { type: "file", data: audio.data, mediaType, ...omitMembers(part, ["type", "input_audio"]) };
  }
  if (part.type === "file" && isPlainObject(file) && typeof file.file_data === "string") {
    const inline = fromDataURL(file.file_data);
    if (inline === null) return part;
    const rest = omitMembers(part, ["type", "file"]);
    const neutral: TypedObject = { type: "file", data: inline.base64, mediaType: inline.mediaType, ...rest };
    if (typeof file.filename === "string") neutral.filename = file.filename;
    return neutral;
  }
  return part;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Returns the calls of a message; a deprecated `function_call` gets that type and a generated id. */
function callsOf(message: PlainObject, path: MessagePath, id: string): PlainObject[] {
  const { tool_calls: calls, function_call: call } = message;
  const all: PlainObject[] = [];
  if (call !== undefined && call !== null) {
    const own = objectAt(message, "function_call", path);
    // The paths of errors are those of the given members.
    for (const name of ["name", "arguments"]) textAt(own, name, [...path, "function_call"]);
    all.push(fromCall({ id, type: "function_call", function: own }, path));
  }
  if (calls === undefined || calls === null) return all;
  const at = [...path, "tool_calls"];
  if (!Array.isArray(calls)) throw invalidMessage(at, "a list", calls);
  for (const [index, call] of calls.entries()) {
    if (!isPlainObject(call)) throw invalidMessage([...at, index], "a call, an object", call);
    all.push(fromCall(call, [...at, index]));
  }
  return all;
}

function fromCall(call: PlainObject, path: MessagePath): PlainObject {
  const neutral = fromCallWithoutOriginal(call, path);
  return markLongId(keepOriginal("openai", call, neutral, () => toCall(neutral)));
}

function fromCallWithoutOriginal(call: PlainObject, path: MessagePath): PlainObject {
  const id = textAt(call, "id", path);
  const rest = omitMembers(call, ["id", "type", "function", "custom"]);
  if (isPlainObject(call.custom)) {
    const at = [...path, "custom"];
    return { id, name: textAt(call.custom, "name", at), args: textAt(call.custom, "input", at), ...rest };
  }
  if (isPlainObject(call.function)) {
    const at = [...path, "function"];
    return {
      ...rest,
      id,
      name: textAt(call.function, "name", at),
      args: parseArguments(textAt(call.function, "arguments", at)),
    };
  }
  // An unknown type of call: all its members are its arguments.
  const type = textAt(call, "type", path);
  if (type === "function" || type === "custom") objectAt(call, type, path);
  return { id, name: type, args: rest };
}

// ── to ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** @param media gets the images and files of results. */
function toMessages(message: PlainObject, path: MessagePath, media: PlainObject[]): PlainObject[] {
  const { role, content = null, toolCalls, toolCallId } = message;
  if (typeof toolCallId === "string") {
    const given = resultContent(withFailure(content, outcomeOf(message)), [...path, "content"], media);
    const rest = pickMembers(message, membersOf(MESSAGE_MEMBERS, "tool"), FORMAT);
    return [{ role: "tool", tool_call_id: toolCallId, content: given ?? "", ...rest }];
  }
  const rest = pickMembers(message, membersOf(MESSAGE_MEMBERS, role), FORMAT);
  const calls = toolCalls === undefined ? [] : toCalls(toolCalls, path);
  if (!Array.isArray(content)) {
    if (role === "tool") throw missingCallId(message, path);
    return [{ role, content: toContent(content, [...path, "content"], String(role)), ...rest, ...callMembers(calls) }];
  }
  const parts = partsAt(content, [...path, "content"]);
  const messages: PlainObject[] = [];
  let last: PlainObject | null = null;
  for (const run of partRuns(parts, [...path, "content"])) {
    if (run.results) {
      for (const { part, path } of run.parts) messages.push(toResult(part, path, media));
      continue;
    }
    const own = contentMessage(run, String(role), rest);
    if (own === null) continue;
    if (role === "tool") throw missingCallId(message, path);
    messages.push(own);
    last = own;
  }
  // A message of tool results alone is written as those results; one of reasoning alone becomes an empty text.
  if (last === null && calls.length === 0 && (messages.length > 0 || role === "tool")) return messages;
  if (last === null) messages.push({ role, content: emptyContent(parts, calls), ...rest, ...callMembers(calls) });
  else if (calls.length > 0) {
    const { tool_calls: own } = last;
    for (const [name, value] of Object.entries(callMembers([...objectsIn(own), ...calls]))) last[name] = value;
  }
  return messages;
}

function emptyContent(parts: readonly TypedObject[], calls: readonly PlainObject[]): unknown {
  if (parts.length === 0) return parts;
  return calls.length > 0 ? null : "";
}

function missingCallId({ toolCallId }: PlainObject, path: MessagePath): Error {
  return invalidMessage([...path, "toolCallId"], "the id of the call that it answers", toolCallId);
}

function toCalls(toolCalls: unknown, path: MessagePath): PlainObject[] {
  const at = [...path, "toolCalls"];
  if (!Array.isArray(toolCalls)) throw invalidMessage(at, "a list of { id, name, args }", toolCalls);
  return toolCalls.map((call, index) => {
    if (!isPlainObject(call)) throw invalidMessage([...at, index], "a call, { id, name, args }", call);
    textAt(call, "id", [...at, index]);
    textAt(call, "name", [...at, index]);
    return (
      restoreOriginal(
        "openai",
        call,
        () => toCall(call),
        (given) => fromCallWithoutOriginal(given, [...at, index]),
      ) ?? toCall(call)
    );
  });
}

/** Returns the members of a message with its calls. */
function callMembers(calls: readonly PlainObject[]): PlainObject {
  const listed = calls.filter(({ type }) => type !== "function_call");
  const call = calls.find(({ type }) => type === "function_call");
  return { ...(listed.length > 0 && { tool_calls: listed }), ...(call && { function_call: call.function }) };
}

function toCall(call: PlainObject): PlainObject {
  const { id, name, args } = call;
  return {
    id,
    type: "function",
    function: { name, arguments: writeArguments(args) },
    ...pickMembers(call, [], FORMAT),
  };
}

/** Makes a message of the parts that are not results, with its calls; null when nothing is left. */
function contentMessage({ parts }: PartRun, role: string, rest: PlainObject): PlainObject | null {
  const calls: PlainObject[] = [];
  const content: TypedObject[] = [];
  for (const { part, path } of parts) {
    checkToolPart(part, path);
    if (part.type === "tool-call") calls.push(toCall(callOfPart(part)));
    else if (!isDropped(part)) content.push(toPart(part, path, role));
  }
  if (content.length === 0 && calls.length === 0) return null;
  return { role, content: simplifyContent(content, parts.length), ...rest, ...callMembers(calls) };
}

/** Converts a call that is a part to an element of `toolCalls`. */
function callOfPart(part: PlainObject): PlainObject {
  const { toolCallId, toolName, input } = part;
  return { id: toolCallId, name: toolName, args: input };
}

/** Returns a single text next to calls or reasoning as a text instead of a list. */
function simplifyContent(content: readonly TypedObject[], parts: number): unknown {
  const [first] = content;
  if (first === undefined) return null;
  const alone = content.length === 1 && parts > 1 && isDeepEqual(first, { type: "text", text: first.text });
  return alone ? first.text : content;
}

/** True for content that is not sent to OpenAI. */
function isDropped(part: TypedObject): boolean {
  return part.type === "reasoning" || isApproval(part);
}

function toResult(part: TypedObject, path: MessagePath, media: PlainObject[]): PlainObject {
  checkToolPart(part, path);
  const at = [...path, "output"];
  const { content, outcome } = readOutput(part.output as PlainObject, at, NAME);
  return {
    role: "tool",
    tool_call_id: part.toolCallId,
    content: resultContent(withFailure(content, outcome), [...at, "value"], media),
  };
}

/** Types of further parts with media. */
const MEDIA_TYPES = ["image_url", "input_audio", "media"];

/** Returns the texts of a result. Its images and files are added to `media`. */
function resultContent(content: unknown, path: MessagePath, media: PlainObject[]): unknown {
  if (!Array.isArray(content)) return toContent(content, path, "a tool's result");
  const texts: PlainObject[] = [];
  const count = media.length;
  for (const [index, part] of partsAt(content, path).entries()) {
    const at = [...path, index];
    const isMedia = mediaKind(part.type) !== undefined || MEDIA_TYPES.includes(part.type);
    if (isMedia) media.push(toPart(part, at, "user"));
    else texts.push(toPart(part, at, "a tool's result"));
  }
  const isMoved = texts.length === 0 && media.length > count;
  return isMoved ? [{ type: "text", text: "(its content follows the results)" }] : texts;
}

function toContent(content: unknown, path: MessagePath, role: string): unknown {
  if (content === null || typeof content === "string") return content;
  if (!Array.isArray(content)) throw invalidMessage(path, "a text, a list of parts, or null", content);
  return partsAt(content, path).map((part, index) => toPart(part, [...path, index], role));
}

const USER_PART_TYPES = ["image_url", "input_audio"];

/** Converts a part of a message of this role; only user messages may contain more than text. */
function toPart(part: TypedObject, path: MessagePath, role: string): PlainObject & TypedObject {
  if (role !== "user" && (part.type === "image" || part.type === "file" || USER_PART_TYPES.includes(part.type))) {
    const who = role === "assistant" || role === "system" ? `a message of role ${role}` : role;
    throw unsupportedPart(path, describePart(part), `${who} of ${NAME}`, "give it in a user message");
  }
  const original = restoreOriginal("openai", part, () => toUserPart(part, path), fromOriginalPart);
  return (original as TypedObject | null) ?? toUserPart(part, path);
}

function fromOriginalPart(given: PlainObject): PlainObject {
  return typeof given.type === "string" ? fromPart(given as TypedObject) : given;
}

function toUserPart(part: TypedObject, path: MessagePath): TypedObject {
  const kind = mediaKind(part.type);
  if (kind !== undefined) return kind === "image" ? toImage(part, path) : toFile(part, path);
  switch (part.type) {
    case "media":
      return toFile(part, path);
    case "tool-call":
    case "tool-result":
      throw unsupportedPart(path, describePart(part), NAME, "put calls and results in the content of messages");
  }
  const summary = compactionText(part);
  if (summary !== null) return { type: "text", text: summary } as TypedObject;
  const known = pickPart(part, PART_MEMBERS, FORMAT);
  if (known !== null) return known as TypedObject;
  throw unsupportedPart(path, describePart(part), NAME, "say it as text, or leave the message out");
}

function toImage(part: TypedObject, path: MessagePath): TypedObject {
  const payload = payloadIn(part, path, NAME);
  const { detail } = part;
  const image: PlainObject = { url: "url" in payload ? payload.url : dataURL(payload, path, NAME) };
  if (detail !== undefined) image.detail = detail;
  return { type: "image_url", image_url: image, ...pickMembers(part, MEDIA_MEMBERS, FORMAT) };
}

function toFile(part: TypedObject, path: MessagePath): TypedObject {
  // An uploaded file has an id and no data.
  if (part.data === undefined && isPlainObject(part.file)) return pickPart(part, PART_MEMBERS, FORMAT) as TypedObject;
  const payload = payloadIn(part, path, NAME);
  if (typeof part.context === "string" && part.context !== "") {
    throw unsupportedPart(
      [...path, "context"],
      "the context of a document",
      NAME,
      "say it as text beside the document",
    );
  }
  if (isImageType("url" in payload ? part.mediaType : (payload.mediaType ?? part.mediaType))) {
    return toImage(part, path);
  }
  if ("url" in payload)
    throw unsupportedPart(path, "a file at a URL", NAME, "give `data`: base64 or bytes, with its `mediaType`");
  const rest = pickMembers(part, MEDIA_MEMBERS, FORMAT);
  const { base64, mediaType } = payload;
  if (mediaType?.startsWith("audio/")) {
    const format = mediaType === "audio/mpeg" ? "mp3" : mediaType.slice("audio/".length);
    if (format !== "mp3" && format !== "wav") {
      throw unsupportedPart(path, `audio of type ${describe(mediaType)}`, NAME, "give it as wav or mp3");
    }
    return { type: "input_audio", input_audio: { data: base64, format }, ...rest };
  }
  const file: PlainObject = {};
  if (typeof part.filename === "string") setMember(file, "filename", part.filename);
  file.file_data = dataURL(payload, path, NAME);
  return { type: "file", file, ...rest };
}
