import { decode } from "../boundary/decode.ts";
import { encode } from "../boundary/encode.ts";
import { plainCopy } from "../boundary/options.ts";
import { call, send } from "../boundary/wasm.ts";
import { TurnfoldError } from "../errors.ts";
import { describe } from "../values/describe.ts";
import type { Value } from "../values/values.ts";

/** Limits of {@link toClojure}. */
export interface ClojureOptions {
  /** Items shown of each collection; all when absent. */
  limit?: number | undefined;
  /** Graphemes shown of each string; all when absent. */
  printableLimit?: number | undefined;
  /** Omits keys that begin with `_`, as all messages for a model do. Default false. */
  filterHidden?: boolean | undefined;
}

/** The result of {@link toClojure}. */
export interface ClojureText {
  text: string;
  /** True when a limit omitted something. */
  truncated: boolean;
}

/**
 * Returns the type label of a value as shown to a model: `list[7]`, `map[2]`, `string`, `integer`, `#fn[...]`; also
 * `fn` for a builtin, `date`, `regex` and `var`.
 *
 * @example
 * ```ts
 * typeOf([1, 2, 3]); // => 'list[3]'
 * ```
 * @throws {TurnfoldError} `invalid_value`, `cyclic_value` or `nesting_too_deep`, with the path of the value in `details`.
 */
export function typeOf(value: unknown): string {
  const json = encode(value);
  return call("language", (wasm) => wasm.typeOf(send(json)));
}

/**
 * Writes a value as Clojure text. Floats have at most ten decimals and no exponent; the text of any other value
 * without limits is lossless.
 *
 * @example
 * ```ts
 * toClojure({ name: "Laptop", tags: [1, 2, 3] }, { limit: 2 });
 * // { text: '{:name "Laptop" :tags [1 2 ...] (3 items, showing first 2)}', truncated: true }
 * ```
 * @throws {TurnfoldError} `invalid_value`, `cyclic_value`, `nesting_too_deep`; `invalid_option`.
 */
export function toClojure(value: unknown, options: ClojureOptions = {}): ClojureText {
  const given = plainCopy(options, "the options", "");
  const json = encode(value);
  return call("language", (wasm) => wasm.toClojure(send(json), given)) as ClojureText;
}

/**
 * Reads Clojure literals: `{:a [1 2.5 "x" :k nil] "b" #{1}}`. The result is lossless: {@link toClojure}
 * writes the same value, with at most ten decimals. An integer has at most 10,000 digits, and collections are nested at most
 * 1,000 levels deep.
 *
 * @example
 * ```ts
 * readClojure('{:name "Laptop" :tags [1 2]}'); // => { name: 'Laptop', tags: [ 1, 2 ] }
 * ```
 * @throws {TurnfoldError} a code of the reader such as `parse_error` or `nesting_too_deep`, with the position in
 * `details`: `start`, `end`, `line`, `column`.
 */
export function readClojure(text: string): Value {
  if (typeof text !== "string") {
    throw new TurnfoldError("invalid_argument", `readClojure() takes a string, got ${describe(text)}`);
  }
  return decode(JSON.parse(call("language", (wasm) => wasm.readClojure(send(text)))));
}
