interface Base64Hosts {
  Uint8Array: { fromBase64?(text: string): Uint8Array<ArrayBuffer> };
  Buffer?: { from(text: string, encoding: "base64"): Uint8Array<ArrayBuffer> };
}

/** Decodes base64 with the fastest decoder that the host has. Not every decoder rejects text that is not base64. */
export function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  const host = globalThis as unknown as Base64Hosts;
  if (host.Uint8Array.fromBase64) return host.Uint8Array.fromBase64(base64);
  if (host.Buffer) return host.Buffer.from(base64, "base64");
  const chars = atob(base64);
  const bytes = new Uint8Array(chars.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = chars.charCodeAt(index);
  return bytes;
}

/** Bytes per call of `fromCharCode`: the number of arguments is limited. */
const CHUNK_BYTES = 0x8000;

/** Encodes bytes as base64. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES));
  return btoa(text);
}

/**
 * Decodes base64, and checks that the text is base64.
 *
 * @throws {DOMException} when it is not.
 */
export function parseBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
