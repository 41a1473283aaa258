import { parseExactly } from "./exact-json.ts";

/** Returns the value of a JSON text, integers beyond 2^53 as big integers, or the text itself when it is not JSON. */
export function jsonOrText(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return text;
  }
}
