// The texts of a state, and what is written in them.

const STRING = /("(?:[^"\\\n]|\\[^\n])*")/;
const MOST_DEPTH = 6;

/**
 * Calls `map` with the stretches of a text that are read together, and puts its results in their places. Strings with
 * escapes, of JSON and of Clojure, are decoded: a key may follow a line break that is written `\n`.
 */
export function mapped(text: string, map: (plain: string) => string, depth = 0): string {
  if (!text.includes("\\") || depth > MOST_DEPTH) return map(text);
  let result = "";
  let plain = "";
  for (const piece of text.split(STRING)) {
    const inner = piece.startsWith('"') && piece.length > 1 && piece.includes("\\") ? decoded(piece) : null;
    if (inner === null) {
      plain += piece;
      continue;
    }
    const next = mapped(inner, map, depth + 1);
    result += map(plain) + (next === inner ? piece : JSON.stringify(next));
    plain = "";
  }
  return result + map(plain);
}

function decoded(literal: string): string | null {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return null;
  }
}

/** Replaces texts anywhere in a value. What has none stays the same object. */
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
