const NUMBERS = new Intl.NumberFormat("en");

/** A number with its noun, such as “1,200 tokens”. `one` is the singular. */
export const counted = (count: number, one: string): string =>
  `${NUMBERS.format(count)} ${count === 1 ? one : `${one}s`}`;

/** Adds thousands separators to a typed whole number. Returns other texts unchanged. */
export const withSeparators = (text: string): string => (/^\d+$/.test(text) ? NUMBERS.format(Number(text)) : text);
