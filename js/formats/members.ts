import { type ChatMessage, OWN_MEMBERS } from "../chat/chat-message.ts";
import { setMember } from "../values/deep-copy.ts";
import { isPlainObject, omitMembers, type PlainObject } from "./data.ts";
import { type OriginalFormat, originalIn } from "./original.ts";

/** The members that a format has, by the roles of messages or the types of parts. */
export type MemberTable = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the members that a format has for a message, part or call, in the order of `source`, and the further members
 * with which it came from that format. Everything else stays in the conversation: providers refuse unknown members.
 */
export function pickMembers(source: PlainObject, names: readonly string[], format: OriginalFormat): PlainObject {
  const extra = extraMembers(source, format);
  const picked: PlainObject = {};
  for (const name of Object.keys(source)) {
    if (names.includes(name) || extra.includes(name)) setMember(picked, name, source[name]);
  }
  return picked;
}

/** Returns the members that a table lists; none for a role or type that it does not have. */
export function membersOf(table: MemberTable, key: unknown): readonly string[] {
  return typeof key === "string" && Object.hasOwn(table, key) ? (table[key] as readonly string[]) : [];
}

/**
 * {@link pickMembers} for a part. A part of a type that the table does not have is returned as a whole if it came from
 * the format; otherwise null: the format can't express it.
 */
export function pickPart(part: PlainObject, table: MemberTable, format: OriginalFormat): PlainObject | null {
  const { type } = part;
  if (typeof type === "string" && Object.hasOwn(table, type))
    return pickMembers(part, ["type", ...membersOf(table, type)], format);
  return originalIn(part, format)?.members?.type === type ? omitMembers(part, ["original"]) : null;
}

/** Returns the names of the members beyond a format's own with which `source` came from it, or which the host allowed. */
function extraMembers(source: PlainObject, format: OriginalFormat): readonly unknown[] {
  const extra: unknown = originalIn(source, format)?.extra;
  return Array.isArray(extra) ? extra : [];
}

/**
 * Returns messages of which the members with these names, also those of their parts and calls, are written in a format
 * that does not have them.
 */
export function allowMembers(
  messages: readonly ChatMessage[],
  names: readonly string[],
  format: OriginalFormat,
): readonly ChatMessage[] {
  const allowed = names.filter((name) => !OWN_MEMBERS.includes(name));
  if (allowed.length === 0) return messages;
  const allow = <T>(holder: T): T => {
    if (!isPlainObject(holder)) return holder;
    const found = allowed.filter((name) => Object.hasOwn(holder, name));
    if (found.length === 0) return holder;
    const own = originalIn(holder, format) ?? { format };
    return { ...holder, original: { ...own, extra: [...extraMembers(holder, format), ...found] } };
  };
  return messages.map((message) => {
    const { content, toolCalls } = message;
    return allow({
      ...message,
      ...(Array.isArray(content) ? { content: content.map(allow) } : {}),
      ...(Array.isArray(toolCalls) ? { toolCalls: toolCalls.map(allow) } : {}),
    });
  });
}
