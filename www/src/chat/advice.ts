import { clearToolResults, digest, needRecall, type PriceList } from "turnfold/audit";
import type { Conversation } from "turnfold/chat";
import type { HistoryChoice } from "./state.ts";

/** The strategies without a model that fold when it pays, with the parameters that `turnfold audit` measures. */
export const advisable = {
  digest: { compressionStrategy: digest(), when: "worthIt" },
  clearToolResults: { compressionStrategy: clearToolResults({ keep: 3 }), when: "worthIt" },
} as const;

/**
 * The strategy with which a conversation costs least, when each request that lacks what it needs is followed by another one
 * with it. No strategy is advised that costs more than none.
 */
export function advisedStrategy(conversation: Conversation, prices: PriceList): HistoryChoice {
  const rows = needRecall(conversation, { strategies: advisable, prices });
  return rows.reduce((best, row) => (row.costWithForgetting < best.costWithForgetting ? row : best))
    .name as HistoryChoice;
}
