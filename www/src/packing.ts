// The state of a link: its JSON text, compressed, in the letters of base64 that need no escape in an address.

/** The most bytes that a link may unpack to: enough for a thousand turns, and a crafted link can't exhaust the memory. */
const MAX_BYTES = 16 * 1024 * 1024;

export const packed = async (text: string): Promise<string> =>
  toBase64Url(await bytesOf(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"))));

/** The value of the JSON text. Throws when `packed` can't have made the letters. */
export async function unpacked(letters: string): Promise<unknown> {
  try {
    const stream = new Blob([fromBase64Url(letters)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await bytesOf(stream))) as unknown;
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new TypeError("it was cut or changed on its way", { cause: error });
  }
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    chunks.push(step.value);
    length += step.value.length;
    if (length > MAX_BYTES) {
      await reader.cancel();
      throw new RangeError("the fragment holds too much");
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
  // `apply` takes its arguments from the stack, so the bytes go through it in slices.
  for (let start = 0; start < bytes.length; start += 8192)
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
