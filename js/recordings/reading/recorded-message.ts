import type { ChatMessage } from "../../chat/chat-message.ts";
import { Conversation } from "../../chat/conversation.ts";
import { jsonText } from "../../chat/message-json.ts";
import { TurnfoldError } from "../../errors.ts";
import type { AISDKMessage } from "../../formats/ai-sdk.ts";
import { aiSdk } from "../../formats/ai-sdk-format.ts";
import { copyData, isPlainObject, type PlainObject } from "../../formats/data.ts";
import { invalidMessage, type MessagePath } from "../../formats/format-errors.ts";
import { chatOf, type RecordedChat, type ReplyFacts, timeOf } from "./recorded-chat.ts";

/**
 * A message of a recording, with parts of the AI SDK, and the time at which it was written. Consecutive messages of the
 * assistant are pieces of one reply; each with a `usage` ends the reply to a request.
 */
export interface RecordedMessage extends ReplyFacts {
  message: AISDKMessage;
}

type AssistantParts = Extract<AISDKMessage, { role: "assistant" }>["content"];

export const userMessage = (content: unknown, at?: unknown): RecordedMessage => recordedMessage("user", content, at);
export const systemMessage = (content: string, at?: unknown): RecordedMessage => recordedMessage("system", content, at);

/** Makes a message of the assistant; an empty list without content. */
export function assistantMessages(parts: readonly PlainObject[], at?: unknown): RecordedMessage[] {
  return parts.length === 0 ? [] : [recordedMessage("assistant", parts as unknown as AssistantParts, at)];
}

export const textPart = (given: string): { type: string; text: string } => ({ type: "text", text: given });
export const reasoningPart = (given: string): PlainObject => ({ type: "reasoning", text: given });

export function callPart(toolCallId: string, toolName: string, input: unknown): PlainObject {
  return { type: "tool-call", toolCallId, toolName, input };
}

/** Makes the result of a call: a text, or a list of parts of the AI SDK. */
export function resultMessage(
  toolCallId: string,
  toolName: string,
  value: string | readonly PlainObject[],
  at?: unknown,
): RecordedMessage {
  const output = { type: typeof value === "string" ? "text" : "content", value };
  return recordedMessage("tool", [{ type: "tool-result", toolCallId, toolName, output }], at);
}

function recordedMessage(role: string, content: unknown, at: unknown): RecordedMessage {
  return { message: { role, content } as AISDKMessage, ...(at === undefined ? {} : { at }) };
}

/** Returns the texts of a list of parts, or the text itself. A part without a text, and other data, is written as JSON. */
export function textOf(content: unknown): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  const isPart = (part: unknown) =>
    typeof part === "string" || (isPlainObject(part) && ("type" in part || "text" in part));
  if (!Array.isArray(content) || (content.length > 0 && !content.some(isPart))) return jsonOf(content, "content");
  return content
    .map((part, index) =>
      typeof part === "string"
        ? part
        : isPlainObject(part) && typeof part.text === "string"
          ? part.text
          : jsonOf(part, `content[${index}]`),
    )
    .join("\n");
}

/**
 * Writes data of a recording as JSON, with big integers as texts of their digits.
 *
 * @param path names the data in errors.
 * @throws {TurnfoldError} `invalid_message` for data that JSON can't express, such as cycles.
 */
export function jsonOf(data: unknown, path: string): string {
  return jsonText(copyData(data, path)) as string;
}

/** Makes the error of a recording that violates its format. */
export function malformedRecording(problem: string): TurnfoldError {
  return new TurnfoldError("invalid_message", problem);
}

/** Returns the elements of a list, and checks that they are objects. */
export function objectsOf(given: unknown, path: MessagePath): PlainObject[] {
  if (!Array.isArray(given)) throw invalidMessage(path, "a list", given);
  return given.map((one, index) => {
    if (!isPlainObject(one)) throw invalidMessage([...path, index], "an object", one);
    return one;
  });
}

/** Makes a chat of messages; null without a message. */
export function chatOfMessages(
  recorded: readonly RecordedMessage[],
  others: Partial<Pick<RecordedChat, "kind" | "title">> = {},
): RecordedChat | null {
  const joined = joinReplies(recorded);
  if (joined.length === 0) return null;
  const { messages } = aiSdk.from(joined.map(({ message }) => message));
  const conversation = withTimestamps(
    messages,
    joined.map(({ pieces }) => pieces[0]?.at),
  );
  return chatOf(
    conversation,
    joined.map(({ pieces }) => repliesIn(pieces)),
    others,
  );
}

/** Makes a chat of each list that has messages. */
export function chatsOfMessages(lists: readonly (readonly RecordedMessage[])[]): RecordedChat[] {
  return lists.map((list) => chatOfMessages(list)).filter((chat) => chat !== null);
}

interface JoinedMessage {
  message: AISDKMessage;
  /** What is known of each message that was joined. */
  pieces: ReplyFacts[];
}

/** Joins consecutive pieces of one reply to one message. The content of replies is a list. */
function joinReplies(messages: readonly RecordedMessage[]): JoinedMessage[] {
  const all: JoinedMessage[] = [];
  /** The content of the last message if that is a reply: a copy of its own, which grows in place. */
  let parts: unknown[] | null = null;
  for (const { message, ...facts } of messages) {
    const { role, content } = message;
    if (role === "assistant" && parts !== null) {
      for (const part of content) parts.push(part);
      all.at(-1)?.pieces.push(facts);
    } else {
      parts = role === "assistant" ? [...content] : null;
      all.push({ message: { ...message, content: parts ?? content } as AISDKMessage, pieces: [facts] });
    }
  }
  return all;
}

/** The replies that were joined: those with a usage; or one, without; none of an earlier chat. */
function repliesIn(all: readonly ReplyFacts[]): ReplyFacts[] {
  const pieces = all.filter(({ isRepeated }) => isRepeated !== true);
  const [first] = pieces;
  if (first === undefined) return [];
  const billed = pieces.filter(({ usage }) => usage !== undefined);
  const model = pieces.find((piece) => piece.model !== undefined)?.model;
  return billed.length > 0 ? billed.map((piece) => ({ model, ...piece })) : [{ ...first, model }];
}

/** Adds timestamps to messages; values that are not times are ignored. */
export function withTimestamps(messages: readonly ChatMessage[], times: readonly unknown[]): Conversation {
  return new Conversation({
    messages: messages.map((message, index) => {
      const timestamp = timeOf(times[index]);
      return timestamp === undefined ? message : { ...message, timestamp };
    }),
  });
}
