import type { ChatMessage } from "../chat/chat-message.ts";
import { isUIMessage } from "../chat/foreign-shapes.ts";
import { isDeepEqual } from "../values/deep-equal.ts";
import { describe } from "../values/describe.ts";
import { fromUIMessage } from "./ai-sdk-ui.ts";
import {
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
import { mediaTypeOf, payloadIn } from "./media.ts";
import { type MemberTable, pickMembers, pickPart } from "./members.ts";
import { keepOriginal, originalIn, restoreOriginal } from "./original.ts";
import { changeIds, correctForAISDK, decodeIds } from "./provider-corrections.ts";
import {
  CallNames,
  type CallOutcome,
  callParts,
  checkToolPart,
  compactionText,
  objectsIn,
  outcomeOf,
  spokenParts,
  type ToolNameLookup,
  textOutput,
  withProviderOptions,
} from "./tool-parts.ts";

/** A JSON value. */
export type Json = null | string | number | boolean | Json[] | { [key: string]: Json | undefined };

/** Options by provider name. */
export type AISDKProviderOptions = Record<string, { [key: string]: Json | undefined }>;

interface Optional {
  providerOptions?: AISDKProviderOptions;
}

/** A text part. */
export type AISDKTextPart = { type: "text"; text: string } & Optional;

/** A file part. */
export type AISDKFilePart = {
  type: "file";
  data: string | Uint8Array | ArrayBuffer | URL;
  mediaType: string;
  filename?: string;
} & Optional;

/** The output of a tool. */
export type AISDKOutput =
  | ({ type: "text" | "error-text"; value: string } & Optional)
  | ({ type: "json" | "error-json"; value: Json } & Optional)
  | ({ type: "execution-denied"; reason?: string } & Optional)
  | ({
      type: "content";
      value: (
        | ({ type: "text"; text: string } & Optional)
        | ({ type: "image-data"; data: string; mediaType: string } & Optional)
        | ({ type: "image-url"; url: string } & Optional)
        | ({ type: "file-data"; data: string; mediaType: string; filename?: string } & Optional)
        | ({ type: "file-url"; url: string } & Optional)
      )[];
    } & Optional);

/** A tool result part. */
export type AISDKToolResultPart = {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: AISDKOutput;
} & Optional;

/** A part of a user message. */
export type AISDKUserPart =
  | AISDKTextPart
  | AISDKFilePart
  | ({ type: "image"; image: string | Uint8Array | ArrayBuffer | URL; mediaType?: string } & Optional);

/** A part of an assistant message. */
export type AISDKAssistantPart =
  | AISDKTextPart
  | AISDKFilePart
  | ({ type: "reasoning"; text: string } & Optional)
  | ({ type: "tool-call"; toolCallId: string; toolName: string; input: unknown; providerExecuted?: boolean } & Optional)
  | AISDKToolResultPart
  | { type: "tool-approval-request"; approvalId: string; toolCallId: string };

/** A `ModelMessage` of the AI SDK. */
export type AISDKMessage =
  | ({ role: "system"; content: string } & Optional)
  | ({ role: "user"; content: string | AISDKUserPart[] } & Optional)
  | ({ role: "assistant"; content: string | AISDKAssistantPart[] } & Optional)
  | ({
      role: "tool";
      content: (
        | AISDKToolResultPart
        | { type: "tool-approval-response"; approvalId: string; approved: boolean; reason?: string }
      )[];
    } & Optional);

const NAME = "the AI SDK";
const OWN_MEMBER_HINTS = { toolCalls: "a part of type tool-call", toolCallId: "a part of type tool-result" };
/** The name of the format in saved conversations. */
const FORMAT = "vercel";
const ROLES = ["system", "user", "assistant", "tool"];

/**
 * Converts messages of the AI SDK to those of a conversation: `ModelMessage`, whose parts are kept unchanged, and
 * `UIMessage`, also of versions 4 and 5.
 *
 * A `UIMessage` becomes the messages that `convertToModelMessages` of version 7 makes of it, without the tools that only
 * that function gets. Each has the `id` of the message that it was made of, the first its `metadata`, and all its time, if
 * `createdAt` is in the message or its metadata. There is no conversion back: {@link toAISDK} makes a `ModelMessage`.
 *
 * @throws {TurnfoldError} `invalid_message`, with `path` and `expected` in its details.
 */
export function fromAISDK(messages: unknown): ChatMessage[] {
  const names = new CallNames();
  const copied = copyMessages(messages, "messages", false, isUIMessage);
  decodeIds(copied);
  const lastQuestion = copied.reduce((last, { role }, index) => (role === "user" ? index : last), -1);
  const read = (message: PlainObject, path: MessagePath): PlainObject => {
    names.note(message);
    const neutral = fromMessage(message, path, names);
    return keepOriginal(FORMAT, message, neutral, () => onlyMessage(toMessages(neutral, path, names)));
  };
  return copied.flatMap((message, index) => {
    const path = ["messages", index];
    if (!isUIMessage(message)) return [read(message, path)];
    const made = fromUIMessage(message, path, index < lastQuestion);
    return made.map(({ message, kept }) => ({ ...read(message, path), ...kept }));
  }) as unknown as ChatMessage[];
}

/**
 * Converts the messages of a conversation, whatever their origin, to those of the AI SDK (`ModelMessage`).
 *
 * - Calls become parts; consecutive results become one message of the role `tool`, with the names of their tools, which
 *   are empty if the call is missing.
 * - A system message of several parts becomes one message per part, because the AI SDK accepts only plain text in
 *   system messages.
 * - Signatures, cache breakpoints and members of documents of Anthropic become `providerOptions.anthropic`.
 * - Calls without an id get one; big integers become texts of their digits. Other ids are kept: which ids are valid
 *   depends on the provider behind the AI SDK.
 * - Only members that the AI SDK has are written, and those with which a message came from {@link fromAISDK}.
 * - A result whose tool failed is `error-text`; one of a call that was refused is `execution-denied`.
 *
 * @throws {TurnfoldError} `unsupported_part` for content that the AI SDK can't express, `invalid_message`; with `index`
 * and `path`.
 */
export function toAISDK(messages: readonly ChatMessage[]): AISDKMessage[] {
  const names = new CallNames();
  const list: PlainObject[] = [];
  /** The message that collects consecutive tool results. */
  let gathering: PlainObject | null = null;
  const copied = copyMessages(messages, "messages", true);
  changeIds(copied, (id) => id);
  for (const [index, message] of copied.entries()) {
    const path = ["messages", index];
    names.note(message);
    const back = () => onlyMessage(toMessages(message, path, names));
    const original = restoreOriginal(FORMAT, message, back, (given) => fromMessage(given, path, names));
    const converted = (original === null ? toMessages(message, path, names) : [original]).map(correctForAISDK);
    const answers = typeof message.toolCallId === "string";
    for (const next of converted) {
      if (answers && gathering !== null) (gathering.content as unknown[]).push(...(next.content as unknown[]));
      else list.push(next);
      gathering = answers ? (gathering ?? next) : null;
    }
  }
  return list as unknown as AISDKMessage[];
}

// ── from ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

function fromMessage(message: PlainObject, path: MessagePath, names: ToolNameLookup): PlainObject {
  rejectOwnMembers(message, path, OWN_MEMBER_HINTS);
  const { role, content } = message;
  if (!ROLES.includes(role as string)) {
    throw invalidMessage([...path, "role"], '"system", "user", "assistant" or "tool"', role);
  }
  const at = [...path, "content"];
  if (typeof content === "string" && role !== "tool") return message;
  if (!Array.isArray(content)) {
    throw invalidMessage(at, role === "tool" ? "a list of parts" : "a text or a list of parts", content);
  }
  return {
    ...message,
    content: partsAt(content, at).map((part, index) => {
      checkToolPart(part, [...at, index]);
      return keepOriginal(FORMAT, part, part, () => toPart(part, [...at, index], String(role), names));
    }),
  };
}

// ── to ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The members of messages besides their content. */
const MESSAGE_MEMBERS = ["providerOptions"];

const OUTPUT_MEMBERS = ["type", "value", "reason", "providerOptions"];

/** The members of parts and of elements of an output, by type. */
const PART_MEMBERS: MemberTable = {
  text: ["text", "providerOptions"],
  image: ["image", "mediaType", "providerOptions"],
  file: ["data", "mediaType", "filename", "providerOptions"],
  reasoning: ["text", "providerOptions"],
  "reasoning-file": ["data", "mediaType", "providerOptions"],
  "tool-call": ["toolCallId", "toolName", "input", "providerExecuted", "providerOptions"],
  "tool-result": ["toolCallId", "toolName", "output", "providerOptions"],
  "tool-approval-request": ["approvalId", "toolCallId", "signature", "inputSchemaInput", "isAutomatic"],
  "tool-approval-response": ["approvalId", "approved", "reason", "providerExecuted"],
  "image-data": ["data", "mediaType", "providerOptions"],
  "image-url": ["url", "providerOptions"],
  "image-file-id": ["fileId", "providerOptions"],
  "image-file-reference": ["providerReference", "providerOptions"],
  "file-data": ["data", "mediaType", "filename", "providerOptions"],
  "file-url": ["url", "mediaType", "providerOptions"],
  "file-id": ["fileId", "providerOptions"],
  "file-reference": ["providerReference", "providerOptions"],
  media: ["data", "mediaType"],
  custom: ["kind", "providerOptions"],
};

function toMessages(message: PlainObject, path: MessagePath, names: ToolNameLookup): PlainObject[] {
  const { role, content = null, toolCalls, toolCallId } = message;
  const at = [...path, "content"];
  const rest = pickMembers(message, MESSAGE_MEMBERS, FORMAT);
  if (typeof toolCallId === "string") {
    const output = answerOf(content, at, outcomeOf(message));
    const result = { type: "tool-result", toolCallId, toolName: names.nameOf(toolCallId), output };
    return [{ role: "tool", content: [result], ...rest }];
  }
  if (role === "system" || role === "developer") return systemsOf(content, at, rest);
  if (!ROLES.includes(role as string)) {
    throw unsupportedPart(
      [...path, "role"],
      describe(role),
      NAME,
      "its messages are of system, user, assistant or tool",
    );
  }
  if (role === "tool" && !Array.isArray(content)) {
    throw invalidMessage([...path, "toolCallId"], "the id of the call that it answers", toolCallId);
  }
  if (content !== null && typeof content !== "string" && !Array.isArray(content)) {
    throw invalidMessage(at, "a text, a list of parts, or null", content);
  }
  const reply = replyParts(message);
  if (reply !== null) {
    return [{ role, content: reply.map((part, index) => toPart(part, [...at, index], String(role), names)), ...rest }];
  }
  const before = reasoningOf(message);
  const after = [...spokenParts(message, path, NAME), ...callParts(toolCalls, path)];
  if (!Array.isArray(content)) {
    if (before.length + after.length === 0) return [{ role, content: content ?? "", ...rest }];
    const text = content === null || content === "" ? [] : [{ type: "text", text: content }];
    return [{ role, content: [...before, ...text, ...after], ...rest }];
  }
  const parts = partsAt(content, at);
  const results = role === "user" ? parts.filter(({ type }) => type === "tool-result") : [];
  const converted = parts.map((part, index) => ({
    part,
    converted: toPartOrOriginal(part, [...at, index], String(role), names),
  }));
  const own = converted.filter(({ part }) => !results.includes(part)).map(({ converted }) => converted);
  const messages: PlainObject[] = [];
  if (results.length > 0) {
    const answers = converted.filter(({ part }) => results.includes(part)).map(({ converted }) => converted);
    messages.push({ role: "tool", content: answers });
  }
  if (own.length + before.length + after.length > 0 || results.length === 0) {
    messages.push({ role, content: [...before, ...own, ...after], ...rest });
  }
  return messages;
}

/** Returns the parts of the reply that a message was, with the provider's data; null if it has changed since. */
function replyParts({ role, content, toolCalls, ...message }: PlainObject): TypedObject[] | null {
  const parts = objectsIn(originalIn(message, FORMAT)?.members?.content) as TypedObject[];
  const isKnown = (part: TypedObject) => Object.hasOwn(PART_MEMBERS, part.type);
  if (role !== "assistant" || parts.length === 0 || !parts.every(isKnown)) return null;
  const calls = objectsIn(toolCalls);
  // Calls may have got ids of their own.
  const written = parts.map((part) => (part.type === "tool-call" ? { ...part, toolCallId: calls.shift()?.id } : part));
  const texts = parts.map(({ type, text }) => (type === "text" ? text : "")).join("");
  const now = callsIn(callParts(toolCalls, []));
  return texts === (content ?? "") && isDeepEqual(now, callsIn(written)) ? written : null;
}

const callsIn = (parts: readonly PlainObject[]): unknown[] =>
  parts
    .filter(({ type }) => type === "tool-call")
    .map(({ toolCallId, toolName, input }) => [toolCallId, toolName, input]);

/** Makes one system message per part, because system messages are plain texts. */
function systemsOf(content: unknown, path: MessagePath, rest: PlainObject): PlainObject[] {
  if (content === null || typeof content === "string") return [{ role: "system", content: content ?? "", ...rest }];
  if (!Array.isArray(content)) throw invalidMessage(path, "a text or a list of parts", content);
  return partsAt(content, path).map((part, index) => {
    if (part.type !== "text") {
      throw unsupportedPart([...path, index], describePart(part), `a system message of ${NAME}`, "say it as text");
    }
    const { text, providerOptions = rest.providerOptions } = withAnthropicOptions(part);
    return { ...rest, role: "system", content: text, ...(providerOptions !== undefined && { providerOptions }) };
  });
}

/** Returns the output in a message with `toolCallId`. */
function answerOf(content: unknown, path: MessagePath, outcome: CallOutcome): PlainObject {
  if (content === null || typeof content === "string") return textOutput(content ?? "", outcome);
  if (!Array.isArray(content)) throw invalidMessage(path, "a text, a list of parts, or null", content);
  const value = toOutputItems(partsAt(content, path), path);
  return outcome === "success" ? { type: "content", value } : textOutput(textOfItems(value), outcome);
}

/** Returns the text of an output that failed or was denied, for which the AI SDK has no other content. */
function textOfItems(items: readonly PlainObject[]): string {
  return items.map((item) => (item.type === "text" ? item.text : `[${describePart(item)}]`)).join("\n");
}

/** Returns the reasoning that OpenAI-compatible servers return next to the content. */
function reasoningOf({ role, reasoning_content: text }: PlainObject): PlainObject[] {
  return role === "assistant" && typeof text === "string" && text !== "" ? [{ type: "reasoning", text }] : [];
}

function toPartOrOriginal(part: TypedObject, path: MessagePath, role: string, names: ToolNameLookup): PlainObject {
  const back = () => toPart(part, path, role, names);
  return restoreOriginal(FORMAT, part, back, (given) => given) ?? toPart(part, path, role, names);
}

function toPart(part: TypedObject, path: MessagePath, role: string, names: ToolNameLookup): PlainObject {
  if (part.type === "refusal") return { type: "text", text: textAt(part, "refusal", path) };
  const summary = compactionText(part);
  if (summary !== null) return { type: "text", text: summary };
  checkToolPart(part, path);
  const known = pickPart(part, PART_MEMBERS, FORMAT);
  if (known === null) throw unsupportedPart(path, describePart(part), NAME, "say it as text, or leave the message out");
  const rest = withAnthropicOptions(part, known);
  switch (part.type) {
    case "image":
      return toImage(rest, path, role);
    case "file":
      return toFile(rest, path);
    case "tool-result":
      return toResult(rest, path, names);
  }
  return rest;
}

/** Returns the written members of a part, with Anthropic's signature and cache breakpoint in its provider options. */
function withAnthropicOptions(part: TypedObject, rest: PlainObject = part): TypedObject {
  const signs = part.type === "reasoning" ? ["signature", "redactedData"] : [];
  const options: PlainObject = {};
  if (isPlainObject(part.cache_control)) options.cacheControl = part.cache_control;
  for (const name of signs) if (typeof part[name] === "string") options[name] = part[name];
  if (part.type === "file" && typeof part.context === "string") options.context = part.context;
  if (part.type === "file" && isPlainObject(part.citations)) options.citations = part.citations;
  return (Object.keys(options).length === 0 ? rest : withProviderOptions(rest, "anthropic", options)) as TypedObject;
}

function toImage(part: TypedObject, path: MessagePath, role: string): PlainObject {
  const payload = payloadIn(part, path, NAME);
  // Only user messages may contain images; images of assistants are files.
  if (role === "user") return part;
  const known = "url" in payload ? part.mediaType : (payload.mediaType ?? mediaTypeOf(payload.base64));
  return { ...omitMembers(part, ["image"]), type: "file", data: part.image, mediaType: known ?? "image/*" };
}

function toFile(part: TypedObject, path: MessagePath): PlainObject {
  const payload = payloadIn(part, path, NAME);
  if (typeof part.mediaType === "string") return part;
  const known = "url" in payload ? null : (payload.mediaType ?? mediaTypeOf(payload.base64));
  if (known === null) throw unsupportedPart(path, "a file of no known type", NAME, "give its `mediaType`");
  return { ...part, mediaType: known };
}

function toResult(part: TypedObject, path: MessagePath, names: ToolNameLookup): PlainObject {
  checkToolPart(part, path);
  const output = pickMembers(part.output as PlainObject, OUTPUT_MEMBERS, FORMAT);
  const { isError } = part.output as PlainObject;
  const toolName = part.toolName === "" ? names.nameOf(String(part.toolCallId)) : part.toolName;
  if (output.type !== "content" || !Array.isArray(output.value)) return { ...part, toolName, output };
  const at = [...path, "output"];
  const value = toOutputItems(partsAt(output.value, [...at, "value"]), [...at, "value"]);
  if (isError !== true) return { ...part, toolName, output: { ...output, value } };
  return { ...part, toolName, output: textOutput(textOfItems(value), "error") };
}

/** Converts the elements of an output of type `content`. */
function toOutputItems(parts: readonly TypedObject[], path: MessagePath): PlainObject[] {
  return parts.map((part, index) => {
    const at = [...path, index];
    if (part.type !== "image" && part.type !== "file") return toPart(part, at, "tool", new CallNames());
    const { filename } = part;
    const others = withAnthropicOptions(part, pickMembers(part, ["providerOptions"], FORMAT));
    const payload = payloadIn(part, at, NAME);
    if ("url" in payload) return { ...others, type: `${part.type}-url`, url: payload.url };
    const known = payload.mediaType ?? mediaTypeOf(payload.base64);
    if (known === null) throw unsupportedPart(at, "data of no known type", NAME, "give its `mediaType`");
    const item = { ...others, type: `${part.type}-data`, data: payload.base64, mediaType: known };
    return filename === undefined ? item : { ...item, filename };
  });
}
