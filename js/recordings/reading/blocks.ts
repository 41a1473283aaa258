import { parseArguments } from "../../chat/call-arguments.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import type { ReplyFacts } from "./recorded-chat.ts";
import {
  callPart,
  jsonOf,
  type RecordedMessage,
  reasoningPart,
  resultMessage,
  systemMessage,
  textOf,
  textPart,
  userMessage,
} from "./recorded-message.ts";

/**
 * Converts messages whose content is a text or a list of blocks as Anthropic has them, with the names that coding agents
 * give to their members. Results follow calls, whose tools they may not name.
 */
export class BlockReader {
  readonly #tools = new Map<string, string>();

  messages(role: unknown, content: unknown, facts: ReplyFacts = {}): RecordedMessage[] {
    const blocks = blocksOf(content);
    if (role === "system") return [systemMessage(textOf(content), facts.at)];
    if (role === "assistant") {
      const parts = blocks.flatMap((block) => this.#replyPart(block));
      return parts.length === 0 ? [] : [{ message: { role, content: parts } as RecordedMessage["message"], ...facts }];
    }
    const isAnswer = (block: PlainObject) => RESULT.test(String(block.type)) && this.#tools.has(callIdOf(block));
    const results = blocks
      .filter(isAnswer)
      .map((block) => this.result(callIdOf(block), block.content ?? block.output ?? block.result, facts.at));
    const parts = blocks.filter((block) => !isAnswer(block)).map(userPart);
    const [first] = parts;
    const said = parts.length === 1 && first?.type === "text" ? first.text : parts;
    return [...results, ...(parts.length === 0 ? [] : [userMessage(said, facts.at)])];
  }

  /** Makes the result of a call. */
  result(id: string, content: unknown, at: unknown): RecordedMessage {
    const blocks = blocksOf(content);
    const hasMedia = Array.isArray(content) && blocks.some((block) => mediaOf(block) !== null);
    const value = hasMedia ? blocks.map(resultPart) : textOf(content);
    return resultMessage(id, this.#tools.get(id) ?? "", value, at);
  }

  #replyPart(block: PlainObject): PlainObject[] {
    const { type } = block;
    const thought = block.thinking ?? block.think ?? block.reasoning ?? block.text ?? block.summary;
    if (THOUGHT.test(String(type)))
      return thought === undefined || thought === "" ? [] : [reasoningPart(textOf(thought))];
    if (CALL.test(String(type))) {
      // Transcripts of Cursor have calls without ids, and no results.
      const id =
        block.id === undefined && block.toolCallId === undefined ? `call_${this.#tools.size}` : callIdOf(block);
      const name = String(block.name ?? block.toolName);
      this.#tools.set(id, name);
      return [callPart(id, name, block.input ?? block.arguments ?? block.args ?? {})];
    }
    return typeof block.text === "string" && block.text !== "" ? [textPart(block.text)] : [];
  }
}

const CALL = /^(?:tool_use|toolCall|tool-call|tool_call|toolUse)$/;
const RESULT = /^(?:tool_result|toolResult|tool-result)$/;
const THOUGHT = /^(?:thinking|reasoning|think)$/;

const callIdOf = (block: PlainObject): string =>
  String(block.tool_use_id ?? block.toolCallId ?? block.toolUseID ?? block.id);

/** The arguments of a call: an object, or a text that is no JSON. */
export const argumentsOf = (given: unknown): unknown =>
  typeof given === "string" ? parseArguments(given) : (given ?? {});

/** The blocks of the content of a message; a text is one. */
export function blocksOf(content: unknown): PlainObject[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return isPlainObject(content) ? [content] : [];
  // Not by recursion: lists in lists are no content, and may be very deep.
  return content.flatMap((block) => (Array.isArray(block) ? [] : blocksOf(block)));
}

/** The part of a block of the user. Blocks that are no text and no image become JSON. */
function userPart(block: PlainObject): PlainObject {
  const media = mediaOf(block);
  if (media !== null) return { type: "image", image: media.data, mediaType: media.mediaType };
  return textPart(typeof block.text === "string" ? block.text : jsonOf(block, "content"));
}

function resultPart(block: PlainObject): PlainObject {
  const media = mediaOf(block);
  return media === null ? userPart(block) : { type: "media", ...media };
}

/** The data or the address of an image; null for another block. */
function mediaOf(block: PlainObject): { data: string; mediaType: string } | null {
  if (!/^image/.test(String(block.type))) return null;
  const { source = block, image_url: address = source, imageUrl = address } = block;
  const { url, data = url, media_type: type, mediaType = type, mimeType = mediaType } = Object(imageUrl) as PlainObject;
  return typeof data === "string" ? { data, mediaType: String(mimeType ?? "image/png") } : null;
}
