import {
  choiceOption,
  copyMembers,
  functionOption,
  invalidOption,
  type OptionCheck,
  type OptionTable,
  type OptionValues,
  readOptions,
} from "../../boundary/options.ts";
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

/**
 * Checks the options of an adapter: the parameters of `manageHistory`, {@link HistoryOptions}, and further ones.
 *
 * @param llm the check of `llm`.
 * @param more the checks of further options.
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`
 *
 * @internal
 */
export function checkHistoryOptions<More extends OptionTable>(
  options: unknown,
  llm: OptionCheck<LLM | undefined>,
  more: More,
): CheckedHistoryOptions & OptionValues<More> {
  const checks = {
    llm,
    retry: checkRetry,
    summaryStore: checkStore,
    onSummaryError: choiceOption(["throw", "send", "trim"], "throw"),
    onReport: functionOption(),
    onWarning: functionOption(null, console.warn),
  } satisfies Record<Exclude<keyof HistoryOptions, keyof RequestParameters>, OptionCheck>;
  const all = { ...checks, ...more };
  const members = Object.entries(copyMembers(options, "the options", "{ maxTokens: 50_000 }"));
  const pick = (isOption: boolean) =>
    Object.fromEntries(members.filter(([name]) => Object.hasOwn(all, name) === isOption));
  const parameters = pick(false) as RequestParameters;
  checkParameters(parameters, Object.keys(all));
  const read = readOptions("the options", pick(true), all) as OptionValues<typeof checks> & OptionValues<More>;
  return { parameters, ...read };
}

function checkStore(store: unknown = new SummaryStore()): SummaryStorage {
  const { get, set } = Object(store) as Record<keyof SummaryStorage, unknown>;
  if (typeof get === "function" && typeof set === "function") return store as SummaryStorage;
  const hint = "new SummaryStore(), or a Map";
  throw invalidOption("summaryStore", "an object with get(key) and set(key, text)", store, hint);
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
