import type { SavedState } from "../states/saved.ts";
import { firstExample, type Story } from "./index.ts";
import { suppliers } from "./suppliers.ts";

/** An example in the gallery. */
export interface ListedExample extends Story {
  /** The question that the example answers. */
  readonly question: string;
  /** Whether it has a tour. */
  readonly hasTour?: boolean;
  load(): Promise<SavedState>;
}

/** The examples in the order of the gallery. */
export const examples: readonly ListedExample[] = [
  {
    id: "migration",
    question: "Why is my agent expensive?",
    hasTour: true,
    title: "Coding agent, 126 calls",
    look: "A digest replaces earlier rounds by lines: the run costs a third less, and every name that a later call used is still there.",
    tabs: ["chat"],
    load: async () => ({ ...suppliers, chat: (await import("../chat/examples/migration.ts")).migration.saved }),
  },
  {
    id: "support",
    question: "What does it forget?",
    hasTour: true,
    title: "Support chat, 60 messages",
    look: "An ordinary history on the Chat tab: each message says whether it is kept, summarised or dropped, and why.",
    tabs: ["chat"],
    load: async () => ({ ...suppliers, chat: (await import("../chat/examples/support.ts")).support.saved }),
  },
  { ...firstExample, question: "What changes when I edit a turn?", hasTour: true, load: async () => suppliers },
  {
    id: "shopping",
    question: "What does the model see of an error?",
    title: "Shopping, with a recovered error",
    look: "Turn 3 failed and turn 4 corrected it: the message shows the result, and the error is left out.",
    tabs: firstExample.tabs,
    load: async () => (await import("./shopping.ts")).shopping,
  },
  {
    id: "orders",
    question: "What if a tool returns a thousand rows?",
    title: "One huge tool result",
    look: "The tool returned a thousand orders; the model sees their type and number. Compare it with “No strategy”.",
    trueFor: ["strategy"],
    tabs: firstExample.tabs,
    load: async () => (await import("./orders.ts")).orders,
  },
  {
    id: "emails",
    question: "Must the model read all fifty emails?",
    title: "Fifty emails, triaged unseen",
    look: "The programs read all fifty emails; the model sees only their type, the prints and the number of calls.",
    tabs: firstExample.tabs,
    load: async () => (await import("./emails.ts")).emails,
  },
  {
    id: "travel",
    question: "Can it make several calls at once?",
    title: "Eight cities asked side by side",
    look: "pmap requests eight forecasts at once, and pcalls fare and bed together: run turn 1 to see its calls overlap.",
    tabs: firstExample.tabs,
    load: async () => (await import("./travel.ts")).travel,
  },
  {
    id: "logs",
    question: "What if the last turn fails?",
    title: "Log analysis, final turn, error standing",
    look: "The last turn failed, so the message shows its program and error; below them it says that the model must return now.",
    tabs: firstExample.tabs,
    load: async () => (await import("./logs.ts")).logs,
  },
  {
    id: "reviews",
    question: "Do other languages cost more?",
    title: "Reviews in eight languages",
    look: "Umlauts, Japanese, Arabic and emoji stay whole in names, prints and samples, and cost more tokens than they look like.",
    tabs: firstExample.tabs,
    load: async () => (await import("./reviews.ts")).reviews,
  },
  {
    id: "expenses",
    question: "How does an agent correct itself?",
    title: "Expenses: two failed turns, recovered",
    look: "No turns yet: press Run on the Run tab. The tool refuses the first reply and the signature the third, and the model corrects both.",
    tabs: ["run", "turns", "repl"],
    load: async () => (await import("./expenses.ts")).expenses,
  },
  {
    id: "refunds",
    question: "Can a person decide in between?",
    title: "A refund that a person approves",
    look: "Press Run: small refunds are made, and turn 2 waits for a person. Approve, or deny with a reason; then go back, decide otherwise, and compare.",
    tabs: ["run", "turns", "repl"],
    load: async () => (await import("./refunds.ts")).refunds,
  },
  {
    id: "follow-up",
    question: "How does it know what “that” means?",
    title: "A signature with history",
    look: "“How long did that take?” can only be answered with the turns before it, which are sent as questions and answers of the same signature.",
    tabs: ["programs"],
    load: async () => ({ ...suppliers, programs: (await import("../programs/examples/follow-up.ts")).followUp.saved }),
  },
];
