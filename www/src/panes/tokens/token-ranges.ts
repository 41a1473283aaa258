import type { ExactCounter } from "turnfold/tokens/o200k";
import { endsOf } from "../../tokens/borders.ts";
import { firstWhere, nearPart, type Piece, rangeIn } from "./highlights.ts";

/** A text, and the text nodes that show parts of it near the screen. */
export interface ShownText {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

/** The names of the highlights, one for each colour. */
const COLOURS = ["token-1", "token-2", "token-3", "token-4"];

/** Colours the tokens of texts. All instances share the highlights, in which each has its own ranges. */
export class TokenRanges {
  readonly #counter: ExactCounter;
  /** The token ends of the texts of the last drawing, which are reused. */
  #ends = new Map<string, Uint32Array>();
  #drawn: readonly StaticRange[][] = [];

  constructor(counter: ExactCounter) {
    this.#counter = counter;
  }

  /** Colours these texts, and removes the colours of the previous call. */
  draw(shown: readonly ShownText[]): void {
    const ranges: StaticRange[][] = COLOURS.map(() => []);
    const ends = new Map<string, Uint32Array>();
    for (const { text, pieces } of shown) {
      const own = ends.get(text) ?? this.#ends.get(text) ?? endsOf(this.#counter.tokenLengths(text));
      ends.set(text, own);
      for (const piece of pieces) colour(piece, own, ranges);
    }
    this.#ends = ends;
    this.#replace(ranges);
  }

  clear(): void {
    this.#replace([]);
  }

  #replace(ranges: readonly StaticRange[][]): void {
    for (const [index, name] of COLOURS.entries()) {
      const highlight = CSS.highlights.get(name) ?? new Highlight();
      for (const range of this.#drawn[index] ?? []) highlight.delete(range);
      for (const range of ranges[index] ?? []) highlight.add(range);
      if (highlight.size === 0) CSS.highlights.delete(name);
      else CSS.highlights.set(name, highlight);
    }
    this.#drawn = ranges;
  }
}

/** Adds the ranges of the tokens in a text node. */
function colour({ node, from }: Piece, ends: Uint32Array, ranges: readonly StaticRange[][]): void {
  const [start, end] = nearPart(node);
  const endOf = (token: number): number => ends[token] ?? 0;
  let token = firstWhere(ends.length, (index) => endOf(index) > from + start);
  for (; token < ends.length && endOf(token - 1) < from + end; token++)
    ranges[token % COLOURS.length]?.push(rangeIn({ node, from }, endOf(token - 1), endOf(token)));
}
