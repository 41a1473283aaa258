/// <reference lib="esnext.disposable" />
import { type Rendered, Renderer, type RenderOptions, type Turn } from "turnfold";
import { type TurnsAfter, wholeAtEnd } from "./turn-list.ts";

/**
 * Renders a history after any number of its turns. It keeps a renderer of the package, so that only turns that differ from
 * those of the last call are handed over.
 */
export class HistoryRenderer implements Disposable {
  #renderer: Renderer | null = null;
  #history: TurnsAfter | null = null;
  #turns: Turn[] = [];
  #options: RenderOptions | null = null;

  /** The messages after the first `count` turns. Turns left, where they are given, are those after the last turn. */
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
    // An option that is no longer given gets its default again.
    const gone = Object.fromEntries(Object.keys(this.#options ?? {}).map((name) => [name, undefined]));
    renderer.setOptions({ ...gone, ...options });
    this.#options = options;
  }

  #setTurns(renderer: Renderer, history: TurnsAfter, turns: readonly Turn[], whole: number): void {
    while (this.#turns.length > turns.length) {
      this.#turns.pop();
      renderer.remove(this.#turns.length);
    }
    // In the same history a turn before the end differs only in how much of the memory it holds, which changes nothing.
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

/** What messages after the first `count` of `total` turns are rendered from. */
const optionsAfter = (options: RenderOptions, count: number, total: number): RenderOptions =>
  options.turnsLeft === undefined ? options : { ...options, turnsLeft: options.turnsLeft + total - count };
