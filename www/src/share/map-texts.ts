import { parsedJson } from "../page/problem.ts";

// Maps the texts of a state, also inside string literals in these texts.

const STRING = /("(?:[^"\\\n]|\\[^\n])*")/;
const MAX_DEPTH = 6;

/**
 * Replaces the parts of a text by the results of `map`. A string literal with escapes, of JSON or Clojure, is a separate part,
 * which is decoded first: a key may follow a line break that is written `\n`.
 */
export function mapped(text: string, map: (plain: string) => string, depth = 0): string {
  if (!text.includes("\\") || depth > MAX_DEPTH) return map(text);
  let result = "";
  let plain = "";
  for (const piece of text.split(STRING)) {
    const inner = piece.startsWith('"') && piece.length > 1 && piece.includes("\\") ? parsedJson(piece) : undefined;
    if (typeof inner !== "string") {
      plain += piece;
      continue;
    }
    const next = mapped(inner, map, depth + 1);
    result += map(plain) + (next === inner ? piece : JSON.stringify(next));
    plain = "";
  }
  return result + map(plain);
}

/** Maps all strings in a value. A list or object in which nothing changes stays the same object. */
export function replaced<T>(value: T, map: (text: string) => string): T {
  if (typeof value === "string") return map(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const list = value.map((each: unknown) => replaced(each, map));
    return (list.every((each, index) => each === value[index]) ? value : list) as T;
  }
  const entries = Object.entries(value).map(([name, each]) => [name, replaced(each, map)] as const);
  return entries.every(([name, each]) => each === (value as Record<string, unknown>)[name])
    ? value
    : (Object.fromEntries(entries) as T);
}
