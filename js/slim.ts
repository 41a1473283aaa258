/**
 * `turnfold/slim`: the same names as `turnfold`, without the wasm inside. `await init(source)` comes first.
 *
 * @module turnfold/slim
 */
export * from "./index.ts";
