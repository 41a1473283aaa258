import { isKeywordName } from "../values/values.ts";

/**
 * The wire JSON of data that is JSON already, as most of what comes from a server, a file or a tool is: written by the
 * engine in one go, after a look at every value. Null when something in it has a form of its own on the wire, or none,
 * or when a text in it is longer than `mostText` UTF-16 units: then it has to be walked piece by piece.
 */
export function plainJson(value: unknown, mostText: number = Number.POSITIVE_INFINITY): string | null {
  left = MOST_VALUES;
  longest = mostText;
  rows.length = 0;
  try {
    if (isScalarPatched() || !isPlainData(value, MOST_LEVELS)) return null;
    const text = JSON.stringify(value);
    // Halves of surrogate pairs are written as escapes; what reads like one besides is walked for nothing.
    return text.includes("\\ud") ? null : text;
  } catch {
    // A getter or a proxy threw: the walk knows where.
    return null;
  }
}

/** Old libraries give texts a `toJSON`, which JSON.stringify calls and the wire does not know. */
function isScalarPatched(): boolean {
  return "toJSON" in String.prototype || "toJSON" in Number.prototype || "toJSON" in Boolean.prototype;
}

/** Deeper data is left to the walk that finds cycles. */
const MOST_LEVELS = 100;

/** A value that holds more values, those that it holds again and again counted each time, is refused by the walk. */
export const MOST_VALUES = 4_000_000;
let left = 0;
let longest = 0;

/** The keys of the object before on each level: rows of data have the same ones. */
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

/** True for a number that reads back from JSON as what it is: an integer, or a float with a fraction. */
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
  // Keys of a list are no garbage when there is no list. An inherited one is looked at in vain.
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
 * A key that can stand in a plain object, as JSON with its colon; empty for one that is no keyword or could be taken for
 * a tag. The same keys come over and over, so they are remembered.
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

/** Text as JSON. Most text is its own JSON between quotes, and to see that is quicker than to have it copied. */
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

/** Beginning to match an expression takes as long as looking at so many characters. */
const SHORT_TEXT = 24;
const PRINTABLE = /^[ !#-[\]-~]*$/;

const { isWellFormed } = String.prototype as { isWellFormed?(this: string): boolean };

/** Text without halves of surrogate pairs, which UTF-8 can't have. */
export function wellFormed(text: string): string {
  return isWellFormed?.call(text) ? text : text.replace(/\p{Surrogate}/gu, "\uFFFD");
}
