/**
 * `turnfold/turns/slim`: the same names as `turnfold/turns`, without the embedded wasm. Call `await init(source)` first.
 *
 * @packageDocumentation
 */
export * from "./turns.ts";
