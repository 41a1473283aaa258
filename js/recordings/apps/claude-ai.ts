import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { answerMessages, branchTo, resultPart, storedChat } from "../reading/answers.ts";
import type { RecordingReader } from "../reading/reader.ts";
import {
  callPart,
  type RecordedMessage,
  reasoningPart,
  textOf,
  textPart,
  userMessage,
} from "../reading/recorded-message.ts";

/** Reads a conversation of an export of Claude.ai: its current branch. */
export const claudeAIReader: RecordingReader = {
  format: "claude-ai",
  recognizes: (given) => isPlainObject(given) && Array.isArray(given.chat_messages),
  read: (chat: PlainObject) =>
    storedChat(
      chat,
      undefined,
      branchOf(chat).flatMap((message) => fromMessage(message, chat)),
    ),
};

/** Exports before 2025 have no parents: the messages are in their order. */
function branchOf({ chat_messages: given, current_leaf_message_uuid: current }: PlainObject): PlainObject[] {
  const messages = objectsIn(given);
  const last = messages.at(-1);
  if (typeof last?.parent_message_uuid !== "string") return messages;
  const all = new Map<unknown, PlainObject>(messages.map((message) => [message.uuid, message]));
  return branchTo(all, all.has(current) ? current : last.uuid, "parent_message_uuid");
}

function fromMessage(message: PlainObject, chat: PlainObject): RecordedMessage[] {
  const { sender, text, content, attachments, files, created_at: at } = message;
  const blocks = objectsIn(content);
  if (sender === "assistant") {
    const parts = blocks.length > 0 ? partsOf(blocks) : [textPart(textOf(text))];
    const { model = chat.model } = message;
    return answerMessages(parts, { at, model: typeof model === "string" ? model : undefined });
  }
  const said = blocks.filter((block) => typeof block.text === "string").map((block) => block.text as string);
  const attached = objectsIn(attachments).flatMap(({ extracted_content: extract }) =>
    typeof extract === "string" && extract !== "" ? [extract] : [],
  );
  const named = objectsIn(files).map((file) => `[${String(file.file_name)}]`);
  const texts = [...(said.length > 0 ? said : [textOf(text)]), ...attached, ...named].filter((one) => one !== "");
  return texts.length === 0 ? [] : [userMessage(texts.length === 1 ? texts[0] : texts.map(textPart), at)];
}

function partsOf(blocks: readonly PlainObject[]): PlainObject[] {
  /** Calls without a result. Some exports have no ids. */
  const open: { id: string; name: string }[] = [];
  return blocks.flatMap((block, index) => {
    switch (block.type) {
      case "text":
        return block.text === "" ? [] : [textPart(textOf(block.text))];
      case "thinking":
        return [reasoningPart(textOf(block.thinking))];
      case "tool_use": {
        const call = { id: String(block.id ?? `call_${index}`), name: String(block.name) };
        open.push(call);
        return [callPart(call.id, call.name, block.input ?? {})];
      }
      case "tool_result": {
        const place = Math.max(
          0,
          open.findIndex(({ id }) => id === block.tool_use_id),
        );
        const [call] = open.splice(place, 1);
        return call === undefined
          ? []
          : [resultPart(call.id, call.name, textOf(block.content), block.is_error === true)];
      }
      default:
        return [];
    }
  });
}
