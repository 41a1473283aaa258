/// <reference lib="esnext.disposable" />
import type { RenderOptions, TextMessage, Turn } from "turnfold";
import { HistoryRenderer } from "../history-renderer.ts";
import type { TurnsAfter } from "../turn-list.ts";

/** The requests of a history, one for each turn. */
export interface Asked {
  /** Histories that hold the same objects up to a turn have the same requests up to it. */
  readonly turns: readonly Turn[];
  /** The same object as long as nothing but the turns changes. */
  readonly options: object;
  /** Whether the requests of earlier turns depend on the number of turns. */
  readonly countsBack: boolean;
  /** False without a strategy: then `open` gives the same requests for both arguments. */
  readonly folds: boolean;
  /** The requests as they are sent with the strategy, or without any. */
  open(folded: boolean): Requests;
}

/** The requests of a history. Those of one turn after the other cost little. */
export interface Requests extends Disposable {
  /** What the model gets after so many turns. */
  messagesAfter(turns: number): readonly TextMessage[];
}

export const askedBy = (turns: TurnsAfter, options: RenderOptions): Asked => ({
  turns: turns.after(turns.length, options),
  options,
  countsBack: options.turnsLeft !== undefined,
  folds: options.compression !== false,
  open: (folded) => requestsOf(turns, folded ? options : { ...options, compression: false }),
});

export function requestsOf(turns: TurnsAfter, options: RenderOptions): Requests {
  const renderer = new HistoryRenderer();
  return {
    messagesAfter: (count) => renderer.render(turns, count, options).messages,
    [Symbol.dispose]: () => renderer[Symbol.dispose](),
  };
}
