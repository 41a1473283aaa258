import { effect, signal } from "@preact/signals";
import { running } from "../running/running.ts";
import { loads } from "../states/store.ts";
import type { StrategyChoice } from "../turns/options.ts";

/**
 * The number of turns before the shown messages; null for all turns, including those added later. It is not part of the state.
 * Edits do not change it; the page says when an edited turn is not in the messages.
 */
export const position = signal<number | null>(null);

/** The number of turns before the messages that are shown while the pointer is over a plot; null for `position`. */
export const previewed = signal<number | null>(null);

/** Whether the panel with the details of a strategy is open. */
export const showsDetails = signal(false);

/** Whether omitted items are shown in the messages. */
export const showsOmitted = signal(true);

/** Whether the tokens of the messages are coloured. */
export const coloursTokens = signal(false);

/** The counterpart of a comparison: one turn earlier, the state as it was opened, the run after another decision, or any other request. */
export type Comparison =
  | { readonly with: "nothing" | "earlier" | "original" | "decision" }
  | {
      readonly with: "request";
      /** Null for the chosen strategy. */
      readonly strategy: StrategyChoice | null;
      /** The number of turns before the request; null for as many as are shown. */
      readonly turns: number | null;
    };

const NOTHING: Comparison = { with: "nothing" };

export const comparison = signal<Comparison>(NOTHING);

/** The position among `count` turns. */
export const shownOf = (count: number): number => Math.min(position.value ?? count, count);

/** Moves the position. A position at the end stays at the end when turns are added. */
export function moveTo(turns: number, count: number): void {
  position.value = turns >= count ? null : Math.max(0, turns);
}

// A loaded state is shown after all its turns.
effect(() => {
  loads.value;
  position.value = null;
  comparison.value = NOTHING;
});

// A running agent is shown at its last turn.
effect(() => {
  if (running.value?.what === "agent") position.value = null;
});
