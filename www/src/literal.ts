import { readClojure, type Value } from "turnfold";

/** Clojure text, or JSON where it is not that. */
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
