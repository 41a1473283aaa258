import type { PriceList } from "turnfold";
import { formatted } from "../page/numbers.ts";
import { type ModelChoice, modelOf } from "./models.ts";

/** The first is the default. */
export const counterChoices = ["estimate", "o200k", "cl100k"] as const;
export type CounterChoice = (typeof counterChoices)[number];

/** The view below the totals of tokens; the first is the default. */
export const tokenViews = ["none", "sections", "window", "price", "cache"] as const;
export type TokenView = (typeof tokenViews)[number];

export const amountNames = [
  "window",
  "reserve",
  "inputPrice",
  "cachedPrice",
  "writePrice",
  "outputPrice",
  "cacheMinimum",
] as const;
export type AmountName = (typeof amountNames)[number];

/** The settings of the token views. An empty text of an amount is the default. */
export interface TokenSettings extends Readonly<Record<AmountName, string>> {
  readonly counter: CounterChoice;
  readonly view: TokenView;
  /** The model whose values are the defaults of amounts. */
  readonly model: ModelChoice;
  /** Whether the cache view tints the part of the messages that the previous ones share. */
  readonly tint: boolean;
}

interface AmountEntry {
  readonly label: string;
  readonly hint: string;
}

export const amountEntries: Readonly<Record<AmountName, AmountEntry>> = {
  window: { label: "Window", hint: "The model’s context window in tokens, including the reply" },
  reserve: { label: "Reserve", hint: "Tokens of the window kept free for the reply" },
  inputPrice: { label: "Input", hint: "Price of a million input tokens" },
  cachedPrice: { label: "Cached", hint: "Price of a million input tokens read from the cache" },
  writePrice: { label: "Cache write", hint: "Price of a million input tokens written to the cache" },
  outputPrice: { label: "Output", hint: "Price of a million output tokens" },
  cacheMinimum: { label: "Cache from", hint: "Fewest tokens at the start of a request that the provider caches" },
};

const RESERVE = 4096;

/** The default of an amount, shown in the empty field. */
export function fallbackOf(name: AmountName, { model }: Pick<TokenSettings, "model">): string {
  const { window, prices } = modelOf(model);
  switch (name) {
    case "window":
      return shown(window);
    case "reserve":
      return shown(RESERVE);
    case "inputPrice":
      return prices === null ? "none" : shown(prices.input);
    case "cachedPrice":
      return prices === null ? "as input" : shown(prices.cacheRead);
    case "writePrice":
      return prices === null ? "as input" : shown(prices.cacheWrite);
    case "outputPrice":
      return prices === null ? "0" : shown(prices.output);
    case "cacheMinimum":
      return shown(minimumOf(prices));
  }
}

/** Fewest tokens that the cache of these prices stores: those of the package for a mechanism. */
const minimumOf = (prices: PriceList | null): number =>
  prices?.mechanism === "none" ? Number.POSITIVE_INFINITY : prices?.mechanism === "deepseek" ? 64 : 1024;

const shown = (amount: number): string => amount.toLocaleString("en", { maximumFractionDigits: 9 });

/** The settings as numbers. */
export interface Amounts {
  readonly window: number;
  readonly reserve: number;
  readonly cacheMinimum: number;
  /** Prices of a million tokens, in dollars unless they were entered; null until the price of input is known. */
  readonly prices: PriceList | null;
}

const isPrice = (name: AmountName): boolean => name.endsWith("Price");

const WHOLE = /^(?:\d{1,9}|\d{1,3}(?:[,_ \u2009\u202f]\d{3}){1,2})$/;
const DECIMAL = /^\d{1,7}(?:[.,]\d{1,9})?$/;

/** The problem with the text of an amount; null for a valid text. */
export function troubleOf(name: AmountName, settings: TokenSettings): string | null {
  const text = settings[name].trim();
  if (text === "" || (isPrice(name) ? DECIMAL : WHOLE).test(text)) return null;
  return isPrice(name)
    ? "Write a number such as 2.5, or nothing for the default"
    : "Write a whole number, or nothing for the default";
}

/** Parses the settings. An invalid amount is replaced by the default. */
export function amountsOf(settings: TokenSettings): Amounts {
  const given = (name: AmountName): number | null => {
    const text = settings[name].trim();
    if (text === "" || troubleOf(name, settings) !== null) return null;
    return Number(isPrice(name) ? text.replace(",", ".") : text.replace(/\D/g, ""));
  };
  const { window, prices } = modelOf(settings.model);
  const minimum = given("cacheMinimum");
  return {
    window: given("window") ?? window,
    reserve: given("reserve") ?? RESERVE,
    cacheMinimum: minimum ?? minimumOf(prices),
    prices: pricesWith(given, prices, minimum),
  };
}

function pricesWith(
  given: (name: AmountName) => number | null,
  known: PriceList | null,
  minimum: number | null,
): PriceList | null {
  const entered = (["inputPrice", "cachedPrice", "writePrice", "outputPrice"] as const).map(given);
  const input = entered[0] ?? known?.input;
  if (input === undefined) return null;
  // The model's prices for large requests do not apply to a tariff that the user has entered.
  const { tiers: _, ...base } = known ?? {};
  return {
    ...(entered.every((price) => price === null) ? known : base),
    ...(minimum === null ? {} : { minimum }),
    input,
    cacheRead: entered[1] ?? known?.cacheRead ?? input,
    cacheWrite: entered[2] ?? known?.cacheWrite ?? input,
    output: entered[3] ?? known?.output ?? 0,
  };
}

/** The prices by which strategies fold; the defaults of the package until the price of input is known. */
export const pricesOf = ({ prices, cacheMinimum }: Amounts): PriceList => prices ?? { minimum: cacheMinimum };

/** The warning about a request that leaves less than the reserve of the window. */
export function overSentence(tokens: number, { window, reserve }: Amounts): string {
  const over = formatted(tokens + reserve - window);
  return tokens > window
    ? `The request is larger than the model’s window; with the reserve for the reply it is ${over} tokens too large.`
    : `The request leaves too little of the model’s window: it takes ${over} tokens of the reserve for the reply.`;
}
