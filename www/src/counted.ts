const NUMBERS = new Intl.NumberFormat("en");

/** “1,200 tokens”, of what is called `one` when it is one. */
export const counted = (count: number, one: string): string =>
  `${NUMBERS.format(count)} ${count === 1 ? one : `${one}s`}`;
