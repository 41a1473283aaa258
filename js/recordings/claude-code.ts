import { isPlainObject } from "../formats/data.ts";

/** True for a line of a session of Claude Code, or of the stream that it writes for programs. */
export const isClaudeCodeLine = (line: unknown): boolean =>
  isPlainObject(line) &&
  typeof line.type === "string" &&
  (typeof line.sessionId === "string" || (typeof line.session_id === "string" && isPlainObject(line.message)));

/** A message of Anthropic, and the time at which it was written. */
export interface SessionMessage {
  message: { role: "user" | "assistant"; content: unknown };
  at: unknown;
}

/**
 * Returns the messages of each part of a session, without side chains and without errors that no model read. Lines of one reply have
 * the same id and are joined. A part ends where the history was compacted: what came before was not sent again.
 */
export function fromClaudeCode(lines: readonly unknown[]): SessionMessage[][] {
  const parts: (SessionMessage & { id: unknown })[][] = [[]];
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
    const { id, content } = message;
    const continues = type === "assistant" && last?.message.role === type && id !== undefined && last.id === id;
    if (continues) {
      joined ??= [...blocksOf(last.message.content)];
      for (const block of blocksOf(content)) joined.push(block);
      last.message.content = joined;
    } else {
      joined = null;
      messages.push({ message: { role: type, content }, id, at: timestamp });
    }
  }
  return parts
    .filter((messages) => messages.length > 0)
    .map((messages) => messages.map(({ message, at }) => ({ message, at })));
}

const blocksOf = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : [typeof content === "string" ? { type: "text", text: content } : content];
