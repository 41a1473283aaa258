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
    const held = this.#turns;
    const shorter = Math.min(held.length, turns.length);
    // In the same history, turns before the end differ only in how much of the memory they hold, which does not matter.
    let start = history === this.#history ? Math.min(shorter, Math.max(0, turns.length - whole)) : 0;
    while (start < shorter && held[start] === turns[start]) start++;
    let same = 0;
    while (same < shorter - start && held.at(-1 - same) === turns.at(-1 - same)) same++;
    const end = turns.length - same;
    for (let index = held.length - same; index > end; index--) renderer.remove(index - 1);
    const replaced = Math.min(held.length - same, end);
    for (let index = start; index < replaced; index++) renderer.replace(index, turns[index] as Turn);
    for (let index = replaced; index < end; index++) {
      if (same === 0) renderer.push(turns[index] as Turn);
      else renderer.insert(index, turns[index] as Turn);
    }
    this.#turns = [...turns];
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
