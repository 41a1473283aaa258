import { signal } from "@preact/signals";
import type { Problem } from "../page/problem.ts";
import type { TurnEntry } from "../states/state.ts";

/** Whether programs run while they are edited. Not part of the state. */
export const runsLive = signal(true);

/** The turns whose recorded results are outdated, by id: why their program does not run, or null while it waits for its run. */
export const outdated = signal<ReadonlyMap<number, Problem | null>>(new Map());

/** Runs a program after an edit, as in `live.ts`, which is loaded with the first one. */
export async function programEdited(before: TurnEntry): Promise<void> {
  if (runsLive.value) (await import("./live.ts")).runAfterEdit(before);
}
