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

/** A message whose content is text, such as every message that Turnfold writes. */
export interface TextMessage extends Message {
  content: string;
}
