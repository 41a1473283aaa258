/// <reference lib="esnext.disposable" />
import { type Rendered, Renderer, type RenderOptions, type Turn } from "turnfold";
import { type TurnsAfter, wholeAtEnd } from "./turn-list.ts";

/**
 * Renders a history after any number of its turns. It keeps a renderer of the package, so that only turns that differ from
 * those of the last call are passed to it.
 */
export class HistoryRenderer implements Disposable {
  #renderer: Renderer | null = null;
  #history: TurnsAfter | null = null;
  #turns: Turn[] = [];
  #options: RenderOptions | null = null;

  /** The messages after the first `count` turns. The option `turnsLeft` counts from the end of the whole history. */
  render(history: TurnsAfter, count: number, options: RenderOptions): Rendered {
    try {
      const now = optionsAfter(options, count, history.length);
      this.#renderer ??= new Renderer(now);
      if (now !== this.#options) this.#setOptions(this.#renderer, now);
      this.#setTurns(this.#renderer, history, history.after(count, now), wholeAtEnd(now));
      return this.#renderer.render();
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  #setOptions(renderer: Renderer, options: RenderOptions): void {
    // Resets options that are no longer given to their defaults.
    const gone = Object.fromEntries(Object.keys(this.#options ?? {}).map((name) => [name, undefined]));
    renderer.setOptions({ ...gone, ...options });
    this.#options = options;
  }

  #setTurns(renderer: Renderer, history: TurnsAfter, turns: readonly Turn[], whole: number): void {
    while (this.#turns.length > turns.length) {
      this.#turns.pop();
      renderer.remove(this.#turns.length);
    }
    // In the same history, turns before the end differ only in how much of the memory they hold, which does not matter.
    const first = history === this.#history ? Math.max(0, turns.length - whole) : 0;
    for (let index = first; index < this.#turns.length; index++) {
      const turn = turns[index] as Turn;
      if (this.#turns[index] === turn) continue;
      this.#turns[index] = turn;
      renderer.replace(index, turn);
    }
    for (const turn of turns.slice(this.#turns.length)) {
      this.#turns.push(turn);
      renderer.push(turn);
    }
    this.#history = history;
  }

  [Symbol.dispose](): void {
    this.#renderer?.dispose();
    this.#renderer = null;
    this.#history = null;
    this.#turns = [];
    this.#options = null;
  }
}

/** The options for the messages after the first `count` of `total` turns. */
const optionsAfter = (options: RenderOptions, count: number, total: number): RenderOptions =>
  options.turnsLeft === undefined ? options : { ...options, turnsLeft: options.turnsLeft + total - count };
