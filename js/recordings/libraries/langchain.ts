import type { AISDKMessage } from "../../formats/ai-sdk.ts";
import { copyData, isPlainObject, type PlainObject } from "../../formats/data.ts";
import { fromLangChain, LangChainCalls, type LangChainParts, langChainParts } from "../../formats/langchain.ts";
import { factsOf } from "../reading/message-facts.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { chatsOfMessages, jsonOf, type RecordedMessage, textOf } from "../reading/recorded-message.ts";

/** True for a list of LangChain's messages: stored, serialized, or dumped. */
function isLangChain(list: unknown): boolean {
  return (
    Array.isArray(list) && list.length > 0 && list.every((given) => hasType(given) && langChainParts(given) !== null)
  );
}

export const langChainReader: RecordingReader = {
  format: "langchain",
  recognizes: isLangChain,
  read: (list: unknown[]) => chatsOfMessages([fromLangChainList(list)]),
};

/** True for a message with a type. Messages of other formats have roles. */
function hasType(given: unknown): boolean {
  return (
    isPlainObject(given) && typeof given.type === "string" && (given.role === undefined || isPlainObject(given.data))
  );
}

/** Converts messages of LangChain. Answers without content are omitted. */
function fromLangChainList(list: unknown): RecordedMessage[] {
  const read = (list as unknown[]).map((message) => langChainParts(message) as LangChainParts);
  // Blocks of unknown types become JSON. Other members, such as artifacts, may be no plain data.
  const copied = copyData(
    read.map(({ members: { content } }) => ({ content: Array.isArray(content) ? content.map(withThought) : content })),
    "messages",
  ) as PlainObject[];
  const given = read.map(({ type, members }, index) => ({ type, members: { ...members, ...copied[index] } }));
  const calls = new LangChainCalls(given);
  return given
    .map((parts, index) => ({ made: fromLangChain(parts, ["messages", index], calls), facts: factsOf(parts.members) }))
    .filter(
      ({ made: { role, content } }) => role !== "assistant" || (content !== "" && (content as unknown[]).length > 0),
    )
    .map(({ made: { role, content }, facts }) => ({
      message: { role, content: toAISDKContent(role, content) } as AISDKMessage,
      ...facts,
    }));
}

/** Reasoning of the Responses API has a summary, which may be empty. */
function withThought(block: unknown): unknown {
  if (!isPlainObject(block) || block.type !== "reasoning" || !Array.isArray(block.summary)) return block;
  return { type: "reasoning", reasoning: textOf(block.summary) };
}

/** Converts content: that of answers to a list, which can be joined; that of system messages to a text. */
function toAISDKContent(role: unknown, content: unknown): unknown {
  if (role === "assistant") return typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (role !== "system" || typeof content === "string") return content;
  return (content as PlainObject[])
    .map(({ text, ...rest }) => (typeof text === "string" ? text : jsonOf(rest, "content")))
    .join("\n");
}
