import module from "./turnfold.wasm";

/** Workers compile the wasm when they are deployed: they refuse to compile bytes while they serve a request. */
export function source(): WebAssembly.Module {
  return module;
}
