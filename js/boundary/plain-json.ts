import { isKeywordName } from "../values/values.ts";

/**
 * Returns the wire JSON of data that is plain JSON, like most data of servers, files and tools: checks every value,
 * then writes all of it with `JSON.stringify`. Returns null when a value in it has a special form on the wire, or none,
 * or when a text in it is longer than `mostText` UTF-16 units: such data needs the walk of `encode`.
 */
export function plainJson(value: unknown, mostText: number = Number.POSITIVE_INFINITY): string | null {
  left = MOST_VALUES;
  longest = mostText;
  rows.length = 0;
  try {
    if (isScalarPatched() || !isPlainData(value, MOST_LEVELS)) return null;
    const text = JSON.stringify(value);
    // Lone surrogates are written as escapes; other text that looks like one only costs a needless walk.
    return text.includes("\\ud") ? null : text;
  } catch {
    // A getter or a proxy threw: the walk of `encode` reports its path.
    return null;
  }
}

/** Old libraries add `toJSON` to the prototypes of scalars: JSON.stringify calls it, and wire JSON must not. */
function isScalarPatched(): boolean {
  return "toJSON" in String.prototype || "toJSON" in Number.prototype || "toJSON" in Boolean.prototype;
}

/** Deeper data is left to `encode`, which finds cycles. */
const MOST_LEVELS = 100;

/** Maximum number of values within a value; one that occurs several times counts each time. `encode` refuses more. */
export const MOST_VALUES = 4_000_000;
let left = 0;
let longest = 0;

/** The keys of the previous object on each level: rows of data have the same keys. */
const rows: (readonly string[] | undefined)[] = [];

function isPlainData(value: unknown, levels: number): boolean {
  switch (typeof value) {
    case "string":
      return value.length <= longest;
    case "boolean":
      return true;
    case "number":
      return isPlainNumber(value);
    case "object":
      return value === null || (levels > 0 && holdsPlainData(value, levels - 1));
    default:
      return false;
  }
}

/** True for a number that keeps its type in JSON: a safe integer, or a float with a fraction. */
export function isPlainNumber(value: number): boolean {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
}

function holdsPlainData(value: object, levels: number): boolean {
  if ((value as { toJSON?: unknown }).toJSON !== undefined) return false;
  if (Array.isArray(value)) {
    left -= value.length;
    if (left < 0) return false;
    for (let index = 0; index < value.length; index++) if (!isPlainData(value[index], levels)) return false;
    return true;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  const row = rows[levels];
  let count = 0;
  let isRow = row !== undefined;
  // `for in` allocates no list of keys. Checking inherited keys too does no harm.
  for (const key in value) {
    if (!isRow || key !== (row as readonly string[])[count]) {
      if (plainKey(key) === "") return false;
      isRow = false;
    }
    if (!isPlainData((value as Record<string, unknown>)[key], levels)) return false;
    count++;
  }
  left -= count;
  if (!isRow || count !== row?.length) rows[levels] = Object.keys(value);
  return left >= 0;
}

/**
 * Returns a key of a plain object as JSON with its colon; empty for a key that is not a keyword or could be mistaken
 * for a tag. Results are cached, because the same keys occur again and again.
 */
export function plainKey(key: string): string {
  let json = plainKeys.get(key);
  if (json === undefined) {
    json = isKeywordName(key) && !key.startsWith("$") ? `${quote(key)}:` : "";
    if (plainKeys.size >= REMEMBERED_KEYS) plainKeys.clear();
    plainKeys.set(key, json);
  }
  return json;
}

const plainKeys = new Map<string, string>();
const REMEMBERED_KEYS = 1000;

/** Writes text as JSON. Most text needs no escapes, and checking that is faster than JSON.stringify. */
export function quote(text: string): string {
  return isPrintable(text) ? `"${text}"` : JSON.stringify(wellFormed(text));
}

/** True for ASCII without control characters, quotes and backslashes. */
function isPrintable(text: string): boolean {
  if (text.length > SHORT_TEXT) return PRINTABLE.test(text);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return false;
  }
  return true;
}

/** Up to this length, a loop is faster than starting a regular expression. */
const SHORT_TEXT = 24;
const PRINTABLE = /^[ !#-[\]-~]*$/;

const { isWellFormed } = String.prototype as { isWellFormed?(this: string): boolean };

/** Replaces lone surrogates, which UTF-8 can't encode, by U+FFFD. */
export function wellFormed(text: string): string {
  return isWellFormed?.call(text) ? text : text.replace(/\p{Surrogate}/gu, "\uFFFD");
}
