import type { Value } from "turnfold";

export type Definitions = Readonly<Record<string, Value>>;

const NOTHING: Definitions = {};

/**
 * The definitions after a turn: those before it and its own. The full object is created on first use, because copying it
 * after each of a thousand turns would take quadratic time.
 */
export class Memory {
  /** The memory before the first turn. */
  static readonly none = new Memory(null, NOTHING, NOTHING);

  readonly #before: Memory | null;
  readonly #own: Definitions;
  #all: Definitions | null;

  private constructor(before: Memory | null, own: Definitions, all: Definitions | null) {
    this.#before = before;
    this.#own = own;
    this.#all = all;
  }

  /** The memory after a turn with these definitions; the same object when there are none. */
  with(own: Definitions): Memory {
    return Object.keys(own).length === 0 ? this : new Memory(this, own, null);
  }

  /** The memory after a turn that holds all definitions. */
  becoming(all: Definitions): Memory {
    return all === this.#all ? this : new Memory(null, NOTHING, all);
  }

  /** All definitions by name; always the same object. */
  get all(): Definitions {
    const later: Memory[] = [];
    let known: Memory = this;
    while (known.#all === null && known.#before !== null) {
      later.push(known);
      known = known.#before;
    }
    this.#all ??= Object.fromEntries([
      ...Object.entries(known.#all ?? NOTHING),
      ...later.reverse().flatMap((memory) => Object.entries(memory.#own)),
    ]);
    return this.#all;
  }
}
