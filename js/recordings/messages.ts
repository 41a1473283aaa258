import type { Step } from "../agent/step.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import { Conversation } from "../chat/conversation.ts";
import { aiSdk } from "../formats/ai-sdk-format.ts";
import { anthropic } from "../formats/anthropic-format.ts";
import { isPlainObject, type PlainObject } from "../formats/data.ts";
import { detectFormat } from "../formats/detect.ts";
import { openai } from "../formats/openai-format.ts";
import { objectsIn } from "../formats/tool-parts.ts";
import type { RecordingFormat } from "./formats.ts";
import type { RecordingReader } from "./reader.ts";
import { chatOf, type RecordedChat } from "./recorded-chat.ts";

/**
 * Reads a list of messages as OpenAI, Anthropic, the AI SDK or Turnfold have them; null for another list.
 *
 * @param request the other members of the object with the messages.
 */
export function readMessages(
  list: unknown[],
  request: PlainObject,
): { format: RecordingFormat; chat: RecordedChat } | null {
  const found = conversationIn(list, request);
  return found === null ? null : { format: found[0], chat: chatOf(found[1]) };
}

function conversationIn(list: unknown[], request: PlainObject): [RecordingFormat, Conversation] | null {
  const withSystem = systemOf(list, request);
  if (detectFormat(withSystem) === "anthropic") return ["anthropic", anthropic.from(withSystem)];
  const format = detectFormat(list);
  if (format === "openai") return [format, openai.from(list)];
  if (format === "ai-sdk") return [format, aiSdk.from(list)];
  const isOwn = list.every((message) => isPlainObject(message) && typeof message.role === "string");
  return isOwn ? ["turnfold", new Conversation({ messages: list as ChatMessage[] })] : null;
}

const systemOf = (list: unknown[], { system }: PlainObject): unknown =>
  system === undefined ? list : { system, messages: list };

/** Reads saved conversations and checkpoints. */
export const savedReader: RecordingReader = {
  format: "turnfold",
  recognizes: (given) =>
    isPlainObject(given) && Array.isArray(given.messages) && (isSavedConversation(given) || isUnknownVersion(given)),
  read: (saved: PlainObject) => [chatOf(Conversation.fromJSON(saved))],
};

/** True for messages of no other format, with a version. */
const isUnknownVersion = ({ version, messages, ...request }: PlainObject): boolean =>
  version !== undefined && detectFormat(systemOf(messages as unknown[], request)) === null;

/**
 * True for a saved conversation or checkpoint, of any version: one that is not known must be refused. Their messages
 * look like those of OpenAI or the AI SDK, whose converters would take encoded bytes and dates for objects. Files of
 * other programs may have a version too, but their tool calls have other names.
 */
function isSavedConversation(request: PlainObject): boolean {
  const { version, messages, transcript: _, ...others } = request;
  return (
    typeof version === "number" &&
    Object.keys(others).length === 0 &&
    objectsIn(messages).every(
      ({ tool_calls: calls, tool_call_id: id, content }) =>
        (calls ?? id) === undefined && objectsIn(content).every(({ type }) => !/^tool_/.test(String(type))),
    )
  );
}

/** The chat of a saved step: the messages of its last request with the reply. */
export const chatOfStep = (step: Step): RecordedChat => chatOf(new Conversation({ messages: step.messages }));
