import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { BlockReader } from "../reading/blocks.ts";
import { Histories, pathsOfTree } from "../reading/histories.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedChat, usageOfCounts } from "../reading/recorded-chat.ts";
import { chatOfMessages, type RecordedMessage, textOf, userMessage } from "../reading/recorded-message.ts";

/** True for the first record of a session. */
const isSession = (record: unknown): boolean =>
  isPlainObject(record) && record.type === "session" && typeof record.cwd === "string";

/** True for a message of a session: `toolResult` is a role. */
const isMessage = (record: unknown): boolean =>
  isPlainObject(record) &&
  (record.type === "message" || record.type === "message_end") &&
  isPlainObject(record.message) &&
  (record.message.role === "toolResult" || isPlainObject(Object(record.message.usage).cost));

/** Reads sessions of pi and of programs that are built on it, such as OpenClaw, and what `pi --mode json` prints. */
export const piReader: RecordingReader = {
  format: "pi",
  recognizes: (given) => Array.isArray(given) && (given.some(isSession) || given.some(isMessage)),
  read: (records: unknown[]) => fromSession(records.filter(isPlainObject)),
};

function fromSession(all: readonly PlainObject[]): RecordedChat[] {
  const records = all.filter(({ type }) => type !== "session");
  const reader = new BlockReader();
  const messages = new Map(records.map((record) => [record, messagesOf(record, reader)]));
  const read = (record: PlainObject) => messages.get(record) ?? [];
  const histories = new Histories<RecordedMessage>();
  // The first version and printed events have no tree.
  const isTree = records.some(({ parentId }) => parentId !== undefined);
  const branches = isTree ? pathsOfTree(records, "id", "parentId") : [records];
  histories.addBranches(branches, read, (record, branch) => {
    if (record.type !== "compaction") return null;
    // The first version names the line of the first message that is kept.
    const { firstKeptEntryId: kept, firstKeptEntryIndex: line } = record;
    const from = branch.findIndex((one) => one === all[Number(line)] || (kept !== undefined && one.id === kept));
    const before = from < 0 ? [] : branch.slice(from, branch.indexOf(record));
    return [...read(record), ...before.filter(({ type }) => type !== "compaction").flatMap(read)];
  });
  const names = records.filter(({ type }) => type === "session_info").map(({ name }) => name);
  const title = names.filter((name) => typeof name === "string").at(-1);
  return histories.chats(chatOfMessages, title === undefined ? {} : { title });
}

/** The messages of a record as the model reads them. Answers that failed are not sent again. */
function messagesOf(record: PlainObject, reader: BlockReader): RecordedMessage[] {
  const { type, timestamp, summary, content: injected } = record;
  if (type === "compaction" || type === "branch_summary") return [userMessage(textOf(summary), timestamp)];
  if (type === "custom_message") return reader.messages("user", injected, { at: timestamp });
  if ((type !== "message" && type !== "message_end") || !isPlainObject(record.message)) return [];
  const { role, content, toolCallId, model, stopReason, excludeFromContext, command, output } = record.message;
  const at = record.message.timestamp ?? timestamp;
  switch (role) {
    case "user":
    case "custom":
    case "hookMessage":
      return reader.messages("user", content, { at });
    case "assistant": {
      if (stopReason === "error" || stopReason === "aborted") return [];
      const facts = { at, ...(typeof model === "string" ? { model } : {}), usage: usageIn(record.message.usage) };
      return reader.messages("assistant", content, facts);
    }
    case "toolResult":
      return [reader.result(String(toolCallId), content, at)];
    case "bashExecution":
      return excludeFromContext === true ? [] : [userMessage(`Ran \`${textOf(command)}\`\n${textOf(output)}`, at)];
    default:
      return [];
  }
}

function usageIn(usage: unknown): RecordedMessage["usage"] {
  const { input, output, cacheRead, cacheWrite, cost } = Object(usage) as PlainObject;
  const { total } = Object(cost) as PlainObject;
  return usageOfCounts({ fresh: input, read: cacheRead, written: cacheWrite, output, dollars: total });
}
