import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { type RecordedUsage, type ReplyFacts, usageOf } from "../reading/recorded-chat.ts";
import { attachedText } from "./claude-code-attachments.ts";

/** A message of Anthropic, and what is known of it. */
export interface SessionMessage extends ReplyFacts {
  message: { role: "user" | "assistant" | "system"; content: unknown };
  /** True for a reply to a request of this chat: neither one of an earlier chat, nor one that no model wrote. */
  isRequested: boolean;
  /** True for what the user wrote, which may be written again at the same place. */
  isPrompt: boolean;
  /** True for one that is made of an attachment. */
  isAttached?: boolean;
}

export const isCall = (block: unknown): boolean => isPlainObject(block) && block.type === "tool_use";
export const isResult = (block: unknown): block is PlainObject => isPlainObject(block) && block.type === "tool_result";

export function injected(content: unknown, at: unknown): SessionMessage {
  return { message: { role: "user", content }, at, isRequested: false, isPrompt: false };
}

/** The message that a model read or wrote with a line; null without one. */
export function messageOf(line: PlainObject): SessionMessage | null {
  const { type, subtype, message, isMeta, isApiErrorMessage, timestamp: at, attachment, content: said } = line;
  if (type === "attachment" && isPlainObject(attachment)) {
    const attached = attachedText(attachment);
    return attached === null ? null : { ...injected(attached, at), isAttached: true };
  }
  if (type === "system" && subtype === "local_command" && typeof said === "string") return injected(said, at);
  if ((type !== "user" && type !== "assistant") || isApiErrorMessage === true || !isPlainObject(message)) return null;
  const { id, content, model, usage } = message;
  if (type === "user")
    return { ...injected(content, at), isPrompt: isMeta !== true && !blocksOf(content).some(isResult) };
  const reply = { message: { role: type, content }, at, isRequested: true, isPrompt: false } as const;
  if (model === SYNTHETIC) return { ...reply, isRequested: false };
  return {
    ...reply,
    ...(typeof id === "string" ? { id } : {}),
    ...(typeof model === "string" ? { model } : {}),
    usage: withDollars(usageOf(usage), line.costUSD),
  };
}

/** The model of replies that Claude Code writes itself. */
const SYNTHETIC = "<synthetic>";

function withDollars(usage: RecordedUsage | undefined, dollars: unknown): RecordedUsage | undefined {
  return usage === undefined || typeof dollars !== "number" ? usage : { ...usage, dollars };
}

export const blocksOf = (content: unknown): unknown[] =>
  Array.isArray(content) ? content : [typeof content === "string" ? { type: "text", text: content } : content];
