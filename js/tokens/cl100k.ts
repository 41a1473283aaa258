/**
 * `turnfold/tokens/cl100k`: exact token counts for GPT-4 and GPT-3.5.
 *
 * @module turnfold/tokens/cl100k
 */

import { loadCounter } from "./exact.ts";
import type { ExactCounter } from "./tokens.ts";

export type { ExactCounter, TokenCounter } from "./tokens.ts";

let loading: Promise<ExactCounter> | undefined;

/**
 * Loads the exact counter of `cl100k_base`, the encoding of GPT-4 and GPT-3.5. It counts as tiktoken does: special tokens
 * such as `<|endoftext|>` count as their characters, and half a surrogate pair counts as U+FFFD.
 *
 * The vocabulary, 0.34 MB on the wire, is loaded at the first call. All calls resolve to the same counter; a call that
 * failed may be repeated. Works with or without `turnfold` and `turnfold/slim`.
 *
 * @example
 * ```ts
 * import { cl100k } from "turnfold/tokens/cl100k";
 * const counter = await cl100k();
 * counter.count("Hello, world!"); // => 4
 * ```
 * @throws {TurnfoldError} `vocabulary_unavailable` when it can't be loaded or unpacked, `invalid_vocabulary` when it is
 * incomplete, `wasm_blocked` when the page or host forbids wasm, `invalid_wasm`.
 */
export function cl100k(): Promise<ExactCounter> {
  loading ??= loadCounter("cl100k", () => import("../../.cache/vocabularies/cl100k.js")).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
