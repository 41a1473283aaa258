import { Step } from "../agent/step.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import { Conversation } from "../chat/conversation.ts";
import { TurnfoldError } from "../errors.ts";
import { type Bag, isBag } from "./data.ts";
import { detectFormat } from "./detect.ts";
import { anthropic, openai, vercel } from "./formats.ts";

/**
 * Reads a recording: a saved {@link Step} or {@link Conversation}; messages of OpenAI, Anthropic or the AI SDK, alone, as the
 * `messages` of an object, or one a line; or a session of Claude Code, whose timestamps are kept and whose side chains are left
 * out.
 *
 * @param text JSON, or JSON Lines.
 * @example
 * ```ts
 * const lines = ['{"role":"user","content":"Hello"}', '{"role":"assistant","content":"Hello to you."}'];
 * const recording = readConversation(lines.join("\n"));
 * recording instanceof Conversation; // => true
 * ```
 * @throws {TurnfoldError} `invalid_recording` for text that is none of these, with the number of the first line that can't be
 * read in `details.line`; `invalid_message` for messages that their provider would not accept.
 */
export function readConversation(text: string): Conversation | Step {
  if (typeof text !== "string" || text.trim() === "") throw unreadable("it is empty");
  const whole = parsed(text);
  if (whole !== undefined) return ofData(whole);
  const lines = text.split(/\r?\n/);
  const records: unknown[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const record = parsed(line);
    // The last line of a session that is still written may be cut off.
    if (record === undefined && records.length > 0 && lines.slice(index + 1).every((rest) => rest.trim() === "")) break;
    if (record === undefined) throw unreadable(`line ${index + 1} is no JSON`, { line: index + 1 });
    records.push(record);
  }
  return ofData(records);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function ofData(data: unknown): Conversation | Step {
  if (Array.isArray(data)) {
    const lines = data.filter(isBag);
    if (lines.some(isClaudeCodeLine)) return ofClaudeCode(lines);
    return ofMessages(data);
  }
  if (!isBag(data)) throw unreadable("it holds no messages");
  if (isClaudeCodeLine(data)) return ofClaudeCode([data]);
  if (Array.isArray(data.turns)) return Step.fromJSON(data);
  for (const member of ["messages", "history", "trajectory", "conversation", "traj"]) {
    const list = data[member];
    if (Array.isArray(list)) return ofMessages(list, data);
  }
  throw unreadable("it holds no messages");
}

function ofMessages(list: unknown[], request: Bag = {}): Conversation {
  if (list.length === 0) throw unreadable("it holds no messages");
  const withSystem = request.system === undefined ? list : { system: request.system, messages: list };
  if (detectFormat(withSystem) === "anthropic") return anthropic.from(withSystem);
  const format = detectFormat(list);
  if (format === "openai") return openai.from(list);
  if (format === "vercel") return vercel.from(list);
  if (request.version !== undefined) return Conversation.fromJSON(request);
  if (list.every((message) => isBag(message) && typeof message.role === "string")) {
    return new Conversation({ messages: list as ChatMessage[] });
  }
  throw unreadable("its messages are in no format that is known");
}

const isClaudeCodeLine = (line: Bag) => typeof line.sessionId === "string" && typeof line.type === "string";

interface Block {
  role: "user" | "assistant";
  content: unknown;
  id: unknown;
  timestamp: number | null;
}

/** The lines of one reply have the same id. */
function ofClaudeCode(lines: readonly Bag[]): Conversation {
  const messages: Block[] = [];
  for (const { type, message, isSidechain, isMeta, timestamp } of lines) {
    if ((type !== "user" && type !== "assistant") || isSidechain === true || isMeta === true || !isBag(message))
      continue;
    const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
    const block = {
      role: type,
      content: message.content,
      id: message.id,
      timestamp: Number.isNaN(at) ? null : at,
    } as Block;
    const last = messages.at(-1);
    const continues =
      type === "assistant" && last?.role === "assistant" && block.id !== undefined && last.id === block.id;
    if (continues) last.content = [...blocksOf(last.content), ...blocksOf(block.content)];
    else messages.push(block);
  }
  if (messages.length === 0) throw unreadable("the session holds no messages");
  const { messages: converted } = anthropic.from(messages.map(({ role, content }) => ({ role, content })));
  const stamped = converted.map((message, index) => {
    const { timestamp } = messages[index] as Block;
    return timestamp === null ? message : { ...message, timestamp };
  });
  return new Conversation({ messages: stamped });
}

const blocksOf = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : [{ type: "text", text: String(content) }];

function unreadable(problem: string, details: Bag = {}): TurnfoldError {
  return new TurnfoldError("invalid_recording", `the recording can't be read: ${problem}`, {
    details,
    hint: "give messages of OpenAI, Anthropic or the AI SDK as JSON or JSON Lines, a session of Claude Code, or a saved step",
  });
}
