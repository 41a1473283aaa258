import { isPlainObject, type PlainObject } from "../formats/data.ts";
import { openai } from "../formats/openai-format.ts";
import { isItemType } from "../formats/responses-items.ts";
import type { RecordingReader } from "./reader.ts";
import { chatOf, type RecordedChat } from "./recorded-chat.ts";
import {
  assistantMessages,
  callPart,
  chatsOfMessages,
  type RecordedMessage,
  reasoningPart,
  resultMessage,
  textOf,
  textPart,
} from "./recorded-message.ts";

const LINES = /^(?:session_meta|response_item|event_msg|turn_context|compacted)$/;

/** True for a line of a session of Codex, a file `rollout-….jsonl`. */
const isCodexLine = (line: unknown): boolean =>
  isPlainObject(line) && isPlainObject(line.payload) && LINES.test(String(line.type));

/** Reads sessions, and what `codex exec --json` prints. */
export const codexReader: RecordingReader = {
  format: "codex",
  recognizes: (given) => Array.isArray(given) && (given.some(isCodexLine) || given.some(isCodexEvent)),
  read: (lines: unknown[]) =>
    lines.some(isCodexLine) ? itemsOfCodex(lines).map(chatOfItems) : chatsOfMessages([fromCodexEvents(lines)]),
};

const chatOfItems = (items: PlainObject[], index: number): RecordedChat =>
  chatOf(openai.responses.from(items), [], { kind: index === 0 ? "chat" : "compacted" });

/**
 * The items of the Responses API that each part of a session sent and got. A part ends where the history was compacted: what came
 * before was not sent again.
 */
function itemsOfCodex(lines: readonly unknown[]): PlainObject[][] {
  const parts: PlainObject[][] = [[]];
  for (const { type, payload } of lines.filter(isPlainObject)) {
    if (!isPlainObject(payload)) continue;
    if (type === "response_item" && isSent(payload)) parts.at(-1)?.push(payload);
    else if (payload.type === "thread_rolled_back") takeBack(parts.at(-1) ?? [], Number(payload.num_turns));
    else if (type === "compacted") parts.push(itemsAfter(payload, parts.at(-1) ?? []));
  }
  return parts.filter((items) => items.length > 0);
}

/** True for an item that a model reads; a session has others, such as snapshots of the files. */
const isSent = ({ type }: PlainObject): boolean => type === "message" || isItemType(type);

/** Removes the last questions of the user with everything after the first of them. */
function takeBack(items: PlainObject[], questions: number): void {
  const asked = items.flatMap(({ type, role }, index) => (type === "message" && role === "user" ? [index] : []));
  const from = questions > 0 ? asked.at(-questions) : undefined;
  if (from !== undefined) items.length = from;
}

/** The history with which a session goes on after a compaction: the one that was written, or the user's messages and the summary. */
function itemsAfter(
  { replacement_history: written, message }: PlainObject,
  before: readonly PlainObject[],
): PlainObject[] {
  if (Array.isArray(written)) return (written as unknown[]).filter(isPlainObject).filter(isSent);
  const asked = before.filter(({ type, role }) => type === "message" && role !== "assistant");
  return [...asked, { type: "message", role: "user", content: [{ type: "input_text", text: String(message ?? "") }] }];
}

const EVENTS = /^(?:thread|turn|item)\.(?:started|updated|completed|failed)$/;

/** True for a line that `codex exec --json` prints. */
const isCodexEvent = (line: unknown): boolean => isPlainObject(line) && EVENTS.test(String(line.type));

/** The messages of what `codex exec --json` printed, which has no questions of the user. */
function fromCodexEvents(lines: readonly unknown[]): RecordedMessage[] {
  const ended = lines.filter(isPlainObject).filter(({ type }) => type === "item.completed");
  return ended.flatMap(({ item }) => (isPlainObject(item) ? messagesOfItem(item) : []));
}

function messagesOfItem(item: PlainObject): RecordedMessage[] {
  const { id, type, item_type: kind = type, text } = item;
  const call = (name: string, input: unknown, output: string) => [
    ...assistantMessages([callPart(String(id), name, input)]),
    resultMessage(String(id), name, output),
  ];
  switch (kind) {
    case "agent_message":
    case "assistant_message":
      return assistantMessages([textPart(String(text))]);
    case "reasoning":
      return assistantMessages([reasoningPart(String(text))]);
    case "command_execution":
      return call("shell", { command: item.command }, String(item.aggregated_output ?? ""));
    case "mcp_tool_call": {
      const { content } = Object(item.result) as PlainObject;
      const { message } = Object(item.error) as PlainObject;
      return call(
        `${String(item.server)}__${String(item.tool)}`,
        item.arguments ?? {},
        textOf(content ?? message ?? ""),
      );
    }
    case "file_change":
      return call("apply_patch", { changes: item.changes }, String(item.status ?? ""));
    case "web_search":
      return call("web_search", { query: item.query }, "");
    default:
      return [];
  }
}
