import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { chatOfContents, partsOfContent, type RecordedContent } from "../libraries/gemini.ts";
import { BlockReader } from "../reading/blocks.ts";
import { Histories, pathsOfTree } from "../reading/histories.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type RecordedChat, usageOf } from "../reading/recorded-chat.ts";
import { chatOfMessages, type RecordedMessage } from "../reading/recorded-message.ts";

/** True for a record of a session: a tree whose messages are contents of Gemini, and whose others have a payload. */
const isRecord = (record: unknown): boolean =>
  isPlainObject(record) &&
  typeof record.sessionId === "string" &&
  (isPlainObject(record.systemPayload) || Array.isArray((Object(record.message) as PlainObject).parts));

/** True for the first event that `qwen --output-format stream-json` prints. */
const isStream = (event: unknown): boolean => isPlainObject(event) && typeof event.qwen_code_version === "string";

export const qwenCodeReader: RecordingReader = {
  format: "qwen-code",
  recognizes: (given) => Array.isArray(given) && (given.some(isRecord) || given.some(isStream)),
  read: (records: unknown[]) =>
    records.some(isRecord) ? fromQwenCode(records.filter(isPlainObject)) : fromStream(records.filter(isPlainObject)),
};

/** Reads the events of the user's chat and those of sub-agents, which name the call. */
function fromStream(events: readonly PlainObject[]): RecordedChat[] {
  const callOf = ({ parent_tool_use_id: call }: PlainObject) => (typeof call === "string" ? call : null);
  return [...new Set([null, ...events.map(callOf)])].flatMap((call) => {
    const messages = messagesOfStream(events.filter((event) => callOf(event) === call));
    return chatOfMessages(messages, { kind: call === null ? "chat" : "agent" }) ?? [];
  });
}

/** Only the last piece of a reply has its usage. */
function messagesOfStream(events: readonly PlainObject[]): RecordedMessage[] {
  const reader = new BlockReader();
  return events.flatMap(({ message }) => {
    const { role, content, model, usage } = Object(message) as PlainObject;
    const { input_tokens: input, output_tokens: output, cache_read_input_tokens: read } = Object(usage) as PlainObject;
    const counts = { prompt_tokens: input, completion_tokens: output, cache_read_tokens: read };
    const facts = { model: model as string | undefined, usage: input === 0 ? undefined : usageOf(counts) };
    return reader.messages(role, content, role === "assistant" ? facts : {});
  });
}

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
  const kind = records[0]?.isSidechain === true ? "agent" : "chat";
  return histories.chats(chatOfContents, { kind, ...(title === undefined ? {} : { title }) });
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
  const { uiEvent } = Object(systemPayload) as PlainObject;
  const { prompt_id: prompt, response_text: text, model: asked, ...counts } = Object(uiEvent) as PlainObject;
  // The only record of the request for a summary.
  if (/^compress-/.test(String(prompt)))
    return [
      {
        content: contentOf({ role: "model", parts: [{ text }] }),
        at,
        model: String(asked),
        usage: usageOf({
          promptTokenCount: counts.input_token_count,
          candidatesTokenCount: counts.output_token_count,
          cachedContentTokenCount: counts.cached_content_token_count,
        }),
      },
    ];
  if (type === "system" || message === undefined) return [];
  const facts = { ...(typeof model === "string" ? { model } : {}), usage: usageOf(usageMetadata) };
  return [{ content: contentOf(message), at, ...facts }];
}
