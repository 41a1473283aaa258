import { isKeywordName } from "../values/values.ts";

/**
 * Returns the wire JSON of data that is plain JSON, like most data of servers, files and tools: checks every value,
 * then writes all of it with `JSON.stringify`. Returns null when a value in it has a special form on the wire, or none,
 * or when a text in it is longer than `maxText` UTF-16 units: such data needs the walk of `encode`.
 */
export function plainJson(value: unknown, maxText: number = Number.POSITIVE_INFINITY): string | null {
  valuesLeft = MAX_VALUES;
  maxTextLength = maxText;
  previousKeys.length = 0;
  try {
    if (hasScalarToJSON() || !isPlainData(value, MAX_LEVELS)) return null;
    const text = JSON.stringify(value);
    // Lone surrogates are written as escapes; other text that looks like one only costs a needless walk.
    return text.includes("\\ud") ? null : text;
  } catch {
    // A getter or a proxy threw: the walk of `encode` reports its path.
    return null;
  }
}

/** Old libraries add `toJSON` to the prototypes of scalars: JSON.stringify calls it, and wire JSON must not. */
function hasScalarToJSON(): boolean {
  return "toJSON" in String.prototype || "toJSON" in Number.prototype || "toJSON" in Boolean.prototype;
}

/** Deeper data is left to `encode`, which finds cycles. */
const MAX_LEVELS = 100;

/** Maximum number of values within a value; one that occurs several times counts each time. `encode` refuses more. */
export const MAX_VALUES = 4_000_000;
let valuesLeft = 0;
let maxTextLength = 0;

/** The keys of the previous object on each level: rows of data have the same keys. */
const previousKeys: (readonly string[] | undefined)[] = [];

function isPlainData(value: unknown, levelsLeft: number): boolean {
  switch (typeof value) {
    case "string":
      return value.length <= maxTextLength;
    case "boolean":
      return true;
    case "number":
      return isPlainNumber(value);
    case "object":
      return value === null || (levelsLeft > 0 && containsOnlyPlainData(value, levelsLeft - 1));
    default:
      return false;
  }
}

/** True for a number that keeps its type in JSON: a safe integer, or a float with a fraction. */
export function isPlainNumber(value: number): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}

function containsOnlyPlainData(value: object, levelsLeft: number): boolean {
  if ((value as { toJSON?: unknown }).toJSON !== undefined) return false;
  if (Array.isArray(value)) {
    valuesLeft -= value.length;
    if (valuesLeft < 0) return false;
    for (let index = 0; index < value.length; index++) if (!isPlainData(value[index], levelsLeft)) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  const previous = previousKeys[levelsLeft];
  let count = 0;
  let hasSameKeys = previous !== undefined;
  // `for in` allocates no list of keys. Checking inherited keys too does no harm.
  for (const key in value) {
    if (!hasSameKeys || key !== (previous as readonly string[])[count]) {
      if (plainKey(key) === "") return false;
      hasSameKeys = false;
    }
    if (!isPlainData((value as Record<string, unknown>)[key], levelsLeft)) return false;
    count++;
  }
  valuesLeft -= count;
  if (!hasSameKeys || count !== previous?.length) previousKeys[levelsLeft] = Object.keys(value);
  return valuesLeft >= 0;
}

/**
 * Returns a key of a plain object as JSON with its colon; empty for a key that is not a keyword or could be mistaken
 * for a tag. Results are cached, because the same keys occur again and again.
 */
export function plainKey(key: string): string {
  let json = plainKeys.get(key);
  if (json === undefined) {
    json = isKeywordName(key) && !key.startsWith("$") ? `${quoteText(key)}:` : "";
    if (plainKeys.size >= MAX_CACHED_KEYS) plainKeys.clear();
    plainKeys.set(key, json);
  }
  return json;
}

const plainKeys = new Map<string, string>();
const MAX_CACHED_KEYS = 1000;

/** Writes text as JSON. Most text needs no escapes, and checking that is faster than JSON.stringify. */
export function quoteText(text: string): string {
  return isPrintable(text) ? `"${text}"` : JSON.stringify(wellFormed(text));
}

/** True for ASCII without control characters, quotes and backslashes. */
function isPrintable(text: string): boolean {
  if (text.length > SHORT_TEXT_LENGTH) return PRINTABLE.test(text);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return false;
  }
  return true;
}

/** Up to this length, a loop is faster than starting a regular expression. */
const SHORT_TEXT_LENGTH = 24;
const PRINTABLE = /^[ !#-[\]-~]*$/;

const { isWellFormed } = String.prototype as { isWellFormed?(this: string): boolean };

/** Replaces lone surrogates, which UTF-8 can't encode, by U+FFFD. */
export function wellFormed(text: string): string {
  return isWellFormed?.call(text) ? text : text.replace(/\p{Surrogate}/gu, "\uFFFD");
}
