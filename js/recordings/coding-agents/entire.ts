import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import type { RecordingReader } from "../reading/reader.ts";
import {
  assistantMessages,
  callPart,
  chatsOfMessages,
  type RecordedMessage,
  resultMessage,
  textOf,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";

const isLine = (line: unknown): line is PlainObject =>
  isPlainObject(line) &&
  typeof line.v === "number" &&
  typeof line.agent === "string" &&
  typeof line.cli_version === "string" &&
  Array.isArray(line.content);

/**
 * Reads the transcripts that Entire makes of sessions of any agent. Their counts of tokens are without those of the cache, so
 * they are no usage.
 */
export const entireReader: RecordingReader = {
  format: "entire",
  recognizes: (given) => Array.isArray(given) && given.some(isLine),
  read: (lines: unknown[]) => chatsOfMessages([lines.filter(isLine).flatMap(messagesOf)]),
};

function messagesOf({ type, id, ts: at, content }: PlainObject): RecordedMessage[] {
  const parts = (content as unknown[]).filter(isPlainObject);
  if (type === "user") return [userMessage(parts.map(({ text }) => textOf(text)).join("\n"), at)];
  if (type !== "assistant") return [];
  const calls = parts.filter((part) => part.type === "tool_use" && typeof part.id === "string");
  const spoken = parts.flatMap((part) => {
    if (typeof part.text === "string") return [textPart(part.text)];
    return calls.includes(part) ? [callPart(String(part.id), String(part.name), part.input ?? {})] : [];
  });
  const results = calls.flatMap(({ id: call, name, result }) =>
    isPlainObject(result) ? [resultMessage(String(call), String(name), textOf(result.output), at)] : [],
  );
  const reply = assistantMessages(spoken, at).map((message) => ({
    ...message,
    ...(typeof id === "string" ? { id } : {}),
  }));
  return [...reply, ...results];
}
