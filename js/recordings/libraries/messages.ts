import type { Step } from "../../agent/step.ts";
import type { ChatMessage } from "../../chat/chat-message.ts";
import { Conversation } from "../../chat/conversation.ts";
import { aiSdk } from "../../formats/ai-sdk-format.ts";
import { anthropic } from "../../formats/anthropic-format.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { detectFormat } from "../../formats/detect.ts";
import { openai } from "../../formats/openai-format.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import type { RecordingFormat } from "../reading/formats.ts";
import { factsOf, modelIn, titleOf } from "../reading/message-facts.ts";
import type { RecordingReader } from "../reading/reader.ts";
import { chatOf, type RecordedChat, type ReplyFacts } from "../reading/recorded-chat.ts";
import { fromStored } from "../reading/stored-messages.ts";
import { withCompleteCalls } from "../reading/tool-calls.ts";
import { converseMessages, isConverse } from "./bedrock.ts";

/**
 * Reads a list of messages as OpenAI, Anthropic, the AI SDK or Turnfold have them; null for another list.
 *
 * @param holder the object with the list: a request, or a stored chat.
 */
export function readMessages(
  list: unknown[],
  holder: PlainObject,
): { format: RecordingFormat; chat: RecordedChat } | null {
  const found = conversationIn(list, holder);
  if (found === null) return null;
  const [format, conversation] = found;
  const title = titleOf(holder);
  return {
    format,
    chat: chatOf(conversation, factsIn(conversation, modelIn(holder)), title === undefined ? {} : { title }),
  };
}

/** Reads the messages of {@link readMessages} without what is known of them. */
export function conversationIn(given: unknown[], holder: PlainObject): [RecordingFormat, Conversation] | null {
  if (isConverse(given)) return ["bedrock", converseIn(given, holder)];
  const unwrapped = given.map(fromStored);
  if (!unwrapped.some(saysSomething)) return null;
  const list = unwrapped.some(hasCalls) ? withCompleteCalls(unwrapped) : unwrapped;
  const withSystem = systemOf(list, holder);
  if (detectFormat(withSystem) === "anthropic") return ["anthropic", anthropic.from(withSystem)];
  const format = detectFormat(list);
  if (format === "openai") return [format, openai.from(list)];
  if (format === "ai-sdk") return [format, aiSdk.from(list)];
  const isOwn = list.every((message) => isPlainObject(message) && typeof message.role === "string");
  return isOwn ? ["turnfold", new Conversation({ messages: list as ChatMessage[] })] : null;
}

/** Replies have the metadata that Strands Agents stores beside their content. */
function converseIn(list: unknown[], { system }: PlainObject): Conversation {
  const messages = converseMessages(list, system);
  const replies = objectsIn(list).filter(({ role }) => role === "assistant");
  const isSame = messages.filter(({ role }) => role === "assistant").length === replies.length;
  return new Conversation({
    messages: messages.map((message) => {
      const { metadata } = (isSame && message.role === "assistant" && replies.shift()) || {};
      return metadata === undefined ? message : ({ ...message, metadata } as ChatMessage);
    }),
  });
}

/** False for what has no members of a message, such as users of an app with their roles. */
const saysSomething = (given: unknown): boolean =>
  isPlainObject(given) &&
  ["content", "parts", "tool_calls", "function_call", "toolCalls", "reasoning_content"].some((name) => name in given);

/** True for a call of chat completions, and for a result without the id of one. */
function hasCalls(message: unknown): boolean {
  if (!isPlainObject(message)) return false;
  const { role, content, tool_calls: calls, function_call: call, tool_call_id: id, toolCallId = id } = message;
  return (
    (call ?? calls ?? null) !== null ||
    (role === "tool" && typeof content === "string" && (toolCallId ?? null) === null)
  );
}

const systemOf = (list: unknown[], { system }: PlainObject): unknown =>
  system === undefined ? list : { system, messages: list };

/**
 * What the messages say of their requests. A message of a user interface may have several steps, each a reply with the
 * id of the message: its usage is that of all, and is not known of any.
 */
function factsIn(conversation: Conversation, usual: ReplyFacts): ReplyFacts[] {
  const messages = conversation.messages as unknown as PlainObject[];
  const steps = new Map<unknown, PlainObject[]>();
  for (const message of messages) {
    const { id, role } = message;
    if (role !== "assistant" || id === undefined) continue;
    const all = steps.get(id) ?? [];
    all.push(message);
    steps.set(id, all);
  }
  return messages.map((message) => {
    if (message.role !== "assistant") return {};
    const all = steps.get(message.id) ?? [message];
    return { ...usual, ...factsOf({ metadata: all[0]?.metadata, ...message }, all.length === 1) };
  });
}

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
