import type { Amounts } from "./settings.ts";

/** One request to a model. */
export interface Call {
  readonly tokens: number;
  /** Tokens at its start that are those of the call before. */
  readonly reusable: number;
}

/** What a provider with this minimum reads from its cache for a call. */
export const cachedTokens = ({ reusable }: Call, { cacheMinimum }: Amounts): number =>
  reusable >= cacheMinimum ? reusable : 0;

/** The price of a call with its reply; null without a price for the input. */
export function priceOf(call: Call, amounts: Amounts, withCache: boolean): number | null {
  const { inputPrice, cachedPrice, outputPrice, replyTokens } = amounts;
  if (inputPrice === null) return null;
  const cached = withCache ? cachedTokens(call, amounts) : 0;
  const million =
    (call.tokens - cached) * inputPrice + cached * (cachedPrice ?? inputPrice) + replyTokens * outputPrice;
  return million / 1_000_000;
}

/** A call of a run, and the number of turns before it. */
export interface Placed extends Call {
  readonly turns: number;
}

/**
 * The price of all calls of a run, from some of them in their order, the first and the last among them: those between
 * two are taken to change evenly.
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
