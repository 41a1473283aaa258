import * as embedded from "../../../.cache/counter/embedded.js";
import { bytesOf } from "../../boundary/ascii-bytes.ts";

/** The wasm of the counters, which this bundle carries as text. The type is that of both sources. */
export function source(): Uint8Array<ArrayBuffer> | WebAssembly.Module {
  return bytesOf(embedded);
}
