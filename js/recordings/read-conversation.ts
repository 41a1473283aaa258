import { Step } from "../agent/step.ts";
import type { Conversation } from "../chat/conversation.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { isPlainObject, type PlainObject } from "../formats/data.ts";
import { chatOfStep, readMessages } from "./libraries/messages.ts";
import { readers } from "./readers.ts";
import { wholePart } from "./reading/cut-json.ts";
import type { RecordingFormat } from "./reading/formats.ts";
import { JsonLines, parseJson } from "./reading/json-lines.ts";
import type { RecordedChat } from "./reading/recorded-chat.ts";
import { malformedRecording } from "./reading/recorded-message.ts";
import { binaryProblem, unreadFormat } from "./unread-formats.ts";

/** The result of {@link readConversation}. */
export interface Recording {
  format: RecordingFormat;
  /** The messages of the first chat; for a saved step those of its last request with the reply. */
  conversation: Conversation;
  /** All chats, at least one: those of an export, the parts of a session between compactions, its sub-agents. */
  chats: RecordedChat[];
  /** What could not be read, such as lines that are cut off, or a chat of an export. */
  warnings: string[];
  /** The saved step; never present in `turnfold/chat`. */
  step?: Step;
}

/**
 * Reads a recording and detects its format. It may be JSON, JSON Lines, or a text of another kind: docs/recordings.md
 * has the formats, and what is read of each. Timestamps, models and usage are kept. What a model did not read is left
 * out, such as questions that were taken back. Lines that are no JSON are skipped, with a warning. In a text, integers
 * beyond 2^53 in arguments and results of tools are read as big integers.
 *
 * @param recording text, or a parsed JSON value.
 * @example
 * ```ts
 * const lines = ['{"role":"user","content":"Hello"}', '{"role":"assistant","content":"Hello to you."}'];
 * const { format, conversation } = readConversation(lines.join("\n"));
 * [format, conversation.messages.length]; // => [ 'openai', 2 ]
 * ```
 * @throws {TurnfoldError} `invalid_recording` for a recording in none of the formats, which says what was found, one whose getters or proxies throw, or one that violates its format, which is in `details.format`;
 * `invalid_message` for messages that OpenAI, Anthropic or the AI SDK would not accept.
 */
export function readConversation(recording: unknown): Recording {
  return wrapReadErrors("invalid_recording", "the recording", () =>
    typeof recording === "string" ? readText(recording) : readData(recording),
  );
}

function readText(recording: string): Recording {
  if (recording.trim() === "") throw unreadableRecording("it is empty");
  const binary = binaryProblem(recording);
  if (binary !== undefined) throw unreadableRecording(binary);
  const data = parseJson(recording);
  if (typeof data === "string") return readText(data);
  if (data !== undefined) return readData(data);
  const records: unknown[] = [];
  const lines = new JsonLines((record) => records.push(record));
  lines.push(recording);
  lines.end();
  const { skipped } = lines;
  if (records.length < skipped.length) {
    const known = readKnown(recording) ?? readCut(recording);
    if (known !== null) return known;
  }
  // Lines of one value that is written on several lines are no records, also if some of them are JSON.
  const isOneValue = /^[\s\uFEFF]*[[{][^\S\n]*\n/.test(recording) && records.length < skipped.length;
  if (records.length === 0 || isOneValue)
    throw unreadableRecording(JSON_BEGINS.test(recording) ? "its JSON is broken or cut off" : "no line is JSON");
  const read = records.length * 4 < skipped.length ? readAmongText(records, skipped.length) : readData(records);
  return { ...read, warnings: [...skippedLines(skipped), ...read.warnings] };
}

/** Matches the beginning of JSON, but not that of a section in TOML, or of a link in Markdown. */
const JSON_BEGINS = /^[\s\uFEFF]*(?:\{\s*(?:["}]|$)|\[\s*(?:["{[\]\d-]|true|false|null|$))/;

/** Reads lines that a program printed among others. Those of a document or a program are no recording. */
function readAmongText(records: unknown[], others: number): Recording {
  try {
    const known = readKnown(records);
    if (known !== null) return known;
  } catch (error) {
    if (!TurnfoldError.isInstance(error)) throw error;
  }
  throw unreadableRecording(`only ${records.length} of its ${records.length + others} lines are JSON`);
}

/** Reads JSON that is cut off, such as what a pipe lost the end of; null for another text. */
function readCut(recording: string): Recording | null {
  const whole = JSON_BEGINS.test(recording) ? wholePart(recording) : null;
  const data = whole === null ? undefined : parseJson(whole);
  if (data === undefined) return null;
  const read = readData(data);
  return { ...read, warnings: ["the JSON is cut off, and what was whole was read", ...read.warnings] };
}

/** The warning of lines that were skipped, if there are any. */
export function skippedLines(lines: readonly number[]): string[] {
  if (lines.length === 0) return [];
  return lines.length === 1
    ? [`line ${lines[0]} is no JSON, and was skipped`]
    : [`${lines.length} lines are no JSON, and were skipped: ${firstOf(lines)}`];
}

function skippedChats(problem: string, places: readonly number[]): string {
  return places.length === 1
    ? `chat ${places[0]} was skipped: ${problem}`
    : `${places.length} chats were skipped (${firstOf(places)}): ${problem}`;
}

const firstOf = (places: readonly number[]): string => places.slice(0, 5).join(", ") + (places.length > 5 ? ", …" : "");

/** Names of the members with the messages of a recording, or with its chats. */
const LIST_NAMES = [
  "messages",
  "history",
  "trajectory",
  "conversation",
  "conversations",
  "traj",
  "chats",
  "threads",
  "agents",
  "data",
];

/** Lists of chats in lists of chats: no file has more, and each level is looked at by all readers. */
const MAX_DEPTH = 8;

function readData(data: unknown, depth = 0): Recording {
  if (depth > MAX_DEPTH) throw unreadableRecording("it is nested too deeply");
  if (Array.isArray(data)) return readList(data, {}, depth);
  const known = readKnown(data) ?? readKnown([data]);
  if (known !== null) return known;
  if (!isPlainObject(data)) throw unreadableRecording("it holds no messages");
  if (Array.isArray(data.turns) && typeof data.version === "number") return readStep(data);
  const list = listIn(data);
  // One message: the only line of a recording.
  if (list === undefined && typeof (data.role ?? data.type) === "string") return readList([data], {}, depth);
  // A request in a line of a batch, or the chats in an export.
  const request = [data.body, data.params, data.request, data.input, data.data].find(isHolder);
  if (list === undefined && request !== undefined) return readData(request, depth + 1);
  if (list !== undefined) return readList(list as unknown[], data, depth);
  const chats = chatsById(isPlainObject(data.store) ? data.store : data);
  if (chats.length === 0) throw unreadableRecording(unreadFormat(data));
  return readChats(chats, depth);
}

/** Returns the chats of an object whose members are lists of messages or chats, as stores of apps write them. */
function chatsById(stored: PlainObject): PlainObject[] {
  return Object.values(stored).flatMap((one) => {
    if (isMessages(one)) return [{ messages: one }];
    if (!isPlainObject(one)) return [];
    if (isMessages(one.messages)) return [one];
    return Array.isArray(one.sessions) && one.sessions.some((session) => isMessages(Object(session).messages))
      ? [{ chats: one.sessions }]
      : [];
  });
}

const isMessages = (given: unknown): boolean =>
  Array.isArray(given) && given.length > 0 && given.every((one) => isPlainObject(one) && typeof one.role === "string");

const isHolder = (given: unknown): boolean =>
  isPlainObject(given) && ["messages", "contents", "input", "chats"].some((name) => Array.isArray(given[name]));

function listIn(data: PlainObject): unknown {
  const { prompt, completion } = data;
  // A row of a dataset, or of an evaluation.
  if (Array.isArray(prompt) && Array.isArray(completion))
    return [...(prompt as unknown[]), ...(completion as unknown[])];
  return LIST_NAMES.map((member) => data[member]).find((list) => Array.isArray(list));
}

/** Reads what has the signs of a format with a reader of its own; null for anything else. */
function readKnown(given: unknown): Recording | null {
  const reader = readers.find(({ recognizes }) => recognizes(given));
  if (reader === undefined) return null;
  const { format, read } = reader;
  return withFormatInErrors(format, () => recordingOf(format, read(given as never)));
}

function recordingOf(format: RecordingFormat, chats: RecordedChat[], warnings: string[] = []): Recording {
  const [first] = chats;
  if (first === undefined) throw malformedRecording("it holds no messages");
  return { format, conversation: first.conversation, chats, warnings };
}

function readStep(data: PlainObject): Recording {
  const step = Step.fromJSON(data);
  return { ...recordingOf("turnfold", [chatOfStep(step)]), step };
}

/** @param holder the object with the list. */
function readList(list: unknown[], holder: PlainObject, depth: number): Recording {
  if (list.length === 0) throw unreadableRecording("it holds no messages");
  const known = readKnown(list);
  if (known !== null) return known;
  const stored = chatsOfRows(list);
  if (stored.length > 1) return readChats(stored, depth);
  const read = readMessages(list, holder);
  if (read !== null) return recordingOf(read.format, [read.chat]);
  const first = list.find((each) => !isPlainObject(each) || each.role === undefined) ?? list[0];
  if (!list.every(mayBeChat)) throw unreadableRecording(unreadFormat(first));
  return readChats(list, depth);
}

const CHAT_ID_NAMES = ["chatId", "chat_id", "conversationId", "conversation_id", "threadId", "thread_id"];

/** Returns the chats of messages that are rows of a table with the chat of each; none for other messages. */
function chatsOfRows(list: readonly unknown[]): PlainObject[] {
  const name = CHAT_ID_NAMES.find((name) =>
    list.every((row) => isPlainObject(row) && typeof row.role === "string" && typeof row[name] === "string"),
  );
  if (name === undefined) return [];
  const chats = new Map<unknown, PlainObject[]>();
  for (const row of list as PlainObject[]) {
    const messages = chats.get(row[name]) ?? [];
    messages.push(row);
    chats.set(row[name], messages);
  }
  return [...chats.values()].map((messages) => ({ messages }));
}

/** True for an object that is no message or record, or has a list. */
function mayBeChat(given: unknown): given is PlainObject {
  if (!isPlainObject(given) || given.role !== undefined) return false;
  return given.type === undefined || LIST_NAMES.some((name) => Array.isArray(given[name]));
}

/** Reads a list of chats. Those that can't be read are skipped, with a warning. */
function readChats(list: readonly PlainObject[], depth: number): Recording {
  const all: Recording[] = [];
  const warnings: string[] = [];
  const skipped = new Map<string, number[]>();
  let failure: unknown;
  for (const [index, chat] of list.entries()) {
    try {
      const read = readData(chat, depth + 1);
      all.push(read);
      warnings.push(...read.warnings);
    } catch (error) {
      if (!TurnfoldError.isInstance(error)) throw error;
      failure ??= error;
      const problem = error.message.replace(/^the recording (?:can't be read: |is in the format \S+, but )/, "");
      skipped.set(problem, [...(skipped.get(problem) ?? []), index + 1]);
    }
  }
  const [first] = all;
  if (first === undefined) throw failure;
  for (const [problem, places] of skipped) warnings.push(skippedChats(problem, places));
  return recordingOf(
    first.format,
    all.flatMap(({ chats }) => chats),
    warnings,
  );
}

export function withFormatInErrors<Result>(format: RecordingFormat, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (!TurnfoldError.isInstance(cause)) throw cause;
    throw new TurnfoldError("invalid_recording", `the recording is in the format ${format}, but ${cause.message}`, {
      details: { ...cause.details, format },
      hint: cause.hint ?? "correct this place, or leave it out",
      cause,
    });
  }
}

function unreadableRecording(problem: string, details: PlainObject = {}): TurnfoldError {
  return new TurnfoldError("invalid_recording", `the recording can't be read: ${problem}`, {
    details,
    hint: "docs/recordings.md lists the formats that are read, such as messages of OpenAI, Anthropic, the AI SDK, Gemini or LangChain, sessions of coding agents, exports of chats, and traces",
  });
}
