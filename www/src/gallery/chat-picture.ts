import { applyPlan, countMessages, planHistory } from "turnfold/chat";
import { parametersOf } from "../chat/parameters.ts";
import { readMessages } from "../chat/reading.ts";
import type { ChatState } from "../chat/state.ts";
import type { Amounts } from "../tokens/settings.ts";
import type { Picture } from "./pictures.ts";

/** The messages of a chat with their fates, and those that are sent, with summaries of the expected length. */
export function chatPicture(chat: ChatState, amounts: Amounts): Picture {
  const { conversation } = readMessages(chat.messages, chat.shape);
  const { parameters } = parametersOf(chat, amounts);
  if (conversation === null || parameters === null) throw new TypeError("it has a problem");
  const plan = planHistory(conversation, parameters);
  const summaries = plan.requests.map(({ expectedTokens }) => "of ".repeat(expectedTokens));
  const applied = applyPlan(plan, summaries);
  const { messages } = applied.conversation;
  const { before, after } = applied.report.tokens;
  const counts = countMessages(messages).messages;
  const given = new Set(conversation.messages);
  return {
    before: plan.messages,
    after: messages.map((message, index) => ({
      tokens: counts[index] as number,
      fate: message.summary === undefined || given.has(message) ? "kept" : "inserted",
    })),
    tokens: [before, after],
  };
}
