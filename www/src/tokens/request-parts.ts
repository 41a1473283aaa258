import type { Message } from "turnfold/audit";
import { type ChatMessage, countMessages } from "turnfold/chat";
import { type Comparable, sharedWith } from "./shared.ts";

/** `unknown` is what a recorded request had and its messages lack. */
export const messageKinds = ["unknown", "system", "user", "assistant", "tool", "summary"] as const;
export type MessageKind = (typeof messageKinds)[number];

/** What a request of a run has of the one before it, and of which messages it is made. */
export interface RequestParts {
  /** Whether it begins with less than three quarters of the request before it. */
  readonly isRewritten: boolean;
  /** The tokens of its messages by their kinds; empty for turns. */
  readonly kinds: Readonly<Partial<Record<MessageKind, number>>>;
}

/** The share of a request with which the next one begins, if it is not rewritten. */
const REPEATED = 0.75;

type Look = (messages: readonly Message[] | string) => RequestParts;

/** Returns a function that looks at the requests of turns, one after the other. */
export function partsOfTexts(): Look {
  let before: readonly Comparable[] = [];
  const length = (messages: readonly Comparable[]): number =>
    messages.reduce((sum, { content }) => sum + content.length, 0);
  return (given) => {
    const now = given as readonly Comparable[];
    const { messages, units } = sharedWith(before, now);
    const isRewritten = length(before.slice(0, messages)) + units < REPEATED * length(before);
    before = now;
    return { isRewritten, kinds: {} };
  };
}

/** Returns a function that looks at the requests of a chat, which share the objects of messages that they repeat. */
export function partsOfChats(): Look {
  let before: readonly ChatMessage[] = [];
  const sizes = new WeakMap<ChatMessage, number>();
  const sizeOf = (message: ChatMessage): number => {
    const size = sizes.get(message) ?? countMessages([message]).messages[0] ?? 0;
    sizes.set(message, size);
    return size;
  };
  const sum = (messages: readonly ChatMessage[]): number => messages.reduce((all, message) => all + sizeOf(message), 0);
  return (given) => {
    const now = given as readonly ChatMessage[];
    const same = before.findIndex((message, index) => message !== now[index]);
    const isRewritten = same >= 0 && sum(before.slice(0, same)) < REPEATED * sum(before);
    const kinds: Partial<Record<MessageKind, number>> = {};
    for (const message of now) {
      const kind = kindOf(message);
      kinds[kind] = (kinds[kind] ?? 0) + sizeOf(message);
    }
    before = now;
    return { isRewritten, kinds };
  };
}

function kindOf({ role, content, toolCallId, summary }: ChatMessage): MessageKind {
  if (summary !== undefined) return "summary";
  const isResult = Array.isArray(content) && content.some((part) => part?.type === "tool-result");
  if (role === "tool" || toolCallId !== undefined || isResult) return "tool";
  return role === "assistant" || role === "user" ? (role as "assistant" | "user") : "system";
}
