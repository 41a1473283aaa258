import type { Amounts } from "./settings.ts";

export const formatted = (tokens: number): string => tokens.toLocaleString("en");

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

/** The warning about a request that leaves less than the reserve of the window. */
export function overSentence(tokens: number, { window, reserve }: Amounts): string {
  const over = formatted(tokens + reserve - window);
  return tokens > window
    ? `The request is larger than the model’s window; with the reserve for the reply it is ${over} tokens too large.`
    : `The request leaves too little of the model’s window: it takes ${over} tokens of the reserve for the reply.`;
}
