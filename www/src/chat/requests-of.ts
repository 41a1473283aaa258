import { applyPlan, type ChatMessage, Conversation, planHistory } from "turnfold/chat";
import { plansMade } from "../custom/plans.ts";
import { problemOf, problemText } from "../page/problem.ts";
import { parametersOf, settingsOf } from "./parameters.ts";
import { amounts, parameters, source } from "./plan.ts";
import type { HistoryChoice } from "./state.ts";
import { chat } from "./store.ts";
import { SCRIPT } from "./summaries.ts";

/** A request of a chat: that of its answer with this number, from 1, and after the last answer the next one. */
export interface RequestChoice {
  readonly number: number;
  readonly strategy: HistoryChoice;
}

/** The indexes of the answers, each of which had a request. */
export const answersOf = ({ messages }: Conversation): readonly number[] =>
  messages.flatMap(({ role }, index) => (role === "assistant" && index > 0 ? [index] : []));

/** The messages of a request, with the scripted text for summaries; a text that says why there are none. */
export function requestOf({ number, strategy }: RequestChoice): readonly ChatMessage[] | string {
  const { conversation } = source.value;
  if (conversation === null) return "There are no messages yet.";
  const { messages } = conversation;
  const before = new Conversation({ messages: messages.slice(0, answersOf(conversation)[number - 1]) });
  const settings = { ...settingsOf(chat.value), strategy };
  const { parameters: given } =
    strategy === chat.value.strategy ? parameters.value : parametersOf(settings, amounts.value);
  if (given === null) return "The options of this strategy can’t be read: choose it, and correct them.";
  // A custom strategy has a plan when the sandbox has made it.
  plansMade.value;
  try {
    const plan = planHistory(before, given);
    return applyPlan(
      plan,
      plan.requests.map(() => SCRIPT),
    ).messages;
  } catch (error) {
    return `This request can’t be made: ${problemText(problemOf(error))}`;
  }
}
