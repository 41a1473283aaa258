import type { LLM } from "../../chat.ts";
import type { ManagedHistory, SentContext } from "../shared/history-manager.ts";
import { markMessage } from "./cache-marks.ts";
import type { AISDKMessageLike } from "./framework.ts";
import { readMessages, writeMessages } from "./messages.ts";
import type { CheckedOptions } from "./options.ts";

/**
 * A request whose messages are managed.
 *
 * @internal
 */
export interface ManagedRequest<Message extends AISDKMessageLike> {
  messages: readonly Message[];
  /** The system messages that are sent before them. */
  system: readonly AISDKMessageLike[];
  /** True if the messages are the prompt of a model. */
  isPrompt: boolean;
  /** Writes the summaries when the options have no model. */
  llm: LLM;
  signal: AbortSignal | undefined;
  /** What is sent with the messages, and the seconds since the previous request. */
  context: Pick<SentContext, "tools" | "schema" | "thinking" | "idleSeconds">;
}

/**
 * Manages the messages of a request; kept messages are the same objects.
 *
 * @throws {TurnfoldError} as {@link manageHistory}; the reason of the signal when it aborts, as clients of models do,
 * which the AI SDK handles as an aborted call.
 *
 * @internal
 */
export async function manageMessages<Message extends AISDKMessageLike>(
  { messages, system, isPrompt, llm, signal, context }: ManagedRequest<Message>,
  { manager, cache }: CheckedOptions,
): Promise<Message[]> {
  if (signal?.aborted) throw signal.reason;
  const leading = readMessages(manager, system);
  const history = readMessages(manager, messages);
  let managed: ManagedHistory;
  try {
    managed = await manager.manage(history, { ...context, system: leading, llm, signal });
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
  const sent = writeMessages(messages, history, managed, isPrompt);
  if (cache === null || cache.maxBreakpoints === 0) return sent;
  for (const { message } of managed.breakpoints.slice(-cache.maxBreakpoints)) {
    sent[message] = markMessage(sent[message] as Message, cache);
  }
  return sent;
}
