import module from "./counter.wasm";

/** Workers compile the wasm at deployment: they do not compile bytes while they serve a request. */
export function source(): WebAssembly.Module {
  return module;
}
