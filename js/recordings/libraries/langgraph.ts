import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedChat, timeOf } from "../reading/recorded-chat.ts";
import { malformedRecording } from "../reading/recorded-message.ts";
import { langChainReader } from "./langchain.ts";
import { readMessages } from "./messages.ts";

/** The values of a state of a graph: a snapshot, a thread, or a checkpoint; undefined for another record. */
function valuesIn(record: unknown): PlainObject | undefined {
  if (!isPlainObject(record)) return undefined;
  const { values, channel_values: channels, checkpoint } = record;
  return [values, channels, Object(checkpoint).channel_values].find(isPlainObject) as PlainObject | undefined;
}

const messagesIn = (record: PlainObject): unknown[] => {
  const { messages } = valuesIn(record) ?? {};
  return Array.isArray(messages) ? (messages as unknown[]) : [];
};

/** Reads states, threads and checkpoints of LangGraph: the newest state of each thread. */
export const langGraphReader: RecordingReader = {
  format: "langgraph",
  recognizes(given) {
    const records = [given].flat();
    return (
      records.every((record) => valuesIn(record) !== undefined) &&
      objectsIn(records).some((one) => messagesIn(one).length > 0)
    );
  },
  read: (given: PlainObject | PlainObject[]) => newestStates([given].flat()).map(chatOfState),
};

function newestStates(records: readonly PlainObject[]): PlainObject[] {
  const newest = new Map<unknown, PlainObject>();
  for (const record of records) {
    if (messagesIn(record).length === 0) continue;
    const thread = threadOf(record);
    const known = newest.get(thread);
    // A history begins with the newest state.
    if (known === undefined || (writtenAt(record) ?? 0) > (writtenAt(known) ?? Number.POSITIVE_INFINITY))
      newest.set(thread, record);
  }
  return [...newest.values()];
}

function threadOf({ thread_id: id, config, checkpoint, metadata }: PlainObject): unknown {
  const holders = [Object(config).configurable, checkpoint, metadata].map((holder) => Object(holder) as PlainObject);
  return [id, ...holders.map((holder) => holder.thread_id)].find((one) => typeof one === "string");
}

function writtenAt(record: PlainObject): number | undefined {
  const { created_at: created, createdAt = created, updated_at: at = createdAt, ts = at } = record;
  return timeOf(ts ?? Object(record.checkpoint).ts);
}

function chatOfState(state: PlainObject): RecordedChat {
  const messages = messagesIn(state);
  const [chat] = langChainReader.recognizes(messages)
    ? langChainReader.read(messages as never)
    : [readMessages(messages, {})?.chat];
  if (chat === undefined) throw malformedRecording("the messages of a state must be those of LangChain, or have roles");
  return chat;
}
