/// <reference lib="esnext.disposable" />
import { Renderer, type RenderOptions, type TextMessage, type Turn } from "turnfold";
import { type TurnsAfter, wholeAtEnd } from "../turn-list.ts";

/** What the model was asked with at each turn of a history. */
export interface Asked {
  /** Two that are the same objects up to a place are asked with the same up to there. */
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

export const askedBy = (turns: TurnsAfter, options: RenderOptions): Asked => ({
  turns: turns.after(turns.length, options),
  options,
  countsBack: options.turnsLeft !== undefined,
  folds: options.compression !== false,
  open: (folded) => reelOf(turns, folded ? options : { ...options, compression: false }),
});

/** After the first `count` of so many turns: turns left, where they are given, are those after the last one. */
export const turnsLeftAfter = (turnsLeft: number, count: number, total: number): number => turnsLeft + total - count;

export function reelOf(turns: TurnsAfter, options: RenderOptions): Reel {
  const renderer = new Renderer(options);
  const pushed: Turn[] = [];
  return {
    messagesAfter(count) {
      const now = turns.after(count, options);
      while (pushed.length > now.length) {
        pushed.pop();
        renderer.remove(pushed.length);
      }
      // A turn in between may know less than one at the end has to; that one before knows more is no harm.
      for (let index = Math.max(0, now.length - wholeAtEnd(options)); index < pushed.length; index++) {
        const turn = now[index] as Turn;
        if (pushed[index] === turn) continue;
        pushed[index] = turn;
        renderer.replace(index, turn);
      }
      for (const turn of now.slice(pushed.length)) {
        pushed.push(turn);
        renderer.push(turn);
      }
      if (options.turnsLeft !== undefined)
        renderer.setOptions({ turnsLeft: turnsLeftAfter(options.turnsLeft, count, turns.length) });
      return renderer.render().messages;
    },
    [Symbol.dispose]: () => renderer.dispose(),
  };
}
