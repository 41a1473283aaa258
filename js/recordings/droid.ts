import { isPlainObject, type PlainObject } from "../formats/data.ts";
import { BlockReader } from "./blocks.ts";
import { Histories } from "./histories.ts";
import type { RecordingReader } from "./reader.ts";
import type { RecordedChat } from "./recorded-chat.ts";
import { chatOfMessages, type RecordedMessage, textOf, userMessage } from "./recorded-message.ts";

const isStart = (record: unknown): boolean => isPlainObject(record) && record.type === "session_start";

/** Reads sessions of Factory's Droid. Their usage is in a file of its own. */
export const droidReader: RecordingReader = {
  format: "droid",
  recognizes: (given) => Array.isArray(given) && given.some(isStart),
  read: (records: unknown[]) => fromSession(records.filter(isPlainObject)),
};

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
