import { estimate } from "turnfold";
import { Counts } from "../tokens/counts.ts";

const counts = new Counts();

/** The tokens of texts. The counts of the last call are reused. */
export function tokensOf(texts: readonly string[]): readonly number[] {
  counts.begin(estimate);
  return texts.map((text) => counts.of(text));
}
