import { plainCopy } from "../boundary/options.ts";
import { call, send } from "../boundary/wasm.ts";
import { TurnfoldError } from "../errors.ts";
import { describe } from "../values/describe.ts";
import type { Diagnostic } from "./lisp.ts";

/** The names that a program may use in addition to those of the language. Names of an absent list are not checked. */
export interface KnownNames {
  tools?: readonly string[] | undefined;
  data?: readonly string[] | undefined;
  /** Earlier definitions. */
  memory?: readonly string[] | undefined;
}

/** A completion. */
export interface Completion {
  /** The whole name, such as `tool/search`. */
  name: string;
  /** Its usage: `(reduce f coll) or (reduce f init coll)`. */
  detail: string;
  /** What it does, in one line. */
  doc: string;
}

/**
 * Reports all problems of a program without running it, in the order of the source: syntax errors, malformed forms, wrong
 * numbers of arguments, undefined names. In a program with many undefined names, only the first ones have hints with a
 * similar name.
 *
 * @example
 * ```ts
 * for (const { message, span } of check("(prnt 1)", { tools: [], data: [], memory: [] })) {
 *   console.log(`${span?.line}:${span?.column} ${message}`);
 * }
 * ```
 * @throws {TurnfoldError} `invalid_argument`, `invalid_option`.
 */
export function check(source: string, names: KnownNames = {}): Diagnostic[] {
  const [program, known] = [checkSource(source), plainCopy(names, "names")];
  return call("language", (wasm) => wasm.check(send(program), known)) as Diagnostic[];
}

/**
 * Completes the name before `offset`: the given names first, then special forms, then the library.
 *
 * @param offset in UTF-16 units, as editors count.
 *
 * @example
 * ```ts
 * complete("(filt", 5)[0]?.name; // => 'filter'
 * ```
 * @throws {TurnfoldError} `invalid_argument`, `invalid_option`.
 */
export function complete(source: string, offset: number, names: KnownNames = {}): Completion[] {
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new TurnfoldError(
      "invalid_argument",
      `the offset must be a whole number, not negative, got ${describe(offset)}`,
    );
  }
  const [program, known] = [checkSource(source), plainCopy(names, "names")];
  return call("language", (wasm) => wasm.complete(send(program), offset, known)) as Completion[];
}

function checkSource(source: unknown): string {
  if (typeof source === "string") return source;
  throw new TurnfoldError("invalid_argument", `a program is a text, got ${describe(source)}`);
}
