interface Base64Hosts {
  Uint8Array: { fromBase64?(text: string): Uint8Array<ArrayBuffer> };
  Buffer?: { from(text: string, encoding: "base64"): Uint8Array<ArrayBuffer> };
}

/** The bytes that a text of base64 stands for, by the fastest decoder that the host has. */
export function decodeBase64(base64: string): Uint8Array<ArrayBuffer> {
  const host = globalThis as unknown as Base64Hosts;
  if (host.Uint8Array.fromBase64) return host.Uint8Array.fromBase64(base64);
  if (host.Buffer) return host.Buffer.from(base64, "base64");
  const chars = atob(base64);
  const bytes = new Uint8Array(chars.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = chars.charCodeAt(index);
  return bytes;
}
