import {
  type Conversation,
  detectFormat,
  type RecordedChat,
  type RecordingFormat,
  readConversation,
  recordingFormats,
  TurnfoldError,
} from "turnfold/audit";
import { syntaxProblem } from "../chat/json.ts";
import { givenIn, isRecord, readMessages, type Shape } from "../chat/reading.ts";
import { counted } from "../page/numbers.ts";
import { messageOf, parsedJson, problemText } from "../page/problem.ts";
import { KIND } from "../share/kind.ts";

/** A chat that was found in a text. */
export interface Chat {
  /** Null for a chat without a title. */
  readonly title: string | null;
  /** Milliseconds since 1970; null for a chat without a time. */
  readonly at: number | null;
  /** What could not be read, as sentences after a blank. */
  readonly note?: string;
  /** Whether it is the work of a sub-agent. */
  readonly isAgent?: boolean;
  /** What is audited when it is opened: its session with all parts and sub-agents, or the chat alone; as plain data. */
  audited(): AuditedRecording;
  /**
   * Its messages as the Chat tab edits them.
   *
   * @throws {UnreadText}
   */
  read(): ChatText;
}

/** A recording that can be sent to a worker: its conversations are saved ones. */
export interface AuditedRecording {
  readonly format: RecordingFormat;
  /** The index of the chat that is opened. */
  readonly shown: number;
  readonly chats: readonly (Omit<RecordedChat, "conversation"> & { readonly conversation: unknown })[];
}

export interface ChatText {
  readonly messages: string;
  readonly shape: "detect" | Shape;
  /** The number of messages. */
  readonly count: number;
}

/** The content of a pasted, dropped or chosen text. */
export type Found =
  | { readonly kind: "chats"; readonly format: string; readonly chats: readonly [Chat, ...Chat[]] }
  /** A saved step. */
  | { readonly kind: "step" }
  /** A state downloaded from this page. */
  | { readonly kind: "page" }
  /** A link to a state of this page. */
  | { readonly kind: "link"; readonly fragment: string };

const readable =
  "This page reads exports of ChatGPT and other apps, sessions of coding agents, messages of OpenAI, Anthropic, the AI SDK, Gemini and LangChain, traces, and files saved by Turnfold: as JSON, or one message per line.";

/** An unreadable text. The message is for users. */
export class UnreadText extends Error {}

/**
 * Detects the content of a text.
 *
 * @throws {UnreadText} with the format that the text looks like, if any, and the reason.
 */
export function readText(text: string): Found {
  const link = /^\s*https?:\/\/\S+?(#(?:v\d+=|example=)\S+)\s*$/.exec(text);
  if (link !== null) return { kind: "link", fragment: link[1] as string };
  if (text.trim() === "") throw new UnreadText("It is empty.");
  const data = parsedJson(text);
  if (isRecord(data)) {
    if (data.kind === KIND) return { kind: "page" };
    if (Array.isArray(data.turns) && "version" in data) return stepIn(data);
  }
  const exported = chatsOfExport(data);
  if (exported !== null) return { kind: "chats", format: recordingFormats.chatgpt, chats: exported };
  return inside(text, data, () => {
    // A single message is read as a chat of one message.
    const given = data === undefined ? text : isRecord(data) && "role" in data ? [data] : data;
    const { format, chats, warnings } = readConversation(given);
    const note = warnings.map((warning) => ` ${warning.charAt(0).toUpperCase()}${warning.slice(1)}.`).join("");
    const shape = given === data && chats.length === 1 ? shapeOf(text, data, format, chats[0]?.conversation) : null;
    const read = (each: Conversation): ChatText =>
      // A text that the Chat tab reads itself stays unchanged.
      shape === null ? savedText(each) : { messages: text, shape, count: each.messages.length };
    const [first, ...rest] = chats.map(({ title, kind, conversation }, index) => {
      const found = chatOf(conversation, () => read(conversation));
      const audited = () => plainRecording(format, chats, index);
      return { ...found, title: title ?? found.title, note, isAgent: kind === "agent", audited };
    }) as [Chat, ...Chat[]];
    return { kind: "chats", format: recordingFormats[format], chats: [first, ...rest] };
  });
}

/** The last result of `readText`: the two functions below are called with the same text. */
let last: { readonly text: string; readonly found: Found | null; readonly why: string } | null = null;

function remembered(text: string): NonNullable<typeof last> {
  if (last?.text === text) return last;
  try {
    last = { text, found: readText(text), why: "" };
  } catch (error) {
    last = { text, found: null, why: messageOf(error) };
  }
  return last;
}

/** The format and the chat of a text that contains exactly one chat; null for other texts. */
export function foreignChat(text: string): { readonly format: string; readonly chat: Chat } | null {
  const { found } = remembered(text);
  return found?.kind === "chats" && found.chats.length === 1 ? { format: found.format, chat: found.chats[0] } : null;
}

/** Why a text can't be read; null when it can be. */
export function whyUnread(text: string): string | null {
  const { found, why } = remembered(text);
  return found === null ? why : null;
}

function stepIn(data: unknown): Found {
  try {
    readConversation(data);
    return { kind: "step" };
  } catch (error) {
    throw new UnreadText(`This looks like a saved step of Turnfold, but ${reasonOf(error)}.`);
  }
}

/** The chats of ChatGPT's export, which may be thousands. Each is read when it is chosen. */
function chatsOfExport(data: unknown): readonly [Chat, ...Chat[]] | null {
  if (!Array.isArray(data) || data.length < 2 || !data.every((each) => isRecord(each) && isRecord(each.mapping)))
    return null;
  const chats = (data as Readonly<Record<string, unknown>>[]).map(
    (each): Chat => ({
      title: typeof each.title === "string" && each.title !== "" ? each.title : null,
      at: typeof each.create_time === "number" ? 1000 * each.create_time : null,
      audited: () => {
        const { format, chats } = readConversation(each);
        return plainRecording(format, chats, 0);
      },
      read: () => inside("", each, () => savedText(readConversation(each).conversation)),
    }),
  );
  return chats as [Chat, ...Chat[]];
}

const MAX_TITLE = 80;

/** The session of a chat: the chat that begins it, with everything that belongs to it. */
function plainRecording(format: RecordingFormat, all: readonly RecordedChat[], index: number): AuditedRecording {
  const isFirst = ({ kind }: RecordedChat): boolean => kind === "chat";
  const start = Math.max(0, all.slice(0, index + 1).findLastIndex(isFirst));
  const length = all.slice(start + 1).findIndex(isFirst);
  const chats = all.slice(start, length < 0 ? undefined : start + 1 + length);
  return {
    format,
    shown: index - start,
    chats: chats.map((chat) => ({ ...chat, conversation: chat.conversation.toJSON() })),
  };
}

function chatOf(conversation: Conversation, read: Chat["read"]): Omit<Chat, "audited"> {
  const { messages } = conversation;
  const first = messages.find(({ role }) => role === "user")?.content ?? "";
  const words = (typeof first === "string" ? first : JSON.stringify(first)).replace(/\s+/g, " ").trim();
  const title = words.length > MAX_TITLE ? `${words.slice(0, MAX_TITLE - 1)}…` : words;
  const at = messages.find(({ timestamp }) => typeof timestamp === "number")?.timestamp;
  return { title: title === "" ? null : title, at: typeof at === "number" ? at : null, read };
}

/**
 * The shape of messages in a text that the Chat tab can read unchanged; null for other texts, such as messages that other
 * servers than OpenAI's accept, and requests with the reply beside them.
 */
function shapeOf(text: string, data: unknown, format: RecordingFormat, whole?: Conversation): ChatText["shape"] | null {
  const isList = Array.isArray(data) || (isRecord(data) && Array.isArray(data.messages));
  const shape = { openai: "openai", anthropic: "anthropic", "ai-sdk": "ai-sdk", turnfold: "own" } as const;
  if (!isList || !(format in shape)) return null;
  const read = shape[format as keyof typeof shape];
  if (readMessages(text, read).conversation?.messages.length !== whole?.messages.length) return null;
  return givenIn(data, "detect")[0] === read ? "detect" : read;
}

/** The saved form of a conversation, as a text for the Chat tab. */
const savedText = (conversation: Conversation): ChatText => ({
  messages: JSON.stringify(conversation.toJSON(), null, 1),
  shape: "detect",
  count: conversation.messages.length,
});

/** Runs `read`, and turns its error into an `UnreadText` with the format that the text looks like. */
function inside<T>(text: string, data: unknown, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UnreadText(sentenceOf(text, data, error), { cause: error });
  }
}

function sentenceOf(text: string, data: unknown, error: unknown): string {
  const format = formatIn(data, error);
  if (format !== null) return `This looks like ${format}, but ${reasonOf(error)}.`;
  if (data !== undefined) return `This is JSON, but not in a known chat format: it is ${described(data)}. ${readable}`;
  if (/^\s*</.test(text)) return `This looks like a web page, not like a chat file. ${readable}`;
  if (!/^\s*[[{]/.test(text)) return `This is text, not a chat file. ${readable}`;
  return `This looks like JSON, but it can’t be read. ${problemText(syntaxProblem(text, error))}.`;
}

/** The name of the format that a text looks like; null for an unknown format. */
function formatIn(data: unknown, error: unknown): string | null {
  if (!TurnfoldError.isInstance(error)) return null;
  const { format } = error.details;
  if (typeof format === "string" && format in recordingFormats) return recordingFormats[format as RecordingFormat];
  if (error.code !== "invalid_message") return null;
  const list = isRecord(data) && Array.isArray(data.messages) ? data.messages : data;
  const detected = detectFormat(data) ?? detectFormat(list);
  return detected === null ? "messages" : recordingFormats[detected];
}

/** The message of the inner error, without the sentence about the format around it. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error && TurnfoldError.isInstance(error.cause) ? error.cause : error;
  const message = inner instanceof Error ? inner.message : String(inner);
  return message.replace(/^the recording can't be read: /, "").replace(/\.$/, "");
}

const MAX_NAMES = 4;

/** Describes a JSON value in words. */
function described(data: unknown): string {
  if (Array.isArray(data)) {
    if (data.length === 0) return "an empty list";
    const [first] = data as unknown[];
    const of = isRecord(first)
      ? `objects with ${namesIn(first)}`
      : `items such as ${JSON.stringify(first)?.slice(0, 40)}`;
    return `a list of ${counted(data.length, "item")}, ${of}`;
  }
  if (isRecord(data)) return Object.keys(data).length === 0 ? "an empty object" : `an object with ${namesIn(data)}`;
  return typeof data === "string" ? "a text" : `the value ${JSON.stringify(data)}`;
}

function namesIn(object: Readonly<Record<string, unknown>>): string {
  const all = Object.keys(object);
  const shown = all.slice(0, MAX_NAMES).map((name) => `“${name.slice(0, 40)}”`);
  return all.length > MAX_NAMES ? `${shown.join(", ")} …` : shown.join(", ");
}
