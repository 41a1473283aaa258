/** True when both are the same type, not merely assignable. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles when the type argument is `true`. */
export function expectTrue<_T extends true>(): void {}
