import { isPlainObject, type PlainObject } from "../formats/data.ts";
import {
  assistant,
  bagsOf,
  call,
  malformed,
  type Recorded,
  reasoning,
  result,
  system,
  text,
  textOf,
  user,
} from "./recorded.ts";

/** True for a chat of ChatGPT's export: a tree of messages. */
export function isChatGPT(data: unknown): data is PlainObject {
  return isPlainObject(data) && isPlainObject(data.mapping);
}

/**
 * Returns the messages on the path to the current node of the tree; other branches belong to questions that were asked
 * again.
 */
export function ofChatGPT({ mapping, current_node: current }: PlainObject): Recorded[] {
  const nodes = mapping as Record<string, unknown>;
  const leaf = current ?? Object.keys(nodes).find((id) => childrenOf(nodes[id]).length === 0);
  const way: PlainObject[] = [];
  const seen = new Set<unknown>();
  for (let id: unknown = leaf; id !== null && id !== undefined; ) {
    const node = nodes[String(id)];
    if (!isPlainObject(node) || seen.has(id))
      throw malformed(`mapping has no way from the root to ${JSON.stringify(leaf)}`);
    seen.add(id);
    if (isPlainObject(node.message)) way.unshift(node.message);
    id = node.parent;
  }
  let open: { id: string; name: string } | null = null;
  return way.flatMap((message) => {
    const { author, content, recipient, create_time: time, metadata } = message;
    const role = isPlainObject(author) ? author.role : undefined;
    const at = typeof time === "number" ? 1000 * time : undefined;
    const said = saidIn(content);
    if (isPlainObject(metadata) && metadata.is_visually_hidden_from_conversation === true) return [];
    if (said === "") return [];
    if (role === "user") return [user(said, at)];
    if (role === "system") return [system(said, at)];
    if (role === "tool") {
      const name = isPlainObject(author) && typeof author.name === "string" ? author.name : "tool";
      const answered = open;
      open = null;
      // A tool that no message called, such as the one for ChatGPT's memory.
      if (answered === null) return [];
      return [result(answered.id, answered.name === "all" ? name : answered.name, said, at)];
    }
    if (role !== "assistant") throw malformed(`the role of message ${JSON.stringify(message.id)} must be known`);
    if (isPlainObject(content) && content.content_type === "thoughts") return assistant([reasoning(said)], at);
    if (isPlainObject(content) && content.content_type === "reasoning_recap") return [];
    if (typeof recipient !== "string" || recipient === "all") return assistant([text(said)], at);
    open = { id: String(message.id), name: recipient };
    return assistant([call(open.id, recipient, { input: said })], at);
  });
}

const childrenOf = (node: unknown): unknown[] =>
  isPlainObject(node) && Array.isArray(node.children) ? node.children : [];

/** Returns the text of content of any type. */
function saidIn(content: unknown): string {
  if (!isPlainObject(content)) return "";
  if (Array.isArray(content.thoughts)) {
    return bagsOf(content.thoughts, ["thoughts"])
      .map((thought) => textOf(thought.content ?? thought.summary))
      .join("\n");
  }
  if (Array.isArray(content.parts)) return textOf(content.parts.filter((part) => part !== ""));
  return textOf(content.text ?? content.result ?? content.content ?? "");
}
