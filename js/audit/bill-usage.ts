import { type ModelPrice, modelPrice } from "../model/model-prices.ts";
import { type PriceList, type Prices, priceList } from "../model/prices.ts";
import type { RecordedUsage } from "../recordings/recorded-chat.ts";
import type { BilledTotals } from "./audit-result.ts";
import { inputOf } from "./fit-usage.ts";

/** The prices of a request. */
export interface RequestPrices {
  prices: PriceList;
  /** False when the prices are only proportions, because no price is known for the model. */
  isKnown: boolean;
  /** The context window; Infinity when it is not known. */
  window: number;
}

/**
 * Returns the prices of a model at a time, with what the caller knows better.
 *
 * @param given dollars for a million tokens; prices without `input` change the rules of the cache alone.
 * @param isHour whether the recording's writes are kept for an hour.
 */
export function pricesOf(
  model: string | undefined,
  at: number | undefined,
  given: Prices | undefined,
  isHour: boolean,
): RequestPrices {
  const listed = model === undefined ? null : modelPrice(model, at);
  const own = (given === undefined ? {} : priceList(given)) as PriceList;
  const window = listed?.window ?? Number.POSITIVE_INFINITY;
  if (listed === null) return { prices: own, isKnown: own.input !== undefined, window };
  const { input, output, tiers, ...rules } = forHour(listed, isHour);
  const hasOwn = own.mechanism !== undefined || own.input !== undefined;
  const prices = hasOwn ? { input, output, ...own } : { ...rules, input, output, ...(tiers && { tiers }), ...own };
  return { prices, isKnown: true, window };
}

function forHour({ prices }: ModelPrice, isHour: boolean): ModelPrice["prices"] {
  if (!isHour || prices.mechanism !== "anthropic") return prices;
  const { tiers, ...others } = prices;
  return {
    ...others,
    mechanism: "anthropic-1h",
    cacheWrite: HOUR * prices.input,
    ...(tiers && { tiers: tiers.map((tier) => ({ ...tier, cacheWrite: HOUR * (tier.input ?? prices.input) })) }),
  };
}

/** The price of writing for an hour, relative to the input. */
const HOUR = 2;

/** Returns the dollars of a usage. The prices are those of a million tokens. */
export function dollarsOf(usage: RecordedUsage, prices: PriceList): number {
  const tier = [...(prices.tiers ?? [])].reverse().find(({ above }) => inputOf(usage) > above);
  const { input = 1, output = 5 * input, cacheRead = 0.1 * input, cacheWrite = 1.25 * input } = { ...prices, ...tier };
  const { fresh, read, written, writtenForHour = 0 } = usage;
  const sum =
    fresh * input +
    read * cacheRead +
    (written - writtenForHour) * cacheWrite +
    writtenForHour * Math.max(cacheWrite, HOUR * input) +
    usage.output * output;
  return sum / 1_000_000;
}

/** A request with what was billed for it. */
interface Billed extends RecordedUsage {
  billed: number | null;
}

export function totalsOf(requests: readonly Billed[]): BilledTotals {
  const sum = (name: "fresh" | "read" | "written" | "writtenForHour" | "output" | "reasoning") =>
    requests.reduce((total, request) => total + (request[name] ?? 0), 0);
  const priced = requests.flatMap(({ billed }) => (billed === null ? [] : [billed]));
  return {
    requests: requests.length,
    fresh: sum("fresh"),
    read: sum("read"),
    written: sum("written"),
    writtenForHour: sum("writtenForHour"),
    output: sum("output"),
    reasoning: requests.some(({ reasoning }) => reasoning !== undefined) ? sum("reasoning") : null,
    dollars: priced.length === 0 ? null : priced.reduce((total, dollars) => total + dollars, 0),
  };
}
