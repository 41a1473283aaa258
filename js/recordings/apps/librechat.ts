import { parseArguments } from "../../chat/call-arguments.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { answerMessages, branchTo, resultPart, storedChat } from "../reading/answers.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { timeOf } from "../reading/recorded-chat.ts";
import {
  callPart,
  type RecordedMessage,
  reasoningPart,
  textOf,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";

const rootsOf = ({ messagesTree, messages = messagesTree }: PlainObject): PlainObject[] =>
  objectsIn(messagesTree ?? messages);

/** Reads a conversation that LibreChat exported, as a list or a tree: the branch with the newest message. */
export const libreChatReader: RecordingReader = {
  format: "librechat",
  recognizes: (given) =>
    isPlainObject(given) &&
    typeof given.conversationId === "string" &&
    rootsOf(given).some((message) => typeof message.isCreatedByUser === "boolean"),
  read(chat: PlainObject) {
    const { promptPrefix, system = promptPrefix } = Object(chat.options) as PlainObject;
    return storedChat(chat, system, branchOf(chat).flatMap(fromMessage));
  },
};

function branchOf(chat: PlainObject): PlainObject[] {
  const messages = rootsOf(chat).flatMap(withChildren);
  const time = ({ createdAt }: PlainObject) => timeOf(createdAt) ?? Number.NaN;
  // Messages that were not loaded from the database have no time; the last branch of a tree is the newest.
  const newest = messages.reduce((last, message) => (time(message) < time(last) ? last : message));
  const all = new Map<unknown, PlainObject>(messages.map((message) => [message.messageId, message]));
  return branchTo(all, newest.messageId, "parentMessageId");
}

const withChildren = (message: PlainObject): PlainObject[] => [
  message,
  ...objectsIn(message.children).flatMap(withChildren),
];

function fromMessage(message: PlainObject): RecordedMessage[] {
  const { isCreatedByUser, text, content, model, createdAt: at, error } = message;
  if (error === true) return [];
  const parts = objectsIn(content).flatMap(fromPart);
  const said = parts.length > 0 ? parts : textOf(text) === "" ? [] : [textPart(textOf(text))];
  if (isCreatedByUser !== true) return answerMessages(said, { at, ...(typeof model === "string" ? { model } : {}) });
  return said.length === 0 ? [] : [userMessage(said, at)];
}

/** The text of a part is a text or an object with it. */
const textIn = (given: unknown): string => textOf(isPlainObject(given) ? given.value : given);

function fromPart(part: PlainObject, index: number): PlainObject[] {
  switch (part.type) {
    case "text":
      return textIn(part.text) === "" ? [] : [textPart(textIn(part.text))];
    case "think":
      return [reasoningPart(textIn(part.think))];
    case "tool_call": {
      const call = Object(part.tool_call) as PlainObject;
      const { name, args, output } = isPlainObject(call.function)
        ? { ...call.function, args: call.function.arguments }
        : call;
      const [id, tool] = [String(call.id ?? `call_${index}`), String(name)];
      const made = callPart(id, tool, typeof args === "string" ? parseArguments(args) : (args ?? {}));
      return (output ?? null) === null ? [made] : [made, resultPart(id, tool, textOf(output))];
    }
    default:
      return [];
  }
}
