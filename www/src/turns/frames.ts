import type { RenderOptions, TokenCounter } from "turnfold";
import type { Problems } from "../page/problem.ts";
import { unlessRefused } from "../page/problem.ts";
import type { State } from "../states/state.ts";
import { counter, opened, outcome, state } from "../states/store.ts";
import type { StrategyChoice } from "./options.ts";
import { createRenderer, type Frame, FrameMaker, type Outcome, optionsOf } from "./render.ts";

/** Enough for the shown messages, those of the previous turn, and those that they are compared with. */
const MAKERS = 3;

/** The makers with the number of turns of their last frame; the most recently used first. */
let makers: readonly { readonly count: number; readonly maker: FrameMaker }[] = [];

function makerFor(count: number): FrameMaker {
  const known = makers.find((entry) => entry.count === count) ?? makers[MAKERS - 1];
  const maker = known?.maker ?? new FrameMaker();
  makers = [{ count, maker }, ...makers.filter((entry) => entry !== known)];
  return maker;
}

const known = new WeakMap<Outcome, Map<number, Frame | null>>();

/**
 * The frame of the page's history after its first `count` turns: the messages that the model was sent for the next turn. Null
 * when it can't be rendered. Cached until the state changes.
 */
export function frameAt(count: number): Frame | null {
  const now = outcome.value;
  const { turns, options } = now;
  if (count === turns.length) return now.frame;
  if (count < 0 || count > turns.length || options === null) return null;
  const frames = known.get(now) ?? new Map<number, Frame | null>();
  known.set(now, frames);
  if (!frames.has(count)) {
    const requestHistory = now.frame?.requestHistory ?? null;
    frames.set(
      count,
      attemptFrame(() =>
        makerFor(count).frame(turns, count, options, {
          counter: counter.value,
          requestHistory: requestHistory && { ...requestHistory, turns: turns.after(count, options) },
        }),
      ),
    );
  }
  return frames.get(count) ?? null;
}

/** The frame, or null when the package rejects the options. The page shows that error with the messages after all turns. */
export const attemptFrame = (make: () => Frame): Frame | null => unlessRefused<Frame | null>(make, null);

const ofStrategies = new Map<StrategyChoice, FrameMaker>();

/** The frame of the page's history after `count` turns, with another strategy and the limits on the page. */
export function frameWith(strategy: StrategyChoice, count: number): Frame | null {
  const { turns } = outcome.value;
  const options = optionsWith(strategy);
  if (options === null) return null;
  const maker = ofStrategies.get(strategy) ?? new FrameMaker();
  ofStrategies.set(strategy, maker);
  return attemptFrame(() => maker.frame(turns, count, options, { counter: counter.value, requestHistory: null }));
}

/** The rendering options with another strategy; null when the state has a problem. */
export function optionsWith(strategy: StrategyChoice): RenderOptions | null {
  if (outcome.value.options === null) return null;
  const problems: Problems = new Map();
  const options = optionsOf({ ...state.value, strategy }, outcome.value.data, problems);
  return problems.size > 0 ? null : options;
}

interface Original {
  readonly state: State;
  readonly counter: TokenCounter;
  readonly outcome: Outcome;
  readonly maker: FrameMaker;
}

let lastOriginal: Original | null = null;

/** The frame of the state as it was opened, after its first `count` turns; null for all turns. */
export function originalFrame(count: number | null): Frame | null {
  const from = opened.value;
  if (lastOriginal?.state !== from || lastOriginal.counter !== counter.value) {
    const first = createRenderer()(from, counter.value);
    lastOriginal = { state: from, counter: counter.value, outcome: first, maker: new FrameMaker() };
  }
  const { outcome: first, maker } = lastOriginal;
  const { turns, options } = first;
  if (count === null || count >= turns.length || options === null) return first.frame;
  return attemptFrame(() => maker.frame(turns, count, options, { counter: counter.value, requestHistory: null }));
}
