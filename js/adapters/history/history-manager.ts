import { invalidOption, membersOf } from "../../boundary/options.ts";
import {
  Conversation,
  type HistoryContext,
  type HistoryReport,
  type LLM,
  type Managed,
  type ManageOptions,
  manageHistory,
  planHistory,
  type RequestParameters,
  type Retry,
  type SummaryStorage,
  SummaryStore,
  TurnfoldError,
} from "../../chat.ts";

/** How an adapter manages the history of each request to a model. */
export interface HistoryOptions extends RequestParameters {
  /**
   * Keeps the summaries, so that the requests of a tool loop pay for each once. Default a new {@link SummaryStore} in memory; give
   * one that you keep when several processes serve one conversation.
   */
  summaryStore?: SummaryStorage | undefined;
  /** Retries of requests for summaries that failed. */
  retry?: Retry | undefined;
  /**
   * What is done when a summary fails: `throw` ends the request with `compression_failed`; `trim` applies the limits alone to this
   * request, which leaves out what does not fit, and warns. The next request asks for the summary again. Default `throw`.
   */
  onSummaryError?: "throw" | "trim" | undefined;
  /** Receives the report of each request. */
  onReport?: ((report: HistoryReport) => void) | undefined;
  /** Receives warnings; default `console.warn`. */
  onWarning?: ((text: string) => void) | undefined;
}

const OWN = ["summaryStore", "retry", "onSummaryError", "onReport", "onWarning"];

/** What is sent with a history, and the model that summarizes it. */
export interface Sending {
  llm: LLM | undefined;
  /** What follows the history and is not changed. */
  request?: HistoryContext["request"] | undefined;
  tools?: unknown;
  schema?: unknown;
  signal?: AbortSignal | undefined;
}

/** Manages histories with the same options, and tells what it did. */
export class HistoryManager {
  private readonly parameters: RequestParameters;
  private readonly own: Pick<HistoryOptions, "retry" | "onReport">;
  private readonly store: SummaryStorage;
  private readonly trims: boolean;
  private readonly warn: (text: string) => void;

  /**
   * @param beside names of options that the adapter reads itself.
   * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`
   */
  constructor(options: unknown, beside: readonly string[]) {
    const given = membersOf(options, "the options", "write { maxTokens: 50_000 }");
    const own = Object.fromEntries(OWN.map((name) => [name, given[name]])) as HistoryOptions;
    const rest = Object.entries(given).filter(([name]) => !OWN.includes(name) && !beside.includes(name));
    this.parameters = Object.fromEntries(rest) as RequestParameters;
    const { summaryStore = new SummaryStore(), onSummaryError = "throw", onWarning = console.warn, ...others } = own;
    for (const name of ["onReport", "onWarning"] as const) {
      if (own[name] !== undefined && typeof own[name] !== "function")
        throw invalidOption(name, "a function", own[name]);
    }
    if (onSummaryError !== "throw" && onSummaryError !== "trim") {
      throw invalidOption("onSummaryError", '"throw" or "trim"', onSummaryError);
    }
    const { get, set } = Object(summaryStore) as Partial<Record<"get" | "set", unknown>>;
    if (typeof get !== "function" || typeof set !== "function") {
      throw invalidOption("summaryStore", "an object with get(key) and set(key, text)", summaryStore, "a Map will do");
    }
    // Parameters are checked where they are written, not at the first request.
    planHistory(new Conversation(), this.parameters);
    this.own = others;
    this.store = summaryStore;
    this.trims = onSummaryError === "trim";
    this.warn = onWarning;
  }

  /**
   * Manages a history before it is sent.
   *
   * @returns `isComplete` is false when a summary failed and only the limits were applied.
   * @throws {TurnfoldError} as `manageHistory`
   */
  async manage(
    conversation: Conversation,
    { llm, request, tools, schema, signal }: Sending,
  ): Promise<Managed & { isComplete: boolean }> {
    const { retry, onReport } = this.own;
    const options: ManageOptions = {
      onWarning: this.warn,
      summaryStore: this.store,
      ...(llm === undefined ? {} : { llm }),
      ...(retry === undefined ? {} : { retry }),
      ...(signal === undefined ? {} : { signal }),
      ...(request === undefined ? {} : { request }),
      ...(tools === undefined ? {} : { tools }),
      ...(schema === undefined ? {} : { schema }),
    };
    let failure: TurnfoldError | null = null;
    const managed = await manageHistory(conversation, this.parameters, options).catch((error: unknown) => {
      if (!this.trims || !TurnfoldError.isInstance(error) || error.code !== "compression_failed") throw error;
      failure = error;
      const { compressionStrategy: _, ...limits } = this.parameters;
      return manageHistory(conversation, limits, options);
    });
    if (failure !== null) {
      this.tell(
        this.warn,
        `only the limits were applied, because a summary failed: ${(failure as TurnfoldError).message}`,
      );
    }
    this.tell(onReport, managed.report);
    return { ...managed, isComplete: failure === null };
  }

  /** Calls back. What the host throws there must not undo what succeeded. */
  private tell<Told>(callback: ((told: Told) => void) | undefined, told: Told): void {
    try {
      callback?.(told);
    } catch (error) {
      console.error(error);
    }
  }
}
