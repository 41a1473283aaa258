const utf8 = new TextEncoder();

/**
 * Longer texts are copied once with their exact size: three bytes per UTF-16 unit would enlarge the wasm's memory for
 * good.
 */
const LONG_TEXT = 1 << 20;

/**
 * Writes a text into the memory of a wasm, and returns its length in bytes.
 *
 * @param room returns a buffer of at least that many bytes.
 */
export function writeText(text: string, room: (bytes: number) => Uint8Array): number {
  if (text.length > LONG_TEXT) {
    const bytes = utf8.encode(text);
    room(bytes.length).set(bytes);
    return bytes.length;
  }
  return utf8.encodeInto(text, room(text.length * 3)).written;
}
