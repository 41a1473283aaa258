import { TurnfoldError } from "../errors.ts";
import { describe } from "../values/describe.ts";

/**
 * Checks that a value is a string.
 *
 * @throws {TurnfoldError} `invalid_argument`
 */
export function requireText(text: unknown, method = "count"): asserts text is string {
  if (typeof text === "string") return;
  throw new TurnfoldError("invalid_argument", `${method}() takes a string, got ${describe(text)}`);
}
