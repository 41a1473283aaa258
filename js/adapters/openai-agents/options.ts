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
import { member } from "../../model/error-chain.ts";
import type { AgentsModel } from "./framework.ts";

/** What {@link manageInput} and {@link ManagedSession} have in common. */
export interface HistoryOptions {
  /** The model that writes the summaries, such as that of {@link agentsModel}. */
  llm?: LLM | undefined;
  /** How often a summary is asked for when the model fails. Default once. */
  retry?: Retry | undefined;
  /**
   * Keeps the summaries, so that each is paid once: every request has the whole history. Default a {@link SummaryStore} that lives
   * as long as the filter or the session; give one that is kept when runs go on in other processes.
   */
  summaryStore?: SummaryStorage | undefined;
  /**
   * What is done when a summary fails: `throw` ends the run with the error, `send` sends the items as they are, with a warning.
   * Default `throw`.
   */
  whenSummaryFails?: "throw" | "send" | undefined;
  /** Receives the report of each request. The index of a fate is that of the first item of the message. */
  onReport?: ((report: HistoryReport) => void) | undefined;
  /** Receives warnings; default `console.warn`. */
  onWarning?: ((text: string) => void) | undefined;
}

/** Checked options. */
export interface CheckedOptions {
  parameters: RequestParameters;
  llm: LLM | undefined;
  retry: Retry | undefined;
  summaryStore: SummaryStorage;
  sendsOnFailure: boolean;
  onReport: (report: HistoryReport) => void;
  onWarning: (text: string) => void;
}

const KNOWN: readonly (keyof HistoryOptions)[] = [
  "llm",
  "retry",
  "summaryStore",
  "whenSummaryFails",
  "onReport",
  "onWarning",
];

/**
 * @param beside further options that the caller reads.
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`
 */
export function checkOptions(
  parameters: unknown,
  options: unknown,
  beside: readonly string[] = [],
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
    onReport: (functionOf(given, "onReport") ?? (() => {})) as CheckedOptions["onReport"],
    onWarning: (functionOf(given, "onWarning") ?? console.warn) as CheckedOptions["onWarning"],
  };
  return { checked, given };
}

/** True for a model of the SDK. An agent may have only the name of one, which its runner resolves. */
export function isModel(given: unknown): given is AgentsModel {
  return typeof member(given, "getResponse") === "function";
}

function functionOf(given: Record<string, unknown>, name: string): unknown {
  const value = given[name];
  if (value === undefined || typeof value === "function") return value;
  const hint = isModel(value) ? "agentsModel(model, { withTrace }) makes one of a model of the SDK" : null;
  throw invalidOption(name, "a function", value, hint);
}
