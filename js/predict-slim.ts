/**
 * `turnfold/predict/slim`: the same names as `turnfold/predict`, without the embedded wasm. Call `await init(source)`
 * first.
 *
 * @packageDocumentation
 */
export * from "./predict.ts";
