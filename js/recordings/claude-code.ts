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

/** Returns the messages of a session, without side chains. Lines of one reply have the same id and are joined. */
export function fromClaudeCode(lines: readonly unknown[]): SessionMessage[] {
  const messages: (SessionMessage & { id: unknown })[] = [];
  /** The content of the last message if several lines are joined in it; it grows in place. */
  let joined: unknown[] | null = null;
  for (const line of lines.filter(isPlainObject)) {
    const { type, message, isSidechain, isMeta, timestamp } = line;
    // The stream names the call that started a side chain.
    const isSide = isSidechain === true || typeof line.parent_tool_use_id === "string";
    if ((type !== "user" && type !== "assistant") || isSide || isMeta === true || !isPlainObject(message)) continue;
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
  return messages.map(({ message, at }) => ({ message, at }));
}

const blocksOf = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : [typeof content === "string" ? { type: "text", text: content } : content];
