/**
 * `turnfold/tokens/o200k`: exact token counts for GPT-4o and later models.
 *
 * @module turnfold/tokens/o200k
 */

import { loadCounter } from "./exact.ts";
import type { ExactCounter } from "./tokens.ts";

export type { ExactCounter, TokenCounter } from "./tokens.ts";

let loading: Promise<ExactCounter> | undefined;

/**
 * Loads the exact counter of `o200k_base`, the encoding of GPT-4o and later models. It counts as tiktoken does: special
 * tokens such as `<|endoftext|>` count as their characters, and half a surrogate pair counts as U+FFFD.
 *
 * The vocabulary, 0.72 MB on the wire, is loaded at the first call. All calls resolve to the same counter; a call that
 * failed may be repeated. Works with or without `turnfold` and `turnfold/slim`.
 *
 * @example
 * ```ts
 * import { o200k } from "turnfold/tokens/o200k";
 * const counter = await o200k();
 * counter.count("Hello, world!"); // => 4
 * ```
 * @throws {TurnfoldError} `vocabulary_unavailable` when it can't be loaded or unpacked, `invalid_vocabulary` when it is
 * incomplete, `wasm_blocked` when the page or host forbids wasm, `invalid_wasm`.
 */
export function o200k(): Promise<ExactCounter> {
  loading ??= loadCounter("o200k", () => import("../../.cache/vocabularies/o200k.js")).catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
