import { readClojure, type Value } from "turnfold/lisp";

/** Reads Clojure text, or else JSON. */
export function readLiteral(text: string): Value {
  try {
    return readClojure(text);
  } catch (error) {
    try {
      return JSON.parse(text) as Value;
    } catch {
      throw error;
    }
  }
}
