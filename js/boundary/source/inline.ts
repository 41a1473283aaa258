import { base64 } from "../../../.cache/wasm/base64.js";
import { decodeBase64 } from "../base64.ts";

/** The wasm that this bundle carries as text. */
export function source(): Uint8Array<ArrayBuffer> {
  return decodeBase64(base64);
}
