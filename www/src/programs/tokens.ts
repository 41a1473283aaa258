import { estimate } from "turnfold";
import { Counts } from "../tokens/counts.ts";

const counts = new Counts();

/** The tokens of texts. Those that were counted the last time are not counted again. */
export function tokensOf(texts: readonly string[]): readonly number[] {
  counts.begin(estimate);
  return texts.map((text) => counts.of(text));
}
