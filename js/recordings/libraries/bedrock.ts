import type { ChatMessage } from "../../chat/chat-message.ts";
import { anthropic } from "../../formats/anthropic-format.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { jsonOf } from "../reading/recorded-message.ts";

const MEMBERS =
  /^(?:text|toolUse|toolResult|reasoningContent|image|document|video|audio|cachePoint|guardContent|citationsContent|searchResult)$/;

/** True for messages of Bedrock's Converse API: each part is an object with one member, which is its kind. */
export function isConverse(messages: readonly unknown[]): boolean {
  return messages.length > 0 && messages.every(isConverseMessage) && messages.some((one) => Object(one).content[0]);
}

function isConverseMessage(message: unknown): boolean {
  if (!isPlainObject(message) || !/^(?:user|assistant)$/.test(String(message.role))) return false;
  const { content } = message;
  return Array.isArray(content) && content.every(isBlock);
}

function isBlock(block: unknown): boolean {
  const names = isPlainObject(block) ? Object.keys(block).filter((name) => name !== "SDK_UNKNOWN_MEMBER") : [];
  return names.length === 1 && MEMBERS.test(names[0] as string);
}

/** Converts messages of Converse, whose parts have the members of Anthropic's blocks by other names. */
export function converseMessages(messages: readonly unknown[], system?: unknown): readonly ChatMessage[] {
  const list = objectsIn(messages).map((message) => ({ ...message, content: blocksOf(message.content) }));
  const prompt = typeof system === "string" ? system : blocksOf(system);
  return anthropic.from((prompt.length === 0 ? list : { system: prompt, messages: list }) as never).messages;
}

const blocksOf = (content: unknown): PlainObject[] => objectsIn(content).flatMap(toBlocks);

function toBlocks(block: PlainObject): PlainObject[] {
  const [[name, given] = ["", null]] = Object.entries(block);
  const inner = Object(given) as PlainObject;
  const said = (text: unknown): PlainObject[] => [{ type: "text", text: String(text) }];
  switch (name) {
    case "text":
      return said(given);
    case "toolUse":
      return [{ type: "tool_use", id: inner.toolUseId, name: inner.name, input: inner.input ?? {} }];
    case "toolResult": {
      const blocks = blocksOf(inner.content);
      const content = blocks.length === 1 && typeof blocks[0]?.text === "string" ? blocks[0].text : blocks;
      const result = { type: "tool_result", tool_use_id: inner.toolUseId, content };
      return [inner.status === "error" ? { ...result, is_error: true } : result];
    }
    case "json":
      return said(jsonOf(given, "json"));
    case "reasoningContent": {
      const { text, signature = "" } = Object(inner.reasoningText) as PlainObject;
      return typeof text === "string" ? [{ type: "thinking", thinking: text, signature }] : [];
    }
    case "guardContent":
      return said(Object(inner.text).text);
    case "citationsContent":
      return blocksOf(inner.content);
    case "cachePoint":
      return [];
    default:
      return [fileBlock(name, inner)];
  }
}

/** Files are bytes, which JSON has as base64 or not at all. */
function fileBlock(kind: string, { format, name = kind, source }: PlainObject): PlainObject {
  const { bytes, text } = Object(source) as PlainObject;
  if (kind === "image" && typeof bytes === "string")
    return { type: "image", source: { type: "base64", media_type: `image/${String(format)}`, data: bytes } };
  return { type: "text", text: typeof text === "string" ? text : `[${String(name)}.${String(format)}]` };
}
