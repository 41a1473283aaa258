import { isPlainObject, type PlainObject } from "../formats/data.ts";
import {
  assistantMessages,
  callPart,
  malformedRecording,
  objectsOf,
  type RecordedMessage,
  reasoningPart,
  resultMessage,
  systemMessage,
  textOf,
  textPart,
  userMessage,
} from "./recorded-message.ts";

/** True for a chat of ChatGPT's export: a tree of messages. */
export function isChatGPT(data: unknown): data is PlainObject {
  return isPlainObject(data) && isPlainObject(data.mapping);
}

/**
 * Returns the messages on the path to the current node of the tree; other branches belong to questions that were asked
 * again.
 */
export function fromChatGPT({ mapping, current_node: current }: PlainObject): RecordedMessage[] {
  const nodes = mapping as Record<string, unknown>;
  const leaf = current ?? Object.keys(nodes).find((id) => childrenOf(nodes[id]).length === 0);
  const branch: PlainObject[] = [];
  const seen = new Set<unknown>();
  for (let id: unknown = leaf; id !== null && id !== undefined; ) {
    const node = nodes[String(id)];
    if (!isPlainObject(node) || seen.has(id))
      throw malformedRecording(`mapping has no way from the root to ${JSON.stringify(leaf)}`);
    seen.add(id);
    if (isPlainObject(node.message)) branch.unshift(node.message);
    id = node.parent;
  }
  let open: { id: string; name: string } | null = null;
  return branch.flatMap((message) => {
    const { author, content, recipient, create_time: time, metadata } = message;
    const role = isPlainObject(author) ? author.role : undefined;
    const at = typeof time === "number" ? 1000 * time : undefined;
    const contentText = textOfContent(content);
    if (isPlainObject(metadata) && metadata.is_visually_hidden_from_conversation === true) return [];
    if (contentText === "") return [];
    if (role === "user") return [userMessage(contentText, at)];
    if (role === "system") return [systemMessage(contentText, at)];
    if (role === "tool") {
      const name = isPlainObject(author) && typeof author.name === "string" ? author.name : "tool";
      const answered = open;
      open = null;
      // A tool that no message called, such as the one for ChatGPT's memory.
      if (answered === null) return [];
      return [resultMessage(answered.id, answered.name === "all" ? name : answered.name, contentText, at)];
    }
    if (role !== "assistant")
      throw malformedRecording(`the role of message ${JSON.stringify(message.id)} must be known`);
    if (isPlainObject(content) && content.content_type === "thoughts")
      return assistantMessages([reasoningPart(contentText)], at);
    if (isPlainObject(content) && content.content_type === "reasoning_recap") return [];
    if (typeof recipient !== "string" || recipient === "all") return assistantMessages([textPart(contentText)], at);
    open = { id: String(message.id), name: recipient };
    return assistantMessages([callPart(open.id, recipient, { input: contentText })], at);
  });
}

const childrenOf = (node: unknown): unknown[] =>
  isPlainObject(node) && Array.isArray(node.children) ? node.children : [];

/** Returns the text of content of any type. */
function textOfContent(content: unknown): string {
  if (!isPlainObject(content)) return "";
  if (Array.isArray(content.thoughts)) {
    return objectsOf(content.thoughts, ["thoughts"])
      .map((thought) => textOf(thought.content ?? thought.summary))
      .join("\n");
  }
  if (Array.isArray(content.parts)) return textOf(content.parts.filter((part) => part !== ""));
  return textOf(content.text ?? content.result ?? content.content ?? "");
}
