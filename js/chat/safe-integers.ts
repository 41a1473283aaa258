import { setMember } from "../values/deep-copy.ts";
import { isPlain } from "../values/describe.ts";

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
export function withSafeIntegers(value: unknown): unknown {
  if (typeof value === "bigint") return bigIntToJson(value);
  if (typeof value === "number") return isUnsafe(value) ? String(BigInt(value)) : value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(withSafeIntegers);
    return items.some((item, index) => !Object.is(item, value[index])) ? items : value;
  }
  if (!isPlain(value)) return value;
  const copied: Record<string, unknown> = {};
  let isSame = true;
  for (const [key, given] of Object.entries(value)) {
    const item = withSafeIntegers(given);
    if (!Object.is(item, given)) isSame = false;
    setMember(copied, key, item);
  }
  return isSame ? value : copied;
}

function isUnsafe(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}
