import type { ChatMessage } from "../../chat/chat-message.ts";
import { Conversation } from "../../chat/conversation.ts";
import { copyData, isPlainObject, type PlainObject } from "../../formats/data.ts";
import { isGemini } from "../../formats/detect.ts";
import { gemini } from "../../formats/gemini-format.ts";
import type { ChatFacts } from "../reading/histories.ts";
import { factsOf, modelIn } from "../reading/message-facts.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { chatOf, type RecordedChat, type ReplyFacts } from "../reading/recorded-chat.ts";
import { withTimestamps } from "../reading/recorded-message.ts";

export const geminiReader: RecordingReader = {
  format: "gemini",
  recognizes: isGemini,
  read(given: unknown): RecordedChat[] {
    const messages = geminiMessages(given);
    const usual = modelIn(Object(given) as PlainObject);
    const facts = messages.map((message) => ({ ...usual, ...factsOf(message as unknown as PlainObject) }));
    return messages.length === 0 ? [] : [chatOf(new Conversation({ messages }), facts)];
  },
};

/** A content of Gemini, and what is known of it. */
export interface RecordedContent extends ReplyFacts {
  content: { role: "user" | "model"; parts: PlainObject[] };
}

/** The parts of the content of a message, which may be one part or a text. */
export function partsOfContent(given: unknown): PlainObject[] {
  if (typeof given === "string") return given === "" ? [] : [{ text: given }];
  return [given]
    .flat()
    .flatMap((part) => (typeof part === "string" ? [{ text: part }] : isPlainObject(part) ? [part] : []));
}

/** Makes a chat of contents; null without one. */
export function chatOfContents(recorded: readonly RecordedContent[], facts: ChatFacts): RecordedChat | null {
  const contents = recorded.filter(({ content }) => content.parts.length > 0);
  if (contents.length === 0) return null;
  const { messages } = gemini.from(contents.map(({ content }) => content));
  const times = contents.map(({ at }) => at);
  return chatOf(withTimestamps(messages, times), contents, facts);
}

/** Converts a request or contents. Answers without parts are omitted, such as those that reached the limit while the model was thinking. */
export function geminiMessages(given: unknown): ChatMessage[] {
  return gemini.from(requestIn(given)).messages.filter(({ content }) => !Array.isArray(content) || content.length > 0);
}

/**
 * Returns a request to Gemini, or its contents, with the names of members as Gemini's client has them. The REST API also
 * accepts them with underscores, as some serializers write them.
 */
function requestIn(data: unknown): PlainObject {
  const request = isPlainObject(data) ? renamed(data) : { contents: data };
  const { systemInstruction = renamed(Object(request.config) as PlainObject).systemInstruction } = request;
  return { systemInstruction, contents: withClientNames(copyData(request.contents, "contents")) };
}

function renamed(given: PlainObject): PlainObject {
  const rename = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [rename(name), value]));
}

/** Renames the members of all objects but those of arguments and results, whose names are those of tools. */
export function withClientNames<Data>(value: Data, name?: string): Data {
  if (Array.isArray(value)) return value.map((item) => withClientNames(item)) as Data;
  if (!isPlainObject(value) || name === "args" || name === "response") return value;
  return Object.fromEntries(
    Object.entries(renamed(value)).map(([key, item]) => [key, withClientNames(item, key)]),
  ) as Data;
}
