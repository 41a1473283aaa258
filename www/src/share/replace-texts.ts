/** The number of first characters that are looked up to find where a text may begin. */
const START = 2;

/**
 * Makes a function that replaces any number of texts in one pass. Of several that begin at the same offset, the longest is
 * replaced. Texts shorter than two characters are ignored.
 *
 * @param between maps the text between them.
 */
export function textReplacer(
  replacements: ReadonlyMap<string, string>,
  between: (text: string) => string = (text) => text,
): (text: string) => string {
  const lengths = new Map<string, Set<number>>();
  for (const text of replacements.keys()) {
    if (text.length < START) continue;
    const start = text.slice(0, START);
    const known = lengths.get(start);
    if (known === undefined) lengths.set(start, new Set([text.length]));
    else known.add(text.length);
  }
  const longestFirst = new Map([...lengths].map(([start, all]) => [start, [...all].sort((a, b) => b - a)] as const));
  return (text) => {
    let result = "";
    let from = 0;
    for (let at = 0; at + START <= text.length; at++) {
      const length = longestFirst
        .get(text.slice(at, at + START))
        ?.find((each) => replacements.has(text.slice(at, at + each)));
      if (length === undefined) continue;
      result += between(text.slice(from, at)) + (replacements.get(text.slice(at, at + length)) as string);
      from = at + length;
      at = from - 1;
    }
    return result + between(text.slice(from));
  };
}
