// What case files give as Clojure text, as the package takes it.

import { Keyword, toClojure } from "turnfold";

/** A counter that is easy to follow: a token for every character. */
export const characters = { name: "characters", method: "exact", count: (text) => [...text].length };

export function camelCase(name) {
  return name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
}

/** A map whose keys are names as an object; any other value as it is. */
export function record(value, rename = (name) => name) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(entries.map(([key, held]) => [rename(key instanceof Keyword ? key.name : key), held]));
}

/** A value as Clojure text, whole. */
export function shown(value) {
  return toClojure(value).text;
}
