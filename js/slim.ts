/**
 * `turnfold/slim`: the same names as `turnfold`, without the embedded wasm. Call `await init(source)` first.
 *
 * @module turnfold/slim
 */
export * from "./index.ts";
