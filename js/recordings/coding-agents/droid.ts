import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { BlockReader } from "../reading/blocks.ts";
import { Histories } from "../reading/histories.ts";
import type { RecordingReader } from "../reading/reader.ts";
import type { RecordedChat } from "../reading/recorded-chat.ts";
import {
  chatOfMessages,
  chatsOfMessages,
  type RecordedMessage,
  textOf,
  userMessage,
} from "../reading/recorded-message.ts";

const isStart = (record: unknown): boolean => isPlainObject(record) && record.type === "session_start";

/** True for a message or a call that `droid exec --output-format stream-json` prints. */
const isEvent = (event: unknown): boolean =>
  isPlainObject(event) &&
  typeof event.session_id === "string" &&
  (event.type === "message" ? typeof event.text === "string" : event.type === "tool_call" && "parameters" in event);

/** Reads sessions of Factory's Droid, whose usage is in a file of its own, and what `droid exec` prints. */
export const droidReader: RecordingReader = {
  format: "droid",
  recognizes: (given) => Array.isArray(given) && (given.some(isStart) || given.some(isEvent)),
  read: (records: unknown[]) =>
    records.some(isStart)
      ? fromSession(records.filter(isPlainObject))
      : chatsOfMessages([fromEvents(records.filter(isPlainObject))]),
};

function fromEvents(events: readonly PlainObject[]): RecordedMessage[] {
  const reader = new BlockReader();
  const model = events.find(({ type, subtype }) => type === "system" && subtype === "init")?.model;
  return events.flatMap(({ type, role, id, text, toolName: name, parameters: input, value, timestamp: at }) => {
    const facts = { at, ...(typeof model === "string" ? { model } : {}) };
    if (type === "message") return reader.messages(role, text, facts);
    if (type === "reasoning") return reader.messages("assistant", [{ type: "thinking", thinking: text }], facts);
    if (type === "tool_call") return reader.messages("assistant", [{ type: "tool_use", id, name, input }], facts);
    return type === "tool_result" ? [reader.result(String(id), value, at)] : [];
  });
}

/** Reads the messages. After a compaction a session continues with the summary, and what came after its anchor. */
function fromSession(records: readonly PlainObject[]): RecordedChat[] {
  const reader = new BlockReader();
  const histories = new Histories<RecordedMessage>();
  /** The last message of each record. */
  const last = new Map<unknown, RecordedMessage | undefined>();
  for (const { type, id, timestamp: at, message, summaryText, anchorMessage } of records) {
    const { messages } = histories;
    if (type === "message" && isPlainObject(message)) {
      const { role, content, model } = message;
      messages.push(...reader.messages(role, content, { at, ...(typeof model === "string" ? { model } : {}) }));
      last.set(id, messages.at(-1));
    } else if (type === "compaction_state" && typeof summaryText === "string") {
      const anchor = last.get((Object(anchorMessage) as PlainObject).id);
      const kept = anchor === undefined ? [] : messages.slice(messages.indexOf(anchor) + 1);
      histories.restart("compacted", [userMessage(summaryText, at), ...kept]);
    }
  }
  const { title } = records.find(isStart) ?? {};
  return histories.chats(chatOfMessages, title === undefined ? {} : { title: textOf(title) });
}
