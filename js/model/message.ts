/** One part of a message's content, such as `{ type: "image", … }`; unknown members are kept. */
export type Part = { type: string; [extra: string]: unknown };

/** A chat message of any provider; unknown members are kept. */
export interface Message {
  role: "system" | "user" | "assistant" | "tool" | (string & {});
  content: string | readonly Part[] | null;
  [extra: string]: unknown;
}

/** A place in a list of messages up to which a later request is the same. */
export interface Breakpoint {
  /** Index of the message. */
  message: number;
  /** Offset in its content, in UTF-16 units; its length, or more, for the end. */
  offset: number;
}

/**
 * True for a value with the form of a breakpoint.
 *
 * @internal
 */
export function isBreakpoint(given: unknown): given is Breakpoint {
  const { message, offset } = Object(given) as Partial<Breakpoint>;
  return Number.isSafeInteger(message) && (message as number) >= 0 && typeof offset === "number" && offset >= 0;
}

/** A message whose content is text, such as every message that Turnfold writes. */
export interface TextMessage extends Message {
  content: string;
}

/**
 * Returns copies of messages and of their parts, which the host may change.
 *
 * @internal
 */
export function copyMessages(messages: readonly Message[]): Message[] {
  return messages.map((message) => {
    const { content } = message;
    return { ...message, content: Array.isArray(content) ? content.map((part: Part) => ({ ...part })) : content };
  });
}
