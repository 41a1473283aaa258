import { estimate, type TokenCounter } from "turnfold/chat";

/** A cache of token counts for the texts of the current and the previous round, so that only changed texts are counted. */
export class Counts {
  counter: TokenCounter = estimate;
  #before = new Map<string, number>();
  #now = new Map<string, number>();

  /** Starts a round: removes the counts that the previous round did not use. */
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
}

/**
 * Adjusts the counts of a text's parts to add up to that of the whole, because a token may span the boundary of two parts. The
 * difference is subtracted from separators first, then from the largest parts.
 */
export function balanced(
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
