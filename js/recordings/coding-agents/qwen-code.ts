import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { chatOfContents, partsOfContent, type RecordedContent } from "../libraries/gemini.ts";
import { Histories, pathsOfTree } from "../parts/histories.ts";
import type { RecordingReader } from "../reader.ts";
import { type RecordedChat, usageOf } from "../recorded-chat.ts";

/** True for a record of a session: a tree whose messages are contents of Gemini, and whose others have a payload. */
const isRecord = (record: unknown): boolean =>
  isPlainObject(record) &&
  typeof record.sessionId === "string" &&
  (isPlainObject(record.systemPayload) || Array.isArray((Object(record.message) as PlainObject).parts));

export const qwenCodeReader: RecordingReader = {
  format: "qwen-code",
  recognizes: (given) => Array.isArray(given) && given.some(isRecord),
  read: (records: unknown[]) => fromQwenCode(records.filter(isPlainObject)),
};

/** Reads each branch of the tree, in parts between compressions. */
function fromQwenCode(records: readonly PlainObject[]): RecordedChat[] {
  const histories = new Histories<RecordedContent>();
  const contents = new Map<PlainObject, RecordedContent[]>();
  for (const record of records) contents.set(record, contentsOfRecord(record));
  const read = (record: PlainObject) => contents.get(record) ?? [];
  histories.addBranches(pathsOfTree(records, "uuid", "parentUuid"), read, (record) =>
    record.subtype === "chat_compression" ? read(record) : null,
  );
  const titles = records.map(({ systemPayload }) => (Object(systemPayload) as PlainObject).customTitle);
  const title = titles.filter((one) => typeof one === "string").at(-1);
  return histories.chats(chatOfContents, title === undefined ? {} : { title });
}

function contentsOfRecord(record: PlainObject): RecordedContent[] {
  const { type, subtype, message, model, timestamp: at, usageMetadata, systemPayload } = record;
  const contentOf = (given: unknown): RecordedContent["content"] => {
    const { role, parts } = Object(given) as PlainObject;
    return { role: role === "model" ? "model" : "user", parts: partsOfContent(parts) };
  };
  const { compressedHistory: compressed } = Object(systemPayload) as PlainObject;
  if (subtype === "chat_compression" && Array.isArray(compressed))
    return compressed.map((given) => ({ content: contentOf(given), at, isRepeated: true }));
  if (type === "system" || message === undefined) return [];
  const facts = { ...(typeof model === "string" ? { model } : {}), usage: usageOf(usageMetadata) };
  return [{ content: contentOf(message), at, ...facts }];
}
