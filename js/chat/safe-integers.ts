import { mapPrimitives } from "../values/map-primitives.ts";

/** Converts a big integer for JSON: to a number if that is exact, otherwise to a text of its digits. */
export function bigIntToJson(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/**
 * Returns data with integers beyond 2^53 as texts of their digits, and other big integers as numbers; the same data
 * when there are none.
 *
 * @internal
 */
export const withSafeIntegers = (value: unknown): unknown => mapPrimitives(value, toSafe);

function toSafe(value: unknown): unknown {
  if (typeof value === "bigint") return bigIntToJson(value);
  return typeof value === "number" && isUnsafe(value) ? String(BigInt(value)) : value;
}

function isUnsafe(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}
