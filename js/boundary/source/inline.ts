import * as embedded from "../../../.cache/wasm/embedded.js";
import { decodeAsciiBytes } from "../ascii-bytes.ts";

/** Returns the wasm that this bundle contains as text. */
export function source(): Uint8Array<ArrayBuffer> {
  return decodeAsciiBytes(embedded);
}
