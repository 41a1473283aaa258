/** Returns null: `init(source)` provides the wasm. The type covers all three sources, because tsc checks this one. */
export function source(): Uint8Array<ArrayBuffer> | WebAssembly.Module | null {
  return null;
}
