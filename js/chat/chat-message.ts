import type { Message } from "../model/message.ts";
import type { ModelToolCall } from "../model/model.ts";

/**
 * Members of messages that belong to this package and are never sent.
 *
 * @internal
 */
export const OWN_MEMBERS: readonly string[] = ["timestamp", "pinned", "summary", "partial", "unfinished", "original"];

/**
 * A message of a chat. Other fields and parts are kept unchanged.
 *
 * Tool calls are in `toolCalls`, or are parts `{ type: "tool-call", toolCallId, toolName, input }` among other parts. A result
 * is a message with `toolCallId`, whose content is the result, or a part `{ type: "tool-result", toolCallId, toolName, output }`
 * of a message of any role.
 */
export interface ChatMessage extends Message {
  /** Milliseconds since 1970, a text that `Date` parses, or a `Date`. */
  timestamp?: number | string | Date;
  toolCalls?: ModelToolCall[];
  /** The id of the call whose result this message is. */
  toolCallId?: string;
  /** Set on a result: the tool failed. */
  isError?: boolean;
  /** Set on a result: a person or a rule refused the call. */
  isDenied?: boolean;
  /** A pinned message is never summarized, dropped or changed. */
  pinned?: boolean;
  /**
   * Set on summaries: the number of messages that it replaces, the name of the strategy, how many messages followed it when
   * it was made, each summary counted as what it replaces, and for a digest the tokens of the messages that it replaces.
   */
  readonly summary?: { covers: number; strategy: string; followed?: number; tokens?: number };
  /** Set on an interrupted answer: its content is the part that was streamed. */
  partial?: boolean;
  /**
   * Set on the question of an exchange that ended early: `agent.resume()` continues it. The mark is removed when the exchange is
   * finished or another question is asked, and is never sent to a model.
   */
  unfinished?: boolean;
}

/**
 * True for instructions to the model, under either name of their role.
 *
 * @internal
 */
export function isSystem({ role }: { role?: unknown }): boolean {
  return role === "system" || role === "developer";
}
