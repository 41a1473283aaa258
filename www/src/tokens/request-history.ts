/// <reference lib="esnext.disposable" />
import type { Rendered, RenderOptions, Turn } from "turnfold";
import { HistoryRenderer } from "../turns/history-renderer.ts";
import type { TurnsAfter } from "../turns/turn-list.ts";

/** The requests of a history, one for each turn. */
export interface RequestHistory {
  /** The turns. Histories with identical objects up to a turn have the same requests up to that turn. */
  readonly turns: readonly Turn[];
  /** The options of the last request: the same object as long as only turns change. */
  readonly options: RenderOptions;
  /** Whether the requests of earlier turns depend on the number of turns. */
  readonly countsBack: boolean;
  /** False without a strategy: then `open` returns the same requests for both arguments. */
  readonly folds: boolean;
  /** Returns the requests with the strategy or, if `folded` is false, without one. */
  open(folded: boolean): Requests;
}

/** The requests of a history. Reading them in the order of the turns costs little. */
export interface Requests extends Disposable {
  /** The request after `turns` turns. */
  after(turns: number): Rendered;
}

export const requestHistoryOf = (turns: TurnsAfter, options: RenderOptions): RequestHistory => ({
  turns: turns.after(turns.length, options),
  options,
  countsBack: options.turnsLeft !== undefined,
  folds: options.compression !== false,
  open: (folded) => requestsOf(turns, folded ? options : { ...options, compression: false }),
});

export function requestsOf(turns: TurnsAfter, options: RenderOptions): Requests {
  const renderer = new HistoryRenderer();
  return {
    after: (count) => renderer.render(turns, count, options),
    [Symbol.dispose]: () => renderer[Symbol.dispose](),
  };
}
