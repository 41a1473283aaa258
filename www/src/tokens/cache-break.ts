import { type Comparable, type Difference, differenceOf, type Shared, sharedWith } from "./shared.ts";

/** What a provider's cache has of a request after another one. */
export interface CacheBreak {
  readonly shared: Shared;
  readonly difference: Difference;
  /** Tokens that the cache has, if they are enough to be stored. */
  readonly read: number;
  readonly total: number;
}

/**
 * @param sizes the tokens of each message of `after`.
 * @param count counts the tokens of the beginning of a message.
 */
export function cacheBreak(
  before: readonly Comparable[],
  after: readonly Comparable[],
  sizes: readonly number[],
  count: (text: string) => number,
): CacheBreak {
  const shared = sharedWith(before, after);
  const sum = (list: readonly number[]): number => list.reduce((total, each) => total + each, 0);
  const begun = shared.units === 0 ? 0 : count(after[shared.messages]?.content.slice(0, shared.units) ?? "");
  return {
    shared,
    difference: differenceOf(before, after, shared),
    read: sum(sizes.slice(0, shared.messages)) + begun,
    total: sum(sizes),
  };
}
