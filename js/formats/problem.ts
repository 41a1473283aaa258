import { pathStep } from "../boundary/encode.ts";
import { TurnfoldError } from "../errors.ts";
import { describe } from "../values/describe.ts";

/** A path: `messages`, then keys. */
export type Path = readonly (string | number)[];

/** Writes a path as in JavaScript: `messages[2].content[0].image_url`. */
export function written([root, ...keys]: Path): string {
  return `${root}${keys.map(pathStep).join("")}`;
}

/** Makes the error for a value that is not a message of the expected format. */
export function invalid(path: Path, expected: string, got: unknown, hint?: string): TurnfoldError {
  return new TurnfoldError("invalid_message", `${written(path)} must be ${expected}, got ${describe(got)}`, {
    details: { ...placeOf(path), expected },
    hint: hint ?? null,
  });
}

/** Makes the error for content that the target format can't express. */
export function unsupported(path: Path, what: string, target: string, hint: string): TurnfoldError {
  return new TurnfoldError("unsupported_part", `${written(path)} is ${what}, for which ${target} has no place`, {
    details: placeOf(path),
    hint,
  });
}

function placeOf(path: Path): { path: string; index?: number } {
  const index = path.find((key) => typeof key === "number");
  return index === undefined ? { path: written(path) } : { index, path: written(path) };
}
