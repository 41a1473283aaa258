import * as facts from "../../../.cache/predict-wasm/about.js";
import * as glue from "../../../.cache/predict-wasm/turnfold.js";
import { initWasm } from "../init.ts";
import { Wasm } from "../wasm.ts";

/** @internal */
export const predictWasm: Wasm = /* @__PURE__ */ new Wasm(facts, glue);

/**
 * Starts the wasm ahead of its first use, compiling it without blocking. Never required in `turnfold/predict`; in `turnfold/predict/slim` it
 * must be awaited before anything else. Calling it again has no effect.
 *
 * @param from the source of the wasm, for a slim entry: predict.wasm, as a `URL` or its text, a `Response`, bytes, a
 * `WebAssembly.Module`, a module namespace whose default export is one of these, or a promise of any.
 * @example
 * ```ts
 * import { init } from "turnfold/predict/slim";
 * await init(fetch("/assets/predict.wasm"));
 * ```
 * @throws {TurnfoldError} `wasm_blocked` when the page or host forbids wasm, `wasm_unavailable` when it can't be
 * fetched, `invalid_wasm` when it is not this package's, `out_of_memory`, `not_initialized` for a slim entry without a source,
 * `invalid_argument` when `from` is not a source. A call that failed may be repeated.
 */
export function init(from?: unknown): Promise<void> {
  return initWasm(predictWasm, from);
}
