import { type ChatMessage, Conversation, TurnfoldError } from "../../chat.ts";
import { aiSdk } from "../../formats/ai-sdk-format.ts";
import { isPlainObject, omitMembers, type PlainObject } from "../../formats/data.ts";
import { OWN_MEMBERS_KEY } from "../../formats/own-members.ts";
import { type HistoryManager, type ManagedHistory, restoreHostMessages } from "../shared/history-manager.ts";
import type { AISDKMessageLike } from "./framework.ts";

/**
 * Converts each message of the AI SDK to one of a conversation, for counting and summarizing; the given messages
 * themselves are sent.
 *
 * @param manager the data of files, which takes long to read, is read only if the manager requests summaries behind the
 * conversation.
 * @param ownMembersOf returns the members `pinned`, `timestamp` and `summary` that a message sets.
 * @throws {TurnfoldError} `invalid_message`
 *
 * @internal
 */
export function readMessages(
  { showsMessages }: Pick<HistoryManager, "showsMessages">,
  messages: readonly AISDKMessageLike[],
  ownMembersOf: (message: ReadMessage, index: number) => PlainObject = ownOptions,
): readonly ChatMessage[] {
  const { messages: read } = fromMessages(showsMessages ? messages : withoutFiles(messages));
  const neutral = read.map((message, index) => toNeutralMessage(message, ownMembersOf(message, index)));
  return new Conversation({ messages: neutral }).messages;
}

/** Reads messages. Values of tools that are not plain data are read as the JSON that a provider receives. */
function fromMessages(messages: readonly AISDKMessageLike[]): Conversation {
  try {
    return aiSdk.from(messages);
  } catch (error) {
    try {
      return aiSdk.from(messages.map((message) => mapParts(message, withJsonValues)));
    } catch {
      throw error;
    }
  }
}

/**
 * Replaces the data of files by a placeholder. Messages that can't be read are returned unchanged, and refused later.
 */
function withoutFiles(messages: readonly AISDKMessageLike[]): readonly AISDKMessageLike[] {
  try {
    return messages.map((message) => mapParts(message, withPlaceholderData));
  } catch {
    return messages;
  }
}

/** Returns a message with changed parts; the message itself when none is changed. */
function mapParts(message: AISDKMessageLike, change: (part: PlainObject) => PlainObject): AISDKMessageLike {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const parts = (content as PlainObject[]).map(change);
  return parts.every((part, index) => part === content[index]) ? message : { ...message, content: parts };
}

/** Maximum length of base64 data that is read. */
const MAX_DATA_LENGTH = 200;
const PLACEHOLDER_DATA = "AAAA";

function withPlaceholderData(part: PlainObject): PlainObject {
  const { type, data, image, output } = part;
  if (type === "tool-result" && isPlainObject(output) && Array.isArray(output.value)) {
    return { ...part, output: { ...output, value: (output.value as PlainObject[]).map(withPlaceholderData) } };
  }
  const isLong = (value: unknown) => typeof value === "string" && value.length > MAX_DATA_LENGTH;
  if (isLong(image)) return { ...part, image: PLACEHOLDER_DATA };
  if (isLong(data)) return { ...part, data: PLACEHOLDER_DATA };
  return isPlainObject(data) && isLong(data.data) ? { ...part, data: { ...data, data: PLACEHOLDER_DATA } } : part;
}

function withJsonValues(part: PlainObject): PlainObject {
  if (part.type === "tool-call") return { ...part, input: jsonCopy(part.input) };
  if (part.type !== "tool-result") return part;
  const output = part.output as PlainObject;
  return { ...part, output: { ...output, value: jsonCopy(output.value) } };
}

function jsonCopy(value: unknown): unknown {
  const text: string | undefined = JSON.stringify(value, (_, item) => (typeof item === "bigint" ? String(item) : item));
  return text === undefined ? null : JSON.parse(text);
}

/** A message as returned by `aiSdk.from`. */
export type ReadMessage = ChatMessage & { providerOptions?: unknown };

/** The members of this package that a message may have in its provider options. */
const OWN_OPTION_NAMES = ["pinned", "timestamp"];

function toNeutralMessage(message: ChatMessage, own: PlainObject): ChatMessage {
  const { content } = message;
  const parts = Array.isArray(content) ? content.map(toNeutralPart) : content;
  const isSame = !Array.isArray(content) || content.every((part, index) => part === (parts as unknown[])[index]);
  if (isSame && Object.keys(own).length === 0) return message;
  return { ...message, content: isSame ? content : parts, ...own } as ChatMessage;
}

/** @throws {TurnfoldError} `invalid_message` for unknown names; the values are checked with the message. */
function ownOptions({ providerOptions }: ReadMessage, index: number): PlainObject {
  const given = isPlainObject(providerOptions) ? providerOptions[OWN_MEMBERS_KEY] : undefined;
  if (given === undefined) return {};
  const unknown = isPlainObject(given) ? Object.keys(given).find((name) => !OWN_OPTION_NAMES.includes(name)) : "";
  if (isPlainObject(given) && unknown === undefined) return given;
  const path = `messages[${index}].providerOptions.${OWN_MEMBERS_KEY}${unknown ? `.${unknown}` : ""}`;
  throw new TurnfoldError("invalid_message", `${path} is unknown: there are ${OWN_OPTION_NAMES.join(" and ")}`, {
    details: { path, index },
    hint: "providerOptions: { turnfold: { pinned: true } }",
  });
}

/** Converts files in a part to the form of the AI SDK 5 and 6; version 7 adds the kind of their data. */
function toNeutralPart(part: unknown): unknown {
  if (!isPlainObject(part)) return part;
  if (part.type === "file" || part.type === "reasoning-file") return toNeutralFile(part);
  const { output } = part;
  if (part.type !== "tool-result" || !isPlainObject(output) || !Array.isArray(output.value)) return part;
  if (!output.value.some((item) => isPlainObject(item) && item.type === "file")) return part;
  const value = output.value.map((item) => (isPlainObject(item) && item.type === "file" ? toNeutralFile(item) : item));
  return { ...part, output: { ...output, value } };
}

function toNeutralFile(part: PlainObject): PlainObject {
  const { data } = part;
  const isText = isPlainObject(data) && data.type === "text" && typeof data.text === "string";
  if (isText) return { ...omitMembers(part, ["data", "mediaType", "filename"]), type: "text", text: data.text };
  return { ...part, type: "file", data: isPlainObject(data) ? (data.data ?? data.url ?? data) : data };
}

/**
 * Converts managed messages to the AI SDK's form; kept ones are the given objects.
 *
 * @param history the result of {@link readMessages} for the given messages.
 * @param isPrompt true for the prompt of a model, whose texts are parts.
 *
 * @internal
 */
export function writeMessages<Message extends AISDKMessageLike>(
  given: readonly Message[],
  history: readonly ChatMessage[],
  managed: ManagedHistory,
  isPrompt: boolean,
): Message[] {
  return restoreHostMessages(
    history,
    managed,
    (index) => [given[index] as Message],
    (message, source) => {
      const before = source === null ? undefined : history[source];
      if (source === null || before === undefined) return [newMessage(message, isPrompt) as unknown as Message];
      return [withReplacedParts(given[source] as Message, before, message)];
    },
  );
}

/** Writes a message that is not from the AI SDK, such as a summary. */
function newMessage({ role, content }: ChatMessage, isPrompt: boolean): AISDKMessageLike {
  return { role, content: isPrompt ? [{ type: "text", text: content }] : content };
}

/** Replaces the results and arguments in a message that were replaced in its neutral form, and omits missing parts. */
function withReplacedParts<Message extends AISDKMessageLike>(
  given: Message,
  { content: before }: ChatMessage,
  { content: after }: ChatMessage,
): Message {
  const left = [...(after as unknown as PlainObject[])];
  const content = (given.content as PlainObject[]).flatMap((part, index) => {
    const own = (before as unknown as PlainObject[])[index] as PlainObject;
    const [next] = left;
    // Only thinking is omitted.
    if (next !== own && own.type === "reasoning") return [];
    left.shift();
    if (next === undefined || next === own) return [part];
    const name = part.type === "tool-call" ? "input" : "output";
    const value = next[name];
    return [{ ...part, [name]: isPlainObject(value) ? { ...value } : value }];
  });
  return { ...given, content };
}
