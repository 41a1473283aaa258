/// <reference lib="esnext.disposable" />
import { Renderer, type RenderOptions, type TextMessage, type Turn } from "turnfold";

/** What the model was asked with at each turn of a history. */
export interface Asked {
  readonly turns: readonly Turn[];
  /** The same object as long as nothing but the turns changes. */
  readonly options: object;
  /** The number of turns has a say in what earlier turns were asked with. */
  readonly countsBack: boolean;
  /** False when no strategy is chosen: then both ways to open it are the same. */
  readonly folds: boolean;
  /** `folded`: by the strategy that is chosen; otherwise without any. */
  open(folded: boolean): Reel;
}

/** The requests of a history; one after the other is cheap. */
export interface Reel extends Disposable {
  /** What the model gets after so many turns. */
  messagesAfter(turns: number): readonly TextMessage[];
}

export const askedBy = (turns: readonly Turn[], options: RenderOptions): Asked => ({
  turns,
  options,
  countsBack: options.turnsLeft !== undefined,
  folds: options.compression !== false,
  open: (folded) => reelOf(turns, folded ? options : { ...options, compression: false }),
});

/** After the first `count` of so many turns: turns left, where they are given, are those after the last one. */
export const turnsLeftAfter = (turnsLeft: number, count: number, total: number): number => turnsLeft + total - count;

export function reelOf(turns: readonly Turn[], options: RenderOptions): Reel {
  const renderer = new Renderer(options);
  let pushed = 0;
  return {
    messagesAfter(count) {
      while (pushed > count) renderer.remove(--pushed);
      for (const turn of turns.slice(pushed, count)) renderer.push(turn);
      pushed = count;
      if (options.turnsLeft !== undefined)
        renderer.setOptions({ turnsLeft: turnsLeftAfter(options.turnsLeft, count, turns.length) });
      return renderer.render().messages;
    },
    [Symbol.dispose]: () => renderer.dispose(),
  };
}
