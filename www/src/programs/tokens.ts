import { estimate } from "turnfold";

let before = new Map<string, number>();

/** The tokens of texts. Those that were counted the last time are not counted again. */
export function tokensOf(texts: readonly string[]): readonly number[] {
  const now = new Map<string, number>();
  const counts = texts.map((text) => {
    const count = now.get(text) ?? before.get(text) ?? estimate.count(text);
    now.set(text, count);
    return count;
  });
  before = now;
  return counts;
}
