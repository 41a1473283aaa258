import { decodeBase64 } from "./base64.ts";

/** Bytes as text: scripts/ascii-bytes.mjs has the format, and `reader` is scripts/ascii-bytes.wat in base64. */
export interface AsciiBytes {
  readonly text: string;
  readonly singles: string;
  readonly reader: string;
}

interface DecoderExports {
  readonly memory: WebAssembly.Memory;
  read(at: number, end: number, to: number): number;
}

/** The characters of the format. */
const ALPHABET = Array.from({ length: 95 }, (_, index) => 32 + index).filter(
  (code) => !"\"'`\\$<".includes(String.fromCharCode(code)),
);

/** Address of the text in the memory of the reader. */
const TEXT_ADDRESS = 3 << 7;

/** Bytes of a page of wasm memory. */
const PAGE_BYTES = 1 << 16;

/**
 * Decodes the bytes.
 *
 * @throws the host's error when it forbids WebAssembly.
 */
export function decodeAsciiBytes({ text, singles, reader }: AsciiBytes): Uint8Array<ArrayBuffer> {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(decodeBase64(reader)));
  const { memory, read } = exports as unknown as DecoderExports;
  // Each byte is at least one character of the text.
  memory.grow(Math.ceil((2 * text.length) / PAGE_BYTES));
  const bytes = new Uint8Array(memory.buffer as ArrayBuffer);
  writeTable(singles, bytes);
  const start = TEXT_ADDRESS + text.length;
  new TextEncoder().encodeInto(text, bytes.subarray(TEXT_ADDRESS, start));
  return bytes.subarray(start, read(TEXT_ADDRESS, start, start));
}

function writeTable(singles: string, table: Uint8Array): void {
  let [single, pair] = [2, 0];
  for (let byte = 0; byte < 256; byte++) {
    const isSingle = (Number.parseInt(singles[byte >> 2] as string, 16) >> (3 - (byte & 3))) & 1;
    if (isSingle === 1) {
      table[ALPHABET[single++] as number] = byte;
      continue;
    }
    const first = Math.floor(pair / ALPHABET.length);
    table[((first + 1) << 7) | (ALPHABET[pair++ % ALPHABET.length] as number)] = byte;
  }
}
