import * as embedded from "../../../.cache/counter/embedded.js";
import { decodeAsciiBytes } from "../../boundary/ascii-bytes.ts";

/** Returns the wasm of the counters, which this bundle contains as text. The type covers both sources. */
export function source(): Uint8Array<ArrayBuffer> | WebAssembly.Module {
  return decodeAsciiBytes(embedded);
}
