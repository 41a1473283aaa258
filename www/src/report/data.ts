// What js/cli/report.mjs writes into the page.

/** Tokens and dollars; dollars are null when no price is known. */
export interface Billed {
  readonly requests: number;
  readonly fresh: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
  readonly dollars: number | null;
}

export interface Share {
  readonly name: string;
  /** Tokens in all requests that sent them. */
  readonly sent: number;
}

export interface StrategySum {
  readonly code: string;
  readonly cost: number;
  /** Names that later requests use and that would have been missing, of all. */
  readonly names: { readonly missing: number; readonly of: number };
  /** True when summaries are a part of it: the missing names are an upper bound. */
  readonly hasSummaries: boolean;
}

export interface Plots {
  /** The numbers of the requests that are plotted. */
  readonly numbers: readonly number[];
  /** The indexes of those that follow a compaction. */
  readonly compacted: readonly number[];
  readonly parts: Readonly<
    Record<"system" | "unknown" | "questions" | "answers" | "calls" | "results", readonly number[]>
  >;
  readonly bill: Readonly<Record<"read" | "written" | "fresh", readonly number[]>>;
  /** The cost up to each request. */
  readonly costs: readonly { readonly code: string; readonly values: readonly number[] }[];
  readonly losses: {
    readonly code: string;
    readonly list: readonly {
      readonly request: number;
      readonly names: readonly string[];
      readonly messages: readonly number[];
      readonly tokens: number;
    }[];
  } | null;
  readonly arrival: readonly {
    /** As it is shown. */
    readonly kind: string;
    readonly results: number;
    readonly tokens: number;
    readonly sent: number;
    readonly cost: number;
  }[];
  readonly assumptions: readonly string[];
}

type Unit = "dollars" | "tokens";

export interface Session {
  readonly file: string;
  readonly tool: string;
  readonly title: string | null;
  readonly models: readonly { readonly model: string | null }[];
  /** Times of the first and the last request. */
  readonly first: number | null;
  readonly last: number | null;
  readonly unit: Unit;
  readonly source: "recorded" | "estimated" | "mixed";
  readonly billed: Billed;
  readonly cost: number;
  readonly saved: number;
  readonly recommendation: { readonly code: string | null; readonly reason: string };
  readonly strategies: readonly StrategySum[];
  readonly tools: readonly Share[];
  readonly files: readonly Share[];
  readonly plots?: Plots;
}

export interface Report {
  readonly version: string;
  readonly made: number;
  readonly files: number;
  readonly copies: number;
  readonly problems: readonly { readonly file: string; readonly problem: string }[];
  readonly unit: Unit;
  readonly billed: Billed;
  /** The number of sessions that the costs with strategies are of. */
  readonly compared: number;
  readonly cost: number;
  readonly saved: number;
  readonly models: readonly (Billed & { readonly model: string | null })[];
  readonly byTool: readonly (Billed & { readonly tool: string; readonly sessions: number; readonly saved: number })[];
  readonly strategies: readonly (StrategySum & { readonly share: number })[];
  readonly tools: readonly Share[];
  readonly paths: readonly Share[];
  readonly sessions: readonly Session[];
}

export const inputOf = ({ fresh, read, written }: Billed): number => fresh + read + written;
