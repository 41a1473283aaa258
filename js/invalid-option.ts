import { describe } from "./values/describe.ts";
import { TurnfoldError } from "./errors.ts";

/**
 * The error of an option that is not what it must be.
 *
 * @internal
 */
export function invalidOption(
  option: string,
  expected: string,
  got: unknown,
  hint: string | null = null,
): TurnfoldError {
  return new TurnfoldError("invalid_option", `${option} must be ${expected}, got ${describe(got)}`, {
    details: { option },
    hint,
  });
}

/**
 * A whole number from `least` up, or `usual` where none is given.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkCount(
  option: string,
  count: unknown,
  usual: number,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): number {
  if (count === undefined) return usual;
  if (Number.isSafeInteger(count) && (count as number) >= least && (count as number) <= most) return count as number;
  throw invalidOption(option, `a whole number from ${least} up`, count);
}
