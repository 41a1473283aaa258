import { type ChatMessage, Conversation, type HistoryReport, TurnfoldError, vercel } from "../../chat.ts";
import { type Bag, isBag, without } from "../../formats/data.ts";
import type { AISDKMessage } from "./framework.ts";

/**
 * The conversation of messages of the AI SDK, one of its messages for each. It is made to be counted and summarized: what is sent
 * in the end are the messages that were given.
 *
 * @param hasFiles whether the data of files is needed, as it is when a summary is asked for behind the conversation. Reading it
 * takes long.
 * @throws {TurnfoldError} `invalid_message`
 *
 * @internal
 */
export function conversationOf(messages: readonly AISDKMessage[], hasFiles: boolean): Conversation {
  const { messages: read } = fromMessages(hasFiles ? messages : withoutFiles(messages));
  const isWaiting = approvalsIn(read);
  const neutral = read.map((message, index) => neutralOf(message, index, isWaiting(index)));
  return new Conversation({ messages: neutral });
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

/** The names under which a message says in its provider options what this package does with it. */
const OWN = ["pinned", "timestamp"];

function neutralOf(message: ChatMessage, index: number, isWaiting: boolean): ChatMessage {
  const { content, providerOptions } = message as ChatMessage & { providerOptions?: unknown };
  const own = isBag(providerOptions) ? ownOptions(providerOptions.turnfold, index) : {};
  const pin = isWaiting ? { pinned: true } : {};
  const parts = Array.isArray(content) ? content.map(neutralPart) : content;
  const isSame = !Array.isArray(content) || content.every((part, place) => part === (parts as unknown[])[place]);
  if (isSame && !isWaiting && Object.keys(own).length === 0) return message;
  return { ...message, content: isSame ? content : parts, ...own, ...pin } as ChatMessage;
}

/** @throws {TurnfoldError} `invalid_message` for unknown names; what they hold is checked with the message. */
function ownOptions(given: unknown, index: number): Bag {
  if (given === undefined) return {};
  const unknown = isBag(given) ? Object.keys(given).find((name) => !OWN.includes(name)) : "";
  if (isBag(given) && unknown === undefined) return given;
  const path = `messages[${index}].providerOptions.turnfold${unknown ? `.${unknown}` : ""}`;
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
 * The messages of a managed conversation in the AI SDK's form: those that stay are the ones that were given.
 *
 * @param neutral the messages of the conversation that was made of `given`.
 * @param isPrompt true for the prompt of a model, whose texts are parts.
 *
 * @internal
 */
export function messagesOf<Message extends AISDKMessage>(
  given: readonly Message[],
  neutral: readonly ChatMessage[],
  managed: readonly ChatMessage[],
  report: HistoryReport,
  isPrompt: boolean,
): Message[] {
  const indexes = new Map(neutral.map((message, index) => [message, index]));
  const isLeft = (index: number) => ["kept", "stubbed"].includes(report.messages[index]?.fate ?? "");
  let next = 0;
  return managed.map((message) => {
    const known = indexes.get(message);
    if (known !== undefined) {
      next = known + 1;
      return given[known] as Message;
    }
    if (message.summary !== undefined) return summaryOf(message, isPrompt) as unknown as Message;
    while (next < given.length && !isLeft(next)) next++;
    const source = neutral[next] as ChatMessage;
    return withResults(given[next++] as Message, source, message);
  });
}

function summaryOf({ role, content }: ChatMessage, isPrompt: boolean): AISDKMessage {
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
