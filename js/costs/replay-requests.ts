import type { Step } from "../agent/step.ts";
import { Conversation, localConversation } from "../chat/conversation.ts";
import { applyPlan, planHistory } from "../chat/manage-history.ts";
import { millisecondsOf } from "../chat/message-copy.ts";
import type { RequestParameters } from "../chat/parameters.ts";
import type { Prices } from "../model/prices.ts";
import type { Compression } from "../turns/compression.ts";
import type { Message } from "../turns/message.ts";
import { toMessages } from "../turns/to-messages.ts";
import type { BilledRequest } from "./bill.ts";

/**
 * The requests of a repeated run, each made from the turns or messages before it, and the requests for summaries.
 *
 * @internal
 */
export interface ReplayedRequests {
  requests: (BilledRequest & { messages: readonly Message[] })[];
  summaries: BilledRequest[];
}

/**
 * Returns a function that makes the requests of a step with a compression.
 *
 * @internal
 */
export function replayStep(step: Step, prices: Prices): (compression: unknown) => ReplayedRequests {
  return (compression) => {
    const setting = withPrices(compression as Compression, prices);
    const requests = step.turns.map(({ at, rawResponse }, index) => {
      const time = at === undefined ? {} : { at };
      const options = { ...step.request, ...time, compression: setting };
      const { messages, breakpoints } = toMessages(step.turns.slice(0, index), null, options);
      return { messages, breakpoints, ...time, output: rawResponse };
    });
    return { requests, summaries: [] };
  };
}

/** Adds the prices of the comparison to a journal without its own. */
function withPrices(compression: Compression, prices: Prices): Compression {
  const [name, options = {}] = Array.isArray(compression) ? compression : [compression];
  return name === "journal" ? ["journal", { prices, ...options }] : compression;
}

/**
 * Makes the requests of a chat with parameters: one for each assistant message. A summary is assumed to have the
 * `expectedTokens` of its request.
 *
 * @internal
 */
export function replayChat(chat: Conversation, parameters: RequestParameters): ReplayedRequests {
  const requests: ReplayedRequests["requests"] = [];
  const summaries: BilledRequest[] = [];
  let managed = new Conversation();
  let before: number | undefined;
  for (const message of localConversation(chat).messages) {
    if (message.role === "assistant") {
      const at = message.timestamp === undefined ? undefined : millisecondsOf(message.timestamp);
      const pause = at === undefined || before === undefined ? undefined : Math.max(0, at - before);
      const plan = planHistory(managed, parameters, pause === undefined ? {} : { idleSeconds: pause / 1000 });
      before = at ?? before;
      const texts = plan.requests.map(({ messages, expectedTokens }) => {
        summaries.push({ messages, output: expectedTokens });
        return "of ".repeat(expectedTokens);
      });
      managed = applyPlan(plan, texts).conversation;
      requests.push({
        messages: managed.messages,
        ...(at === undefined ? {} : { at }),
        output: JSON.stringify(message.content),
      });
    }
    managed = managed.append(message);
  }
  return { requests, summaries };
}
