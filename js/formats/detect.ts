import { isUIMessage } from "../chat/foreign-shapes.ts";
import { TurnfoldError } from "../errors.ts";
import { copyData, isPlainObject, type PlainObject } from "./data.ts";
import type { FormatName } from "./original.ts";
import { isItemPartType, isItemType } from "./responses-items.ts";
import { objectsIn } from "./tool-parts.ts";

/**
 * The formats of lists of messages with content; items of the Responses API are recognized by {@link isResponsesItem},
 * contents of Gemini by {@link isGemini}.
 */
type MessageFormatName = Exclude<FormatName, "openai-responses" | "gemini">;

/** Roles, members of messages, types of parts and members of parts that only one provider has. */
const FORMAT_SIGNS: Readonly<
  Record<MessageFormatName, { roles: string[]; members: string[]; types: string[]; partMembers: string[] }>
> = {
  openai: {
    roles: ["developer", "function"],
    members: ["tool_calls", "tool_call_id", "function_call", "refusal", "reasoning_content"],
    types: ["image_url", "input_audio", "refusal"],
    partMembers: ["file"],
  },
  anthropic: {
    roles: [],
    members: [],
    types: [
      "compaction",
      "container_upload",
      "document",
      "mcp_tool_result",
      "mcp_tool_use",
      "redacted_thinking",
      "search_result",
      "server_tool_use",
      "thinking",
      "tool_result",
      "tool_use",
    ],
    partMembers: ["source"],
  },
  "ai-sdk": {
    roles: [],
    members: ["providerOptions"],
    types: [
      "reasoning",
      "reasoning-file",
      "tool-approval-request",
      "tool-approval-response",
      "tool-call",
      "tool-result",
    ],
    partMembers: ["data", "image", "providerOptions"],
  },
};

/** Types of parts that several providers use, with different members. */
const SHARED_PART_TYPES = ["text", "image", "file"];

/** Signs of messages of chat completions that items have too. */
const SIGNS_SHARED_WITH_ITEMS = ["developer", "refusal"];

/**
 * Detects the provider whose format messages have, by members and types that only one provider uses. Messages with
 * plain texts, which are the same in all formats, count as OpenAI's, and objects with `messages` as Anthropic's, unless
 * the first message is a system message or `model` is not a Claude model. Items of OpenAI's Responses API are
 * `openai-responses`, alone or as `input` or `output` of an object; contents of Gemini are `gemini`, alone or as
 * `contents`. Messages of a user interface of the AI SDK are `ai-sdk`. Null when no format or several match: for a conversation's own messages, other objects with `messages` (pass
 * their list instead), and values that can't be read. Never throws.
 *
 * @example
 * ```ts
 * detectFormat([{ role: "user", content: "Hello" }]); // => 'openai'
 * detectFormat({ system: "Be kind.", messages: [] }); // => 'anthropic'
 * ```
 */
export function detectFormat(messages: unknown): FormatName | null {
  try {
    const copied = copyData(messages, "messages");
    if (isGemini(copied)) return "gemini";
    if (Array.isArray(copied)) return copied.length === 0 ? null : formatOf(copied, null);
    if (isResponses(copied)) return "openai-responses";
    return isPlainObject(copied) && Array.isArray(copied.messages) ? formatOfRequest(copied, copied.messages) : null;
  } catch (error) {
    if (TurnfoldError.isInstance(error)) return null;
    throw error;
  }
}

/** Detects the format of a request. Only Anthropic's requests are more than a list of messages. */
function formatOfRequest({ system, model }: PlainObject, messages: readonly unknown[]): FormatName | null {
  if (system !== undefined && typeof system !== "string" && !Array.isArray(system)) return null;
  const isOther = system === undefined && (isSystem(messages[0]) || isOtherModel(model));
  if (isOther && formatOf(messages, null) !== "anthropic") return null;
  return formatOf(messages, "anthropic") === "anthropic" ? "anthropic" : null;
}

/**
 * True for a system message. Anthropic's requests have the system prompt in `system`; only later messages may be system
 * messages.
 */
const isSystem = (message: unknown): boolean => isPlainObject(message) && message.role === "system";

const isOtherModel = (model: unknown): boolean => typeof model === "string" && !/claude/i.test(model);

/** True for a request or a list of contents of Gemini. */
export function isGemini(data: unknown): boolean {
  const list = isPlainObject(data) ? data.contents : data;
  if (!Array.isArray(list) || !list.every(isContent)) return false;
  return list !== data || list.some(({ parts }) => Array.isArray(parts));
}

/** True for a content of Gemini. Parts of the AI SDK have types. */
function isContent(content: unknown): boolean {
  if (!isPlainObject(content)) return false;
  const { role, parts, content: other } = content;
  // An answer may be empty, such as one that reached the limit while the model was thinking.
  if (role === "model" && (parts ?? other) === undefined) return true;
  if (!Array.isArray(parts) || (other ?? null) !== null) return false;
  return role === "model" || parts.every((part) => isPlainObject(part) && typeof part.type !== "string");
}

/** True for a request or a response of the Responses API. */
export function isResponses(data: unknown): boolean {
  if (Array.isArray(data)) return data.length > 0 && formatOf(data, null) === "openai-responses";
  return isPlainObject(data) && (isResponses(data.output) || isResponses(data.input));
}

/** True for an item that only the Responses API has. */
function isResponsesItem(item: unknown): item is PlainObject {
  if (!isPlainObject(item)) return false;
  if (isItemType(item.type)) return true;
  return objectsIn(item.content).some(({ type }) => isItemPartType(type));
}

/** True for a reference to an item, which may have only an id. */
function isReference(item: unknown): boolean {
  return isPlainObject(item) && typeof item.id === "string" && (item.type ?? null) === null && item.role === undefined;
}

/** True when items of the Responses API are among the messages, and no message of another API. */
function areResponses(messages: readonly unknown[]): boolean {
  return (
    messages.some(isResponsesItem) &&
    messages.every((message) => {
      if (isReference(message)) return true;
      if (!isResponsesItem(message) && !isMessage(message)) return false;
      return Object.keys(FORMAT_SIGNS).every(
        (name) => !hasSign(name as MessageFormatName, message, SIGNS_SHARED_WITH_ITEMS),
      );
    })
  );
}

function formatOf(messages: readonly unknown[], assumed: FormatName | null): FormatName | null {
  if (assumed === null && areResponses(messages)) return "openai-responses";
  const found = new Set<FormatName>(assumed === null ? [] : [assumed]);
  for (const message of messages) {
    if (!isMessage(message)) return null;
    for (const name of Object.keys(FORMAT_SIGNS) as MessageFormatName[]) if (hasSign(name, message)) found.add(name);
  }
  if (found.size > 1) return null;
  const [only] = found;
  return only ?? (messages.some(hasCacheControl) ? "anthropic" : "openai");
}

/** Cache breakpoints of Anthropic, which resellers of its models accept in their own formats. */
function hasCacheControl(message: unknown): boolean {
  return isPlainObject(message) && objectsIn(message.content).some((part) => Object.hasOwn(part, "cache_control"));
}

/** True for a value that may be a message of a provider. */
function isMessage(message: unknown): message is PlainObject {
  if (!isPlainObject(message) || typeof message.role !== "string") return false;
  if (message.toolCalls !== undefined || message.toolCallId !== undefined) return false;
  if (isUIMessage(message)) return true;
  const { content } = message;
  if (Array.isArray(content)) return content.every((part) => isPlainObject(part) && typeof part.type === "string");
  if (content === undefined) return message.parts === undefined;
  return content === null || typeof content === "string";
}

/** @param shared signs to ignore. */
function hasSign(name: MessageFormatName, message: PlainObject, shared: readonly string[] = []): boolean {
  if (isUIMessage(message)) return name === "ai-sdk";
  const { roles, members, types, partMembers: inParts } = FORMAT_SIGNS[name];
  const isSign = (signs: readonly string[], sign: unknown) =>
    signs.includes(sign as string) && !shared.includes(sign as string);
  return (
    isSign(roles, message.role) ||
    members.some((member) => Object.hasOwn(message, member)) ||
    objectsIn(message.content).some(
      (part) =>
        isSign(types, part.type) ||
        (SHARED_PART_TYPES.includes(part.type as string) && inParts.some((member) => Object.hasOwn(part, member))),
    )
  );
}
