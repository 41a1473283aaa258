/**
 * `turnfold/lisp/slim`: the same names as `turnfold/lisp`, without the embedded wasm. Call `await init(source)` first.
 *
 * @module turnfold/lisp/slim
 */
export * from "./lisp.ts";
