import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { Histories } from "../reading/histories.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedChat, type ReplyFacts, usageOfCounts } from "../reading/recorded-chat.ts";
import {
  assistantMessages,
  callPart,
  chatOfMessages,
  type RecordedMessage,
  reasoningPart,
  resultMessage,
  systemMessage,
  textOf,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";

/** True for a message with its parts. */
const isMessage = (given: unknown): given is Message =>
  isPlainObject(given) &&
  isPlainObject(given.info) &&
  typeof given.info.role === "string" &&
  Array.isArray(given.parts);

/** True for an event that `opencode run --format json` prints. */
const isEvent = (given: unknown): given is PlainObject =>
  isPlainObject(given) && typeof given.sessionID === "string" && isPlainObject(given.part);

interface Message extends PlainObject {
  info: PlainObject;
  parts: unknown[];
}

/** Reads what `opencode export` and `opencode run --format json` print, and lists of messages of its server. */
export const openCodeReader: RecordingReader = {
  format: "opencode",
  recognizes: (given) =>
    (isPlainObject(given) && isPlainObject(given.info) && isMessage(Object(given.messages)[0])) ||
    (Array.isArray(given) && given.length > 0 && (given.every(isMessage) || given.some(isEvent))),
  read: (given: PlainObject | unknown[]) => {
    if (!Array.isArray(given)) return fromSession(given.info as PlainObject, given.messages as unknown[]);
    if (isMessage(given[0])) return fromSession({}, given);
    const parts = given
      .filter(isEvent)
      .map(({ part, timestamp }) => ({ ...Object(part), at: timestamp }) as PlainObject);
    // Calls are printed as they end: the ids of parts have their order.
    parts.sort((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
    const chat = chatOfMessages(repliesOf({ info: { role: "assistant" }, parts }));
    return chat === null ? [] : [chat];
  },
};

/** Reads the messages of a session. After a compaction it continues with the summary, and the messages that were kept. */
function fromSession({ title, parentID }: PlainObject, messages: unknown[]): RecordedChat[] {
  const histories = new Histories<RecordedMessage>();
  const first = new Map<unknown, RecordedMessage | undefined>();
  /** The first message that each compaction keeps, by the id of the message that asks for it. */
  const kept = new Map<unknown, unknown>();
  for (const message of messages.filter(isMessage)) {
    const { id, role, system, summary, parentID: asked } = message.info;
    if (first.size === 0 && typeof system === "string") histories.messages.push(systemMessage(system));
    const compaction = message.parts.filter(isPlainObject).find(({ type }) => type === "compaction");
    if (compaction !== undefined) kept.set(id, compaction.tail_start_id ?? id);
    const read = role === "user" ? [userMessageOf(message)].flat() : repliesOf(message);
    first.set(id, read[0]);
    histories.messages.push(...read);
    const tail = histories.messages.indexOf(first.get(kept.get(asked)) as RecordedMessage);
    if (summary === true && tail >= 0) histories.restart("compacted", histories.messages.slice(tail));
  }
  const kind = typeof parentID === "string" ? "agent" : "chat";
  return histories.chats(chatOfMessages, { kind, ...(typeof title === "string" ? { title } : {}) });
}

function userMessageOf({ info, parts }: Message): RecordedMessage | [] {
  const read = parts.filter(isPlainObject).flatMap((part): PlainObject[] => {
    const { type, text, ignored, mime, url } = part;
    if (type === "text") return ignored === true ? [] : [textPart(textOf(text))];
    if (type === "compaction") return [textPart("What did we do so far?")];
    if (type === "subtask") return [textPart(textOf(part.prompt))];
    // Files of text have parts of their own.
    if (type === "file" && /^image/.test(String(mime))) return [{ type: "image", image: url, mediaType: mime }];
    return type === "file" && mime === "application/pdf" ? [{ type: "file", data: url, mediaType: mime }] : [];
  });
  const isText = read.every(({ type }) => type === "text");
  const content = isText ? read.map(({ text }) => text).join("\n") : read;
  return read.length === 0 ? [] : userMessage(content, (Object(info.time) as PlainObject).created);
}

/** The replies of a message: one for each step. Answers that failed are not sent again. */
function repliesOf({ info, parts }: Message): RecordedMessage[] {
  const { modelID, time, error } = info;
  if (isPlainObject(error) && error.name !== "MessageAbortedError") return [];
  const facts = {
    at: (Object(time) as PlainObject).completed ?? (Object(time) as PlainObject).created,
    ...(typeof modelID === "string" ? { model: modelID } : {}),
  };
  const all = parts.filter(isPlainObject);
  const hasSteps = all.some(({ type }) => type === "step-finish");
  const replies: RecordedMessage[] = [];
  let spoken: PlainObject[] = [];
  let results: RecordedMessage[] = [];
  const end = (step: PlainObject) => {
    const own = { ...facts, at: step.at ?? facts.at, ...usageIn(step) };
    const made = assistantMessages(spoken).map((reply) => ({ ...reply, ...own }));
    replies.push(...made, ...results);
    spoken = [];
    results = [];
  };
  for (const part of all) {
    const { type, text, callID: id, tool, state } = part;
    if (type === "text" && text !== "") spoken.push(textPart(textOf(text)));
    if (type === "reasoning" && text !== "") spoken.push(reasoningPart(textOf(text)));
    if (type === "tool") {
      const { status, input, output, error: problem } = Object(state) as PlainObject;
      spoken.push(callPart(String(id), String(tool), input ?? {}));
      if (status === "completed" || status === "error")
        results.push(resultMessage(String(id), String(tool), textOf(output ?? problem), facts.at));
    }
    if (type === "step-finish") end(part);
  }
  end(hasSteps ? {} : info);
  return replies;
}

/** The usage of a step or of a message. Older versions count reasoning within the output. */
function usageIn({ tokens, cost }: PlainObject): ReplyFacts {
  const { input, output, reasoning, total, cache } = Object(tokens) as Record<string, number | undefined>;
  const { read, write } = Object(cache) as Record<string, number | undefined>;
  const rest = (total ?? 0) - (input ?? 0) - (read ?? 0) - (write ?? 0);
  const isApart = rest === (output ?? 0) + (reasoning ?? 0);
  const all = (output ?? 0) + (isApart ? (reasoning ?? 0) : 0);
  if (tokens === undefined) return {};
  return { usage: usageOfCounts({ fresh: input, read, written: write, output: all, reasoning, dollars: cost }) };
}
