/**
 * What tokens cost, in any unit: only proportions matter, so prices of a million tokens can be used. Absent members are
 * those of the `mechanism`; absent prices keep their proportion to `input`.
 */
export interface PriceList {
  /** The source of absent members. */
  mechanism?: Mechanism | undefined;
  /** A token of input that is neither read from the cache nor written to it. Default 1. */
  input?: number | undefined;
  /** A token that is read from the cache. Default 0.1 of `input`. */
  cacheRead?: number | undefined;
  /** A token that is written to the cache. Default 1.25 of `input`. */
  cacheWrite?: number | undefined;
  /** A token that the model writes. Default 5 times `input`. */
  output?: number | undefined;
  /**
   * Whole seconds for which the cache keeps an unused entry; `Infinity` for a cache whose entries never expire. Default
   * 300.
   */
  lifetime?: number | undefined;
  /** Minimum tokens of a beginning that the cache stores. Default 1,024; `Infinity` for no cache. */
  minimum?: number | undefined;
  /** Beginnings are compared in steps of this many tokens; or at marked places, with `"breakpoints"`. Default 128. */
  granularity?: number | "breakpoints" | undefined;
  /** Prices of all tokens of a request with more than `above` tokens of input. */
  tiers?: readonly PriceTier[] | undefined;
}

/** The prices of large requests. Prices that are absent keep their proportion to `input`. */
export interface PriceTier {
  above: number;
  input?: number | undefined;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
  output?: number | undefined;
}

/**
 * The usual prices of a kind of cache. They change: pass your own when exact costs matter.
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
 * Converts prices for the wasm.
 *
 * @internal
 */
export function priceList(prices: unknown): unknown {
  if (typeof prices === "string") return { mechanism: prices };
  if (typeof prices !== "object" || prices === null) return prices;
  // In a saved step, `Infinity` is null.
  const { minimum, lifetime, ...others } = prices as Record<string, unknown>;
  const back = (given: unknown) => (given === null ? Number.POSITIVE_INFINITY : given);
  return {
    ...others,
    ...(minimum === undefined ? {} : { minimum: back(minimum) }),
    ...(lifetime === undefined ? {} : { lifetime: back(lifetime) }),
  };
}
