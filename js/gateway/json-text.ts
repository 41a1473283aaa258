import { isDeepEqual } from "../values/deep-equal.ts";
import { isPlainObject } from "../values/describe.ts";

/** A value in the text of valid JSON: the indexes of its first character and of the one after its last. */
export interface JsonSpan {
  start: number;
  end: number;
}

const BLANKS = /[ \t\n\r]*/y;

function afterBlanks(text: string, at: number): number {
  BLANKS.lastIndex = at;
  BLANKS.test(text);
  return BLANKS.lastIndex;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
}

const SCALAR = /[^,\]}\s]+/y;

/** Returns the index after a value that begins at `start`. */
function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== "{" && first !== "[") {
    SCALAR.lastIndex = start;
    SCALAR.test(text);
    return SCALAR.lastIndex;
  }
  let depth = 0;
  for (let at = start; ; at++) {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at) - 1;
    else if (sign === "{" || sign === "[") depth++;
    else if ((sign === "}" || sign === "]") && --depth === 0) return at + 1;
  }
}

/** Returns the spans of the elements of the array that begins at `start`. */
export function elementSpans(text: string, start: number): JsonSpan[] {
  const spans: JsonSpan[] = [];
  let at = afterBlanks(text, start + 1);
  while (text[at] !== "]") {
    const end = endOfValue(text, at);
    spans.push({ start: at, end });
    at = afterBlanks(text, end);
    if (text[at] === ",") at = afterBlanks(text, at + 1);
  }
  return spans;
}

/** Returns the names of the members of the object that begins at `start`, with the spans of their values, in order. */
export function memberSpans(text: string, start: number): [name: string, value: JsonSpan][] {
  const members: [string, JsonSpan][] = [];
  let at = afterBlanks(text, start + 1);
  while (text[at] !== "}") {
    const nameEnd = endOfString(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    at = afterBlanks(text, afterBlanks(text, nameEnd) + 1);
    const end = endOfValue(text, at);
    members.push([name, { start: at, end }]);
    at = afterBlanks(text, end);
    if (text[at] === ",") at = afterBlanks(text, at + 1);
  }
  return members;
}

/** Data with the text that it was parsed from. */
export interface ParsedSource {
  value: unknown;
  text: string;
  span: JsonSpan;
}

/**
 * Writes a value as JSON. What it has in common with the value of a source, such as the blocks of a message that did not
 * change, is copied from the text of the source, with its numbers, escapes, white space and order of members.
 */
export function jsonLike(value: unknown, source: ParsedSource): string {
  const { text, span, value: given } = source;
  if (isDeepEqual(value, given)) return text.slice(span.start, span.end);
  // Formats write integers beyond 2^53 as texts.
  if (typeof given === "bigint" && value === String(given)) return text.slice(span.start, span.end);
  if (Array.isArray(value) && Array.isArray(given)) {
    const spans = elementSpans(text, span.start);
    return listLike(
      value,
      spans.map((own, index) => ({ value: given[index], text, span: own })),
    );
  }
  if (!isPlainObject(value) || !isPlainObject(given)) return JSON.stringify(value);
  const written = new Map<string, string>();
  // A name that is there twice has the value of the last.
  for (const [name, own] of memberSpans(text, span.start)) {
    if (Object.hasOwn(value, name)) written.set(name, jsonLike(value[name], { value: given[name], text, span: own }));
  }
  for (const name of Object.keys(value)) {
    if (!written.has(name) && value[name] !== undefined) written.set(name, JSON.stringify(value[name]));
  }
  return `{${Array.from(written, ([name, own]) => `${JSON.stringify(name)}:${own}`).join()}}`;
}

/** Writes a list whose elements are those of a source, in its order, some of them changed, added or left out. */
export function listLike(values: readonly unknown[], sources: readonly ParsedSource[]): string {
  let next = 0;
  const written = values.map((value) => {
    const same = sources.findIndex((source, index) => index >= next && isDeepEqual(value, source.value));
    const own = sources[same < 0 ? next : same];
    if (own === undefined || (same < 0 && !isSameKind(value, own.value))) return JSON.stringify(value);
    next = (same < 0 ? next : same) + 1;
    return jsonLike(value, own);
  });
  return `[${written.join()}]`;
}

function isSameKind(left: unknown, right: unknown): boolean {
  return isPlainObject(left) && isPlainObject(right) && left.type === right.type && left.role === right.role;
}
