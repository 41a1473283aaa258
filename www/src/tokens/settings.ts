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
  "replyTokens",
  "cacheMinimum",
] as const;
export type AmountName = (typeof amountNames)[number];

/** The settings of the token views. Empty text of an amount: the default. */
export interface TokenSettings extends Readonly<Record<AmountName, string>> {
  readonly counter: CounterChoice;
  readonly view: TokenView;
  /** Whether the cache view tints what the previous messages share. */
  readonly tint: boolean;
}

interface AmountEntry {
  readonly label: string;
  /** The default, shown in the empty field. */
  readonly fallback: string;
  readonly hint: string;
}

export const amountEntries: Readonly<Record<AmountName, AmountEntry>> = {
  window: { label: "Window", fallback: "128000", hint: "Tokens that the model takes, its reply included" },
  reserve: { label: "Reserve", fallback: "4096", hint: "Tokens of the window kept for the reply" },
  inputPrice: { label: "Input", fallback: "none", hint: "Price of a million tokens that the model is sent" },
  cachedPrice: {
    label: "Cached",
    fallback: "as input",
    hint: "Price of a million of them that the provider has cached",
  },
  writePrice: {
    label: "Cache write",
    fallback: "as input",
    hint: "Price of a million of them that the provider puts into its cache",
  },
  outputPrice: { label: "Output", fallback: "0", hint: "Price of a million tokens that the model replies" },
  replyTokens: { label: "Reply tokens", fallback: "500", hint: "Tokens that each reply is assumed to have" },
  cacheMinimum: {
    label: "Cache from",
    fallback: "1024",
    hint: "Tokens from which on the provider caches the start of a request",
  },
};

/** The settings as numbers. Prices are for one million tokens. */
export interface Amounts {
  readonly window: number;
  readonly reserve: number;
  /** Null until it is set. */
  readonly inputPrice: number | null;
  readonly cachedPrice: number | null;
  readonly writePrice: number | null;
  readonly outputPrice: number;
  readonly replyTokens: number;
  readonly cacheMinimum: number;
}

const isPrice = (name: AmountName): boolean => name.endsWith("Price");

const WHOLE = /^\d{1,9}$/;
const DECIMAL = /^\d{1,7}(?:[.,]\d{1,9})?$/;

/** The problem of the text of an amount. */
export function troubleOf(name: AmountName, settings: TokenSettings): string | null {
  const text = settings[name].trim();
  if (text === "" || (isPrice(name) ? DECIMAL : WHOLE).test(text)) return null;
  return isPrice(name)
    ? "Write a number such as 2.5, or nothing for the default"
    : "Write a whole number, or nothing for the default";
}

/** An invalid amount counts as the default. */
export function amountsOf(settings: TokenSettings): Amounts {
  const given = (name: AmountName): number | null => {
    const text = settings[name].trim();
    return text === "" || troubleOf(name, settings) !== null ? null : Number(text.replace(",", "."));
  };
  const or = (name: AmountName): number => given(name) ?? Number(amountEntries[name].fallback);
  return {
    window: or("window"),
    reserve: or("reserve"),
    inputPrice: given("inputPrice"),
    cachedPrice: given("cachedPrice"),
    writePrice: given("writePrice"),
    outputPrice: or("outputPrice"),
    replyTokens: or("replyTokens"),
    cacheMinimum: or("cacheMinimum"),
  };
}
