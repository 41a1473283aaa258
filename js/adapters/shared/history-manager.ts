import {
  type Breakpoint,
  type Calibration,
  type ChatMessage,
  Conversation,
  type HistoryContext,
  type HistoryReport,
  type LLM,
  type Managed,
  type ManageOptions,
  manageHistory,
  type RequestParameters,
  TurnfoldError,
  type Usage,
} from "../../chat.ts";
import { readMember } from "../../model/error-chain.ts";
import type { CheckedHistoryOptions } from "./history-options.ts";
import type { OfferedTool } from "./offered-tools.ts";

/**
 * What is sent with a history, and the model that summarizes it if the options have none.
 *
 * @internal
 */
export interface SentContext {
  /** Messages that follow the history and are not changed. */
  request?: HistoryContext["request"] | undefined;
  tools?: readonly OfferedTool[] | undefined;
  schema?: object | undefined;
  /** The type of thinking that the request asks for, unless the options have one. */
  thinking?: RequestParameters["thinking"];
  /** Seconds since the previous request. */
  idleSeconds?: number | undefined;
  /** System messages that are sent before the history: they count in limits and are kept. */
  system?: readonly ChatMessage[] | undefined;
  llm?: LLM | undefined;
  signal?: AbortSignal | undefined;
  /**
   * Converts an index of the history's messages for the report, such as to that of the first item from which a message
   * was made.
   */
  indexOf?: ((message: number) => number) | undefined;
}

/**
 * A managed history, without the system messages that are sent before it.
 *
 * @internal
 */
export interface ManagedHistory {
  messages: readonly ChatMessage[];
  /** The places at which to mark the provider's cache, by indexes of these messages. */
  breakpoints: readonly Breakpoint[];
  report: HistoryReport;
  /** False when everything is sent unchanged. */
  isChanged: boolean;
  /** False when a summary failed and the request continues without it. */
  isComplete: boolean;
  /** Learns from the usage of the reply, so that the next histories are counted as the provider counts. */
  learn: (usage: Usage, model?: string) => void;
}

/**
 * Returns the type of thinking in options for Anthropic, such as those of a request.
 *
 * @internal
 */
export function thinkingIn(options: unknown): RequestParameters["thinking"] {
  return readMember(readMember(options, "thinking"), "type") === "enabled" ? "enabled" : undefined;
}

/**
 * Manages histories with the same options, and reports the changes.
 *
 * @internal
 */
export class HistoryManager {
  private readonly options: CheckedHistoryOptions;
  private calibration: Calibration = {};

  constructor(options: CheckedHistoryOptions) {
    this.options = options;
  }

  /** True when summaries are requested behind the conversation, so that its messages are sent to the model. */
  get showsMessages(): boolean {
    return this.options.parameters.summaryRequest === "behind";
  }

  /**
   * Manages the history of a request.
   *
   * @throws {TurnfoldError} as {@link manageHistory}
   */
  async manage(
    history: readonly ChatMessage[],
    { system = [], indexOf = (message) => message, thinking, ...sending }: SentContext,
  ): Promise<ManagedHistory> {
    const conversation = new Conversation({ messages: [...system, ...history] });
    const parameters = { thinking, ...this.options.parameters };
    const { managed, isComplete } = await this.manageOrRecover(conversation, parameters, this.optionsOf(sending));
    const count = system.length;
    const fates = managed.report.messages.slice(count);
    const messages = fates.map((fate, message) => ({ ...fate, index: indexOf(message) }));
    const report = { ...managed.report, messages };
    callSafely(this.options.onReport, report);
    return {
      messages: managed.messages.slice(count),
      breakpoints: managed.breakpoints
        .map((breakpoint) => ({ ...breakpoint, message: breakpoint.message - count }))
        .filter(({ message }) => message >= 0),
      report,
      isChanged: managed.messages !== conversation.messages,
      isComplete,
      learn: (usage, model) => {
        const { calibration } = managed;
        // A history that was not managed has no calibration.
        if (calibration.state !== undefined) this.calibration = { ...calibration, usage, model };
      },
    };
  }

  private optionsOf(sending: Omit<SentContext, "system" | "indexOf" | "thinking">): ManageOptions {
    const { retry, summaryStore, onWarning } = this.options;
    const given = { ...sending, llm: this.options.llm ?? sending.llm, retry };
    const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return { ...defined, summaryStore, onWarning, calibration: this.calibration };
  }

  private async manageOrRecover(
    conversation: Conversation,
    parameters: RequestParameters,
    options: ManageOptions,
  ): Promise<{ managed: Managed; isComplete: boolean }> {
    const { onSummaryError, onWarning } = this.options;
    try {
      return { managed: await manageHistory(conversation, parameters, options), isComplete: true };
    } catch (error) {
      const isFailure = TurnfoldError.isInstance(error) && error.code === "compression_failed";
      if (onSummaryError === "throw" || !isFailure) throw error;
      const trims = onSummaryError === "trim";
      const limits = limitsOf(parameters);
      const { when: _, maxTokens: __, maxHistorySize: ___, ...unlimited } = limits;
      const managed = await manageHistory(conversation, trims ? limits : unlimited, options);
      if (!trims) Object.assign(managed.report, { ...(error.details.report as HistoryReport), outcome: "unchanged" });
      const done = trims ? "only the limits were applied" : "the history is sent as it is";
      const warning = `${done}, because a summary failed: ${error.message}`;
      managed.report.warnings.push(warning);
      callSafely(onWarning, warning);
      return { managed, isComplete: false };
    }
  }
}

/** Returns parameters that only remove messages above the limits: without strategies, and the triggers that start them. */
function limitsOf({ compressionStrategy: _, ...parameters }: RequestParameters): RequestParameters {
  for (const name of ["maxTokens", "maxHistorySize"] as const) {
    const { [name]: limit } = parameters;
    if (typeof limit !== "object" || limit === null) continue;
    const { trigger: _, ...others } = limit as { limit: number; trigger?: number };
    parameters[name] = others;
  }
  return parameters;
}

/** Calls a function of the host. An error that it throws is written to the console, and the request continues. */
function callSafely<T>(callback: ((value: T) => void) | undefined, value: T): void {
  try {
    callback?.(value);
  } catch (error) {
    console.error(error);
  }
}

/**
 * Returns the host's objects for managed messages: the given ones for kept messages, and written ones for summaries and
 * for messages with cleared results.
 *
 * @param history the messages that were managed.
 * @param given the host's objects for each of them.
 * @param write returns the host's objects for a message; `source` is the index in the history of the original of a
 * message with cleared results, null for a summary.
 *
 * @internal
 */
export function restoreHostMessages<Host>(
  history: readonly ChatMessage[],
  { messages, report }: ManagedHistory,
  given: (index: number) => readonly Host[],
  write: (message: ChatMessage, source: number | null) => readonly Host[],
): Host[] {
  const indexes = new Map(history.map((message, index) => [message, index]));
  const stays = (index: number) => ["kept", "stubbed"].includes(report.messages[index]?.fate ?? "");
  let next = 0;
  return messages.flatMap((message) => {
    const known = indexes.get(message);
    if (known !== undefined) {
      next = known + 1;
      return given(known);
    }
    if (message.summary !== undefined) return write(message, null);
    // Messages keep their order, so a changed message is the next one with the fate `kept` or `stubbed`.
    while (next < history.length && !stays(next)) next++;
    return write(message, next < history.length ? next++ : null);
  });
}
