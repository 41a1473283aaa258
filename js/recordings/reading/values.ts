import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { parseJson } from "./json-lines.ts";
import { timeOf } from "./recorded-chat.ts";

/** Returns an object, and an empty one for anything else. */
export const objectIn = (given: unknown): PlainObject => (isPlainObject(given) ? given : {});

/** Returns the first of the values that is a text and not empty. */
export const textIn = (...values: unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === "string" && value !== "");

/** Returns the data of a text that is a JSON object or list, and anything else as it is. */
export const jsonIn = (given: unknown): unknown =>
  typeof given === "string" && /^\s*[[{]/.test(given) ? (parseJson(given) ?? given) : given;

/** Reads a time in seconds, milliseconds, microseconds or nanoseconds since 1970, or a date as text, in UTC where it has no zone. */
export function timeFrom(given: unknown): number | undefined {
  const number =
    typeof given === "number" || (typeof given === "string" && /^\d+(?:\.\d+)?$/.test(given)) ? Number(given) : null;
  // Times without a zone, as Python writes them, are UTC.
  if (number === null)
    return timeOf(/^[\d-]+[T ][\d:.]+$/.test(String(given)) ? `${String(given).replace(" ", "T")}Z` : given);
  const unit = [1e11, 1e14, 1e17].findIndex((limit) => number < limit);
  return number * ([1e3, 1, 1e-3][unit] ?? 1e-6);
}
