import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { answerMessages, resultPart, storedChat } from "../reading/answers.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { usageOfCounts } from "../reading/recorded-chat.ts";
import {
  callPart,
  type RecordedMessage,
  reasoningPart,
  textOf,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";

const hasVersions = (message: unknown): boolean =>
  isPlainObject(message) && Array.isArray(message.versions) && "currentlySelected" in message;

/** Reads a conversation of LM Studio: the selected version of each message. */
export const lmStudioReader: RecordingReader = {
  format: "lm-studio",
  recognizes: (given) => isPlainObject(given) && objectsIn(given.messages).some(hasVersions),
  read: (chat: PlainObject) =>
    storedChat(
      chat,
      chat.systemPrompt,
      objectsIn(chat.messages).flatMap(({ versions, currentlySelected }) =>
        fromVersion(Object(Object(versions)[currentlySelected as number])),
      ),
    ),
};

function fromVersion({ role, content, steps }: PlainObject): RecordedMessage[] {
  if (role === "user") return [userMessage(textOf(objectsIn(content).filter(({ type }) => type === "text")))];
  const names = new Map<unknown, string>();
  const parts = objectsIn(steps).flatMap(({ content, style }) =>
    objectsIn(content).flatMap((part) => partsOf(part, Object(style).type === "thinking", names)),
  );
  return answerMessages(parts, factsIn(objectsIn(steps).map(({ genInfo }) => Object(genInfo) as PlainObject)));
}

function partsOf(part: PlainObject, isThought: boolean, names: Map<unknown, string>): PlainObject[] {
  const { type, callId, name, parameters, arguments: args = parameters, content } = part;
  const id = `call_${callId}`;
  switch (type) {
    case "text":
      return [isThought ? reasoningPart(textOf(part.text)) : textPart(textOf(part.text))];
    case "toolCallRequest":
      names.set(id, textOf(name));
      return [callPart(id, textOf(name), args ?? {})];
    case "toolCallResult":
      return [resultPart(id, names.get(id) ?? textOf(name), textOf(content))];
    default:
      return [];
  }
}

/** The model of an answer, and its usage where one generation has it. */
function factsIn(infos: readonly PlainObject[]): { model?: string; usage?: ReturnType<typeof usageOfCounts> } {
  const { indexedModelIdentifier: model, stats } = infos.find((info) => "stats" in info) ?? {};
  const { promptTokensCount: fresh, predictedTokensCount: output } = Object(stats) as PlainObject;
  return {
    ...(typeof model === "string" ? { model } : {}),
    usage: usageOfCounts({ fresh, output }),
  };
}
