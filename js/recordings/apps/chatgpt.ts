import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { describe } from "../../values/describe.ts";
import { storedChat } from "../reading/answers.ts";
import type { RecordingReader } from "../reading/reader.ts";
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
} from "../reading/recorded-message.ts";
import { timeFrom } from "../reading/values.ts";

/** True for a chat of ChatGPT's export: a tree of messages. */
function isChatGPT(data: unknown): data is PlainObject {
  return (
    isPlainObject(data) &&
    isPlainObject(data.mapping) &&
    Object.values(data.mapping).some((node) => isPlainObject(node) && "parent" in node)
  );
}

/** Reads a chat: its current branch. */
export const chatGPTReader: RecordingReader = {
  format: "chatgpt",
  recognizes: isChatGPT,
  read: (chat: PlainObject) => storedChat(chat, undefined, fromChatGPT(chat)),
};

/**
 * Returns the messages on the path to the current node of the tree; other branches belong to questions that were asked
 * again.
 */
function fromChatGPT({ mapping, current_node: current, default_model_slug: usual }: PlainObject): RecordedMessage[] {
  const nodes = mapping as Record<string, unknown>;
  const leaf = current ?? Object.keys(nodes).find((id) => childrenOf(nodes[id]).length === 0);
  const branch: PlainObject[] = [];
  const seen = new Set<unknown>();
  for (let id: unknown = leaf; id !== null && id !== undefined; ) {
    const node = nodes[String(id)];
    if (!isPlainObject(node) || seen.has(id))
      throw malformedRecording(`mapping has no way from the root to ${describe(leaf)}`);
    seen.add(id);
    if (isPlainObject(node.message)) branch.unshift(node.message);
    id = node.parent;
  }
  /** The last call of each tool without a result. Tools may answer by the name of one of their functions. */
  const open = new Map<string, { id: string; name: string }>();
  /** The last result, to which the following messages of its tool belong: a search may have one for each place. */
  let last: { tool: unknown; output: { value: string } } | null = null;
  const toolOf = (name: string) => name.split(".")[0] as string;
  return branch.flatMap((message) => {
    const { author, content, recipient, create_time: time, metadata } = message;
    const { role, name } = Object(author) as PlainObject;
    const at = timeFrom(time);
    const model = Object(metadata).model_slug ?? usual;
    const facts = typeof model === "string" ? { model } : {};
    const replies = (part: PlainObject) => assistantMessages([part], at).map((reply) => ({ ...reply, ...facts }));
    const contentText = textOfContent(content);
    const called = role === "assistant" && typeof recipient === "string" && recipient !== "all" ? recipient : null;
    if (role === "user") open.clear();
    if (role === "tool") {
      const tool = typeof name === "string" ? toolOf(name) : [...open.keys()].at(-1);
      const answered = open.get(tool as string);
      if (answered === undefined) {
        // Others are of a tool that no message called: files that the user gave, and what ChatGPT's memory says.
        if (contentText === "" || tool === "bio") return [];
        if (last === null || last.tool !== tool) return open.size === 0 ? [userMessage(contentText, at)] : [];
        last.output.value += `\n${contentText}`;
        return [];
      }
      open.delete(tool as string);
      // The model read results that are empty or hidden, too.
      const result = resultMessage(answered.id, answered.name, contentText, at);
      const [{ output }] = result.message.content as unknown as [{ output: { value: string } }];
      last = { tool, output };
      return [result];
    }
    last = null;
    // The result of a call that is not read must not become that of an earlier call.
    if (called !== null) open.delete(toolOf(called));
    // What the user said of themselves and of the answers, which is hidden in the chat.
    if (Object(content).content_type === "user_editable_context")
      return contentText === "" ? [] : [systemMessage(contentText)];
    if (isPlainObject(metadata) && metadata.is_visually_hidden_from_conversation === true) return [];
    if (contentText === "") return [];
    if (role === "user") return [userMessage(contentText, at)];
    if (role === "system") return [systemMessage(contentText, at)];
    if (role !== "assistant") throw malformedRecording(`the role of message ${describe(message.id)} must be known`);
    if (isPlainObject(content) && content.content_type === "thoughts") return replies(reasoningPart(contentText));
    if (isPlainObject(content) && content.content_type === "reasoning_recap") return [];
    if (called === null) return replies(textPart(contentText));
    const id = String(message.id);
    open.set(toolOf(called), { id, name: called });
    return replies(callPart(id, called, { input: contentText }));
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
  const { parts, user_profile: profile, user_instructions: instructions } = content;
  if (Array.isArray(parts)) return textOf(parts.filter((part) => part !== "").map(textOfPart));
  const said = content.text ?? content.result ?? content.content;
  return textOf(said ?? [profile, instructions].filter((text) => typeof text === "string" && text !== ""));
}

/** A part that is no text points at a file, which the export has beside the chats. */
function textOfPart(part: unknown): unknown {
  const { content_type: type, text } = Object(part) as PlainObject;
  return typeof type === "string" && typeof text !== "string" ? `[${type}]` : part;
}
