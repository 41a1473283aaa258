import type { RequestCost } from "../turns/rendered.ts";

/** The fate of a message of the given conversation. */
export interface Fate {
  /** Its index in that conversation. */
  index: number;
  /** `stubbed`: kept, with old tool results or arguments of calls cleared. */
  fate: "kept" | "summarized" | "dropped" | "stubbed";
  /**
   * For a kept message `system`, `pinned`, `pending` or `compaction` if it must be kept; otherwise the strategy or limit.
   * `compaction` of a dropped message: the provider has made a summary of it, and ignores it. `thinking`: it had nothing
   * but thinking that is no longer valid.
   */
  reason: string | null;
  /** Tokens of the unchanged message; 0 for one that the provider ignores. */
  tokens: number;
}

/** Tokens before and after, and how they were counted. */
export interface TokenChange {
  before: number;
  after: number;
  /** Name of the counter. */
  counter: string;
  /** The factor by which its counts were multiplied; 1 without a {@link Calibration}. */
  factor: number;
  /** Tokens in `before` and `after` that the provider counts besides: the fixed part of a {@link Calibration}. */
  fixed: number;
}

/** A report of the changes to a conversation. */
export interface HistoryReport {
  /** `applied`: a strategy changed the conversation · `trimmed`: only a limit or a summary of the provider did. */
  outcome: "unchanged" | "skipped" | "applied" | "trimmed";
  /** Names of the strategies. */
  strategy: string | null;
  reason: string | null;
  warnings: string[];
  /** The fate of every message of the given conversation. */
  messages: Fate[];
  /** Number of inserted summaries. */
  inserted: number;
  llmCalls: number;
  tokens: TokenChange;
  /** What the next request costs, without its reply and without the summaries. Present with `prices` or `worthIt`. */
  cache?: RequestCost;
}
