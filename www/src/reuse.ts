/**
 * `made`, with objects at its start and end replaced by equal ones of `before`; `before` itself when all are equal. Components
 * do not render again for an object that stays the same.
 */
export function reused<T>(
  before: readonly T[],
  made: readonly T[],
  isSame: (before: T, made: T) => boolean,
): readonly T[] {
  const shorter = Math.min(before.length, made.length);
  const sameAt = (offset: number, other: number): boolean => isSame(before[offset] as T, made[other] as T);
  let start = 0;
  while (start < shorter && sameAt(start, start)) start++;
  if (start === before.length && start === made.length) return before;
  let end = 0;
  while (end < shorter - start && sameAt(before.length - 1 - end, made.length - 1 - end)) end++;
  return [...before.slice(0, start), ...made.slice(start, made.length - end), ...before.slice(before.length - end)];
}

/** Whether two lists hold the same values. */
export const sameList = <T>(one: readonly T[], other: readonly T[]): boolean =>
  one === other || (one.length === other.length && one.every((item, index) => item === other[index]));
