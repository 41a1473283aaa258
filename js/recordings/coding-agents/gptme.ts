import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { type ReplyFacts, usageOfCounts } from "../reading/recorded-chat.ts";
import {
  assistantMessages,
  chatsOfMessages,
  type RecordedMessage,
  systemMessage,
  textOf,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";

/** True for a message that gptme pinned or hid, as it does with its prompt, or for an answer with its usage. */
const isMessage = (message: unknown): boolean =>
  isPlainObject(message) &&
  typeof message.role === "string" &&
  typeof message.timestamp === "string" &&
  (typeof message.pinned === "boolean" ||
    typeof message.hide === "boolean" ||
    isPlainObject(Object(message.metadata).usage));

/** Reads `conversation.jsonl` of gptme. Calls are in the texts of answers, results are texts. */
export const gptmeReader: RecordingReader = {
  format: "gptme",
  recognizes: (given) => Array.isArray(given) && given.some(isMessage),
  read: (given: unknown[]) => chatsOfMessages([given.filter(isPlainObject).map(readMessage)]),
};

function readMessage({ role, content, timestamp: at, pinned, metadata }: PlainObject): RecordedMessage {
  const text = textOf(content);
  if (role === "system" && pinned === true) return systemMessage(text, at);
  const [reply] = role === "assistant" ? assistantMessages([textPart(text)], at) : [];
  return reply === undefined ? userMessage(text, at) : { ...reply, ...factsIn(Object(metadata) as PlainObject) };
}

function factsIn({ model, usage, cost }: PlainObject): ReplyFacts {
  const {
    input_tokens: fresh,
    cache_read_tokens: read,
    cache_creation_tokens: written,
    output_tokens: output,
  } = Object(usage) as PlainObject;
  return {
    ...(typeof model === "string" ? { model } : {}),
    usage: usageOfCounts({ fresh, read, written, output, dollars: cost }),
  };
}
