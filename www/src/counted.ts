const NUMBERS = new Intl.NumberFormat("en");

/** A number with its noun, such as “1,200 tokens”. `one` is the singular. */
export const counted = (count: number, one: string): string =>
  `${NUMBERS.format(count)} ${count === 1 ? one : `${one}s`}`;

/** A typed whole number with its separators; another text as it is. */
export const withSeparators = (text: string): string => (/^\d+$/.test(text) ? NUMBERS.format(Number(text)) : text);
