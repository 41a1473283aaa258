import { call, send } from "../boundary/wasm.ts";

/** Minimum and maximum length of a value that is an atom as a whole, in UTF-16 units. */
const [SHORTEST, LONGEST] = [4, 64];

/** Minimum length of such a value without a digit, `_` or `@`. */
const MIN_WORD_LENGTH = 8;

/**
 * Returns the paths, addresses, hashes and identifiers in a text, each once.
 *
 * @internal
 */
export function namesIn(text: string): string[] {
  return call("chat", (wasm) => wasm.namesIn(send(text)));
}

/**
 * Returns the atoms of the arguments of a call, given as data: values of 4 to 64 characters on one line that have a
 * digit, `_` or `@`, or are at least 8 characters without a space; and the names in values that have spaces or are
 * longer. No bare numbers.
 *
 * @internal
 */
export function atomsOfArguments(args: unknown): Set<string> {
  const atoms = new Set<string>();
  for (const leaf of leavesOf(args)) {
    const text = leaf.normalize("NFC").trim();
    const isShort = text.length >= SHORTEST && text.length <= LONGEST && !/[\n\r]/.test(text);
    const isDistinctive = /[\d_@]/.test(text) || (text.length >= MIN_WORD_LENGTH && !/\s/.test(text));
    if (isShort && isDistinctive && !isNumber(text) && /[\p{L}\p{N}]/u.test(text)) atoms.add(text);
    if (/\s/.test(text) || text.length > LONGEST) for (const name of namesIn(text)) atoms.add(name);
  }
  return atoms;
}

const isNumber = (text: string) => /^[+-]?[\d.,:/ -]+%?$/.test(text);

/** Yields the texts in data, without keys. */
function* leavesOf(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) yield* leavesOf(item);
}
