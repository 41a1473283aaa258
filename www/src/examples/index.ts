import type { State } from "../state.ts";
import type { SavedState } from "../states/saved.ts";
import type { TabName } from "../tab.ts";
import { suppliers } from "./suppliers.ts";

/** An example without its state, which is loaded on demand. */
interface Story {
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

const ofTurns = ["turns", "run", "repl"] as const;

/** The example that the page shows at its start. */
export const firstExample: Example = {
  id: "suppliers",
  title: "Forty turns through invoices",
  look: "Forty turns of work in half the tokens, and every name that the programs defined is still there.",
  opens: 1,
  tabs: ofTurns,
  state: suppliers,
};

interface StoredStory extends Story {
  load(): Promise<SavedState>;
}

export const examples: readonly StoredStory[] = [
  { ...firstExample, load: async () => suppliers },
  {
    id: "shopping",
    title: "Shopping, with a recovered error",
    look: "Turn 3 failed and turn 4 corrected it: the message shows the result, and the error is left out.",
    tabs: ofTurns,
    load: async () => (await import("./shopping.ts")).shopping,
  },
  {
    id: "emails",
    title: "Fifty emails, triaged unseen",
    look: "The programs read all fifty emails; the model sees only their type, the prints and the number of calls.",
    tabs: ofTurns,
    load: async () => (await import("./emails.ts")).emails,
  },
  {
    id: "travel",
    title: "Eight cities asked side by side",
    look: "pmap requests eight forecasts at once, and pcalls fare and bed together: run turn 1 to see its calls overlap.",
    tabs: ofTurns,
    load: async () => (await import("./travel.ts")).travel,
  },
  {
    id: "logs",
    title: "Log analysis, final turn, error standing",
    look: "The last turn failed, so the message shows its program and error; below them it says that the model must return now.",
    tabs: ofTurns,
    load: async () => (await import("./logs.ts")).logs,
  },
  {
    id: "orders",
    title: "One huge tool result",
    look: "The tool returned a thousand orders; the model sees their type and number. Compare the bar with the strategy none.",
    trueFor: ["strategy"],
    tabs: ofTurns,
    load: async () => (await import("./orders.ts")).orders,
  },
  {
    id: "reviews",
    title: "Reviews in eight languages",
    look: "Umlauts, Japanese, Arabic and emoji stay whole in names, prints and samples, and cost more tokens than they look like.",
    tabs: ofTurns,
    load: async () => (await import("./reviews.ts")).reviews,
  },
  {
    id: "expenses",
    title: "Expenses: two failed turns, recovered",
    look: "No turns yet: press Run on the Run tab. The tool refuses the first reply and the signature the third, and the model corrects both.",
    tabs: ["run", "turns", "repl"],
    load: async () => (await import("./expenses.ts")).expenses,
  },
  {
    id: "migration",
    title: "Coding agent, 126 calls",
    look: "A digest replaces earlier rounds by lines: the run costs a third less, and every name that a later call used is still there.",
    tabs: ["chat"],
    load: async () => ({ ...suppliers, chat: (await import("../chat/examples/migration.ts")).migration.saved }),
  },
  {
    id: "support",
    title: "Support chat, 60 messages",
    look: "An ordinary history on the Chat tab: each message says whether it is kept, summarised or dropped, and why.",
    tabs: ["chat"],
    load: async () => ({ ...suppliers, chat: (await import("../chat/examples/support.ts")).support.saved }),
  },
  {
    id: "follow-up",
    title: "A signature with history",
    look: "“How long did that take?” can only be answered with the turns before it, which are sent as questions and answers of the same signature.",
    tabs: ["programs"],
    load: async () => ({ ...suppliers, programs: (await import("../programs/examples/follow-up.ts")).followUp.saved }),
  },
];

/** Loads the example with this id; null when there is none. */
export async function loadExample(id: string): Promise<Example | null> {
  const story = examples.find((candidate) => candidate.id === id);
  if (story === undefined) return null;
  const { load, ...rest } = story;
  return id === firstExample.id ? firstExample : { ...rest, state: await load() };
}
