import type { ModelToolCall } from "../model/model.ts";
import type { Message } from "../turns/message.ts";

/**
 * A message of a chat. Fields and parts that are not named here are kept as they are.
 *
 * A tool is called by `toolCalls`, or by a part `{ type: "tool-call", toolCallId, toolName, input }`, which has its place among the
 * other parts. It is answered by a message with `toolCallId`, whose content is the result, or by a part
 * `{ type: "tool-result", toolCallId, toolName, output }` of a message of any role.
 */
export interface ChatMessage extends Message {
  /** When it was said: milliseconds since 1970, a text that `Date` reads, or a `Date`. */
  timestamp?: number | string | Date;
  toolCalls?: ModelToolCall[];
  /** The call that this message answers. */
  toolCallId?: string;
  /** A pinned message is never summarised, dropped or changed. */
  pinned?: boolean;
  /** Of a message that stands for others: how many messages it covers, and which strategy had it made. */
  readonly summary?: { covers: number; strategy: string };
}
