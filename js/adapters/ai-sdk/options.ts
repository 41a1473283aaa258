import { checkSignal } from "../../boundary/abort.ts";
import { checkCount, checkMembers, invalidOption, membersOf } from "../../boundary/options.ts";
import {
  type CacheMarks,
  Conversation,
  type HistoryReport,
  type LLM,
  planHistory,
  type RequestParameters,
  type Retry,
  type SummaryStorage,
  SummaryStore,
} from "../../chat.ts";
import type { CacheMark } from "./cache-marks.ts";

/** What {@link manageSteps} and {@link manageHistoryMiddleware} have in common. */
export interface HistoryOptions {
  /** The model that writes the summaries. Default the model of the step, or the one that the middleware wraps. */
  llm?: LLM | undefined;
  /** How often a summary is asked for when the model fails. Default once. */
  retry?: Retry | undefined;
  /**
   * Keeps the summaries. Each request has the whole history, so without a store each would pay for the same summaries. Default
   * a {@link SummaryStore} that lives as long as what the options are given to.
   */
  summaryStore?: SummaryStorage | undefined;
  /**
   * What is done when a summary fails: `throw` ends the call with the error, `send` sends the messages as they are, with a
   * warning. Default `throw`.
   */
  whenSummaryFails?: "throw" | "send" | undefined;
  /** Marks where Anthropic's cache compares beginnings, by `providerOptions`. Default nothing is marked. */
  cache?: Pick<CacheMarks, "breakpoints" | "ttl"> | undefined;
  /** Receives the report of each request, before it is sent. */
  onReport?: ((report: HistoryReport) => void) | undefined;
  /** Receives warnings; default `console.warn`. */
  onWarning?: ((text: string) => void) | undefined;
}

/**
 * Checked options.
 *
 * @internal
 */
export interface CheckedOptions {
  parameters: RequestParameters;
  llm: LLM | undefined;
  retry: Retry | undefined;
  summaryStore: SummaryStorage;
  sendsOnFailure: boolean;
  cache: CacheMark | null;
  onReport: (report: HistoryReport) => void;
  onWarning: (text: string) => void;
}

const KNOWN: readonly (keyof HistoryOptions)[] = [
  "llm",
  "retry",
  "summaryStore",
  "whenSummaryFails",
  "cache",
  "onReport",
  "onWarning",
];

/**
 * @param beside further options that the caller reads.
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`
 *
 * @internal
 */
export function checkOptions(
  parameters: unknown,
  options: unknown,
  beside: readonly string[],
): { checked: CheckedOptions; given: Record<string, unknown> } {
  const own = membersOf(parameters, "the parameters", "{ maxTokens: 50_000 }") as RequestParameters;
  // A strategy of the host is not asked about a conversation without messages.
  planHistory(new Conversation(), own.minMessages === 0 ? { ...own, minMessages: 1 } : own);
  const given = checkMembers("the options", membersOf(options, "the options"), [...KNOWN, ...beside]);
  const { whenSummaryFails = "throw", summaryStore = new SummaryStore() } = given;
  if (whenSummaryFails !== "throw" && whenSummaryFails !== "send") {
    throw invalidOption("whenSummaryFails", '"throw" or "send"', whenSummaryFails);
  }
  const { get, set } = Object(summaryStore) as Record<keyof SummaryStorage, unknown>;
  if (typeof get !== "function" || typeof set !== "function") {
    const hint = "new SummaryStore(), or a Map";
    throw invalidOption("summaryStore", "an object with get(key) and set(key, text)", summaryStore, hint);
  }
  const checked: CheckedOptions = {
    parameters: own,
    llm: functionOf(given, "llm") as LLM | undefined,
    retry: given.retry as Retry | undefined,
    summaryStore: summaryStore as SummaryStorage,
    sendsOnFailure: whenSummaryFails === "send",
    cache: cacheOf(given.cache),
    onReport: (functionOf(given, "onReport") ?? (() => {})) as CheckedOptions["onReport"],
    onWarning: (functionOf(given, "onWarning") ?? console.warn) as CheckedOptions["onWarning"],
  };
  return { checked, given };
}

/**
 * The signal among the options.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function signalOf({ signal }: Record<string, unknown>): AbortSignal | undefined {
  return checkSignal(signal);
}

function functionOf(given: Record<string, unknown>, name: string): unknown {
  const value = given[name];
  if (value === undefined || typeof value === "function") return value;
  throw invalidOption(name, "a function", value);
}

function cacheOf(given: unknown): CacheMark | null {
  if (given === undefined) return null;
  const { breakpoints, ttl } = checkMembers("cache", membersOf(given, "cache"), ["breakpoints", "ttl"]);
  if (ttl !== undefined && ttl !== "5m" && ttl !== "1h") throw invalidOption("cache.ttl", '"5m" or "1h"', ttl);
  return { most: checkCount("cache.breakpoints", breakpoints, 4, 0, 4), ttl };
}
