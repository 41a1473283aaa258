import { Component, type ComponentChild, type FunctionComponent, h } from "preact";

// What was computed or rendered is reused while its inputs are the same.

/** Returns the function with a cache for its last result, which is returned again for identical arguments. */
export function cachingLast<A extends readonly unknown[], R>(compute: (...given: A) => R): (...given: A) => R {
  let last: { readonly given: A; readonly result: R } | null = null;
  return (...given) => {
    const known = last;
    if (known !== null && given.every((each, index) => each === known.given[index])) return known.result;
    const result = compute(...given);
    last = { given, result };
    return result;
  };
}

/** A component that renders again only when a prop is another object or a signal that it reads has changed. */
export function memo<P extends object>(Inner: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const now = this.props as Readonly<Record<string, unknown>>;
      const names = Object.keys(next);
      return (
        names.length !== Object.keys(now).length ||
        names.some((name) => (next as Readonly<Record<string, unknown>>)[name] !== now[name])
      );
    }
    override render(): ComponentChild {
      return h(Inner, this.props as P);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}

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
