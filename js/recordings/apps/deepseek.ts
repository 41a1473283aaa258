import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { answerMessages, branchTo, storedChat } from "../reading/answers.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { timeOf } from "../reading/recorded-chat.ts";
import { type RecordedMessage, reasoningPart, textOf, textPart, userMessage } from "../reading/recorded-message.ts";

const nodesOf = ({ mapping }: PlainObject): PlainObject[] =>
  Object.values(Object(mapping) as PlainObject).filter(isPlainObject);

const timeOfNode = ({ message }: PlainObject): number => timeOf(Object(message).inserted_at) ?? 0;

const fragmentsIn = (node: PlainObject): unknown => Object(node.message).fragments;

/** Reads a chat of an export of DeepSeek: the branch with the newest message. */
export const deepSeekReader: RecordingReader = {
  format: "deepseek",
  recognizes: (given) => isPlainObject(given) && nodesOf(given).some((node) => Array.isArray(fragmentsIn(node))),
  read(chat: PlainObject) {
    const nodes = nodesOf(chat);
    const all = new Map<unknown, PlainObject>(nodes.map((node) => [node.id, node]));
    const newest = nodes.reduce((last, node) => (timeOfNode(node) > timeOfNode(last) ? node : last));
    return storedChat(chat, undefined, branchTo(all, newest.id, "parent").flatMap(fromNode));
  },
};

function fromNode(node: PlainObject): RecordedMessage[] {
  const { model, inserted_at: at } = Object(node.message) as PlainObject;
  const fragments = objectsIn(fragmentsIn(node)).filter(({ content }) => typeof content === "string" && content !== "");
  const asked = fragments.filter(({ type }) => type === "REQUEST");
  if (asked.length > 0) return [userMessage(textOf(asked.map(({ content }) => content)), at)];
  const parts = fragments.flatMap(({ type, content }) => {
    if (type === "THINK") return [reasoningPart(String(content))];
    return type === "RESPONSE" ? [textPart(String(content))] : [];
  });
  return answerMessages(parts, { at, ...(typeof model === "string" ? { model } : {}) });
}
