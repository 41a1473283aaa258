import type { PriceList } from "turnfold";

/** The month of the list from which the prices were copied. */
export const PRICES_DATE = "November 2026";

/** That list. It copies the providers’ pages, which were not checked again. */
export const PRICES_LIST = "genai-prices 0.2.3";

/** The choice of a model; `own` has no prices until they are entered. The first is the default. */
export const modelChoices = [
  "claude-sonnet-5.5",
  "claude-opus-5.5",
  "claude-haiku-5.5",
  "claude-haiku-4.5",
  "gpt-6.2-sol",
  "gpt-6-luna",
  "gpt-5.4-mini",
  "gpt-4o",
  "gemini-3.8-flash",
  "deepseek-v4-flash",
  "own",
] as const;
export type ModelChoice = (typeof modelChoices)[number];

/** The window and the prices of a model. */
export interface ModelEntry {
  readonly label: string;
  /** The context window in tokens, including the reply. */
  readonly window: number;
  /** Dollars for a million tokens, and how the cache works; null without prices. */
  readonly prices:
    | (Record<"input" | "cacheRead" | "cacheWrite" | "output" | "minimum", number> &
        Pick<PriceList, "mechanism" | "lifetime" | "granularity" | "tiers">)
    | null;
  /** Other conditions that change the price. */
  readonly note?: string;
  /** The page on which the provider publishes the prices. */
  readonly source: string;
}

const ANTHROPIC = "https://platform.claude.com/docs/en/about-claude/pricing";
const OPENAI = "https://developers.openai.com/api/docs/pricing";
const GOOGLE = "https://ai.google.dev/gemini-api/docs/pricing";
const DEEPSEEK = "https://api-docs.deepseek.com/quick_start/pricing";

/** The cache of OpenAI’s models before GPT-5.6: writing is free, and entries expire after five minutes. */
const OLD_OPENAI = { mechanism: "openai", lifetime: 300, granularity: 128, minimum: 1024 } as const;

/**
 * Windows and prices, copied from genai-prices 0.2.3 (November 2026). Those of GPT-6.2 Sol, which the list does not have, are
 * from a stored copy of the model's page. Lifetimes and minimums are those of docs/costs.md.
 */
export const models: Readonly<Record<ModelChoice, ModelEntry>> = {
  "claude-sonnet-5.5": {
    label: "Claude Sonnet 5.5",
    window: 1_000_000,
    prices: { mechanism: "anthropic", input: 2, cacheRead: 0.1, cacheWrite: 2.5, output: 10, minimum: 1024 },
    source: ANTHROPIC,
  },
  "claude-opus-5.5": {
    label: "Claude Opus 5.5",
    window: 1_000_000,
    prices: { mechanism: "anthropic", input: 4, cacheRead: 0.2, cacheWrite: 5, output: 20, minimum: 1024 },
    source: ANTHROPIC,
  },
  "claude-haiku-5.5": {
    label: "Claude Haiku 5.5",
    window: 1_000_000,
    prices: {
      mechanism: "anthropic",
      input: 0.1,
      cacheRead: 0.01,
      cacheWrite: 0.125,
      output: 0.5,
      minimum: 1024,
      tiers: [{ above: 100_000, input: 0.5, cacheRead: 0.05, cacheWrite: 0.625, output: 2.5 }],
    },
    note: "A request of more than 100,000 tokens costs five times as much a token",
    source: ANTHROPIC,
  },
  "claude-haiku-4.5": {
    label: "Claude Haiku 4.5",
    window: 200_000,
    prices: { mechanism: "anthropic", input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5, minimum: 1024 },
    source: ANTHROPIC,
  },
  "gpt-6.2-sol": {
    label: "GPT-6.2 Sol",
    window: 1_050_000,
    prices: {
      mechanism: "openai",
      input: 2,
      cacheRead: 0.1,
      cacheWrite: 2.5,
      output: 10,
      minimum: 1024,
      tiers: [{ above: 272_000, input: 4, cacheRead: 0.2, cacheWrite: 5, output: 15 }],
    },
    note: "A request of more than 272,000 tokens costs twice as much a token",
    source: "https://developers.openai.com/api/docs/models/gpt-6.2-sol",
  },
  "gpt-6-luna": {
    label: "GPT-6 Luna",
    window: 1_050_000,
    prices: {
      mechanism: "openai",
      input: 0.1,
      cacheRead: 0.01,
      cacheWrite: 0.125,
      output: 0.5,
      minimum: 1024,
      tiers: [{ above: 272_000, input: 0.2, cacheRead: 0.02, cacheWrite: 0.25, output: 0.75 }],
    },
    note: "A request of more than 272,000 tokens costs twice as much a token",
    source: OPENAI,
  },
  "gpt-5.4-mini": {
    label: "GPT-5.4 mini",
    window: 400_000,
    prices: { ...OLD_OPENAI, input: 0.75, cacheRead: 0.075, cacheWrite: 0.75, output: 4.5 },
    source: OPENAI,
  },
  "gpt-4o": {
    label: "GPT-4o",
    window: 128_000,
    prices: { ...OLD_OPENAI, input: 2.5, cacheRead: 1.25, cacheWrite: 2.5, output: 10 },
    source: OPENAI,
  },
  "gemini-3.8-flash": {
    label: "Gemini 3.8 Flash",
    window: 1_000_000,
    prices: { mechanism: "gemini", input: 0.75, cacheRead: 0.075, cacheWrite: 0.75, output: 3.75, minimum: 1024 },
    note: "Twice as much from 1 January 2027 on",
    source: GOOGLE,
  },
  "deepseek-v4-flash": {
    label: "DeepSeek V4 Flash",
    window: 1_000_000,
    prices: { mechanism: "deepseek", input: 0.15, cacheRead: 0.003, cacheWrite: 0.15, output: 0.6, minimum: 64 },
    note: "More at the provider’s peak hours",
    source: DEEPSEEK,
  },
  own: { label: "a model of your own", window: 128_000, prices: null, source: "" },
};
