import * as embedded from "../../../.cache/wasm/embedded.js";
import { bytesOf } from "../ascii-bytes.ts";

/** The wasm that this bundle carries as text. */
export function source(): Uint8Array<ArrayBuffer> {
  return bytesOf(embedded);
}
