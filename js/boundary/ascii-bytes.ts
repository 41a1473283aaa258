/** Bytes as text: scripts/ascii-bytes.mjs has the format. */
export interface AsciiBytes {
  readonly text: string;
  readonly singles: string;
}

/** The characters of the format that follow each other in ASCII, without those that it leaves out. */
const ALPHABET = Array.from({ length: 95 }, (_, index) => 32 + index).filter(
  (code) => !"\"'`\\$<".includes(String.fromCharCode(code)),
);

/** The last character that begins a pair. */
const LAST_OF_PAIR = 33;

/** The bytes that a text stands for. */
export function bytesOf({ text, singles }: AsciiBytes): Uint8Array<ArrayBuffer> {
  const table = tableOf(singles);
  const bytes = new TextEncoder().encode(text);
  const { length } = bytes;
  let end = 0;
  // A byte takes at least one character, so that it is never written where one is still to be read.
  for (let at = 0; at < length; end++) {
    let code = bytes[at++] as number;
    if (code <= LAST_OF_PAIR) code = ((code - 31) << 7) | (bytes[at++] as number);
    bytes[end] = table[code] as number;
  }
  return bytes.subarray(0, end);
}

/** Bytes by their code: the character, or 128 times the number of a pair's first character, from 1, and its second. */
function tableOf(singles: string): Uint8Array {
  const table = new Uint8Array(3 << 7);
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
  return table;
}
