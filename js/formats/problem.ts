import { step } from "../boundary/encode.ts";
import { TurnfoldError } from "../errors.ts";
import { describe } from "../values/describe.ts";

/** A path: `messages`, then keys. */
export type Path = readonly (string | number)[];

/** A path as JavaScript would write it: `messages[2].content[0].image_url`. */
export function written([root, ...keys]: Path): string {
  return `${root}${keys.map(step).join("")}`;
}

/** The error of a value that is not a message of the expected format. */
export function invalid(path: Path, expected: string, got: unknown, hint?: string): TurnfoldError {
  return new TurnfoldError("invalid_message", `${written(path)} must be ${expected}, got ${describe(got)}`, {
    details: { ...placeOf(path), expected },
    hint: hint ?? null,
  });
}

/** The error of content that the target format has no form for. */
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
