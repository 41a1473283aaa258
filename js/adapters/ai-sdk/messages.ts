import { type ChatMessage, Conversation, TurnfoldError, vercel } from "../../chat.ts";
import { type Bag, isBag, without } from "../../formats/data.ts";
import { OWN_KEY } from "../../formats/own-members.ts";
import { type HistoryManager, hostObjects, type ManagedHistory } from "../shared/history-manager.ts";
import type { AISDKMessage } from "./framework.ts";

/**
 * Messages of the AI SDK as those of a conversation, one for each. They are made to be counted and summarized: what is sent in the
 * end are the messages that were given.
 *
 * @param manager the data of files is read only when it asks for summaries behind the conversation: it takes long.
 * @param ownOf what a message says of itself: `pinned`, `timestamp`, `summary`.
 * @throws {TurnfoldError} `invalid_message`
 *
 * @internal
 */
export function messagesFor(
  { showsMessages }: Pick<HistoryManager, "showsMessages">,
  messages: readonly AISDKMessage[],
  ownOf: (message: ReadMessage, index: number) => Bag = ownOptions,
): readonly ChatMessage[] {
  const { messages: read } = fromMessages(showsMessages ? messages : withoutFiles(messages));
  const isWaiting = approvalsIn(read);
  const neutral = read.map((message, index) => neutralOf(message, ownOf(message, index), isWaiting(index)));
  return new Conversation({ messages: neutral }).messages;
}

/** Values of tools that are no plain data are read as the JSON in which a provider gets them. */
function fromMessages(messages: readonly AISDKMessage[]): Conversation {
  try {
    return vercel.from(messages);
  } catch (error) {
    try {
      return vercel.from(messages.map((message) => withParts(message, jsonPart)));
    } catch {
      throw error;
    }
  }
}

/** The messages with a stand-in for the data of files; what can't be read is left to be refused. */
function withoutFiles(messages: readonly AISDKMessage[]): readonly AISDKMessage[] {
  try {
    return messages.map((message) => withParts(message, lightPart));
  } catch {
    return messages;
  }
}

/** A message with changed parts; itself when none is changed. */
function withParts(message: AISDKMessage, change: (part: Bag) => Bag): AISDKMessage {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const parts = (content as Bag[]).map(change);
  return parts.every((part, index) => part === content[index]) ? message : { ...message, content: parts };
}

/** Data in base64 that is longer is not read. */
const LONGEST_DATA = 200;
const STAND_IN = "AAAA";

function lightPart(part: Bag): Bag {
  const { type, data, image, output } = part;
  if (type === "tool-result" && isBag(output) && Array.isArray(output.value)) {
    return { ...part, output: { ...output, value: (output.value as Bag[]).map(lightPart) } };
  }
  const isLong = (value: unknown) => typeof value === "string" && value.length > LONGEST_DATA;
  if (isLong(image)) return { ...part, image: STAND_IN };
  if (isLong(data)) return { ...part, data: STAND_IN };
  return isBag(data) && isLong(data.data) ? { ...part, data: { ...data, data: STAND_IN } } : part;
}

function jsonPart(part: Bag): Bag {
  if (part.type === "tool-call") return { ...part, input: jsonCopy(part.input) };
  if (part.type !== "tool-result") return part;
  const output = part.output as Bag;
  return { ...part, output: { ...output, value: jsonCopy(output.value) } };
}

function jsonCopy(value: unknown): unknown {
  const text: string | undefined = JSON.stringify(value, (_, item) => (typeof item === "bigint" ? String(item) : item));
  return text === undefined ? null : JSON.parse(text);
}

/**
 * The messages at the end that wait for a tool whose call was approved or denied, with the message of the call and the question:
 * they stay, as a call that waits for its result does.
 */
function approvalsIn(messages: readonly ChatMessage[]): (index: number) => boolean {
  let start = messages.length;
  while (start > 0 && messages[start - 1]?.role === "tool") start--;
  const isWaiting = messages.slice(start).some(({ content }) => {
    const parts = Array.isArray(content) ? (content as Bag[]) : [];
    return parts.some(({ type }) => type === "tool-approval-response");
  });
  const question = messages.slice(0, start).reduce((last, { role }, index) => (role === "user" ? index : last), -1);
  return (index) => isWaiting && (index >= start - 1 || index === question);
}

/** A message as `vercel.from` reads it. */
export type ReadMessage = ChatMessage & { providerOptions?: unknown };

/** The names under which a message says in its provider options what this package does with it. */
const OWN = ["pinned", "timestamp"];

function neutralOf(message: ChatMessage, own: Bag, isWaiting: boolean): ChatMessage {
  const { content } = message;
  const pin = isWaiting ? { pinned: true } : {};
  const parts = Array.isArray(content) ? content.map(neutralPart) : content;
  const isSame = !Array.isArray(content) || content.every((part, place) => part === (parts as unknown[])[place]);
  if (isSame && !isWaiting && Object.keys(own).length === 0) return message;
  return { ...message, content: isSame ? content : parts, ...own, ...pin } as ChatMessage;
}

/** @throws {TurnfoldError} `invalid_message` for unknown names; what they hold is checked with the message. */
function ownOptions({ providerOptions }: ReadMessage, index: number): Bag {
  const given = isBag(providerOptions) ? providerOptions[OWN_KEY] : undefined;
  if (given === undefined) return {};
  const unknown = isBag(given) ? Object.keys(given).find((name) => !OWN.includes(name)) : "";
  if (isBag(given) && unknown === undefined) return given;
  const path = `messages[${index}].providerOptions.${OWN_KEY}${unknown ? `.${unknown}` : ""}`;
  throw new TurnfoldError("invalid_message", `${path} is unknown: there are ${OWN.join(" and ")}`, {
    details: { path, index },
    hint: "providerOptions: { turnfold: { pinned: true } }",
  });
}

/** A part whose files are in the form of the AI SDK 5 and 6: version 7 names the kind of their data. */
function neutralPart(part: unknown): unknown {
  if (!isBag(part)) return part;
  if (part.type === "file" || part.type === "reasoning-file") return neutralFile(part);
  const { output } = part;
  if (part.type !== "tool-result" || !isBag(output) || !Array.isArray(output.value)) return part;
  if (!output.value.some((item) => isBag(item) && item.type === "file")) return part;
  const value = output.value.map((item) => (isBag(item) && item.type === "file" ? neutralFile(item) : item));
  return { ...part, output: { ...output, value } };
}

function neutralFile(part: Bag): Bag {
  const { data } = part;
  const isText = isBag(data) && data.type === "text" && typeof data.text === "string";
  if (isText) return { ...without(part, ["data", "mediaType", "filename"]), type: "text", text: data.text };
  return { ...part, type: "file", data: isBag(data) ? (data.data ?? data.url ?? data) : data };
}

/**
 * Managed messages in the AI SDK's form: those that stay are the ones that were given.
 *
 * @param history what {@link messagesFor} made of them.
 * @param isPrompt true for the prompt of a model, whose texts are parts.
 *
 * @internal
 */
export function sentMessages<Message extends AISDKMessage>(
  given: readonly Message[],
  history: readonly ChatMessage[],
  managed: ManagedHistory,
  isPrompt: boolean,
): Message[] {
  return hostObjects(
    history,
    managed,
    (index) => [given[index] as Message],
    (message, source) => {
      const before = source === null ? undefined : history[source];
      if (source === null || before === undefined) return [written(message, isPrompt) as unknown as Message];
      return [withResults(given[source] as Message, before, message)];
    },
  );
}

/** A message that is not from the AI SDK, such as a summary. */
function written({ role, content }: ChatMessage, isPrompt: boolean): AISDKMessage {
  return { role, content: isPrompt ? [{ type: "text", text: content }] : content };
}

/** A message with the results that were replaced in its neutral form. */
function withResults<Message extends AISDKMessage>(
  given: Message,
  { content: before }: ChatMessage,
  { content: after }: ChatMessage,
): Message {
  const content = (given.content as Bag[]).map((part, index) => {
    const replaced = (after as unknown as Bag[])[index];
    if (replaced === undefined || replaced === (before as unknown as Bag[])[index]) return part;
    return { ...part, output: { ...(replaced.output as Bag) } };
  });
  return { ...given, content };
}
