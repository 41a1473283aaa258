import type { Value } from "turnfold";

export type Definitions = Readonly<Record<string, Value>>;

const NOTHING: Definitions = {};

/**
 * What is defined after a turn: what was defined before it, and what it defined itself. Written out only when somebody
 * looks, for after each of a thousand turns there may be a name more.
 */
export class Memory {
  /** What is defined before the first turn. */
  static readonly none = new Memory(null, NOTHING, NOTHING);

  readonly #before: Memory | null;
  readonly #own: Definitions;
  #all: Definitions | null;

  private constructor(before: Memory | null, own: Definitions, all: Definitions | null) {
    this.#before = before;
    this.#own = own;
    this.#all = all;
  }

  /** The memory after a turn that defined these; the same object when they are none. */
  with(own: Definitions): Memory {
    return Object.keys(own).length === 0 ? this : new Memory(this, own, null);
  }

  /** The memory after a turn that says itself what is defined. */
  becoming(all: Definitions): Memory {
    return all === this.#all ? this : new Memory(null, NOTHING, all);
  }

  /** All of it by name; always the same object. */
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
