import { TurnfoldError } from "../errors.ts";

/** @throws {TurnfoldError} `wasm_blocked` when there is no WebAssembly. */
export function requireWebAssembly(): void {
  if (typeof WebAssembly === "object") return;
  throw new TurnfoldError("wasm_blocked", "this host has no WebAssembly", {
    hint: "a page's Content-Security-Policy must allow 'wasm-unsafe-eval' in script-src",
  });
}

/** Makes the error of a wasm that did not start. `hint` is used when the reason is not that the host forbids wasm. */
export function wasmStartError(cause: unknown, hint: string): TurnfoldError {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof EvalError || /polic|csp|unsafe-eval|disallow|blocked|refused/i.test(message)) {
    return new TurnfoldError("wasm_blocked", `this page or host does not allow WebAssembly here: ${message}`, {
      hint: "a page's Content-Security-Policy must allow 'wasm-unsafe-eval' in script-src",
      cause,
    });
  }
  // Engines throw it when they can't reserve the memory of an instance.
  if (cause instanceof RangeError) {
    return new TurnfoldError("out_of_memory", `this host has no memory for another WebAssembly instance: ${message}`, {
      hint: "free memory, or run fewer programs at a time; the call can be repeated",
      cause,
    });
  }
  return new TurnfoldError("invalid_wasm", `the wasm can't be started: ${message}`, {
    hint,
    cause,
  });
}
