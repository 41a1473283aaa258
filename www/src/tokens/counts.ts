import { estimate, type TokenCounter } from "turnfold";

/** Token counts of the texts of this round and the one before it: of a long history only what changed is counted. */
export class Counts {
  counter: TokenCounter = estimate;
  #before = new Map<string, number>();
  #now = new Map<string, number>();

  /** Forgets what was not asked for since the last call of this. */
  begin(counter: TokenCounter): void {
    this.#before = counter === this.counter ? this.#now : new Map();
    this.#now = new Map();
    this.counter = counter;
  }

  of(text: string): number {
    const count = this.#now.get(text) ?? this.#before.get(text) ?? this.counter.count(text);
    this.#now.set(text, count);
    return count;
  }

  /** The same without remembering the text. */
  once(text: string): number {
    return this.#now.get(text) ?? this.counter.count(text);
  }
}

/**
 * The counts of a text's parts, so changed that they add up to the count of the whole: a counter joins what meets at a
 * boundary. The difference goes to the parts that only separate others, and where these have too few tokens to the
 * largest parts.
 */
export function settled(
  parts: readonly { readonly tokens: number; readonly separates: boolean }[],
  whole: number,
): number[] {
  const counts = parts.map(({ tokens }) => tokens);
  let excess = counts.reduce((sum, count) => sum + count, 0) - whole;
  const order = parts
    .map((part, index) => ({ ...part, index }))
    .sort((a, b) => Number(b.separates) - Number(a.separates) || b.tokens - a.tokens);
  for (const { index } of order) {
    if (excess === 0) break;
    const count = counts[index] ?? 0;
    const change = Math.min(excess, count);
    counts[index] = count - change;
    excess -= change;
  }
  return counts;
}
