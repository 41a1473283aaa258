import { choiceOption, copyMembers, functionOption, invalidOption } from "../../boundary/options.ts";
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
import { TurnfoldError } from "../../errors.ts";
import { checkRetry } from "../../model/retry.ts";
import { knownNamesHint } from "../../values/nearest-name.ts";

/**
 * Options of every adapter that manages the histories of a framework: the parameters of `manageHistory`, and how
 * summaries are made.
 */
export interface HistoryOptions extends RequestParameters {
  /** The model that writes the summaries. Default the model of the request, if the framework provides it. */
  llm?: LLM | undefined;
  /** Retries when the request for a summary fails. Default one attempt. */
  retry?: Retry | undefined;
  /**
   * Stores summaries. Each request has the whole history, so without a store each would pay for the same summaries.
   * Default a {@link SummaryStore} in memory with the lifetime of the object that gets these options; pass a shared one
   * when several processes serve one conversation.
   */
  summaryStore?: SummaryStorage | undefined;
  /**
   * What to do when a summary fails (`compression_failed`). `throw` ends the request with the error. `send` sends the
   * whole history, even above the limits. `trim` applies only the limits, which removes messages that do not fit. The
   * last two warn and apply to this request only; the next one requests the summary again. Default `throw`.
   */
  onSummaryError?: "throw" | "send" | "trim" | undefined;
  /** Receives the report of each request, before it is sent. */
  onReport?: ((report: HistoryReport) => void) | undefined;
  /** Receives warnings; default `console.warn`. */
  onWarning?: ((text: string) => void) | undefined;
}

/**
 * The names of {@link HistoryOptions} that are not parameters of `manageHistory`.
 *
 * @internal
 */
export const HISTORY_OPTIONS: readonly Exclude<keyof HistoryOptions, keyof RequestParameters>[] = [
  "llm",
  "retry",
  "summaryStore",
  "onSummaryError",
  "onReport",
  "onWarning",
];

/**
 * Checked {@link HistoryOptions}, with the parameters.
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

/** How an adapter reads its options, in addition to {@link HistoryOptions}. */
interface OptionRules {
  /** Names of further options. */
  otherNames?: readonly string[];
  /** Returns the callback for an `llm` that is not a function; undefined when there is none. */
  toLLM?: ((given: unknown) => LLM | undefined) | undefined;
  /** Descriptions, for errors, of what `llm` must be and of how to make one. */
  llmExpected?: string;
  llmHint?: string;
}

/**
 * Checks the options of an adapter: the parameters of `manageHistory`, {@link HistoryOptions}, and further ones.
 *
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`
 *
 * @internal
 */
export function checkHistoryOptions(
  options: unknown,
  rules: OptionRules = {},
): { checked: CheckedHistoryOptions; given: Record<string, unknown> } {
  const all = copyMembers(options, "the options", "{ maxTokens: 50_000 }");
  const known = [...HISTORY_OPTIONS, ...(rules.otherNames ?? [])];
  const pick = (isOption: boolean) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => known.includes(name) === isOption));
  const parameters = pick(false) as RequestParameters;
  const given = pick(true);
  checkParameters(parameters, known);
  const { summaryStore = new SummaryStore() } = given;
  const { get, set } = Object(summaryStore) as Record<keyof SummaryStorage, unknown>;
  if (typeof get !== "function" || typeof set !== "function") {
    const hint = "new SummaryStore(), or a Map";
    throw invalidOption("summaryStore", "an object with get(key) and set(key, text)", summaryStore, hint);
  }
  const checked: CheckedHistoryOptions = {
    parameters,
    llm: checkLlm(given.llm, rules),
    retry: checkRetry(given.retry),
    summaryStore: summaryStore as SummaryStorage,
    onSummaryError: choiceOption("throw", "send", "trim")(given.onSummaryError, "onSummaryError") ?? "throw",
    onReport: functionOption()(given.onReport, "onReport"),
    onWarning: functionOption(null, console.warn)(given.onWarning, "onWarning"),
  };
  return { checked, given };
}

/**
 * Checks the parameters immediately, by planning an empty conversation. An unknown name is one of no option either.
 *
 * @param otherNames the names of the options.
 */
function checkParameters(parameters: RequestParameters, otherNames: readonly string[]): void {
  try {
    // With `minMessages` 1, a strategy of the host is not called.
    planHistory(new Conversation(), parameters.minMessages === 0 ? { ...parameters, minMessages: 1 } : parameters);
  } catch (error) {
    if (!TurnfoldError.isInstance(error) || !Array.isArray(error.details.known)) throw error;
    const { option } = error.details;
    const known = [...(error.details.known as string[]), ...otherNames];
    const hint = error.hint?.startsWith("it is") ? error.hint : knownNamesHint(String(option), known);
    throw new TurnfoldError(error.code, `the options have no ${JSON.stringify(option)}`, {
      details: { option, known },
      hint,
    });
  }
}

function checkLlm(given: unknown, { toLLM, llmExpected = "a function", llmHint }: OptionRules): LLM | undefined {
  if (given === undefined || typeof given === "function") return given as LLM | undefined;
  const made = toLLM?.(given);
  if (made !== undefined) return made;
  throw invalidOption("llm", llmExpected, given, llmHint ?? null);
}
