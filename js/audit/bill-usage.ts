import { call } from "../boundary/wasm.ts";
import type { BillParts } from "../costs/bill.ts";
import { type ModelPrice, modelPrice } from "../model/model-prices.ts";
import { type PriceList, type Prices, priceList } from "../model/prices.ts";
import type { RecordedUsage } from "../recordings/reading/recorded-chat.ts";
import type { BilledTotals } from "./audit-result.ts";

/** The prices of a request. */
export interface RequestPrices {
  prices: PriceList;
  /** The prices of what is written to the cache for an hour; null where that is not known. */
  hourPrices: PriceList | null;
  /** False when the prices are only proportions, because no price is known for the model. */
  isKnown: boolean;
  /** The context window; Infinity when it is not known. */
  window: number;
}

/**
 * Returns the prices of a model at a time, with what the caller knows better.
 *
 * @param given dollars for a million tokens; prices without `input` change the rules of the cache alone.
 */
export function pricesOf(model: string | undefined, at: number | undefined, given: Prices | undefined): RequestPrices {
  const listed = model === undefined ? null : modelPrice(model, at);
  const own = (given === undefined ? {} : priceList(given)) as PriceList;
  const window = listed?.window ?? Number.POSITIVE_INFINITY;
  if (listed === null) return { prices: own, hourPrices: null, isKnown: own.input !== undefined, window };
  const { input, output, mechanism } = listed.prices;
  const isReplaced = own.mechanism !== undefined || own.input !== undefined;
  if (isReplaced) return { prices: { input, output, ...own }, hourPrices: null, isKnown: true, window };
  const hourPrices = mechanism === "anthropic" ? { ...forHour(listed.prices), ...own } : null;
  return { prices: { ...listed.prices, ...own }, hourPrices, isKnown: true, window };
}

function forHour({ tiers, ...prices }: ModelPrice["prices"]): PriceList {
  return {
    ...prices,
    mechanism: "anthropic-1h",
    cacheWrite: HOUR * prices.input,
    ...(tiers && { tiers: tiers.map((tier) => ({ ...tier, cacheWrite: HOUR * (tier.input ?? prices.input) })) }),
  };
}

/** The price of writing for an hour, relative to the input. */
const HOUR = 2;

/** Returns the dollars of a usage. The prices are those of a million tokens. */
export function dollarsOf(usage: RecordedUsage, { prices, hourPrices }: RequestPrices): number {
  const cost = costOf(usage, prices);
  const { written, writtenForHour = 0 } = usage;
  if (hourPrices === null || writtenForHour === 0) return cost / 1_000_000;
  const share = writtenForHour / written;
  return ((1 - share) * cost + share * costOf(usage, hourPrices)) / 1_000_000;
}

/** The cost of tokens whose place in the cache is known, whatever its rules are. */
function costOf({ fresh, read, written, output }: RecordedUsage, prices: PriceList): number {
  const request = { known: read, marked: read + written, input: fresh + read + written, output };
  const rules = { minimum: 1, granularity: "breakpoints" };
  const [bill] = call("core", (wasm) => wasm.billRequests({ ...prices, ...rules }, [request])) as [BillParts];
  return bill.cost;
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
