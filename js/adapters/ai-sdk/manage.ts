import { Conversation, type HistoryReport, type LLM, type Managed, manageHistory, TurnfoldError } from "../../chat.ts";
import { marked } from "./cache-marks.ts";
import type { AISDKMessage } from "./framework.ts";
import { conversationOf, messagesOf } from "./messages.ts";
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
  /** True for the prompt of a model. */
  isPrompt: boolean;
  llm: LLM | undefined;
  signal: AbortSignal | undefined;
  /** What is sent with the messages, and the seconds since the request before. */
  context: { tools?: unknown; schema?: unknown; idleSeconds?: number };
}

/**
 * The messages of a request, managed: those that stay are the same objects.
 *
 * @throws {TurnfoldError} as {@link manageHistory}; the reason of the signal when it aborts, as clients of models do, which the
 * AI SDK takes for an aborted call.
 *
 * @internal
 */
export async function managedMessages<Message extends AISDKMessage>(
  { messages, system, isPrompt, llm, signal, context }: ManagedRequest<Message>,
  options: CheckedOptions,
): Promise<Message[]> {
  if (signal?.aborted) throw signal.reason;
  const hasFiles = options.parameters.summaryRequest === "behind";
  const { messages: leading } = conversationOf(system, hasFiles);
  const { messages: given } = conversationOf(messages, hasFiles);
  let managed: Managed;
  try {
    managed = await manage(new Conversation({ messages: [...leading, ...given] }), { llm, signal, context }, options);
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
  const { conversation, breakpoints } = managed;
  const report = behind(managed.report, leading.length);
  // System messages stay where they are.
  const sent = messagesOf(messages, given, conversation.messages.slice(leading.length), report, isPrompt);
  const { cache } = options;
  for (const place of breakpoints.slice(cache === null || cache.most === 0 ? breakpoints.length : -cache.most)) {
    const index = place.message - leading.length;
    if (cache !== null && index >= 0) sent[index] = marked(sent[index] as Message, cache);
  }
  notify(options.onReport, report);
  return sent;
}

/** The report about the messages behind so many others. */
function behind(report: HistoryReport, count: number): HistoryReport {
  if (count === 0) return report;
  const messages = report.messages.slice(count).map((fate) => ({ ...fate, index: fate.index - count }));
  return { ...report, messages };
}

async function manage(
  conversation: Conversation,
  { llm, signal, context }: Pick<ManagedRequest<AISDKMessage>, "llm" | "signal" | "context">,
  { parameters, retry, summaryStore, onWarning, sendsOnFailure }: CheckedOptions,
): Promise<Managed> {
  try {
    return await manageHistory(conversation, parameters, {
      ...context,
      summaryStore,
      onWarning,
      retry,
      ...(llm === undefined ? {} : { llm }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (!sendsOnFailure || !TurnfoldError.isInstance(error) || error.code !== "compression_failed") throw error;
    const warning = `the history is sent as it is: ${error.message}`;
    notify(onWarning, warning);
    const report = error.details.report as HistoryReport;
    return { conversation, breakpoints: [], report: { ...report, warnings: [...report.warnings, warning] } };
  }
}

/** Calls a function of the host. What it throws is written to the console: the request goes on. */
function notify<T>(callback: (value: T) => void, value: T): void {
  try {
    callback(value);
  } catch (error) {
    console.error(error);
  }
}
