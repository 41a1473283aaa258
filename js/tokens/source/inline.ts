import { base64 } from "../../../.cache/counter/base64.js";
import { decodeBase64 } from "../../boundary/base64.ts";

/** The wasm of the counters, which this bundle carries as text. The type is that of both sources. */
export function source(): Uint8Array<ArrayBuffer> | WebAssembly.Module {
  return decodeBase64(base64);
}
