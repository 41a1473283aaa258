import { checkMembers, invalidOption, membersOf } from "../../boundary/options.ts";
import {
  Conversation,
  type HistoryReport,
  type LLM,
  planHistory,
  type RequestParameters,
  type Retry,
  type SummaryStorage,
  SummaryStore,
} from "../../chat.ts";
import { checkRetry } from "../../model/retry.ts";

/** Options of every adapter that manages the histories of a framework. */
export interface HistoryOptions {
  /** The model that writes the summaries. Default the model of the request, where the framework gives it. */
  llm?: LLM | undefined;
  /** How often a summary is asked for when the model fails. Default once. */
  retry?: Retry | undefined;
  /**
   * Keeps the summaries. Each request has the whole history, so without a store each would pay for the same summaries. Default a
   * {@link SummaryStore} in memory, which lives as long as what the options are given to; give one that you keep when several
   * processes serve one conversation.
   */
  summaryStore?: SummaryStorage | undefined;
  /**
   * What is done when a summary fails (`compression_failed`). `throw` ends the request with the error. `send` sends the whole
   * history, also above the limits. `trim` applies the limits alone, which leaves out what does not fit. The last two warn, change
   * this request only, and the next one asks for the summary again. Default `throw`.
   */
  onSummaryError?: "throw" | "send" | "trim" | undefined;
  /** Receives the report of each request, before it is sent. */
  onReport?: ((report: HistoryReport) => void) | undefined;
  /** Receives warnings; default `console.warn`. */
  onWarning?: ((text: string) => void) | undefined;
}

/**
 * The names of {@link HistoryOptions}.
 *
 * @internal
 */
export const HISTORY_OPTIONS: readonly (keyof HistoryOptions)[] = [
  "llm",
  "retry",
  "summaryStore",
  "onSummaryError",
  "onReport",
  "onWarning",
];

/**
 * Checked {@link HistoryOptions}, with the parameters that they are for.
 *
 * @internal
 */
export interface CheckedHistoryOptions {
  parameters: RequestParameters;
  llm: LLM | undefined;
  retry: Retry | undefined;
  summaryStore: SummaryStorage;
  onSummaryError: "throw" | "send" | "trim";
  onReport: ((report: HistoryReport) => void) | undefined;
  onWarning: (text: string) => void;
}

/** What adapters read besides {@link HistoryOptions}. */
interface Reading {
  /** Names of further options. */
  beside?: readonly string[];
  /** The callback for what is given as `llm` and is no function; undefined when it can't be one. */
  toLLM?: ((given: unknown) => LLM | undefined) | undefined;
  /** What `llm` must be, and how to make one, for errors. */
  llmExpected?: string;
  llmHint?: string;
}

/**
 * Checks parameters and options, which adapters with an object for each read.
 *
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`
 *
 * @internal
 */
export function checkHistoryOptions(
  parameters: unknown,
  options: unknown,
  reading: Reading = {},
): { checked: CheckedHistoryOptions; given: Record<string, unknown> } {
  const own = membersOf(parameters, "the parameters", "{ maxTokens: 50_000 }") as RequestParameters;
  // Parameters are checked where they are written. A strategy of the host is not asked about a conversation without messages.
  planHistory(new Conversation(), own.minMessages === 0 ? { ...own, minMessages: 1 } : own);
  const known = [...HISTORY_OPTIONS, ...(reading.beside ?? [])];
  const given = checkMembers("the options", membersOf(options, "the options"), known);
  const { onSummaryError = "throw", summaryStore = new SummaryStore() } = given;
  if (onSummaryError !== "throw" && onSummaryError !== "send" && onSummaryError !== "trim") {
    throw invalidOption("onSummaryError", '"throw", "send" or "trim"', onSummaryError);
  }
  const { get, set } = Object(summaryStore) as Record<keyof SummaryStorage, unknown>;
  if (typeof get !== "function" || typeof set !== "function") {
    const hint = "new SummaryStore(), or a Map";
    throw invalidOption("summaryStore", "an object with get(key) and set(key, text)", summaryStore, hint);
  }
  const checked: CheckedHistoryOptions = {
    parameters: own,
    llm: llmOf(given.llm, reading),
    retry: given.retry === undefined ? undefined : checkRetry(given.retry),
    summaryStore: summaryStore as SummaryStorage,
    onSummaryError,
    onReport: functionOf(given, "onReport") as CheckedHistoryOptions["onReport"],
    onWarning: (functionOf(given, "onWarning") ?? console.warn) as CheckedHistoryOptions["onWarning"],
  };
  return { checked, given };
}

/**
 * The same for adapters that take parameters and options in one object, as their frameworks do.
 *
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`
 *
 * @internal
 */
export function checkTogether(
  options: unknown,
  reading: Reading = {},
): { checked: CheckedHistoryOptions; given: Record<string, unknown> } {
  const all = membersOf(options, "the options", "{ maxTokens: 50_000 }");
  const isOption = (name: string) => [...HISTORY_OPTIONS, ...(reading.beside ?? [])].includes(name);
  const pick = (wanted: boolean) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => isOption(name) === wanted));
  return checkHistoryOptions(pick(false), pick(true), reading);
}

function functionOf(given: Record<string, unknown>, name: string): unknown {
  const value = given[name];
  if (value === undefined || typeof value === "function") return value;
  throw invalidOption(name, "a function", value);
}

function llmOf(given: unknown, { toLLM, llmExpected = "a function", llmHint }: Reading): LLM | undefined {
  if (given === undefined || typeof given === "function") return given as LLM | undefined;
  const made = toLLM?.(given);
  if (made !== undefined) return made;
  throw invalidOption("llm", llmExpected, given, llmHint ?? null);
}
