import { effect, signal } from "@preact/signals";
import type { StrategyChoice } from "./options.ts";
import { running } from "./running.ts";
import { loads } from "./store.ts";

/**
 * How many turns the messages are shown after; null: all, however many there come to be. It is no part of the state: the
 * same history can be looked at from any place. Edits leave it where it is, because what is edited behind it is not in
 * the message, and the page says so.
 */
export const position = signal<number | null>(null);

/** Whether what was left out of the messages is shown in its place. */
export const showsLeftOut = signal(true);

/** What the messages are compared with: those of one turn earlier, of what was opened, or of another strategy. */
export type Comparison =
  | { readonly with: "nothing" | "earlier" | "original" }
  | { readonly with: "strategy"; readonly strategy: StrategyChoice };

const NOTHING: Comparison = { with: "nothing" };

export const comparison = signal<Comparison>(NOTHING);

/** Of so many turns, those that the messages are shown after. */
export const shownOf = (count: number): number => Math.min(position.value ?? count, count);

/** At the end it stays at the end, also when turns are added. */
export function moveTo(turns: number, count: number): void {
  position.value = turns >= count ? null : Math.max(0, turns);
}

// What took the place of all turns is looked at from its end.
effect(() => {
  loads.value;
  position.value = null;
  comparison.value = NOTHING;
});

// An agent at work is watched.
effect(() => {
  if (running.value?.what === "agent") position.value = null;
});
