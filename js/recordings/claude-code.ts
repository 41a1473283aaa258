import { anthropic } from "../formats/anthropic-format.ts";
import { isPlainObject } from "../formats/data.ts";
import type { RecordingReader } from "./reader.ts";
import { chatOf, type RecordedChat, type ReplyFacts, usageOf } from "./recorded-chat.ts";
import { withTimestamps } from "./recorded-message.ts";

/** True for a line of a session of Claude Code, or of the stream that it writes for programs. */
const isClaudeCodeLine = (line: unknown): boolean =>
  isPlainObject(line) &&
  typeof line.type === "string" &&
  (typeof line.sessionId === "string" || (typeof line.session_id === "string" && isPlainObject(line.message)));

export const claudeCodeReader: RecordingReader = {
  format: "claude-code",
  recognizes: (given) => Array.isArray(given) && given.some(isClaudeCodeLine),
  read: (lines: unknown[]) => fromClaudeCode(lines).map(chatOfPart),
};

/** A message of Anthropic, and what is known of it. */
interface SessionMessage extends ReplyFacts {
  message: { role: "user" | "assistant"; content: unknown };
}

function chatOfPart(part: readonly SessionMessage[], index: number): RecordedChat {
  const { messages } = anthropic.from(part.map(({ message }) => message));
  const conversation = withTimestamps(
    messages,
    part.map(({ at }) => at),
  );
  return chatOf(conversation, part, { kind: index === 0 ? "chat" : "compacted" });
}

/**
 * Returns the messages of each part of a session, without side chains and without errors that no model read. Lines of one reply have
 * the same id and are joined. A part ends where the history was compacted: what came before was not sent again.
 */
function fromClaudeCode(lines: readonly unknown[]): SessionMessage[][] {
  const parts: SessionMessage[][] = [[]];
  /** The content of the last message if several lines are joined in it; it grows in place. */
  let joined: unknown[] | null = null;
  for (const line of lines.filter(isPlainObject)) {
    const { type, subtype, message, isSidechain, isMeta, isApiErrorMessage, timestamp } = line;
    if (type === "system" && subtype === "compact_boundary") parts.push([]);
    // The stream names the call that started a side chain.
    const isSide = isSidechain === true || typeof line.parent_tool_use_id === "string";
    const isUnread = isSide || isMeta === true || isApiErrorMessage === true;
    if ((type !== "user" && type !== "assistant") || isUnread || !isPlainObject(message)) continue;
    const messages = parts.at(-1) ?? [];
    const last = messages.at(-1);
    const { id, content, model } = message;
    // Lines of one reply repeat its usage; the output of the last one is whole.
    const usage = usageOf(message.usage);
    const continues = type === "assistant" && last?.message.role === type && id !== undefined && last.id === id;
    if (continues) {
      joined ??= [...blocksOf(last.message.content)];
      for (const block of blocksOf(content)) joined.push(block);
      last.message.content = joined;
      last.usage = usage ?? last.usage;
    } else {
      joined = null;
      messages.push({
        message: { role: type, content },
        ...(typeof id === "string" ? { id } : {}),
        at: timestamp,
        ...(typeof model === "string" ? { model } : {}),
        usage,
      });
    }
  }
  return parts.filter((messages) => messages.length > 0);
}

const blocksOf = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : [typeof content === "string" ? { type: "text", text: content } : content];
