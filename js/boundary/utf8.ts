const utf8 = new TextEncoder();

/** From here on one exact copy is cheaper than room for three bytes per UTF-16 unit, which a wasm never gives back. */
const LONG_TEXT = 1 << 20;

/**
 * Writes a text into the memory of a wasm, and gives its length in bytes.
 *
 * @param room makes so much room, and gives it.
 */
export function writeText(text: string, room: (bytes: number) => Uint8Array): number {
  if (text.length > LONG_TEXT) {
    const bytes = utf8.encode(text);
    room(bytes.length).set(bytes);
    return bytes.length;
  }
  return utf8.encodeInto(text, room(text.length * 3)).written;
}
