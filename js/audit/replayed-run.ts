import type { Step } from "../agent/step.ts";
import type { Calibration } from "../chat/calibration.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import { type BilledRequest, BillMeter, type BillParts, callCount, type RecordedFacts, sumOf } from "../costs/bill.ts";
import { type ReplayedRequest, replayChat, replayStep } from "../costs/replay-requests.ts";
import type { Message } from "../model/message.ts";
import type { PriceList } from "../model/prices.ts";
import { RecordingMeasurement } from "../recall/need-recall.ts";
import { RecordedNeeds } from "../recall/recorded-needs.ts";
import { ShownTexts } from "../recall/shown-text.ts";
import { estimate } from "../tokens/tokens.ts";
import type { RequestScale } from "./fit-usage.ts";
import { inputOf } from "./fit-usage.ts";
import { hiddenThinking } from "./hidden-thinking.ts";
import type { MeasuredChat, MeasuredRequest } from "./measured-chat.ts";

/** A chat with everything that replaying it needs. */
export interface ReplayableChat extends MeasuredChat {
  /** The scale of each request. */
  scales: readonly RequestScale[];
  /** The prices of each request. */
  prices: readonly PriceList[];
  /** The index of its first request among those of the recording. */
  first: number;
}

/** What a request would have been, with the requests for summaries before it. */
export interface ReplayedBill extends BillParts {
  /** The needs that it would have met, and all, at 2,000 tokens and more. */
  needs: readonly [hits: number, of: number];
}

/** The requests of a recording with a strategy. */
export interface ReplayedRun {
  /** In the order of the recording. */
  requests: ReplayedBill[];
  summaries: number;
  /** The cost of requests that fetch what is missing. */
  forgetting: number;
  losses: { request: number; names: string[]; messages: number[]; tokens: number }[];
}

/** Replays the requests of a recording with one strategy after the other. */
export class Replay {
  private readonly chats: readonly ReplayableChat[];
  private readonly step: Step | undefined;
  /** The needs of each chat, found once. */
  private readonly needs: readonly { needs: RecordedNeeds; texts: ShownTexts }[];
  private meters: BillMeter | undefined;

  constructor(chats: readonly ReplayableChat[], step: Step | undefined) {
    this.chats = chats;
    this.step = step;
    this.needs = chats.map(({ chat }) => {
      const texts = new ShownTexts((text) => estimate.count(text));
      const needs = new RecordedNeeds(step ?? chat.conversation, texts);
      for (const text of needs.texts) for (const name of text.names) needs.index.add(name);
      needs.findNeeds();
      return { needs, texts };
    });
  }

  run(strategy: unknown): ReplayedRun {
    const requests: ReplayedBill[] = [];
    const run: ReplayedRun = { requests, summaries: 0, forgetting: 0, losses: [] };
    let meter = new ChainMeter(this.meters);
    for (const [number, chat] of this.chats.entries()) {
      // Parts between compactions, and what was taken back, are sent to the same caches; so is nothing else.
      if (chat.chat.kind === "chat" || chat.chat.kind === "agent") {
        run.forgetting += meter.finish(requests);
        meter = new ChainMeter(this.meters);
      }
      const { needs, texts } = this.needs[number] as (typeof this.needs)[number];
      const measured = new RecordingMeasurement(
        number,
        needs,
        meter,
        new ShownTexts((text) => estimate.count(text), texts),
      );
      this.replay(chat, strategy, meter, measured, run);
      this.meters ??= meter.first;
    }
    run.forgetting += meter.finish(requests);
    return run;
  }

  private replay(
    chat: ReplayableChat,
    strategy: unknown,
    meter: ChainMeter,
    measured: RecordingMeasurement,
    run: ReplayedRun,
  ): void {
    const { requests, prices, scales, first } = chat;
    const facts = factsOf(chat);
    const byMessage = new Map<number, number[]>();
    for (const [index, { messages }] of requests.entries()) {
      byMessage.set(messages, [...(byMessage.get(messages) ?? []), index]);
    }
    let number = -1;
    for (const [message, sent] of this.sentRequests(chat, strategy)) {
      // The recorded requests of the measurement begin with the first one that has a message before it.
      if (message > 0) number++;
      const own = byMessage.get(message) ?? [];
      for (const [position, index] of own.entries()) {
        const request = requests[index] as MeasuredRequest;
        const place = first + index;
        const summaries = position > 0 ? 0 : sent.summaries.length;
        meter.next(
          place,
          prices[index] as PriceList,
          facts[index] as RecordedFacts,
          request.model,
          scales[index],
          summaries,
        );
        const { at, usage } = request;
        const billed = {
          ...sent,
          ...(at === undefined ? {} : { at }),
          output: usage?.output ?? sent.output ?? 0,
        };
        run.requests[place] = { read: 0, written: 0, fresh: 0, output: 0, cost: 0, needs: [0, 0] };
        if (position > 0 || message === 0) {
          meter.add(billed);
          continue;
        }
        run.summaries += sent.summaries.length;
        const losses = measured.losses.length;
        measured.add(number, { ...billed, summaries: sent.summaries });
        const [met = [0, 0] as const] = measured.counts.at(-1)?.recall ?? [];
        (run.requests[place] as ReplayedBill).needs = met;
        for (const { atoms, messages, tokens } of measured.losses.slice(losses))
          run.losses.push({ request: place, names: atoms, messages, tokens });
      }
    }
  }

  /** The requests with the strategy, by the indexes of their replies; for a step by their numbers. */
  private *sentRequests(chat: ReplayableChat, strategy: unknown): Generator<[number, ReplayedRequest]> {
    const [prices = {}] = chat.prices;
    if (this.step !== undefined) {
      let turn = 0;
      for (const request of replayStep(this.step, prices)(strategy)) yield [++turn, request];
      return;
    }
    const { conversation } = chat.chat;
    const times = new Map(
      chat.requests.flatMap(({ messages, at }) => (at === undefined ? [] : [[messages, at] as const])),
    );
    const recorded = { calibration: calibrationOf(chat.scales), times };
    const sent = replayChat(conversation, { counter: estimate, prices }, recorded)(strategy);
    for (const [index, { role }] of conversation.messages.entries()) {
      if (role === "assistant") yield [index, sent.next().value as ReplayedRequest];
    }
  }
}

/** The scale of a chat's requests for planning: that of the middle one. */
function calibrationOf(scales: readonly RequestScale[]): Calibration {
  const { fixed, factor } = scales[scales.length >> 1] ?? { fixed: 0, factor: 1 };
  const model = {
    counter: estimate.name,
    provider: "openai",
    model: "",
    scale: { fixed: Math.max(0, fixed), factor },
    samples: [],
    doubted: null,
  };
  return { state: { models: [model], request: null } };
}

/** A cache that had less than this share of what it should have had was cold. */
const WARM_SHARE = 0.5;

/**
 * Whether the cache was warm is a fact of the recording, whatever would have been sent: it may have expired earlier or later than
 * the rules say.
 */
function factsOf({ requests, scales }: ReplayableChat): RecordedFacts[] {
  /** The input of the last request of each model. */
  const last = new Map<string, number>();
  return requests.map(({ usage, model = "" }, index) => {
    const { fixed, factor } = scales[index] as RequestScale;
    const scale = { fixed: Math.max(0, fixed), factor };
    if (usage === undefined) return { ...scale, isWarm: undefined, read: 0 };
    const before = last.get(model);
    const input = inputOf(usage);
    last.set(model, input);
    const isWarm = before === undefined ? undefined : usage.read >= WARM_SHARE * Math.min(before, input);
    return { ...scale, isWarm, read: usage.read };
  });
}

/** The caches of a chain of chats, one for each model. */
class ChainMeter {
  private readonly meters = new Map<string, { meter: BillMeter; places: number[] }>();
  private readonly other: BillMeter | undefined;
  private current: { meter: BillMeter; places: number[] } | undefined;
  private place = 0;
  private summaries = 0;
  private facts: RecordedFacts = { fixed: 0, factor: 1, isWarm: undefined, read: 0 };

  /** @param other a meter whose counts of messages are used too. */
  constructor(other: BillMeter | undefined) {
    this.other = other;
  }

  get first(): BillMeter | undefined {
    return [...this.meters.values()][0]?.meter;
  }

  /** What follows belongs to the request at a place: the requests for summaries, and then this one. */
  next(
    place: number,
    prices: PriceList,
    facts: RecordedFacts,
    model = "",
    scale: RequestScale | undefined,
    summaries: number,
  ): void {
    this.summaries = summaries;
    let known = this.meters.get(model);
    if (known === undefined) {
      // In tokens of the counter, which the factor scales.
      const perCall = scale === undefined ? 0 : scale.perCall / scale.factor;
      const addedTo = (message: ChatMessage) => perCall * callCount(message) + hiddenThinking(message);
      known = { meter: new BillMeter(prices, estimate, this.other ?? this.first, addedTo), places: [] };
      this.meters.set(model, known);
    }
    this.current = known;
    this.place = place;
    this.facts = facts;
  }

  add(request: BilledRequest | readonly Message[] | string): void {
    // A request for a summary is one of its own, without the system prompt and the tools.
    const isSummary = this.summaries-- > 0;
    this.current?.meter.add(request, isSummary ? { ...this.facts, fixed: 0, isWarm: undefined, read: 0 } : this.facts);
    this.current?.places.push(this.place);
  }

  addContinued(more: readonly Message[], output: number): void {
    this.current?.meter.addContinued(more, output);
  }

  /** Adds the bills to the requests, and returns the cost of those that were continued. */
  finish(requests: ReplayedBill[]): number {
    let continued = 0;
    for (const { meter, places } of this.meters.values()) {
      const { requests: bills } = meter.bill();
      for (const [index, place] of places.entries()) {
        const known = requests[place] as ReplayedBill;
        Object.assign(known, sumOf([known, bills[index] as BillParts]));
      }
      continued += meter.continuedCost;
    }
    return continued;
  }
}
