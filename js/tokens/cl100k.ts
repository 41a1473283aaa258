/**
 * `turnfold/tokens/cl100k`: token counts that are those of GPT-4 and GPT-3.5.
 *
 * @packageDocumentation
 */

import { loadCounter } from "./exact.ts";
import type { TokenCounter } from "./tokens.ts";

export type { TokenCounter } from "./tokens.ts";

let loading: Promise<TokenCounter> | undefined;

/**
 * The exact counter of `cl100k_base`, the encoding of GPT-4 and GPT-3.5 (FR-009, SC-004). It counts plain text: what a text
 * says of special tokens, such as `<|endoftext|>`, counts as the characters that it is written with, and half a
 * surrogate pair as U+FFFD.
 *
 * The vocabulary, 0.34 MB on the wire, is loaded with the first call. All calls give the same counter; one that failed
 * may be repeated. Works beside `turnfold` and `turnfold/slim`, and without either.
 *
 * @example
 * ```ts
 * import { cl100k } from "turnfold/tokens/cl100k";
 * const counter = await cl100k();
 * counter.count("Hello, world!"); // => 4
 * ```
 * @throws {TurnfoldError} `vocabulary_unavailable` when it can't be loaded or unpacked, `invalid_vocabulary` when it is
 * not whole, `wasm_blocked` where the page or host forbids wasm, `invalid_wasm`.
 */
export function cl100k(): Promise<TokenCounter> {
  loading ??= loadCounter("cl100k", () => import("../../.cache/vocabularies/cl100k.js")).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
