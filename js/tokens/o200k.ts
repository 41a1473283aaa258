/**
 * `turnfold/tokens/o200k`: token counts that are those of GPT-4o and the models after it.
 *
 * @packageDocumentation
 */

import { loadCounter } from "./exact.ts";
import type { TokenCounter } from "./tokens.ts";

export type { TokenCounter } from "./tokens.ts";

let loading: Promise<TokenCounter> | undefined;

/**
 * The exact counter of `o200k_base`, the encoding of GPT-4o and the models after it (FR-009, SC-004). It counts plain text: what a text
 * says of special tokens, such as `<|endoftext|>`, counts as the characters that it is written with, and half a
 * surrogate pair as U+FFFD.
 *
 * The vocabulary, 0.72 MB on the wire, is loaded with the first call. All calls give the same counter; one that failed
 * may be repeated. Works beside `turnfold` and `turnfold/slim`, and without either.
 *
 * @example
 * ```ts
 * import { o200k } from "turnfold/tokens/o200k";
 * const counter = await o200k();
 * counter.count("Hello, world!"); // => 4
 * ```
 * @throws {TurnfoldError} `vocabulary_unavailable` when it can't be loaded or unpacked, `invalid_vocabulary` when it is
 * not whole, `wasm_blocked` where the page or host forbids wasm, `invalid_wasm`.
 */
export function o200k(): Promise<TokenCounter> {
  loading ??= loadCounter("o200k", () => import("../../.cache/vocabularies/o200k.js")).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
