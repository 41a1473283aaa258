import type { Step } from "../agent/step.ts";
import type { Calibration } from "../chat/calibration.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import { type Conversation, localConversation, ofMessages } from "../chat/conversation.ts";
import { countMessages } from "../chat/count-messages.ts";
import { millisecondsOf } from "../chat/message-copy.ts";
import { checkParameters, type RequestParameters } from "../chat/parameters.ts";
import { asSent, Planning } from "../chat/planning.ts";
import { hasSigned, withoutThinkingFrom } from "../chat/signed-thinking.ts";
import type { Message } from "../model/message.ts";
import type { Prices } from "../model/prices.ts";
import type { TokenCounter } from "../tokens/tokens.ts";
import type { Compression } from "../turns/options.ts";
import { Renderer } from "../turns/renderer.ts";
import type { BilledRequest } from "./bill.ts";

/**
 * A request of a repeated run, made from the turns or messages before it.
 *
 * @internal
 */
export interface ReplayedRequest extends BilledRequest {
  messages: readonly Message[];
  /** The requests for summaries before it. */
  summaries: readonly BilledRequest[];
}

/**
 * Returns a function that makes the requests of a step with a compression, one after the other.
 *
 * @internal
 */
export function replayStep(step: Step, prices: Prices): (compression: unknown) => Generator<ReplayedRequest> {
  return function* (compression) {
    const renderer = new Renderer({ ...step.request, compression: withPrices(compression as Compression, prices) });
    try {
      for (const turn of step.turns) {
        const { at, rawResponse } = turn;
        renderer.setOptions({ at });
        const { messages, breakpoints } = renderer.render();
        yield { messages, breakpoints, ...(at === undefined ? {} : { at }), output: rawResponse, summaries: [] };
        renderer.push(turn);
      }
    } finally {
      renderer.dispose();
    }
  };
}

/** Adds the prices of the comparison to a journal without its own, and to the options of a custom strategy. */
function withPrices(compression: Compression, prices: Prices): Compression {
  const [strategy, options = {}] = Array.isArray(compression) ? compression : [compression];
  const usesPrices = strategy === "journal" || (typeof strategy === "object" && strategy !== null);
  return usesPrices ? [strategy, { prices, ...options }] : compression;
}

/**
 * Returns a function that makes the requests of a chat with parameters, one for each assistant message, one after the
 * other: together they have far more messages than the chat. A summary is assumed to have the `expectedTokens` of its request.
 *
 * @param defaults the counter, which also counts the replies, and the prices of the comparison.
 * @param recorded the scale of the counts, and the times of the replies by the indexes of their messages; by default those of the
 * messages.
 *
 * @internal
 */
export function replayChat(
  chat: Conversation,
  defaults: { counter: TokenCounter; prices: Prices },
  recorded: { calibration?: Calibration; times?: ReadonlyMap<number, number> } = {},
): (parameters: unknown) => Generator<ReplayedRequest> {
  const { counter, prices } = defaults;
  const { calibration, times } = recorded;
  const { messages } = localConversation(chat);
  const sizes = countMessages(messages, { counter }).messages;
  // A reply is billed without the tokens around its message.
  const [around = 0] = countMessages([{ role: "assistant", content: "" }], { counter }).messages;
  return function* (given) {
    const own = given as RequestParameters;
    const plain = checkParameters({ counter, ...own });
    const parameters = plain.weighs ? checkParameters({ counter, prices, ...own }) : plain;
    let planning: Planning | null = null;
    let sent: readonly ChatMessage[] = [];
    let start = 0;
    let before: number | undefined;
    for (const [index, message] of messages.entries()) {
      if (message.role !== "assistant") continue;
      const { timestamp = times?.get(index) } = message;
      const at = timestamp === undefined ? undefined : millisecondsOf(timestamp);
      const pause = at === undefined || before === undefined ? undefined : Math.max(0, at - before);
      before = at ?? before;
      const more = messages.slice(start, index);
      start = index;
      if (planning === null) planning = new Planning(ofMessages(more), parameters, { calibration });
      else planning.advance(sent, more, pause === undefined ? undefined : pause / 1000);
      const { requests } = planning.plan();
      const time = at === undefined ? {} : { at };
      const summaries: BilledRequest[] = [];
      for (const request of requests) {
        const { messages } = planning.summaryRequest(request);
        summaries.push({ messages, output: request.expectedTokens, ...time });
      }
      const applied = planning.apply(requests.map(({ expectedTokens }) => "of ".repeat(expectedTokens)));
      const next = planning.messages(applied);
      const changed = parameters.keepsThinking ? next.length : firstChange(next, planning.conversation.messages);
      sent = withoutThinking(next, changed);
      const shown = withoutThinking(asSent(next, applied.sent), changed);
      yield { messages: shown, ...time, output: (sizes[index] as number) - around, summaries };
    }
    planning?.release();
  };
}

/** The first message that differs from the given one: the signed thinking after it is not valid. */
function firstChange(messages: readonly ChatMessage[], given: readonly ChatMessage[]): number {
  const changed = messages.findIndex((message, index) => message !== given[index]);
  return changed < 0 ? messages.length : changed;
}

function withoutThinking(messages: readonly ChatMessage[], from: number): readonly ChatMessage[] {
  return messages.slice(from).some(hasSigned) ? withoutThinkingFrom(messages, from) : messages;
}
