import type { LLM } from "../../chat.ts";
import type { ManagedHistory, Sending } from "../shared/history-manager.ts";
import { marked } from "./cache-marks.ts";
import type { AISDKMessage } from "./framework.ts";
import { messagesFor, sentMessages } from "./messages.ts";
import type { CheckedOptions } from "./options.ts";

/**
 * A request whose messages are managed.
 *
 * @internal
 */
export interface ManagedRequest<Message extends AISDKMessage> {
  messages: readonly Message[];
  /** The system messages that are sent before them. */
  system: readonly AISDKMessage[];
  /** True if the messages are the prompt of a model. */
  isPrompt: boolean;
  /** Writes the summaries when the options have no model. */
  llm: LLM;
  signal: AbortSignal | undefined;
  /** What is sent with the messages, and the seconds since the previous request. */
  context: Pick<Sending, "tools" | "schema" | "idleSeconds">;
}

/**
 * Manages the messages of a request; kept messages are the same objects.
 *
 * @throws {TurnfoldError} as {@link manageHistory}; the reason of the signal when it aborts, as clients of models do,
 * which the AI SDK handles as an aborted call.
 *
 * @internal
 */
export async function managedMessages<Message extends AISDKMessage>(
  { messages, system, isPrompt, llm, signal, context }: ManagedRequest<Message>,
  { manager, cache }: CheckedOptions,
): Promise<Message[]> {
  if (signal?.aborted) throw signal.reason;
  const leading = messagesFor(manager, system);
  const history = messagesFor(manager, messages);
  let managed: ManagedHistory;
  try {
    managed = await manager.manage(history, { ...context, system: leading, llm, signal });
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
  const sent = sentMessages(messages, history, managed, isPrompt);
  if (cache === null || cache.most === 0) return sent;
  for (const { message } of managed.breakpoints.slice(-cache.most)) {
    sent[message] = marked(sent[message] as Message, cache);
  }
  return sent;
}
