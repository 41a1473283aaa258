// Converts the Clojure text of case files to the package's options.

import { Keyword, toClojure } from "turnfold/lisp";

/** An easily checked counter: one token for every character. */
export const characters = { name: "characters", method: "exact", count: (text) => [...text].length };

export function camelCase(name) {
  return name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
}

/** Converts a map with names as keys to an object; returns any other value unchanged. */
export function record(value, rename = (name) => name) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, held]) => [rename(key instanceof Keyword ? key.name : key), held]));
}

/** The complete Clojure text of a value. */
export function shown(value) {
  return toClojure(value).text;
}
