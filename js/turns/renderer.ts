/// <reference lib="esnext.disposable" preserve="true" />

import { TurnfoldError } from "../errors.ts";
import type { Message } from "../model/message.ts";
import { describe } from "../values/describe.ts";
import { defineSymbolDispose } from "../values/symbol-dispose.ts";
import { Fold } from "./fold.ts";
import type { RenderOptions } from "./options.ts";
import { changeOptions, readOptions } from "./render-request.ts";
import type { Rendered } from "./rendered.ts";
import { sharedPrefix, withTextContent } from "./shared-prefix.ts";
import { checkTurn, checkTurns, type Turn } from "./turn.ts";

defineSymbolDispose();

/**
 * Renders a history repeatedly. Adding or changing a turn does not process the others again. The bytes are those of
 * {@link toMessages}.
 *
 * Use it when you render after every turn, edit turns, or want to know how much of the messages a provider's cache can
 * reuse. {@link toMessages} processes all turns at each call. The memory of a renderer is freed by garbage collection, or immediately by `using` or
 * {@link Renderer.dispose}.
 *
 * @example
 * ```ts
 * using renderer = new Renderer({ mission: "Find well-reviewed products" });
 * renderer.push(Turn.success({ program: "(def x 1)", memory: { x: 1 } }));
 * const { messages, sharedPrefix } = renderer.render();
 * ```
 */
export class Renderer implements Disposable {
  private fold: Fold | null;
  /** The messages of the previous rendering. */
  private previous: readonly Message[] = [];

  /**
   * @throws {TurnfoldError} as {@link toMessages}. The options are copied: later changes take effect only when they
   * are passed to {@link Renderer.setOptions}.
   */
  constructor(options: RenderOptions, turns: readonly Turn[] = []) {
    this.fold = new Fold(readOptions(options), checkTurns(turns));
  }

  /** Adds a turn at the end. */
  push(turn: Turn): void {
    this.open().push(checkTurn(turn, "turn"));
  }

  /**
   * Replaces the turn at `index`.
   *
   * @throws {TurnfoldError} `out_of_range` when there is none.
   */
  replace(index: number, turn: Turn): void {
    const fold = this.open();
    fold.splice(checkIndex(index, fold, -1), 1, [checkTurn(turn, "turn")]);
  }

  /**
   * Inserts a turn before the one at `index`, or at the end.
   *
   * @throws {TurnfoldError} `out_of_range` when there would be a gap.
   */
  insert(index: number, turn: Turn): void {
    const fold = this.open();
    fold.splice(checkIndex(index, fold, 0), 0, [checkTurn(turn, "turn")]);
  }

  /**
   * Removes the turn at `index`.
   *
   * @throws {TurnfoldError} `out_of_range` when there is none.
   */
  remove(index: number): void {
    const fold = this.open();
    fold.splice(checkIndex(index, fold, -1), 1, []);
  }

  /**
   * Changes the given options and keeps the others; `undefined` restores a default. When one is invalid, none changes.
   *
   * @throws {TurnfoldError} as {@link toMessages}
   */
  setOptions(options: Partial<RenderOptions>): void {
    const fold = this.open();
    fold.configure(changeOptions(fold.request, options));
  }

  /**
   * Renders the current history. `sharedPrefix` is the number of UTF-16 units, from the first message on, that are the same as in
   * the previous rendering: how much of the request a provider's cache may reuse. `sections` and `dropped` belong to this
   * rendering, even when they are first accessed after later edits.
   *
   * @param memory the definitions by name. Default those of the last turn that has them.
   * @throws {TurnfoldError} `disposed`, `invalid_strategy`, `invalid_counter`; `invalid_value`, `cyclic_value` or
   * `nesting_too_deep` for the memory.
   */
  render(memory?: Readonly<Record<string, unknown>> | null): Rendered & { sharedPrefix: number } {
    const fold = this.open();
    const rendered = fold.render(memory);
    const shared = fold.sharedPrefix ?? sharedPrefix(this.previous, rendered.messages);
    // A strategy of the host may change the messages that it returned.
    this.previous = fold.request.custom === null ? [...rendered.messages] : rendered.messages.map(withTextContent);
    return Object.assign(rendered, { sharedPrefix: shared });
  }

  /**
   * Frees the memory on the wasm side. After that, every other method throws `disposed`; disposing again has no effect.
   */
  dispose(): void {
    this.fold?.free();
    this.fold = null;
  }

  /** Called by `using`: {@link Renderer.dispose}. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  private open(): Fold {
    if (this.fold?.isBusy) {
      throw new TurnfoldError("busy", "this renderer is waiting for its token counter", {
        hint: "count(text) only counts; edit the history when render() has returned",
      });
    }
    if (this.fold !== null) return this.fold;
    throw new TurnfoldError("disposed", "this renderer was disposed", { hint: "make a new one" });
  }
}

/** Returns `index` if it is at most `length + fromEnd`. */
function checkIndex(index: number, { turns: { length } }: Fold, fromEnd: -1 | 0): number {
  if (Number.isSafeInteger(index) && index >= 0 && index <= length + fromEnd) return index;
  throw new TurnfoldError(
    "out_of_range",
    `there is no turn ${describe(index)}: the history has ${length}, counted from 0`,
    {
      details: { index, length },
    },
  );
}
