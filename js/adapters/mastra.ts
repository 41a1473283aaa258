/**
 * `turnfold/adapters/mastra`: an input processor for agents of Mastra, a tool that runs programs, and conversion of messages.
 *
 * @packageDocumentation
 */

import type { Conversation } from "../chat.ts";
import { fromMastra } from "./mastra/read-messages.ts";
import type { MastraMessage, NewMastraMessage } from "./mastra/types.ts";
import { toMastra } from "./mastra/write-messages.ts";

export type {
  MastraMessageList,
  MastraRequest,
  MastraStep,
  ProcessorOptions,
  TurnfoldProcessor,
} from "./mastra/processor.ts";
export { turnfoldProcessor } from "./mastra/processor.ts";
export type {
  MastraCaller,
  MastraProgramSuspension,
  MastraSchema,
  MastraSpan,
  MastraToolContext,
  MastraToolOptions,
} from "./mastra/program-tool-options.ts";
export { programToolOptions } from "./mastra/program-tool-options.ts";
export type { MastraMessage, MastraPart, MastraToolInvocation, NewMastraMessage } from "./mastra/types.ts";
export type { HistoryOptions } from "./shared/history-options.ts";

/** Converts the messages of Mastra, of its memory and its processors. */
export interface MastraFormat {
  /**
   * Converts messages to a conversation. A message of the assistant contains whole rounds of calls and results; it
   * becomes the messages that a model is sent for it. In `content.providerMetadata.turnfold`, a message may have
   * `pinned` and `summary` of {@link ChatMessage}.
   *
   * @throws {TurnfoldError} `invalid_message`, with the path in `details.path`
   */
  from(messages: readonly MastraMessage[]): Conversation;
  /**
   * Converts a conversation to messages. A message whose rounds are all present and unchanged is the object that was
   * read; otherwise it keeps the present rounds and its id. Messages that did not come from Mastra, such as summaries,
   * have their own timestamp or the time of the previous message.
   *
   * @throws {TurnfoldError} `unsupported_part` for content that Mastra can't express, with its path and a hint.
   */
  to(conversation: Conversation): NewMastraMessage[];
}

/**
 * Messages of Mastra (`MastraDBMessage`).
 *
 * @example
 * ```ts
 * const { messages } = await memory.recall({ threadId });
 * const { total } = countMessages(mastra.from(messages).messages);
 * ```
 */
export const mastra: MastraFormat = Object.freeze({
  from: fromMastra,
  to: (conversation: Conversation) => toMastra(conversation) as NewMastraMessage[],
});
