/** Minimum and maximum length of a value that is an atom as a whole, in UTF-16 units. */
const [SHORTEST, LONGEST] = [4, 64];

/** Minimum length of such a value without a digit, `_` or `@`. */
const MIN_WORD_LENGTH = 8;

/** Minimum and maximum length of a name. */
const [SHORTEST_NAME, LONGEST_NAME] = [6, 120];

const TOKEN = /https?:\/\/[^\s"'`<>()[\]{}\\|]+|[\p{L}\p{N}_.@~+/-]+/gu;

/** A file by its extension; the members of objects in programs are no files. */
const FILE =
  /^[\p{L}\p{N}_@+-][\p{L}\p{N}_.@+-]*\.(?:bash|cc?|cfg|cjs|conf|cpp|cs|css|csv|diff|env|go|h|hpp|html?|ini|java|jpe?g|js|jsonl?|jsx|kt|lock|log|mdx?|mjs|mod|mts|patch|pdf|php|png|proto|py|rb|rs|scss|sh|sql|sum|svelte|svg|tf|toml|tsx?|txt|vue|wasm|xml|ya?ml|zip|zsh)$/u;

/** Several words joined by `_`, by `-` or by capitals. */
const JOINED = /[\p{L}\p{N}]_\p{L}|\p{Ll}\p{Lu}|[\p{L}\p{N}]{2}-[\p{L}\p{N}]{2}/u;

/**
 * Returns the names in a text, each once, by a definition that is the meter's own, not that of the strategies which it
 * measures: addresses of the web and of mail; paths of two parts or more; names of files; words that are joined; words
 * with a letter and at least three digits, such as hashes; no times. A name has 6 to 120 characters and a letter. One that
 * was cut, before `…`, is none.
 *
 * @internal
 */
export function namesIn(text: string): string[] {
  const names = new Set<string>();
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (text[index + token.length] === "…") continue;
    for (const name of namesOfToken(token)) {
      if (name.length >= SHORTEST_NAME && name.length <= LONGEST_NAME && /\p{L}/u.test(name)) names.add(name);
    }
  }
  return [...names];
}

function namesOfToken(token: string): readonly string[] {
  if (/^https?:/.test(token)) return [token.replace(/[.,:;?!/]+$/, "")];
  if (/^\d{4}-\d\d-\d\dT/.test(token)) return [];
  // Without marks around it, and the number of its line that `grep` puts after a file.
  const plain = token.replace(/(\.\p{L}+)-\d+(?:-.*)?$/u, "$1").replace(/^[-+@]+|[-+.@/]+$/g, "");
  if (plain.includes("/")) {
    const parts = plain.split("/").filter((part) => /[\p{L}\p{N}]/u.test(part));
    return parts.length > 1 && !plain.includes("//") ? [plain] : [];
  }
  if (FILE.test(plain) || /^[^@]+@[^@]+\.\p{L}{2,}$/u.test(plain)) return [plain];
  return plain.split(/[.@~+]/).filter((word) => JOINED.test(word) || /(?:\d.*){3}/.test(word));
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
