/**
 * What tokens cost, in any unit: only proportions matter, so the price of a million tokens will do. What is absent is that of
 * the `mechanism`; prices keep their proportion to `input`.
 */
export interface PriceList {
  /** Where the other members come from. */
  mechanism?: Mechanism;
  /** A token of input that is neither read from the cache nor written to it. Default 1. */
  input?: number;
  /** A token that is read from the cache. Default 0.1 of `input`. */
  cacheRead?: number;
  /** A token that is written to the cache. Default 1.25 of `input`. */
  cacheWrite?: number;
  /** A token that the model writes. Default 5 times `input`. */
  output?: number;
  /** Whole seconds for which the cache holds what no request used; `Infinity` for a cache that never forgets. Default 300. */
  lifetime?: number;
  /** The least tokens of a beginning that the cache holds. Default 1,024; `Infinity` for none. */
  minimum?: number;
  /** The tokens of a step, after each of which beginnings are compared; or `"breakpoints"`, marked places. Default 128. */
  granularity?: number | "breakpoints";
  /** Prices of all tokens of a request with more than `above` tokens of input. */
  tiers?: readonly PriceTier[];
}

/** The prices of large requests. Prices that are absent keep their proportion to `input`. */
export interface PriceTier {
  above: number;
  input?: number;
  cacheRead?: number;
  cacheWrite?: number;
  output?: number;
}

/**
 * The usual prices of a kind of cache. They change: give your own where money depends on them.
 *
 * | | `cacheRead` | `cacheWrite` | `lifetime` | `minimum` | `granularity` |
 * |---|---|---|---|---|---|
 * | `anthropic` | 0.1 | 1.25 | 300 | 1,024 | `breakpoints` |
 * | `anthropic-1h` | 0.1 | 2 | 3,600 | 1,024 | `breakpoints` |
 * | `openai` | 0.1 | 1.25 | 1,800 | 1,024 | `breakpoints` |
 * | `gemini` | 0.1 | 1 | not known | 1,024 | 128 |
 * | `deepseek` | 0.02 | 1 | not known | 64 | 64 |
 * | `none` | nothing is cached | | | | |
 */
export type Mechanism = "anthropic" | "anthropic-1h" | "openai" | "gemini" | "deepseek" | "none";

/** What tokens cost: a list of prices, or a mechanism with its usual ones. */
export type Prices = PriceList | Mechanism;

/**
 * Prices as the wasm reads them.
 *
 * @internal
 */
export function priceList(prices: unknown): unknown {
  if (typeof prices === "string") return { mechanism: prices };
  if (typeof prices !== "object" || prices === null) return prices;
  // Saved with a step, `Infinity` became null.
  const { minimum, lifetime, ...others } = prices as Record<string, unknown>;
  const back = (given: unknown) => (given === null ? Number.POSITIVE_INFINITY : given);
  return {
    ...others,
    ...(minimum === undefined ? {} : { minimum: back(minimum) }),
    ...(lifetime === undefined ? {} : { lifetime: back(lifetime) }),
  };
}
