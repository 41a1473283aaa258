import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { BlockReader } from "../reading/blocks.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { chatOfMessages, jsonOf, type RecordedMessage, textOf } from "../reading/recorded-message.ts";

/** True for a line of a transcript: a role, and a message with its content. */
const isLine = (line: unknown): boolean =>
  isPlainObject(line) &&
  typeof line.role === "string" &&
  line.type === undefined &&
  isPlainObject(line.message) &&
  "content" in line.message;

/** True for a call that `cursor-agent --output-format stream-json` prints, or for its first event. */
const isEvent = (event: unknown): boolean =>
  isPlainObject(event) &&
  typeof event.session_id === "string" &&
  (event.type === "tool_call"
    ? isPlainObject(event.tool_call)
    : event.type === "system" && event.subtype === "init" && typeof event.model === "string" && !("tools" in event));

const EXPORTED = /^# .*\s+_Exported on .* from Cursor/;

/** Reads transcripts of agents, what `cursor-agent` prints, and exported chats. */
export const cursorReader: RecordingReader = {
  format: "cursor",
  recognizes: (given) =>
    typeof given === "string"
      ? EXPORTED.test(given)
      : Array.isArray(given) && (given.some(isLine) || given.some(isEvent)),
  read: (given: string | unknown[]) => {
    const [, title] = typeof given === "string" ? (/^# (.*)/.exec(given) ?? []) : [];
    const chat = chatOfMessages(
      typeof given === "string"
        ? fromExport(given)
        : given.some(isLine)
          ? fromTranscript(given.filter(isPlainObject))
          : fromEvents(given.filter(isPlainObject)),
      title === undefined ? {} : { title },
    );
    return chat === null ? [] : [chat];
  },
};

function fromTranscript(lines: readonly PlainObject[]): RecordedMessage[] {
  const reader = new BlockReader();
  return lines.flatMap(({ role, message }) => reader.messages(role, (Object(message) as PlainObject).content));
}

function fromEvents(events: readonly PlainObject[]): RecordedMessage[] {
  const reader = new BlockReader();
  // Beside parts of an answer, which have a time, stands the whole one.
  const isWhole = events.some(({ type, timestamp_ms: at }) => type === "assistant" && at === undefined);
  let model: string | undefined;
  return events.flatMap((event) => {
    const { type, subtype, message, timestamp_ms: at, call_id: id, tool_call: call } = event;
    const facts = { at, model };
    if (type === "system" && typeof event.model === "string") model = event.model;
    if (type === "user" || (type === "assistant" && !(isWhole && at !== undefined)))
      return reader.messages(type, (Object(message) as PlainObject).content, facts);
    const [[kind, given] = []] = Object.entries(Object(call) as PlainObject);
    if (type !== "tool_call" || kind === undefined) return [];
    const {
      args,
      name = kind.replace(/ToolCall$/, ""),
      arguments: input = args,
      result,
    } = Object(given) as PlainObject;
    if (subtype === "started") return reader.messages("assistant", [{ type: "tool_use", id, name, input }], facts);
    return subtype === "completed" ? [reader.result(String(id), textOfResult(result), at)] : [];
  });
}

function textOfResult(result: unknown): string {
  const { success, error = result } = Object(result) as PlainObject;
  if (!isPlainObject(success))
    return isPlainObject(error) ? textOf(error.message ?? error.errorMessage ?? error) : textOf(error);
  const { content, stdout, stderr } = success;
  if (stdout !== undefined) return [stdout, stderr].filter(Boolean).map(textOf).join("\n");
  return content === undefined ? jsonOf(success, "result") : textOf(content);
}

/** Reads an exported chat: each message follows the name of who wrote it. */
function fromExport(text: string): RecordedMessage[] {
  const reader = new BlockReader();
  const [, ...parts] = text.split(/^\*\*(User|Cursor)\*\*\s*$/m);
  return parts.flatMap((name, index) =>
    index % 2 === 1
      ? []
      : reader.messages(
          name === "User" ? "user" : "assistant",
          (parts[index + 1] ?? "").replace(/\n---\s*$/, "").trim(),
        ),
  );
}
