import { call, send } from "../boundary/wasm.ts";

/** Lengths of a value that is an atom as a whole, in UTF-16 units. */
const [SHORTEST, LONGEST] = [4, 64];

/** The least length of a value without a digit, `_` or `@` that is one. */
const SHORTEST_WORD = 8;

/**
 * The paths, addresses, hashes and identifiers in a text, each once.
 *
 * @internal
 */
export function namesIn(text: string): string[] {
  return call((wasm) => wasm.namesIn(send(text)));
}

/**
 * The atoms of the arguments of a call, given as data: values of 4 to 64 characters on one line that have a digit, `_` or `@`,
 * or are 8 characters without a space; and the names in values that have spaces or are longer. No bare numbers.
 *
 * @internal
 */
export function atomsOfArguments(args: unknown): Set<string> {
  const atoms = new Set<string>();
  for (const leaf of leavesOf(args)) {
    const text = leaf.normalize("NFC").trim();
    const isShort = text.length >= SHORTEST && text.length <= LONGEST && !/[\n\r]/.test(text);
    const isTelling = /[\d_@]/.test(text) || (text.length >= SHORTEST_WORD && !/\s/.test(text));
    if (isShort && isTelling && !isNumber(text) && /[\p{L}\p{N}]/u.test(text)) atoms.add(text);
    if (/\s/.test(text) || text.length > LONGEST) for (const name of namesIn(text)) atoms.add(name);
  }
  return atoms;
}

const isNumber = (text: string) => /^[+-]?[\d.,:/ -]+%?$/.test(text);

/** The texts in data; keys are none. */
function* leavesOf(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) yield* leavesOf(item);
}
