import type { Row } from "../states/state.ts";

/** The state of the Chat tab, as the typed texts. */
export interface ChatState {
  /** The messages as JSON text, in any shape. */
  readonly messages: string;
  readonly shape: ShapeChoice;
  readonly strategy: HistoryChoice;
  /** The module of the custom strategy. An empty text is an example. */
  readonly customStrategy: string;
  /** Whether old results are cleared before the strategy runs. */
  readonly clears: boolean;
  /** Whether results of tools are written shorter without a loss. */
  readonly shortens: boolean;
  /** The concepts for `retrieveFacts`. */
  readonly concepts: readonly ConceptRow[];
  /** The options; an empty text is the default, or no limit. */
  readonly options: Readonly<Record<ChatOptionName, string>>;
  readonly tokenLimit: TokenLimit;
  readonly when: WhenChoice;
  readonly provider: ProviderChoice;
  /** The prompt for summaries; an empty text is the package's own. */
  readonly summaryPrompt: string;
  readonly summaryRole: SummaryRole;
  readonly summarizer: Summarizer;
  /** The answer to every request when summaries are scripted. Empty text: the default of the page. */
  readonly scripted: string;
  /** Summaries written by hand, in the order of the requests. */
  readonly summaries: readonly SummaryRow[];
}

export interface ConceptRow extends Row {
  readonly name: string;
  readonly description: string;
}

export interface SummaryRow extends Row {
  readonly text: string;
}

// The first of each list is the default.

export const shapeChoices = ["detect", "openai", "openai-responses", "anthropic", "gemini", "ai-sdk", "own"] as const;
export type ShapeChoice = (typeof shapeChoices)[number];

export const historyChoices = [
  "lastNMessages",
  "wholeHistory",
  "chunked",
  "fromTimestamp",
  "wholeHistoryMultipleSystemMessages",
  "retrieveFacts",
  "clearToolResults",
  "digest",
  "none",
  "custom",
] as const;
export type HistoryChoice = (typeof historyChoices)[number];

/** The limits of what is sent, and of the strategy. */
export const limitOptions = [
  "maxTokens",
  "share",
  "window",
  "reserveTokens",
  "maxHistorySize",
  "minMessages",
  "keepAtLeast",
] as const;

export const chatOptionNames = [
  "n",
  "size",
  "time",
  "keep",
  "exclude",
  "clearInputs",
  "atLeast",
  "names",
  "head",
  ...limitOptions,
  "summaryMaxTokens",
  "summaryNames",
  "patience",
] as const;
export type ChatOptionName = (typeof chatOptionNames)[number];

/** `maxTokens` as a number, or as a share of the model's window. */
export const tokenLimits = ["number", "share"] as const;
export type TokenLimit = (typeof tokenLimits)[number];

export const whenChoices = ["default", "always", "overLimit", "worthIt"] as const;
export type WhenChoice = (typeof whenChoices)[number];

export const providerChoices = ["openai", "anthropic", "gemini"] as const;
export type ProviderChoice = (typeof providerChoices)[number];

export const summaryRoles = ["user", "assistant"] as const;
export type SummaryRole = (typeof summaryRoles)[number];

export const summarizers = ["scripted", "typed", "endpoint"] as const;
export type Summarizer = (typeof summarizers)[number];
