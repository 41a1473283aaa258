const utf8 = new TextEncoder();

/**
 * Longer texts are copied once with their exact size: three bytes per UTF-16 unit would enlarge the wasm's memory for
 * good.
 */
const LONG_TEXT_LENGTH = 1 << 20;

/**
 * Writes a text into the memory of a wasm, and returns its length in bytes.
 *
 * @param allocate returns a buffer of at least that many bytes.
 */
export function writeText(text: string, allocate: (bytes: number) => Uint8Array): number {
  if (text.length > LONG_TEXT_LENGTH) {
    const bytes = utf8.encode(text);
    allocate(bytes.length).set(bytes);
    return bytes.length;
  }
  return utf8.encodeInto(text, allocate(text.length * 3)).written;
}
