/**
 * `turnfold/chat/slim`: the same names as `turnfold/chat`, without the wasm inside. `await init(source)` comes first.
 *
 * @packageDocumentation
 */
export * from "./chat.ts";
