import { pathStep } from "../boundary/encode.ts";
import { TurnfoldError } from "../errors.ts";
import { describe } from "../values/describe.ts";

/** A path: `messages`, then keys. */
export type MessagePath = readonly (string | number)[];

/** Writes a path as in JavaScript: `messages[2].content[0].image_url`. */
export function pathText([root, ...keys]: MessagePath): string {
  return `${root}${keys.map(pathStep).join("")}`;
}

/** Makes the error for a value that is not a message of the expected format. */
export function invalidMessage(path: MessagePath, expected: string, got: unknown, hint?: string): TurnfoldError {
  return new TurnfoldError("invalid_message", `${pathText(path)} must be ${expected}, got ${describe(got)}`, {
    details: { ...pathDetails(path), expected },
    hint: hint ?? null,
  });
}

/** Makes the error for content that the target format can't express. */
export function unsupportedPart(path: MessagePath, what: string, target: string, hint: string): TurnfoldError {
  return new TurnfoldError("unsupported_part", `${pathText(path)} is ${what}, for which ${target} has no place`, {
    details: pathDetails(path),
    hint,
  });
}

function pathDetails(path: MessagePath): { path: string; index?: number } {
  const index = path.find((key) => typeof key === "number");
  return index === undefined ? { path: pathText(path) } : { index, path: pathText(path) };
}
