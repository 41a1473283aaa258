/**
 * Returns the hint of an error about an unknown name: the known name that it most probably means, and all of them.
 *
 * @internal
 */
export function knownNamesHint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return `${nearest === null ? "" : `did you mean \`${nearest}\`? `}there are ${known.join(", ")}`;
}

/** The known name with the fewest typing errors: at most one in three characters. Null when there is none. */
function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > MAX_LENGTH) return null;
  let fewest = Math.max(1, Math.floor(name.length / 3)) + 1;
  let nearest: string | null = null;
  for (const candidate of known) {
    const errors = typingErrors(name.toLowerCase(), candidate.toLowerCase());
    if (errors < fewest) [fewest, nearest] = [errors, candidate];
  }
  return nearest;
}

/** Maximum length of a name that is compared with others; no option has a longer one. */
const MAX_LENGTH = 40;

/** The edit distance of two texts: characters added, removed and replaced. */
function typingErrors(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
