import { setMember } from "./deep-copy.ts";
import { mapPrimitives } from "./map-primitives.ts";

/** The least number of digits of an integer that `JSON.parse` may round. */
const LONG_INTEGER = /\d{16}/;

/** Matches the strings and numbers of JSON, the only tokens with digits. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Levels of nesting that data may have; deeper data would exhaust the stack of functions that walk through it. */
const MAX_NESTING = 1000;

/** True for JSON with more levels of objects and arrays than data may have. */
function isTooDeep(json: string): boolean {
  if (json.length <= 2 * MAX_NESTING) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (sign === "[" || sign === "{") {
      if (++depth > MAX_NESTING) return true;
    } else if (sign === "]" || sign === "}") depth--;
    else if (sign === '"') at = endOfText(json, at);
  }
  return false;
}

/** Returns the index of the quote that ends the text that begins at `start`. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return end;
  }
}

/**
 * Parses JSON as `JSON.parse` does, with integers beyond 2^53 as big integers, so that none of them is rounded.
 *
 * @param restore replaces numbers of the parsed data, by the same data with digits; by default {@link withBigIntegers}.
 * @throws {SyntaxError} when the text is not JSON; {RangeError} when its data is nested more than 1,000 levels deep.
 */
export function parseExactly(
  text: string,
  restore: (parsed: unknown, exact: unknown) => unknown = withBigIntegers,
): unknown {
  const value: unknown = JSON.parse(text);
  if (isTooDeep(text)) throw new RangeError(`the data is nested more than ${MAX_NESTING} levels deep`);
  return LONG_INTEGER.test(text) ? restore(value, JSON.parse(withDigits(text))) : value;
}

/** Writes integers beyond 2^53 in JSON as texts of their digits. */
export function withDigits(json: string): string {
  if (!LONG_INTEGER.test(json)) return json;
  return json.replace(TOKENS, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );
}

/** Replaces the numbers of `parsed` for which `exact`, the same data, has digits. Changes objects and arrays in place. */
export function withBigIntegers(parsed: unknown, exact: unknown): unknown {
  if (typeof parsed === "number") return typeof exact === "string" ? BigInt(exact) : parsed;
  if (typeof parsed !== "object" || parsed === null) return parsed;
  for (const [key, item] of Object.entries(parsed)) {
    setMember(parsed as Record<string, unknown>, key, withBigIntegers(item, (exact as Record<string, unknown>)[key]));
  }
  return parsed;
}

/** Returns data with big integers as numbers, for validators that know no big integers; the same data when there are none. */
export const withNumbers = (value: unknown): unknown =>
  mapPrimitives(value, (item) => (typeof item === "bigint" ? Number(item) : item));
