// The encoding of a state in a link: JSON text, compressed, in base64url.

import { excessOf, MAX_BYTES, TOO_LARGE } from "../share/limits.ts";

export const packed = async (text: string): Promise<string> =>
  toBase64Url(await bytesOf(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw")), Infinity));

/**
 * Decodes the value of a JSON text.
 *
 * @param isOwn whether this page encoded the value: then the limits of links do not apply.
 * @throws {TypeError} when the letters are not a result of `packed`.
 * @throws {RangeError} when the value exceeds the limits of links.
 */
export async function unpacked(letters: string, isOwn: boolean): Promise<unknown> {
  let value: unknown;
  try {
    const stream = new Blob([fromBase64Url(letters)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    value = JSON.parse(
      new TextDecoder("utf-8", { fatal: true }).decode(await bytesOf(stream, isOwn ? Infinity : MAX_BYTES)),
    ) as unknown;
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new TypeError("it is incomplete or was changed", { cause: error });
  }
  const excess = isOwn ? null : excessOf(value);
  if (excess !== null) throw new RangeError(excess);
  return value;
}

async function bytesOf(stream: ReadableStream<Uint8Array>, max: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    chunks.push(step.value);
    length += step.value.length;
    if (length > max) {
      await reader.cancel();
      throw new RangeError(TOO_LARGE);
    }
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  // Arguments are on the stack, so the bytes are passed in slices.
  for (let start = 0; start < bytes.length; start += 8192)
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
