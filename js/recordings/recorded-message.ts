import { jsonText } from "../chat/message-json.ts";
import { TurnfoldError } from "../errors.ts";
import type { AISDKMessage } from "../formats/ai-sdk.ts";
import { copyData, isPlainObject, type PlainObject } from "../formats/data.ts";
import { invalidMessage, type MessagePath } from "../formats/format-errors.ts";

/** A message of a recording, with parts of the AI SDK, and the time at which it was written. */
export interface RecordedMessage {
  message: AISDKMessage;
  /** A date as text or a number of milliseconds; undefined when the recording has none. */
  at?: unknown;
}

type AssistantParts = Extract<AISDKMessage, { role: "assistant" }>["content"];

export const userMessage = (content: unknown, at?: unknown): RecordedMessage => recordedMessage("user", content, at);
export const systemMessage = (content: string, at?: unknown): RecordedMessage => recordedMessage("system", content, at);

/** Makes a message of the assistant; an empty list without content. */
export function assistantMessages(parts: readonly PlainObject[], at?: unknown): RecordedMessage[] {
  return parts.length === 0 ? [] : [recordedMessage("assistant", parts as unknown as AssistantParts, at)];
}

export const textPart = (given: string): PlainObject => ({ type: "text", text: given });
export const reasoningPart = (given: string): PlainObject => ({ type: "reasoning", text: given });

export function callPart(toolCallId: string, toolName: string, input: unknown): PlainObject {
  return { type: "tool-call", toolCallId, toolName, input };
}

/** Makes the result of a call. */
export function resultMessage(toolCallId: string, toolName: string, value: string, at?: unknown): RecordedMessage {
  return recordedMessage("tool", [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }], at);
}

function recordedMessage(role: string, content: unknown, at: unknown): RecordedMessage {
  return { message: { role, content } as AISDKMessage, ...(at === undefined ? {} : { at }) };
}

/** Returns the texts of a list of parts, or the text itself. A part without a text is written as JSON. */
export function textOf(content: unknown): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return jsonOf(content, "content");
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
