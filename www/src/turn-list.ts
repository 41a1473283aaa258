import type { RenderOptions, Turn } from "turnfold";
import type { Definitions, Memory } from "./memory.ts";
import { limits } from "./options.ts";

/** A turn in its place in a history, in two forms. */
export class Placed {
  /** Its memory may be only what it defined itself. */
  readonly own: Turn;
  readonly #make: () => Turn;
  #whole: Turn | null = null;

  constructor(own: Turn, make: () => Turn) {
    this.own = own;
    this.#make = make;
  }

  /** The same turn with everything that is defined after it. Made when it is first asked for. */
  get whole(): Turn {
    this.#whole ??= this.#make();
    return this.#whole;
  }
}

/** What messages are rendered from: turns, of which those that strategies take the memory from know all of it. */
export interface TurnsAfter {
  readonly length: number;
  /** The first `count` of them. */
  after(count: number, options: RenderOptions): readonly Turn[];
}

/**
 * The turns of the page that can be read. Each of a thousand turns that all define a name would hold half of these names
 * on average, and an edit of the first one would have them all written anew: so only the last of those that are rendered
 * knows all definitions. Each of the others knows its own, which is all that strategies look for in it.
 */
export class TurnList implements TurnsAfter {
  readonly #placed: readonly Placed[];
  readonly #memory: Memory;

  constructor(placed: readonly Placed[], memory: Memory) {
    this.#placed = placed;
    this.#memory = memory;
  }

  get length(): number {
    return this.#placed.length;
  }

  /** What is defined after the last turn. The same object as long as nothing before it changes. */
  get memory(): Definitions {
    return this.#memory.all;
  }

  /** All of them, each with all that is defined after it. */
  get all(): readonly Turn[] {
    return this.#placed.map((placed) => placed.whole);
  }

  after(count: number, options: RenderOptions): readonly Turn[] {
    const firstWhole = Math.min(count, this.length) - wholeAtEnd(options);
    return this.#placed.slice(0, count).map((placed, index) => (index < firstWhole ? placed.own : placed.whole));
  }
}

const KEPT = Number(limits.find(({ name }) => name === "keep")?.fallback);

/** How many turns, counted from the end, have to know all definitions: a window folds those before it with their memory. */
export function wholeAtEnd({ compression }: RenderOptions): number {
  if (!Array.isArray(compression) || compression[0] !== "rolling-window") return 1;
  const { keep = KEPT } = compression[1] as { readonly keep?: number };
  return keep + 1;
}

/** Turns that know all definitions already. */
export const wholeTurns = (turns: readonly Turn[]): TurnsAfter => ({
  length: turns.length,
  after: (count) => turns.slice(0, count),
});
