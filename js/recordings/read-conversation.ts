import { Step } from "../agent/step.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import { Conversation } from "../chat/conversation.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { aiSdk } from "../formats/ai-sdk-format.ts";
import { anthropic } from "../formats/anthropic-format.ts";
import { isPlainObject, type PlainObject } from "../formats/data.ts";
import { detectFormat, isGemini, isResponses } from "../formats/detect.ts";
import { gemini } from "../formats/gemini-format.ts";
import { openai } from "../formats/openai-format.ts";
import { objectsIn } from "../formats/tool-parts.ts";
import { parseExactly, withBigIntegers } from "../values/exact-json.ts";
import { fromAtif, isAtif } from "./atif.ts";
import { fromChatGPT, isChatGPT } from "./chatgpt.ts";
import { fromClaudeCode, isClaudeCodeLine } from "./claude-code.ts";
import { fromCodexEvents, isCodexEvent, isCodexLine, itemsOfCodex } from "./codex.ts";
import { withClientNames } from "./gemini.ts";
import { fromLangChainList, isLangChain } from "./langchain.ts";
import { malformedRecording, type RecordedMessage } from "./recorded-message.ts";
import { unreadFormat } from "./unread-formats.ts";

/**
 * The formats of recordings: messages of OpenAI, items of its Responses API, messages of Anthropic and of the AI SDK,
 * Gemini's `contents`, LangChain's messages, sessions of Claude Code and of Codex, trajectories in the Agent Trajectory Interchange
 * Format, exports of ChatGPT, and saved conversations and steps of Turnfold.
 */
export type RecordingFormat =
  | "openai"
  | "openai-responses"
  | "anthropic"
  | "ai-sdk"
  | "gemini"
  | "langchain"
  | "claude-code"
  | "codex"
  | "atif"
  | "chatgpt"
  | "turnfold";

/** The result of {@link readConversation}. */
export interface Recording {
  format: RecordingFormat;
  /**
   * The messages; for a file with several chats those of the first, for a saved step those of its last request with the
   * reply.
   */
  conversation: Conversation;
  /** All chats of a file with several; of a session, its parts between compactions. */
  conversations?: Conversation[];
  /** What could not be read, such as lines that are cut off. */
  warnings: string[];
  /** The saved step; never present in `turnfold/chat`. */
  step?: Step;
}

/**
 * Reads a recording and detects its format. It may be a list of messages, an object with `messages`, or one message per
 * line. Timestamps are kept; side chains of Claude Code, abandoned branches of ChatGPT and transcripts of checkpoints
 * are not read. Lines that are no JSON are skipped, with a warning. In a text, integers beyond 2^53 in arguments and results of tools are read as big integers.
 *
 * @param recording text in JSON or JSON Lines, or a parsed JSON value.
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
    typeof recording === "string" ? readText(recording) : { ...readData(recording), warnings: [] },
  );
}

function readText(recording: string): Recording {
  if (recording.trim() === "") throw unreadableRecording("it is empty");
  const data = parseJson(recording);
  if (data !== undefined) return { ...readData(data), warnings: [] };
  const records: unknown[] = [];
  const skipped: number[] = [];
  for (const [index, line] of recording.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const record = parseJson(line);
    if (typeof record === "object" && record !== null) records.push(record);
    else skipped.push(index + 1);
  }
  if (records.length === 0) throw unreadableRecording("no line is JSON");
  return { ...readData(records), warnings: skipped.length === 0 ? [] : [skippedLines(skipped)] };
}

function skippedLines(lines: readonly number[]): string {
  const shown = lines.slice(0, 5).join(", ") + (lines.length > 5 ? ", …" : "");
  return lines.length === 1
    ? `line ${shown} is no JSON, and was skipped`
    : `${lines.length} lines are no JSON, and were skipped: ${shown}`;
}

function parseJson(text: string): unknown {
  // `trim` removes a byte order mark too.
  const json = text.trim();
  try {
    return parseExactly(json, exactToolData);
  } catch (error) {
    // Data that is nested too deeply is refused later, with its path.
    return error instanceof RangeError ? (JSON.parse(json) as unknown) : undefined;
  }
}

/** Names of the members with arguments and results, in objects that name their tool. */
const TOOL_DATA = /^(?:args|arguments|input|output|response)$/;

/**
 * Makes integers beyond 2^53 in arguments and results of tools exact, as they are in arguments that are texts. Other
 * integers, such as times and seeds, stay numbers, with which hosts calculate. So do those of saved conversations and
 * steps, which mark big integers.
 */
function exactToolData(parsed: unknown, exact: unknown): unknown {
  if (typeof parsed !== "object" || parsed === null) return parsed;
  const { version, name, toolName = name, function_name: called = toolName } = parsed as PlainObject;
  if (typeof version === "number") return parsed;
  for (const [key, item] of Object.entries(parsed)) {
    const isToolData = typeof called === "string" && TOOL_DATA.test(key) && isPlainObject(item);
    (isToolData ? withBigIntegers : exactToolData)(item, (exact as PlainObject)[key]);
  }
  return parsed;
}

/** Names of the members with the messages of a recording. */
const MESSAGE_LIST_NAMES = ["messages", "history", "trajectory", "conversation", "traj"];

/** What is read of a recording, without warnings. */
type Read = Omit<Recording, "warnings">;

function readData(data: unknown): Read {
  if (isChatGPT(data)) return recordingOfMessages("chatgpt", () => [fromChatGPT(data)]);
  if (isAtif(data)) return recordingOfMessages("atif", () => [fromAtif(data)]);
  if (isPlainObject(data) && isGemini(data)) return readGemini(data);
  if (isPlainObject(data) && isResponses(data)) return readItems(data);
  if (Array.isArray(data)) {
    if (data.length > 0 && data.every(isChatGPT)) return recordingOfMessages("chatgpt", () => data.map(fromChatGPT));
    if (data.some(isClaudeCodeLine)) return readSession(data);
    if (data.some(isCodexLine)) return readCodex(data);
    if (data.some(isCodexEvent)) return recordingOfMessages("codex", () => [fromCodexEvents(data)]);
    return readMessageList(data);
  }
  if (!isPlainObject(data)) throw unreadableRecording("it holds no messages");
  if (isClaudeCodeLine(data)) return readSession([data]);
  if (isCodexLine(data)) return readCodex([data]);
  if (Array.isArray(data.turns)) return recordingOfStep(Step.fromJSON(data));
  const list = MESSAGE_LIST_NAMES.map((member) => data[member]).find((list) => Array.isArray(list));
  // One message: the only line of a recording.
  if (list === undefined && typeof (data.role ?? data.type) === "string") return readMessageList([data]);
  if (list === undefined) throw unreadableRecording(unreadFormat(data));
  return readMessageList(list as unknown[], data);
}

function recordingOfStep(step: Step): Read {
  return { format: "turnfold", conversation: new Conversation({ messages: step.messages }), step };
}

function readMessageList(list: unknown[], request: PlainObject = {}): Read {
  if (list.length === 0) throw unreadableRecording("it holds no messages");
  if (isSavedConversation(request)) return readSaved(request);
  if (isGemini(list)) return readGemini(list);
  if (isResponses(list)) return readItems(list);
  if (isLangChain(list)) return recordingOfMessages("langchain", () => [fromLangChainList(list)]);
  const withSystem = request.system === undefined ? list : { system: request.system, messages: list };
  if (detectFormat(withSystem) === "anthropic") {
    return { format: "anthropic", conversation: anthropic.from(withSystem) };
  }
  const format = detectFormat(list);
  if (format === "openai") return { format, conversation: openai.from(list) };
  if (format === "ai-sdk") return { format, conversation: aiSdk.from(list) };
  if (request.version !== undefined) return readSaved(request);
  if (list.every((message) => isPlainObject(message) && typeof message.role === "string")) {
    return { format: "turnfold", conversation: new Conversation({ messages: list as ChatMessage[] }) };
  }
  throw unreadableRecording(unreadFormat(list.find((each) => !isPlainObject(each) || each.role === undefined)));
}

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

function readSaved(saved: PlainObject): Read {
  return withFormatInErrors("turnfold", () => ({ format: "turnfold", conversation: Conversation.fromJSON(saved) }));
}

function readSession(lines: readonly unknown[]): Read {
  return readParts("claude-code", fromClaudeCode(lines), (part) => {
    const { messages } = anthropic.from(part.map(({ message }) => message));
    return withTimestamps(
      messages,
      part.map(({ at }) => at),
    );
  });
}

function readCodex(lines: readonly unknown[]): Read {
  return readParts("codex", itemsOfCodex(lines), (items) => openai.responses.from(items));
}

function readParts<Part>(format: RecordingFormat, parts: readonly Part[], read: (part: Part) => Conversation): Read {
  if (parts.length === 0) throw unreadableRecording("the session holds no messages", { format });
  return withFormatInErrors(format, () => recordingOfParts(format, parts.map(read)));
}

/** @param parts at least one. */
function recordingOfParts(format: RecordingFormat, parts: readonly Conversation[]): Read {
  const [conversation] = parts as [Conversation];
  return { format, conversation, ...(parts.length > 1 ? { conversations: [...parts] } : {}) };
}

function readItems(items: unknown): Read {
  return withFormatInErrors("openai-responses", () => ({
    format: "openai-responses",
    conversation: openai.responses.from(items),
  }));
}

/** Answers without parts are omitted, such as those that reached the limit while the model was thinking. */
function readGemini(data: unknown): Read {
  return withFormatInErrors("gemini", () => {
    const all = gemini.from(withClientNames(data)).messages;
    const messages = all.filter(({ content }) => !Array.isArray(content) || content.length > 0);
    if (messages.length === 0) throw malformedRecording("it holds no messages");
    return { format: "gemini", conversation: new Conversation({ messages }) };
  });
}

/** Makes a recording with a conversation for each list of messages. */
function recordingOfMessages(format: RecordingFormat, read: () => RecordedMessage[][]): Read {
  return withFormatInErrors(format, () => {
    const conversations = read()
      .map(joinReplies)
      .filter((messages) => messages.length > 0)
      .map((messages) => {
        const converted = aiSdk.from(messages.map(({ message }) => message)).messages;
        return withTimestamps(
          converted,
          messages.map(({ at }) => at),
        );
      });
    if (conversations.length === 0) throw malformedRecording("it holds no messages");
    return recordingOfParts(format, conversations);
  });
}

function withFormatInErrors(format: RecordingFormat, read: () => Read): Read {
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

/** Joins consecutive pieces of one reply to one message. The content of replies is a list. */
function joinReplies(messages: readonly RecordedMessage[]): RecordedMessage[] {
  const all: RecordedMessage[] = [];
  /** The content of the last message if that is a reply: a copy of its own, which grows in place. */
  let parts: unknown[] | null = null;
  for (const { message, ...rest } of messages) {
    const { role, content } = message;
    if (role === "assistant" && parts !== null) {
      for (const part of content) parts.push(part);
    } else {
      parts = role === "assistant" ? [...content] : null;
      all.push({ message: { ...message, content: parts ?? content } as RecordedMessage["message"], ...rest });
    }
  }
  return all;
}

/** Adds timestamps to messages; values that are not times are ignored. */
function withTimestamps(messages: readonly ChatMessage[], times: readonly unknown[]): Conversation {
  return new Conversation({
    messages: messages.map((message, index) => {
      const at = times[index];
      const timestamp = typeof at === "string" ? Date.parse(at) : typeof at === "number" ? at : Number.NaN;
      return Number.isFinite(timestamp) ? { ...message, timestamp } : message;
    }),
  });
}

function unreadableRecording(problem: string, details: PlainObject = {}): TurnfoldError {
  return new TurnfoldError("invalid_recording", `the recording can't be read: ${problem}`, {
    details,
    hint: "give messages of OpenAI, Anthropic, the AI SDK, Gemini or LangChain as JSON or JSON Lines, a session of Claude Code or Codex, an export of ChatGPT, an ATIF trajectory, or a saved step",
  });
}
