import { isPlainObject } from "../values/describe.ts";
import { parseExactly } from "../values/exact-json.ts";
import { mapPrimitives } from "../values/map-primitives.ts";

/**
 * Parses the arguments of a model: an empty text is an empty object, text that is not JSON stays text, and integers beyond
 * 2^53 are big integers.
 *
 * @internal
 */
export function parseArguments(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    // A number that parses to infinity could not be written back.
    return MAY_OVERFLOW.test(text) && hasInfinity(JSON.parse(text)) ? text : parseExactly(text);
  } catch {
    return text;
  }
}

/** Matches every number that may overflow, and some that do not. */
const MAY_OVERFLOW = /e\+?\d{3}|\d{300}/i;

const hasInfinity = (json: unknown): boolean =>
  mapPrimitives(json, (value) => (Math.abs(value as number) === Number.POSITIVE_INFINITY ? null : value)) !== json;

/**
 * Returns the object of arguments that providers require. Arguments of another kind, such as a text that is not the JSON
 * of an object, are its member `input`.
 *
 * @internal
 */
export function objectArguments(args: unknown): Record<string, unknown> {
  if (isPlainObject(args)) return args;
  const parsed = typeof args === "string" ? parseArguments(args) : (args ?? {});
  return isPlainObject(parsed) ? parsed : { input: parsed };
}
