// Numbers as words of the page.

const NUMBERS = new Intl.NumberFormat("en");

export const formatted = (number: number): string => NUMBERS.format(number);

/** An approximate number, with two significant digits: “31,000”. */
export const rough = (tokens: number): string => tokens.toLocaleString("en", { maximumSignificantDigits: 2 });

/** A share in percent; a small share is “<1 %”, not “0 %”. */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  const share = (100 * part) / whole;
  return share < 1 ? "<1 %" : `${Math.round(share)} %`;
}

/** Dollars, in cents from one dollar on, with two significant digits below ten cents. */
export function money(amount: number): string {
  const digits =
    amount >= 0.1 || amount === 0
      ? { minimumFractionDigits: 2, maximumFractionDigits: 2 }
      : { minimumSignificantDigits: 2, maximumSignificantDigits: 2 };
  return `$${amount.toLocaleString("en", digits)}`;
}

/** A number with its noun, such as “1,200 tokens”. `one` is the singular. */
export const counted = (count: number, one: string): string => `${formatted(count)} ${count === 1 ? one : `${one}s`}`;

/** Adds thousands separators to a typed whole number. Returns other texts unchanged. */
export const withSeparators = (text: string): string => (/^\d+$/.test(text) ? formatted(Number(text)) : text);
