import { base64 } from "../../.cache/wasm/base64.ts";

interface Base64Hosts {
  Uint8Array: { fromBase64?(text: string): Uint8Array<ArrayBuffer> };
  Buffer?: { from(text: string, encoding: "base64"): Uint8Array<ArrayBuffer> };
}

/** The wasm that this bundle carries as text, decoded by the fastest decoder that the host has. */
export function source(): Uint8Array<ArrayBuffer> {
  const host = globalThis as unknown as Base64Hosts;
  if (host.Uint8Array.fromBase64) return host.Uint8Array.fromBase64(base64);
  if (host.Buffer) return host.Buffer.from(base64, "base64");
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}
