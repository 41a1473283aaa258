import type { PriceList } from "turnfold";
import type { Amounts } from "./settings.ts";

/** One request to a model. */
export interface Call {
  readonly tokens: number;
  /** Tokens at its start that it shares with the previous call. */
  readonly reusable: number;
}

/** The tokens that a provider with this minimum reads from its cache. */
export const cachedTokens = ({ reusable }: Call, { cacheMinimum }: Amounts): number =>
  reusable >= cacheMinimum ? reusable : 0;

/** The price of a call with its reply; null without a price for the input. */
export function priceOf(call: Call, amounts: Amounts, withCache: boolean): number | null {
  const { inputPrice, cachedPrice, writePrice, outputPrice, replyTokens, cacheMinimum } = amounts;
  if (inputPrice === null) return null;
  const cached = withCache ? cachedTokens(call, amounts) : 0;
  const isWritten = withCache && call.tokens >= cacheMinimum;
  const million =
    (call.tokens - cached) * (isWritten ? (writePrice ?? inputPrice) : inputPrice) +
    cached * (cachedPrice ?? inputPrice) +
    replyTokens * outputPrice;
  return million / 1_000_000;
}

/** The prices as the package takes them; without a price for the input the package's own. */
export function pricesOf({ inputPrice, cachedPrice, writePrice, outputPrice, cacheMinimum }: Amounts): PriceList {
  const minimum = { minimum: cacheMinimum };
  if (inputPrice === null) return minimum;
  const [cacheRead, cacheWrite] = [cachedPrice ?? inputPrice, writePrice ?? inputPrice];
  return { ...minimum, input: inputPrice, cacheRead, cacheWrite, output: outputPrice };
}

/** A call of a run with the number of turns before it. */
export interface Placed extends Call {
  readonly turns: number;
}

/**
 * The price of all calls of a run. `calls` may be a part of them with the first and the last; those between are
 * interpolated.
 */
export function priceOfRun(calls: readonly Placed[], amounts: Amounts, withCache: boolean): number | null {
  let sum = 0;
  for (const [index, call] of calls.entries()) {
    const price = priceOf(call, amounts, withCache);
    if (price === null) return null;
    const between = (other: Placed | undefined): number =>
      other === undefined ? 0 : Math.abs(call.turns - other.turns) - 1;
    sum += price * (1 + (between(calls[index - 1]) + between(calls[index + 1])) / 2);
  }
  return sum;
}
