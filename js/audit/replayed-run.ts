import type { Step } from "../agent/step.ts";
import type { Calibration } from "../chat/calibration.ts";
import type { ChatMessage } from "../chat/chat-message.ts";
import type { Conversation } from "../chat/conversation.ts";
import {
  type BilledRequest,
  BillMeter,
  type BillParts,
  callCount,
  type RecordedFacts,
  sumOf,
  TokenCounts,
} from "../costs/bill.ts";
import { type ReplayedRequest, replayChat, replayStep } from "../costs/replay-requests.ts";
import type { Message } from "../model/message.ts";
import type { PriceList } from "../model/prices.ts";
import { RecordingMeasurement } from "../recall/need-recall.ts";
import { RecordedNeeds } from "../recall/recorded-needs.ts";
import { ShownTexts } from "../recall/shown-text.ts";
import { estimate } from "../tokens/tokens.ts";
import { groupBy } from "../values/group-by.ts";
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

/** The most losses of a run, those with the most tokens. */
const MAX_LOSSES = 10;

/**
 * Replays the requests of a recording with strategies, one chat after the other: between two chats it holds what was billed and
 * what the caches may still have.
 */
export class Replay {
  readonly runs: readonly ReplayedRun[];
  private readonly strategies: readonly unknown[];
  /** The caches of each strategy. */
  private meters: ChainMeter[] = [];
  private readonly sizes = new TokenCounts(estimate);

  constructor(strategies: readonly unknown[]) {
    this.strategies = strategies;
    this.runs = strategies.map(() => ({ requests: [], summaries: 0, forgetting: 0, losses: [] }));
  }

  /**
   * Replays the next chat.
   *
   * @param recorded its conversation, or its step.
   * @param onStrategy receives the number of each strategy before its requests are replayed.
   */
  add(chat: ReplayableChat, recorded: Conversation | Step, onStrategy: (number: number) => void): void {
    const texts = new ShownTexts((text) => estimate.count(text));
    const needs = new RecordedNeeds(recorded, texts);
    for (const text of needs.texts) for (const name of text.names) needs.index.add(name);
    needs.findNeeds();
    // Parts between compactions, and what was taken back, are sent to the same caches; so is nothing else.
    if (chat.kind === "chat" || chat.kind === "agent" || this.meters.length === 0) this.startChain();
    for (const [number, strategy] of this.strategies.entries()) {
      onStrategy(number);
      const meter = this.meters[number] as ChainMeter;
      const own = new ShownTexts((text) => estimate.count(text), texts);
      const measured = new RecordingMeasurement(chat.index, needs, meter, own);
      const run = this.runs[number] as ReplayedRun;
      this.replay(chat, sentRequests(chat, recorded, strategy), meter, measured, run);
      run.losses = run.losses.sort((left, right) => right.tokens - left.tokens).slice(0, MAX_LOSSES);
      meter.forgetExpired();
    }
    this.sizes.clear();
  }

  /** Ends the last chat. */
  end(): readonly ReplayedRun[] {
    this.startChain();
    return this.runs;
  }

  private startChain(): void {
    for (const [number, meter] of this.meters.entries()) {
      const run = this.runs[number] as ReplayedRun;
      run.forgetting += meter.finish(run.requests);
    }
    this.meters = this.runs.map(() => new ChainMeter(this.sizes));
  }

  private replay(
    chat: ReplayableChat,
    sentRequests: Iterable<[number, ReplayedRequest]>,
    meter: ChainMeter,
    measured: RecordingMeasurement,
    run: ReplayedRun,
  ): void {
    const { requests, prices, scales, first } = chat;
    const facts = factsOf(chat);
    const byMessage = groupBy(requests.keys(), (index) => (requests[index] as MeasuredRequest).messages);
    let number = -1;
    for (const [message, sent] of sentRequests) {
      // The recorded requests of the measurement begin with the first one that has a message before it.
      if (message > 0) number++;
      const own = byMessage.get(message) ?? [];
      for (const [position, index] of own.entries()) {
        const request = requests[index] as MeasuredRequest;
        const place = first + index;
        const summaries = position > 0 ? 0 : sent.summaries.length;
        meter.next(place, facts[index] as RecordedFacts, summaries, {
          model: request.model ?? "",
          prices: prices[index] as PriceList,
          scale: scales[index] as RequestScale,
        });
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
}

/** The requests of a chat with a strategy, by the indexes of their replies; for a step by their numbers. */
function* sentRequests(
  { prices: [prices = {}], requests, scales }: ReplayableChat,
  recorded: Conversation | Step,
  strategy: unknown,
): Generator<[number, ReplayedRequest]> {
  if ("turns" in recorded) {
    let turn = 0;
    for (const request of replayStep(recorded, prices)(strategy)) yield [++turn, request];
    return;
  }
  const times = new Map(requests.flatMap(({ messages, at }) => (at === undefined ? [] : [[messages, at] as const])));
  const facts = { calibration: calibrationOf(scales), times };
  const sent = replayChat(recorded, { counter: estimate, prices }, facts)(strategy);
  for (const [index, { role }] of recorded.messages.entries()) {
    if (role === "assistant") yield [index, sent.next().value as ReplayedRequest];
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
  return requests.map(({ usage, model = "", omitted = 0 }, index) => {
    const { fixed, factor } = scales[index] as RequestScale;
    const scale = { fixed: Math.max(0, fixed), factor };
    if (usage === undefined) return { ...scale, isWarm: undefined, read: 0 };
    const before = last.get(model);
    const input = inputOf(usage);
    last.set(model, input);
    // What a proxy replaced was not in the cache, and without it would have been.
    const isReplaced = omitted > (requests[index - 1]?.omitted ?? 0);
    const isWarm = before === undefined || isReplaced ? undefined : usage.read >= WARM_SHARE * Math.min(before, input);
    return { ...scale, isWarm, read: usage.read };
  });
}

/** The caches of a chain of chats, one for each model. */
class ChainMeter {
  private readonly meters = new Map<string, { meter: BillMeter; places: number[] }>();
  private readonly sizes: TokenCounts;
  private current: { meter: BillMeter; places: number[] } | undefined;
  private place = 0;
  private summaries = 0;
  private facts: RecordedFacts = { fixed: 0, factor: 1, isWarm: undefined, read: 0 };

  constructor(sizes: TokenCounts) {
    this.sizes = sizes;
  }

  /**
   * What follows belongs to the request at a place: the requests for summaries, and then this one.
   *
   * @param to the model, with the prices and the scale of its first request.
   */
  next(
    place: number,
    facts: RecordedFacts,
    summaries: number,
    to: { model: string; prices: PriceList; scale: RequestScale },
  ): void {
    const { model, prices, scale } = to;
    let known = this.meters.get(model);
    if (known === undefined) {
      // In tokens of the counter, which the factor scales.
      const perCall = scale.perCall / scale.factor;
      const addedTo = (message: ChatMessage) => perCall * callCount(message) + hiddenThinking(message);
      known = { meter: new BillMeter(prices, this.sizes, addedTo), places: [] };
      this.meters.set(model, known);
    }
    this.current = known;
    this.place = place;
    this.facts = facts;
    this.summaries = summaries;
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

  forgetExpired(): void {
    for (const { meter } of this.meters.values()) meter.forgetExpired();
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
