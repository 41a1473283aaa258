/**
 * `turnfold/slim`: the same names as `turnfold`, without the wasm inside. `await init(source)` comes first.
 *
 * @packageDocumentation
 */
export * from "./index.ts";
