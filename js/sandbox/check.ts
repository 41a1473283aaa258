import { describe, isPlain } from "../values/describe.ts";
import { encode } from "../boundary/encode.ts";
import { reading, TurnfoldError } from "../errors.ts";
import type { Diagnostic } from "./lisp.ts";
import { call, send } from "../boundary/wasm.ts";

/** The names that a program may use beside those of the language. Of an absent list nothing is known. */
export interface KnownNames {
  tools?: readonly string[];
  data?: readonly string[];
  /** Definitions from before. */
  memory?: readonly string[];
}

/** A name to go on with. */
export interface Completion {
  /** The whole name, `tool/search` for instance. */
  name: string;
  /** How it is written: `(reduce f coll) or (reduce f init coll)`. */
  detail: string;
  /** What it does, in a line. */
  doc: string;
}

/**
 * All problems of a program at once, without running it, in the order of their places: what does not read, forms of the
 * wrong shape, wrong numbers of arguments, names that nothing has.
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
  const json = encode({ source: text(source), ...known(names) });
  return JSON.parse(call((wasm) => wasm.check(send(json)))) as Diagnostic[];
}

/**
 * Names that begin with what stands before `offset`: those given, then special forms, then the library.
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
  const json = encode({ source: text(source), offset, ...known(names) });
  const found = JSON.parse(call((wasm) => wasm.complete(send(json)))) as [string, string, string][];
  return found.map(([name, detail, doc]) => ({ name, detail, doc }));
}

function text(source: unknown): string {
  if (typeof source === "string") return source;
  throw new TurnfoldError("invalid_argument", `a program is a text, got ${describe(source)}`);
}

const LISTS = ["tools", "data", "memory"];

function known(names: unknown): Record<string, readonly string[]> {
  return reading("invalid_option", "the names", () => {
    if (typeof names !== "object" || names === null || !isPlain(names)) throw wrong("names", names);
    const lists: Record<string, readonly string[]> = {};
    for (const [name, list] of Object.entries(names)) {
      if (!LISTS.includes(name)) throw wrong(`names.${name}`, list, `there are ${LISTS.join(", ")}`);
      if (list === undefined) continue;
      if (!Array.isArray(list) || !list.every((item) => typeof item === "string")) throw wrong(`names.${name}`, list);
      lists[name] = [...(list as string[])];
    }
    return lists;
  });
}

function wrong(
  option: string,
  given: unknown,
  hint = 'write { tools: ["search"], data: [], memory: [] }',
): TurnfoldError {
  return new TurnfoldError("invalid_option", `${option} can't be ${describe(given)}`, { details: { option }, hint });
}
