/** Nothing: `init(source)` brings the wasm. The type is that of all three sources, for this is the one that tsc sees. */
export function source(): Uint8Array<ArrayBuffer> | WebAssembly.Module | null {
  return null;
}
