/**
 * `turnfold/chat/slim`: the same names as `turnfold/chat`, without the embedded wasm. Call `await init(source)` first.
 *
 * @packageDocumentation
 */
export * from "./chat.ts";
