import { filter } from "../chat/find.ts";
import { chat } from "../chat/store.ts";
import type { TabName } from "../page/tab.ts";
import { position, showsDetails, showsOmitted } from "../page/view.ts";
import { state } from "../states/store.ts";

export interface TourStep {
  readonly title: string;
  readonly text: string;
  /** What the visitor can do at the target. */
  readonly act: string;
  /** The selector of the target. */
  readonly at: string;
  /** Reads what the visitor changes; the step is done when it returns another value than at its start. */
  readonly watch: () => unknown;
  /** Prepares the page for the step. */
  readonly prepare?: () => void;
}

export interface Tour {
  readonly tab: TabName;
  readonly steps: readonly TourStep[];
}

function closeDetails(): void {
  showsDetails.value = false;
}

function openDetails(): void {
  showsDetails.value = true;
}

/** The tours of the first examples, by the ids of the examples. */
export const tours: Readonly<Record<string, Tour>> = {
  migration: {
    tab: "chat",
    steps: [
      {
        title: "Every call sends everything again",
        text: "The agent made 126 calls, and each of them sent all messages so far. The first price is what the run costs that way, the second what it costs with the strategy on the left.",
        act: "Choose “No strategy”: the run then costs the first price.",
        at: ".strategy-bar",
        watch: () => chat.value.strategy,
        prepare: closeDetails,
      },
      {
        title: "It depends on the model",
        text: "A provider charges less for the beginning of a request that it has cached. Each change of an old message makes it read the rest again, so a strategy has to wait until a change pays.",
        act: "Choose “Digest” again, then another model.",
        at: '[aria-label="Model and prices"]',
        watch: () => state.value.tokens.model,
        prepare: closeDetails,
      },
      {
        title: "What is sent instead",
        text: "A digest replaces old rounds by lines: the tool, its arguments, the start of its result, and every name in it.",
        act: "Press “All … characters” to read them.",
        at: '.chat-result .chat-message[data-fate="inserted"], .chat-result .chat-message',
        watch: () => document.querySelector('.chat-result [data-fate="inserted"]')?.textContent,
        prepare: closeDetails,
      },
      {
        title: "All strategies side by side",
        text: "The table has the tokens of the next request and the cost of the whole run for each strategy.",
        act: "Open “Details”, then “All strategies”.",
        at: ".details-toggle",
        watch: () => showsDetails.value,
        prepare: closeDetails,
      },
    ],
  },
  support: {
    tab: "chat",
    steps: [
      {
        title: "Each message has a fate",
        text: "A message is kept as it is, becomes part of a summary, or is dropped. Its label says which, and why.",
        act: "Press “summarised” to see only these messages.",
        at: ".chat-filters",
        watch: () => filter.value,
      },
      {
        title: "Some things must stay",
        text: "Message 9 says that the customer is deaf. It is pinned, so that no strategy takes it away.",
        act: "Show all messages again, and press the pin of another one.",
        at: ".chat-messages .chat-message",
        watch: () => chat.value.messages,
      },
      {
        title: "Strategies forget differently",
        text: "This one keeps the last messages, and a model summarises the others. “Clear old tool results” needs no model and takes away results only.",
        act: "Choose another strategy, and watch the colours of the bar.",
        at: ".strategy-bar select",
        watch: () => chat.value.strategy,
        prepare: closeDetails,
      },
      {
        title: "What the model sees",
        text: "The result has the messages that are sent, with the summary in place of what it covers.",
        act: "Check “Compare with the input, line by line”.",
        at: ".chat-result .chat-view, .chat-result",
        watch: () => document.querySelector<HTMLInputElement>(".chat-result input")?.checked,
      },
    ],
  },
  suppliers: {
    tab: "turns",
    steps: [
      {
        title: "A turn of the agent",
        text: "The model wrote this program, and the page runs it when you change it. What the model sees next is on the other side.",
        act: "Change the program: write another text in place of “Invoices above their order”.",
        at: ".turn .code-field",
        watch: () => state.value.turns,
      },
      {
        title: "What the model sees",
        text: "The messages of the next request. Only their end changes from turn to turn, so the provider can cache the beginning.",
        act: "Move the slider: the messages are those after an earlier turn.",
        at: ".turn-slider",
        watch: () => position.value,
      },
      {
        title: "What the strategy saves",
        text: "The tokens of the next request and the cost of the run: without a strategy, then with this one.",
        act: "Choose “No strategy” and compare, then choose “Journal” again.",
        at: ".strategy-bar select",
        watch: () => state.value.strategy,
        prepare: closeDetails,
      },
      {
        title: "What was left out",
        text: "Everything that the messages omit is marked at its place, with the reason.",
        act: "Uncheck “Show what was left out”, and check it again.",
        at: ".view-bar",
        watch: () => showsOmitted.value,
        prepare: openDetails,
      },
    ],
  },
};
