import type { RenderOptions, Turn } from "turnfold";
import type { Definitions, Memory } from "./memory.ts";
import { limits } from "./options.ts";

/** A turn of a history, in two forms. */
export class Placed {
  /** The turn with at least its own definitions as its memory. */
  readonly own: Turn;
  readonly #make: () => Turn;
  #whole: Turn | null = null;

  constructor(own: Turn, make: () => Turn) {
    this.own = own;
    this.#make = make;
  }

  /** The turn with its full memory. Created on first use. */
  get whole(): Turn {
    this.#whole ??= this.#make();
    return this.#whole;
  }
}

/** Turns for a rendering. Turns whose memory the strategy reads have their full memory. */
export interface TurnsAfter {
  readonly length: number;
  /** The first `count` turns. */
  after(count: number, options: RenderOptions): readonly Turn[];
}

/**
 * The valid turns of the page. If each of a thousand turns held its full memory, an edit of the first would pass all these
 * memories to the package again. Therefore only the last rendered turns have their full memory. The others have their own
 * definitions, the only part that strategies read.
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

  /** The memory after the last turn. The same object until a turn changes. */
  get memory(): Definitions {
    return this.#memory.all;
  }

  /** All turns, each with its full memory. */
  get all(): readonly Turn[] {
    return this.#placed.map((placed) => placed.whole);
  }

  after(count: number, options: RenderOptions): readonly Turn[] {
    const firstWhole = Math.min(count, this.length) - wholeAtEnd(options);
    return this.#placed.slice(0, count).map((placed, index) => (index < firstWhole ? placed.own : placed.whole));
  }
}

const KEPT = Number(limits.find(({ name }) => name === "keep")?.fallback);

/**
 * The number of turns at the end that need their full memory. `rolling-window` reads that of the turn before its window,
 * `journal` that of the turn of its last fold, which may be any turn.
 */
export function wholeAtEnd({ compression }: RenderOptions): number {
  if (Array.isArray(compression) && compression[0] === "journal") return Number.POSITIVE_INFINITY;
  if (!Array.isArray(compression) || compression[0] !== "rolling-window") return 1;
  const { keep = KEPT } = compression[1] as { readonly keep?: number };
  return keep + 1;
}

/** A history of turns that have their full memory. */
export const wholeTurns = (turns: readonly Turn[]): TurnsAfter => ({
  length: turns.length,
  after: (count) => turns.slice(0, count),
});
