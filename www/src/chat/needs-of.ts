import { needRecall, type RequestNeed } from "turnfold/audit";
import { Conversation } from "turnfold/chat";
import { type ChatParameters, requestParameters } from "./calls.ts";

/** A chat, as a saved conversation, and the strategy for which its needs are wanted. */
export interface NeedsJob {
  readonly kind: "needs";
  readonly conversation: unknown;
  readonly parameters: ChatParameters;
}

export function needsOf({ conversation, parameters }: NeedsJob): readonly RequestNeed[] {
  const strategies = { it: requestParameters(parameters) };
  const rows = needRecall(Conversation.fromJSON(conversation), { strategies });
  return rows.find(({ name }) => name === "it")?.needs ?? [];
}
