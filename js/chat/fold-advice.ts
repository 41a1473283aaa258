import { copyMembers } from "../boundary/options.ts";
import type { FoldReason, RequestCost } from "../turns/rendered.ts";
import type { Conversation } from "./conversation.ts";
import type { HistoryContext } from "./history-context.ts";
import { checkParameters, type RequestParameters } from "./parameters.ts";
import { Planning } from "./planning.ts";
import { lastNMessages } from "./strategies.ts";

/** Options of {@link foldAdvice}: how the history would be folded, and what is sent with it. */
export interface FoldAdviceOptions extends RequestParameters, Omit<HistoryContext, "request"> {}

/** Whether to fold a conversation now. Costs are in the unit of the prices. */
export interface FoldAdvice {
  fold: boolean;
  /** Why, or why not. */
  reason: FoldReason;
  /** What folding at each request since the last fold would have saved. */
  debt: number;
  /** How much more folding now costs than continuing without it, summaries included; negative when it costs less. */
  price: number;
}

/**
 * Decides whether a host that runs its own loop should fold a conversation now, between two requests. Changes nothing
 * and calls no model; {@link manageHistory} with the same parameters folds.
 *
 * From four fifths of the cache's `lifetime` on, the pause is assumed to outlast it: the next request will then write
 * everything again, while the request for a summary made now, `behind` the conversation, is still read from the cache.
 *
 * @param options default strategy: `lastNMessages(4)`; other defaults as with `when: "worthIt"`.
 * @example
 * ```ts
 * const { fold, reason } = foldAdvice(conversation, { idleSeconds: 250, prices: "anthropic" });
 * if (fold) console.log(`compact now: ${reason}`);
 * ```
 * @throws {TurnfoldError} as {@link planHistory}
 */
export function foldAdvice(conversation: Conversation, options: FoldAdviceOptions = {}): FoldAdvice {
  const given = copyMembers(options, "the options") as FoldAdviceOptions;
  const { idleSeconds, tools, schema, compressionStrategy = lastNMessages(4), ...parameters } = given;
  const checked = checkParameters({ ...parameters, compressionStrategy, when: "worthIt" });
  const context = { tools, schema, isIdle: true, ...(idleSeconds === undefined ? {} : { idleSeconds }) };
  const planning = new Planning(conversation, checked, context);
  const { reason, debt, price } = planning.plan().cache as RequestCost;
  return { fold: reason !== "notYet" && reason !== "tooLate", reason, debt, price };
}
