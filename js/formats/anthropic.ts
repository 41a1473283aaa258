import { objectArguments } from "../chat/call-arguments.ts";
import { encodeId } from "../chat/call-ids.ts";
import { type ChatMessage, isSystem } from "../chat/chat-message.ts";
import { toolNameFor } from "../chat/content-rules.ts";
import { wrapReadErrors } from "../errors.ts";
import { describe } from "../values/describe.ts";
import {
  copyData,
  copyMessages,
  describePart,
  isPlainObject,
  omitMembers,
  onlyMessage,
  type PlainObject,
  partsAt,
  rejectOwnMembers,
  type TypedObject,
  textAt,
} from "./data.ts";
import { invalidMessage, type MessagePath, unsupportedPart } from "./format-errors.ts";
import { base64ToText, isImageType, mediaKind, mediaTypeOf, payloadIn, textToBase64 } from "./media.ts";
import { type MemberTable, membersOf, pickMembers, pickPart } from "./members.ts";
import { keepOriginal, restoreOriginal } from "./original.ts";
import { changeIds, correctCalls, correctForAnthropic, decodeIds } from "./provider-corrections.ts";
import {
  CallNames,
  callParts,
  checkToolPart,
  objectsIn,
  outcomeOf,
  partRuns,
  providerOptions,
  readOutput,
  spokenParts,
  type ToolNameLookup,
  toolNamesIn,
} from "./tool-parts.ts";

/** A cache breakpoint of Anthropic. */
export interface AnthropicCacheControl {
  type: "ephemeral";
  ttl?: "5m" | "1h";
}

/** A text block. */
export interface AnthropicTextBlock {
  type: "text";
  text: string;
  cache_control?: AnthropicCacheControl | null;
}

/** An image block. */
export interface AnthropicImageBlock {
  type: "image";
  source:
    | { type: "base64"; media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp"; data: string }
    | { type: "url"; url: string };
  cache_control?: AnthropicCacheControl | null;
}

/** A document block. */
export interface AnthropicDocumentBlock {
  type: "document";
  source:
    | { type: "base64"; media_type: "application/pdf"; data: string }
    | { type: "text"; media_type: "text/plain"; data: string }
    | { type: "url"; url: string };
  title?: string | null;
  context?: string | null;
  citations?: { enabled?: boolean } | null;
  cache_control?: AnthropicCacheControl | null;
}

/** A content block. Types that are not listed here are passed through unchanged. */
export type AnthropicBlock =
  | AnthropicTextBlock
  | AnthropicImageBlock
  | AnthropicDocumentBlock
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "tool_use"; id: string; name: string; input: unknown; cache_control?: AnthropicCacheControl | null }
  | {
      type: "tool_result";
      tool_use_id: string;
      content?: string | (AnthropicTextBlock | AnthropicImageBlock | AnthropicDocumentBlock)[];
      is_error?: boolean;
      cache_control?: AnthropicCacheControl | null;
    };

/** A message of the Anthropic Messages API. */
export type AnthropicMessage =
  | { role: "user"; content: string | AnthropicBlock[] }
  | { role: "assistant"; content: string | AnthropicBlock[] }
  | { role: "system"; content: string | AnthropicTextBlock[] };

/**
 * The members of a request to Anthropic with messages: `client.messages.create({ model, max_tokens, ...anthropic })`.
 */
export interface AnthropicMessages {
  system?: string | AnthropicTextBlock[];
  messages: AnthropicMessage[];
}

const NAME = "Anthropic";
const FORMAT = "anthropic";

/** The members of blocks, by type. Messages have none besides their content. */
const BLOCK_MEMBERS: MemberTable = {
  text: ["text", "citations", "cache_control"],
  image: ["source", "transformations", "cache_control"],
  document: ["source", "title", "context", "citations", "cache_control"],
  search_result: ["source", "title", "content", "citations", "cache_control"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_use: ["id", "name", "input", "caller", "toolset_name", "cache_control"],
  tool_result: ["tool_use_id", "content", "is_error", "toolset_name", "cache_control"],
  tool_reference: ["tool_name", "cache_control"],
  server_tool_use: ["id", "name", "input", "caller", "cache_control"],
  web_search_tool_result: ["tool_use_id", "content", "caller", "cache_control"],
  web_fetch_tool_result: ["tool_use_id", "content", "caller", "cache_control"],
  advisor_tool_result: ["tool_use_id", "content", "cache_control"],
  code_execution_tool_result: ["tool_use_id", "content", "cache_control"],
  bash_code_execution_tool_result: ["tool_use_id", "content", "cache_control"],
  text_editor_code_execution_tool_result: ["tool_use_id", "content", "cache_control"],
  tool_search_tool_result: ["tool_use_id", "content", "cache_control"],
  mcp_tool_use: ["id", "name", "server_name", "input", "cache_control"],
  mcp_tool_result: ["tool_use_id", "content", "is_error", "cache_control"],
  mcp_tool_listing: ["mcp_server_name", "tools"],
  container_upload: ["file_id", "cache_control"],
  compaction: ["content", "encrypted_content", "signature", "tool_changes", "cache_control"],
  tool_addition: ["tool", "cache_control"],
  tool_removal: ["tool", "cache_control"],
  fallback: ["from", "to", "trigger"],
};

const OWN_MEMBER_HINTS = { toolCalls: "a block of type tool_use", toolCallId: "a block of type tool_result" };

/**
 * Converts Anthropic messages to those of a conversation. Accepts a list, or `{ system, messages }` as in a request;
 * other members of a request are ignored. `toAnthropic` restores both forms exactly, except for content that Anthropic
 * refuses.
 *
 * - `system` becomes the first message.
 * - `tool_use` becomes a part `tool-call`, `tool_result` a part `tool-result` of the user message that contains it,
 *   thinking a part `reasoning` with its `signature`, or `redactedData`; images and documents become parts `image` and
 *   `file`. Other blocks, such as those of tools that Anthropic runs, and other members are kept unchanged.
 * - Data that these members can't express is kept in `original`.
 *
 * @throws {TurnfoldError} `invalid_message`, with `path` and `expected` in its details.
 */
export function fromAnthropic(messages: unknown): ChatMessage[] {
  const { system, list } = splitRequest(messages);
  const copied = copyMessages(list, "messages, or { system, messages }");
  decodeIds(copied);
  const neutral: PlainObject[] = [];
  if (system !== undefined) neutral.push({ role: "system", content: fromContent(system, ["system"], new CallNames()) });
  const names = new CallNames();
  for (const [index, message] of copied.entries()) {
    const path = ["messages", index];
    rejectOwnMembers(message, path, OWN_MEMBER_HINTS);
    const converted = fromMessage(message, path, names);
    names.note(converted);
    const kept = keepOriginal("anthropic", message, converted, () => onlyMessage(toMessages(converted, path)));
    // Marks a system message at the beginning of the list, which must not be restored as `system`.
    const isLeading = message.role === "system" && neutral.every(({ role }) => role === "system");
    neutral.push(
      isLeading ? { ...kept, original: { ...originalOf(kept), format: "anthropic", place: "messages" } } : kept,
    );
  }
  return neutral as ChatMessage[];
}

/**
 * Converts the messages of a conversation, whatever their origin, to `{ system, messages }` of a request to Anthropic.
 *
 * - Leading system messages become `system`: a single one unchanged, several as blocks. Later ones keep their
 *   positions; models that support system messages inside a conversation accept them.
 * - Consecutive tool results are one user message. Arguments that are not an object, which only other providers
 *   have, are written as `{ input }`.
 * - Content that Anthropic refuses is corrected: blank texts, and messages that contain nothing else, are removed;
 *   white space at the end of the last message is removed if that is an answer; an error without content gets a text;
 *   integers beyond 2^53 in arguments become texts of their digits. Ids of calls outside `^[a-zA-Z0-9_-]+$` are
 *   encoded, which `fromAnthropic` reverses; calls without an id get one.
 * - Only members that Anthropic has are written, and those with which a message came from {@link fromAnthropic}. Of
 *   `providerOptions`, those of `anthropic` that the API has become members of blocks. Reasoning without a signature,
 *   approvals of calls and this package's own members are not sent.
 * - A result whose tool failed, or whose call was refused, has `is_error`.
 *
 * @throws {TurnfoldError} `unsupported_part` for content that Anthropic can't express, `invalid_message`; with `index`
 * and `path`.
 */
export function toAnthropic(messages: readonly ChatMessage[]): AnthropicMessages {
  const system: PlainObject[] = [];
  const list: PlainObject[] = [];
  /** The message that collects consecutive tool results. */
  let resultsMessage: PlainObject | null = null;
  const copied = copyMessages(messages, "messages", true);
  changeIds(copied, encodeId);
  correctCalls(copied, (name) => toolNameFor("anthropic", name));
  for (const [index, message] of copied.entries()) {
    const path = ["messages", index];
    const back = () => onlyMessage(toMessages(message, path));
    const original = restoreOriginal("anthropic", message, back, (given) =>
      fromMessage(given, path, toolNamesIn(message)),
    );
    const converted = original === null ? toMessages(message, path) : [original];
    if (isSystem(message) && list.length === 0 && originalOf(message).place !== "messages") {
      system.push(...converted);
      continue;
    }
    for (const next of converted) {
      const results = message.role === "tool" || (message.role === "assistant" && next.role === "user");
      const before = list.at(-1);
      // Results in a message of the user belong to the same calls as adjacent ones of the role tool.
      if (results && resultsMessage === null && before !== undefined && holdsOnlyResults(before))
        resultsMessage = before;
      const isMore = resultsMessage !== null && (results || beginsWithResult(next));
      if (isMore && resultsMessage !== null) (resultsMessage.content as unknown[]).push(...(next.content as unknown[]));
      else list.push(next);
      resultsMessage = results ? (resultsMessage ?? next) : null;
    }
  }
  return correctForAnthropic({ system: joinSystem(system), messages: list }) as unknown as AnthropicMessages;
}

function splitRequest(given: unknown): { system: unknown; list: unknown } {
  const { system, list } = wrapReadErrors("invalid_message", "messages", () => {
    if (Array.isArray(given)) return { system: undefined, list: given };
    if (typeof given !== "object" || given === null) {
      throw invalidMessage(["messages"], "a list of messages, or { system, messages }", given);
    }
    const { system, messages } = given as PlainObject;
    return { system, list: messages };
  });
  return { system: copyData(system, "system"), list };
}

function beginsWithResult({ role, content }: PlainObject): boolean {
  return role === "user" && objectsIn(content)[0]?.type === "tool_result";
}

function holdsOnlyResults(message: PlainObject): boolean {
  return beginsWithResult(message) && objectsIn(message.content).every(({ type }) => type === "tool_result");
}

function originalOf({ original }: PlainObject): PlainObject {
  return isPlainObject(original) ? original : {};
}

/** Returns a single system prompt unchanged; several as one list of blocks. */
function joinSystem(messages: readonly PlainObject[]): unknown {
  if (messages.length < 2) return messages[0]?.content;
  return messages.flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content));
}

// ── from ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

const ROLES = ["user", "assistant", "system"];

function fromMessage(message: PlainObject, path: MessagePath, names: ToolNameLookup): PlainObject {
  if (!ROLES.includes(message.role as string)) {
    throw invalidMessage([...path, "role"], '"user", "assistant" or "system"', message.role);
  }
  return { ...message, content: fromContent(message.content, [...path, "content"], names) };
}

function fromContent(content: unknown, path: MessagePath, names: ToolNameLookup): unknown {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw invalidMessage(path, "a text or a list of blocks", content);
  return partsAt(content, path).map((block, index) => {
    const at = [...path, index];
    const part = fromBlock(block, at, names);
    return keepOriginal("anthropic", block, part, () => toBlock(part, at));
  });
}

/** Returns the part for a block; the block itself if conversations have no part of its kind. */
function fromBlock(block: TypedObject, path: MessagePath, names: ToolNameLookup): TypedObject {
  switch (block.type) {
    case "thinking":
      return {
        type: "reasoning",
        text: textAt(block, "thinking", path),
        ...omitMembers(block, ["type", "thinking"]),
      };
    case "redacted_thinking":
      return {
        type: "reasoning",
        text: "",
        redactedData: textAt(block, "data", path),
        ...omitMembers(block, ["type", "data"]),
      };
    case "image":
      return fromImage(block);
    case "document":
      return fromDocument(block);
    case "tool_use":
      return {
        type: "tool-call",
        toolCallId: textAt(block, "id", path),
        toolName: textAt(block, "name", path),
        // A call that was refused for its input can be mended.
        input: block.input ?? {},
        ...omitMembers(block, ["type", "id", "name", "input"]),
      };
    case "tool_result": {
      const toolCallId = textAt(block, "tool_use_id", path);
      return {
        type: "tool-result",
        toolCallId,
        toolName: names.nameOf(toolCallId),
        output: fromResult(block, path, names),
        ...omitMembers(block, ["type", "tool_use_id", "content", "is_error"]),
      };
    }
  }
  return block;
}

function fromImage(block: TypedObject): TypedObject {
  const source = isPlainObject(block.source) ? block.source : {};
  const { type, data, url, media_type: mediaType } = source;
  const rest = omitMembers(block, ["type", "source"]);
  if (type === "base64" && typeof data === "string" && typeof mediaType === "string") {
    return { type: "image", image: data, mediaType, ...rest };
  }
  return type === "url" && typeof url === "string" ? { type: "image", image: url, ...rest } : block;
}

function fromDocument(block: TypedObject): TypedObject {
  const source = isPlainObject(block.source) ? block.source : {};
  const { type, data, url, media_type: mediaType } = source;
  const named = typeof block.title === "string" ? { filename: block.title } : {};
  const rest = { ...named, ...omitMembers(block, ["type", "source", "title"]) };
  if (type === "base64" && typeof data === "string" && typeof mediaType === "string") {
    return { type: "file", data, mediaType, ...rest };
  }
  if (type === "text" && typeof data === "string") {
    return { type: "file", data: textToBase64(data), mediaType: "text/plain", ...rest };
  }
  const known = type === "url" && typeof url === "string";
  return known ? { type: "file", data: url, mediaType: "application/pdf", ...rest } : block;
}

function fromResult(block: PlainObject, path: MessagePath, names: ToolNameLookup): PlainObject {
  const { content = "", is_error: error } = block;
  if (typeof content === "string") return { type: error === true ? "error-text" : "text", value: content };
  const value = fromContent(content, [...path, "content"], names);
  return error === true ? { type: "content", value, isError: true } : { type: "content", value };
}

// ── to ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

function toMessages(message: PlainObject, path: MessagePath): PlainObject[] {
  const { role, content = null, toolCalls, toolCallId } = message;
  const rest = pickMembers(message, [], FORMAT);
  if (typeof toolCallId === "string") {
    const result: PlainObject = { type: "tool_result", tool_use_id: toolCallId };
    if (content !== null) result.content = toContent(content, [...path, "content"], message);
    if (outcomeOf(message) !== "success") result.is_error = true;
    const cached = cacheControlOf(message);
    if (cached !== undefined) result.cache_control = cached;
    return [{ role: "user", content: [result], ...rest }];
  }
  if (role !== "tool" && !isSystem(message) && !ROLES.includes(role as string)) {
    throw unsupportedPart([...path, "role"], describe(role), NAME, "its messages are of user, assistant or system");
  }
  const calls = [
    ...callParts(toolCalls, path).map((part) => toBlock(part, path) as PlainObject),
    ...spokenParts(message, path, NAME),
  ];
  if (role === "tool" && !Array.isArray(content)) {
    throw invalidMessage([...path, "toolCallId"], "the id of the call that it answers", toolCallId);
  }
  const kind = isSystem(message) ? "system" : role;
  const cached = cacheControlOf(message);
  if (content === null || typeof content === "string") {
    if (calls.length === 0 && cached === undefined) return [{ role: kind, content: content ?? "", ...rest }];
    const text = content === null || content === "" ? [] : [{ type: "text", text: content }];
    return [{ role: kind, content: markLastBlock([...text, ...calls], cached), ...rest }];
  }
  if (!Array.isArray(content)) throw invalidMessage([...path, "content"], "a text, a list of parts, or null", content);
  const parts = partsAt(content, [...path, "content"]);
  if (kind === "assistant" || kind === "tool") return assistantMessages(parts, { kind, rest, path, calls, cached });
  const blocks = blocksOf(parts.map((part, index) => ({ part, path: [...path, "content", index] })));
  for (const [index, block] of blocks.entries()) {
    if (kind === "system" && block.type !== "text") {
      throw unsupportedPart(
        [...path, "content", index],
        describePart(block),
        `a system message of ${NAME}`,
        "say it as text",
      );
    }
  }
  return [{ role: kind, content: markLastBlock([...blocks, ...calls], cached), ...rest }];
}

/** Tool results are sent in messages of the role `user`. */
function assistantMessages(
  parts: readonly TypedObject[],
  {
    kind,
    rest,
    path,
    calls,
    cached,
  }: { kind: string; rest: PlainObject; path: MessagePath; calls: PlainObject[]; cached: unknown },
): PlainObject[] {
  const messages: PlainObject[] = [];
  let last: PlainObject | null = null;
  for (const run of partRuns(parts, [...path, "content"])) {
    const content = blocksOf(run.parts);
    if (content.length === 0) continue;
    if (run.results) messages.push({ role: "user", content });
    else if (kind === "tool")
      throw invalidMessage([...path, "toolCallId"], "the id of the call that it answers", undefined);
    else {
      last = { role: kind, content, ...rest };
      messages.push(last);
    }
  }
  if (last !== null) last.content = markLastBlock([...(last.content as PlainObject[]), ...calls], cached);
  else if (calls.length > 0 || (parts.length === 0 && kind !== "tool"))
    messages.push({ role: kind, content: calls, ...rest });
  return messages;
}

/** Moves the cache breakpoint of a message to its last block. */
function markLastBlock(blocks: PlainObject[], cached: unknown): PlainObject[] {
  const last = blocks.at(-1);
  if (cached === undefined || last === undefined || last.cache_control !== undefined) return blocks;
  return [...blocks.slice(0, -1), { ...last, cache_control: cached }];
}

/** Where the AI SDK keeps the cache breakpoint. */
function cacheControlOf(holder: PlainObject): unknown {
  return providerOptions("anthropic", holder).cacheControl;
}

function toContent(content: unknown, path: MessagePath, { role }: PlainObject): unknown {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw invalidMessage(path, `a text or a list of parts in a message of ${role}`, content);
  return blocksOf(partsAt(content, path).map((part, index) => ({ part, path: [...path, index] })));
}

function blocksOf(parts: readonly { part: TypedObject; path: MessagePath }[]): PlainObject[] {
  const blocks: PlainObject[] = [];
  for (const { part, path } of parts) {
    const from = (given: PlainObject) =>
      fromBlock(given as TypedObject, path, { nameOf: () => String(part.toolName ?? "") });
    const block = restoreOriginal("anthropic", part, () => toBlock(part, path), from) ?? toBlock(part, path);
    if (block !== null) blocks.push(block);
  }
  return blocks;
}

/** Members of blocks that the AI SDK keeps in the options of parts. */
const OPTION_MEMBERS = ["citations", "context", "caller"];

/** Returns a block with its other members, which the part has by the same names or in its options for the AI SDK. */
function withMembers(block: TypedObject, part: PlainObject): PlainObject {
  const names = membersOf(BLOCK_MEMBERS, block.type).filter((name) => !Object.hasOwn(block, name));
  const members = pickMembers(part, names, FORMAT);
  const options = providerOptions("anthropic", part);
  const given = { ...pickMembers(options, OPTION_MEMBERS, FORMAT), cache_control: options.cacheControl };
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && names.includes(name) && members[name] === undefined) members[name] = value;
  }
  return { ...block, ...members };
}

/** Returns the block for a part; null for a part that is dropped. */
function toBlock(part: TypedObject, path: MessagePath): PlainObject | null {
  checkToolPart(part, path);
  const kind = mediaKind(part.type);
  if (kind !== undefined) return kind === "image" ? toImage(part, path) : toDocument(part, path);
  switch (part.type) {
    case "text":
      return part.text === "" ? null : withMembers({ type: "text" }, part);
    case "reasoning":
      return toThinking(part);
    case "refusal":
      return { type: "text", text: textAt(part, "refusal", path) };
    case "tool-call":
      return toCall(part);
    case "tool-result":
      return toResult(part, path);
    case "tool-approval-request":
    case "tool-approval-response":
      return null;
  }
  const block = pickPart(part, BLOCK_MEMBERS, FORMAT);
  // Compactions of OpenAI are encrypted, without content.
  const isForeign = part.type === "compaction" && part.content === undefined && part.encrypted_content === undefined;
  if (block !== null && !isForeign) return block;
  throw unsupportedPart(path, describePart(part), NAME, "say it as text, or leave the message out");
}

function toThinking(part: TypedObject): PlainObject | null {
  const options = providerOptions("anthropic", part);
  const data = part.redactedData ?? options.redactedData;
  const others = pickMembers(part, [], FORMAT);
  if (typeof data === "string") return { type: "redacted_thinking", data, ...others };
  const signature = part.signature ?? options.signature;
  return typeof signature === "string" ? { type: "thinking", thinking: part.text, signature, ...others } : null;
}

function toImage(part: TypedObject, path: MessagePath): PlainObject {
  // An uploaded image has its own kind of source.
  if ((part.image ?? part.data ?? part.url) === undefined && isPlainObject(part.source)) {
    return withMembers({ type: "image" }, part);
  }
  const payload = payloadIn(part, path, NAME);
  const image = (source: PlainObject) => withMembers({ type: "image", source }, part);
  if ("url" in payload) return image({ type: "url", url: payload.url });
  const media_type = payload.mediaType ?? mediaTypeOf(payload.base64);
  if (media_type === null) throw unsupportedPart(path, "an image of no known type", NAME, "give its `mediaType`");
  return image({ type: "base64", media_type, data: payload.base64 });
}

function toDocument(part: TypedObject, path: MessagePath): PlainObject {
  const { filename, mediaType } = part;
  const payload = payloadIn(part, path, NAME);
  const type = "url" in payload ? mediaType : (payload.mediaType ?? mediaTypeOf(payload.base64));
  if (isImageType(type ?? mediaType)) return toImage(part, path);
  const { title = filename } = providerOptions("anthropic", part);
  const named = typeof title === "string" ? { title } : {};
  const document = (source: PlainObject) => withMembers({ type: "document", source, ...named }, part);
  if ("url" in payload) {
    if (type === undefined || type === "application/pdf") return document({ type: "url", url: payload.url });
  } else if (type === "application/pdf") {
    return document({ type: "base64", media_type: type, data: payload.base64 });
  } else if (typeof type === "string" && type.startsWith("text/")) {
    const text = base64ToText(payload.base64);
    if (text !== null) return document({ type: "text", media_type: "text/plain", data: text });
  }
  throw unsupportedPart(path, `a file of type ${describe(type)}`, NAME, "give a PDF, a text or an image");
}

function toCall(part: TypedObject): PlainObject {
  const { toolCallId, toolName, input } = part;
  const call = { type: "tool_use", id: toolCallId, name: toolName, input: objectArguments(input) };
  return withMembers(call, part);
}

function toResult(part: TypedObject, path: MessagePath): PlainObject {
  const at = [...path, "output"];
  const { content, outcome } = readOutput(part.output as PlainObject, at, NAME);
  const result = {
    type: "tool_result",
    tool_use_id: part.toolCallId,
    content: toContent(content, [...at, "value"], part),
    ...(outcome === "success" ? {} : { is_error: true }),
  };
  return withMembers(result, part);
}
