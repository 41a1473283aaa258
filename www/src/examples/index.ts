import type { TabName } from "../page/tab.ts";
import type { SavedState } from "../states/saved.ts";
import type { State } from "../states/state.ts";
import { suppliers } from "./suppliers.ts";

/** An example without its state, which is loaded on demand. */
export interface Story {
  /** The id, which is part of links: never change it. */
  readonly id: string;
  readonly title: string;
  /** One sentence about what to look at. */
  readonly look: string;
  /** The members of the state that the sentence in `look` does not depend on. */
  readonly trueFor?: readonly (keyof State)[];
  /** The number of the turn that is open at first, from 1. */
  readonly opens?: number;
  /** The tabs of the example. The first is shown when the current tab is not one of them. */
  readonly tabs: readonly [TabName, ...TabName[]];
}

export interface Example extends Story {
  readonly state: SavedState;
}

/** The example that the page shows at its start. */
export const firstExample: Example = {
  id: "suppliers",
  title: "Forty turns through invoices",
  look: "Forty turns of work in half the tokens, and every name that the programs defined is still there.",
  opens: 1,
  tabs: ["turns", "run", "repl"],
  state: suppliers,
};

/** Loads the example with this id; null when there is none. */
export async function loadExample(id: string): Promise<Example | null> {
  if (id === firstExample.id) return firstExample;
  const story = (await import("./list.ts")).examples.find((candidate) => candidate.id === id);
  return story === undefined ? null : { ...story, state: await story.load() };
}
