import type { Step } from "../agent/step.ts";
import { checkMembers, copyMembers } from "../boundary/options.ts";
import { Conversation, localConversation } from "../chat/conversation.ts";
import type { RequestParameters } from "../chat/parameters.ts";
import { BillMeter, TokenCounts } from "../costs/bill.ts";
import { CHAT_STRATEGIES, checkRun, TURN_STRATEGIES } from "../costs/compare-costs.ts";
import { type ReplayedRequest, replayChat, replayStep } from "../costs/replay-requests.ts";
import { TurnfoldError } from "../errors.ts";
import type { Prices } from "../model/prices.ts";
import { checkCounter, checkedCount, estimate, type TokenCounter } from "../tokens/tokens.ts";
import type { Compression } from "../turns/options.ts";
import { type GivenTexts, type Need, RecordedNeeds } from "./recorded-needs.ts";
import { RequestTexts, StaleResults } from "./request-texts.ts";
import { type Share, shareOf } from "./shares.ts";
import { type ShownText, ShownTexts } from "./shown-text.ts";

/** Minimum distances of the needs that are counted, in tokens. */
const MIN_DISTANCES = [2000, 8000, 32_000] as const;

/** The share of the needs from each distance on, in tokens. */
export type SharesByDistance = Record<2000 | 8000 | 32_000, Share>;

/** Options of {@link needRecall}. */
export interface NeedRecallOptions<S> {
  /**
   * The strategies to measure, by name; `none`, without compression, is added as the first. Default those of
   * {@link compareCosts}.
   */
  strategies?: Record<string, S> | undefined;
  /** Default those of {@link PriceList}. */
  prices?: Prices | undefined;
  /** Default {@link estimate}. */
  counter?: TokenCounter | undefined;
  /** Receives the name of each strategy before it is measured. */
  onProgress?: ((name: string) => void) | undefined;
}

/** The measured recall of a strategy: which of their needs later requests would have contained. */
export interface NeedRecall {
  name: string;
  /** Tokens of the requests; `share` is their share of those without compression. */
  tokens: number;
  share: number;
  /** The share of needs that are in the request. */
  recall: SharesByDistance;
  /** The share of needs in a line that shares a word with an earlier line of the atom, or in an unchanged message. */
  associated: SharesByDistance;
  /** The share of needs that are not in the request, but in a result that can be recalled by a handle in it. */
  recoverable: SharesByDistance;
  /** The share of requests with needs beyond 2,000 tokens that contain all of these. */
  complete: Share;
  /** The noise floor: the share of all atoms of earlier messages that are in the request, needed or not. */
  floor: SharesByDistance;
  /** The shares when the same number of tokens is spent on the last messages. */
  recency: { recall: SharesByDistance; complete: Share };
  /** Number of atoms in requests that no earlier message contains. */
  invented: number;
  /**
   * Number of results in requests, summed over requests, for which the same call has a newer result that is not in the
   * request.
   */
  stale: number;
  /** What the requests and summaries cost. */
  cost: number;
  /**
   * The cost when each request that is not complete is followed by another one, with the smallest earlier messages that
   * contain the missing needs.
   */
  costWithForgetting: number;
  /** The requests that are not complete, those with the most tokens to fetch first. */
  losses: NeedLoss[];
  /** All needs in the order of the requests, including those at less than 2,000 tokens. */
  needs: RequestNeed[];
}

/** A need of a request, and whether the strategy would have met it. */
export interface RequestNeed {
  /** The number of the recording, and of the request in it, from 0. */
  recording: number;
  request: number;
  atom: string;
  /** The index of the last earlier message with the atom. */
  message: number;
  /** Tokens between that message and the request. */
  distance: number;
  /** `recoverable`: not in the request, but in a result that can be recalled by a handle in it. */
  status: "visible" | "recoverable" | "lost";
}

/** The needs of a request that it would not have contained. */
export interface NeedLoss {
  /** The number of the recording, and of the request in it, from 0. */
  recording: number;
  request: number;
  atoms: string[];
  /** The indexes of the smallest earlier messages that contain them. */
  messages: number[];
  /** The tokens of these messages. */
  tokens: number;
}

/**
 * Measures, without a model, how much of the data that later requests of a recording use is removed by strategies:
 * every request is made again from the turns or messages before it. A *need* is a value or name in the arguments of a
 * call, or in a program, that an earlier message contains; recall is the share of needs that are in the messages that
 * the strategy would have sent.
 *
 * Summaries are assumed to contain nothing, because no model writes them. Deterministic. The time is that of
 * {@link compareCosts}.
 *
 * @param recordings a conversation or a step, or a list of one kind.
 * @example
 * ```ts
 * const strategies = { "clear, names": { compressionStrategy: clearToolResults({ keep: 3, names: 20 }) } };
 * for (const { name, share, recall } of needRecall(conversation, { strategies })) console.log(name, share, recall[8000].share);
 * ```
 * @throws {TurnfoldError} `invalid_argument` for a value that is not a recording; `invalid_option` and the errors of
 * {@link compareCosts}.
 */
export function needRecall(
  recordings: Conversation | readonly Conversation[],
  options?: NeedRecallOptions<RequestParameters>,
): NeedRecall[];
export function needRecall(recordings: Step | readonly Step[], options?: NeedRecallOptions<Compression>): NeedRecall[];
export function needRecall(
  recording: Conversation | Step,
  options?: Omit<NeedRecallOptions<never>, "strategies">,
): NeedRecall[];
export function needRecall(
  recordings: Conversation | Step | readonly (Conversation | Step)[],
  options: NeedRecallOptions<RequestParameters> | NeedRecallOptions<Compression> = {},
): NeedRecall[] {
  const names = ["strategies", "prices", "counter", "onProgress"];
  const checkedOptions = checkMembers("the options", copyMembers(options, "the options"), names) as typeof options;
  const { prices = {}, counter: given, strategies, onProgress } = checkedOptions;
  const counter = checkCounter(given ?? estimate);
  const list = (Array.isArray(recordings) ? [...recordings] : [recordings]) as unknown[];
  const checked = list.map((recording) =>
    recording instanceof Conversation ? localConversation(recording) : checkRun(recording),
  );
  const isChat = checked[0] instanceof Conversation;
  if (checked.length === 0 || checked.some((recording) => recording instanceof Conversation !== isChat)) {
    throw new TurnfoldError("invalid_argument", "the recordings must be conversations, or steps, and at least one", {
      hint: "measure the two kinds apart: their strategies are different",
    });
  }
  const none = isChat ? {} : false;
  const others = Object.entries(copyMembers(strategies ?? (isChat ? CHAT_STRATEGIES : TURN_STRATEGIES), "strategies"));
  const named: [string, unknown][] = [["none", none], ...others.filter(([name]) => name !== "none")];
  const totals = new Map(named.map(([name]) => [name, new StrategyTotals(name)]));
  for (const [number, recording] of checked.entries()) {
    const texts = new ShownTexts((text) => checkedCount(counter, text));
    const needs = new RecordedNeeds(recording, texts);
    for (const text of needs.texts) for (const name of text.names) needs.index.add(name);
    needs.findNeeds();
    const requestsWith =
      recording instanceof Conversation ? replayChat(recording, { counter, prices }) : replayStep(recording, prices);
    // The recorded requests begin with the first one that has a message before it.
    const skipped = recording instanceof Conversation && recording.messages[0]?.role === "assistant" ? 1 : 0;
    // One strategy and one request after the other: all of them together have far more messages than the recording.
    const sizes = new TokenCounts(counter);
    for (const [name, strategy] of named) {
      onProgress?.(name);
      const meter = new BillMeter(prices, sizes);
      const own = new ShownTexts((text) => checkedCount(counter, text), texts);
      const measured = new RecordingMeasurement(number, needs, meter, own);
      let index = -skipped;
      for (const request of requestsWith(strategy)) {
        if (index >= 0) measured.add(index, request);
        index++;
      }
      (totals.get(name) as StrategyTotals).add(measured, meter, checked.length === 1);
    }
  }
  const all = [...totals.values()];
  const base = all[0]?.tokens ?? 0;
  return all.map((total) => total.result(base));
}

/** Counts of needs in one unit of the bootstrap. */
type NeedCounts = {
  recall: HitCount[];
  associated: HitCount[];
  recoverable: HitCount[];
  floor: HitCount[];
  recency: HitCount[];
  complete: HitCount;
  recencyComplete: HitCount;
};
type HitCount = [hits: number, of: number];

const newHitCounts = (): HitCount[] => MIN_DISTANCES.map(() => [0, 0]);
const newNeedCounts = (): NeedCounts => ({
  recall: newHitCounts(),
  associated: newHitCounts(),
  recoverable: newHitCounts(),
  floor: newHitCounts(),
  recency: newHitCounts(),
  complete: [0, 0],
  recencyComplete: [0, 0],
});

/** What bills the requests of a measurement. */
type RequestMeter = Pick<BillMeter, "add" | "addContinued">;

/** Maximum number of requests of a recording that are sampled for the noise floor. */
const MAX_FLOOR_SAMPLES = 40;

/**
 * Measures the requests of a strategy for a recording.
 *
 * @internal
 */
export class RecordingMeasurement {
  readonly counts: NeedCounts[] = [];
  readonly losses: NeedLoss[] = [];
  readonly needsOfRequests: RequestNeed[] = [];
  readonly invented = new Set<string>();
  tokens = 0;
  stale = 0;
  private readonly meter: RequestMeter;
  private readonly recording: number;
  private readonly needs: RecordedNeeds;
  private readonly floorStep: number;
  private readonly request: RequestTexts;
  private readonly staleResults: StaleResults;

  constructor(recording: number, needs: RecordedNeeds, meter: RequestMeter, texts: ShownTexts) {
    this.recording = recording;
    this.needs = needs;
    this.floorStep = Math.ceil(needs.requests.length / MAX_FLOOR_SAMPLES);
    this.meter = meter;
    this.staleResults = new StaleResults(needs.repeats);
    this.request = new RequestTexts(texts, needs.index, (text) => this.staleResults.touch(text));
  }

  /** Adds the request of a number. */
  add(number: number, sent: ReplayedRequest): void {
    const { given, needs } = this.needs.requests[number] as RecordedNeeds["requests"][number];
    const counts = newNeedCounts();
    const added = this.request.set(sent.messages);
    const loss = this.countNeeds(number, needs, given, counts);
    if (number % this.floorStep === 0) this.countFloor(given, counts);
    this.findInvented(given, added);
    this.stale += this.staleResults.count(given, this.request);
    this.counts.push(counts);
    for (const request of [...sent.summaries, sent]) this.meter.add(request);
    if (loss === null) return;
    this.losses.push(loss);
    const fetched = loss.messages.map((index) => given.all.messages[index] as ReplayedRequest["messages"][number]);
    this.meter.addContinued(fetched, FETCH_OUTPUT_TOKENS);
  }

  /** Returns the needs that the request does not contain; null when it contains all of them. */
  private countNeeds(number: number, needs: readonly Need[], given: GivenTexts, counts: NeedCounts): NeedLoss | null {
    const { tokens, systemTokens } = this.request;
    this.tokens += tokens;
    const missing: Need[] = [];
    const far = needs.filter(({ distance }) => distance >= MIN_DISTANCES[0]);
    let recent = 0;
    for (const { atom, messageIndex, distance } of needs) {
      const isVisible = this.request.textsWith(atom).length > 0;
      const status = isVisible ? "visible" : this.isRecoverable(atom, given) ? "recoverable" : "lost";
      const { recording } = this;
      this.needsOfRequests.push({ recording, request: number, atom, message: messageIndex, distance, status });
    }
    for (const need of far) {
      const holding = this.request.textsWith(need.atom);
      const isAssociated = holding.some((text) => given.has(text) || isAssociatedBy(text, need.atom, given));
      const isRecent = isInLast(tokens - systemTokens, need, given, this.needs);
      addToDistances(counts.recall, need.distance, holding.length > 0);
      addToDistances(counts.associated, need.distance, isAssociated);
      addToDistances(counts.recency, need.distance, isRecent);
      const isLost = holding.length === 0;
      addToDistances(counts.recoverable, need.distance, isLost && this.isRecoverable(need.atom, given));
      if (isLost) missing.push(need);
      if (isRecent) recent++;
    }
    if (far.length === 0) return null;
    counts.complete = [missing.length === 0 ? 1 : 0, 1];
    counts.recencyComplete = [recent === far.length ? 1 : 0, 1];
    return missing.length === 0 ? null : this.needLoss(number, missing, given);
  }

  /** True when the request has a handle of an earlier result with the atom. */
  private isRecoverable(atom: string, given: GivenTexts): boolean {
    const { handles } = this.needs;
    const own = given.placesOf(atom).flatMap((messageIndex) => handles.get(messageIndex) ?? []);
    return own.some((handle) => this.request.hasHandle(handle));
  }

  private needLoss(request: number, missing: readonly Need[], given: GivenTexts): NeedLoss {
    const messages = new Set<number>();
    const tokensOf = (index: number) => (given.at(index) as ShownText).tokens;
    for (const { atom } of missing) {
      let best = -1;
      for (const index of given.placesOf(atom)) {
        if (best < 0 || tokensOf(index) <= tokensOf(best)) best = index;
      }
      messages.add(best);
    }
    const indexes = [...messages].sort((left, right) => left - right);
    const tokens = indexes.reduce((sum, index) => sum + tokensOf(index), 0);
    return { recording: this.recording, request, atoms: missing.map(({ atom }) => atom), messages: indexes, tokens };
  }

  /** Counts all atoms of the earlier messages by the last position of each. */
  private countFloor(given: GivenTexts, counts: NeedCounts): void {
    const seen = new Set<string>();
    for (let index = given.count - 1; index >= 0; index--) {
      const text = given.at(index) as ShownText;
      if (text.isSystem) continue;
      for (const atom of text.occurrencesOf(this.needs.index).keys()) {
        if (seen.has(atom)) continue;
        seen.add(atom);
        addToDistances(counts.floor, given.tokensAfter(index), this.request.textsWith(atom).length > 0);
      }
    }
  }

  /**
   * Finds names in the texts that a request adds. A name that is not invented stays in the earlier messages of all later
   * requests. The handle of a result is no name.
   */
  private findInvented(given: GivenTexts, added: readonly ShownText[]): void {
    for (const text of added) {
      if (given.has(text)) continue;
      for (const name of text.names) {
        const isIn = [name, withoutNamespace(name)].some((form) => given.hasName(form));
        if (!isIn && !text.handles.has(name)) this.invented.add(name);
      }
    }
  }
}

/** True when a word beside the atom in a text is also beside it in an earlier message. */
function isAssociatedBy(text: ShownText, atom: string, given: GivenTexts): boolean {
  const words = text.wordsBeside(atom);
  if (words.size === 0) return false;
  return given.placesOf(atom).some((index) => {
    for (const word of (given.at(index) as ShownText).wordsBeside(atom)) if (words.has(word)) return true;
    return false;
  });
}

/** Removes the namespace with which messages show a name, such as `user/name` for a definition. */
const withoutNamespace = (name: string) => name.replace(/^(?:user|data|tool)\//, "");

function addToDistances(counts: HitCount[], distance: number, isHit: boolean): void {
  for (const [index, minDistance] of MIN_DISTANCES.entries()) {
    const hitCount = counts[index] as HitCount;
    if (distance < minDistance) continue;
    hitCount[1]++;
    if (isHit) hitCount[0]++;
  }
}

/** True when the last occurrence of an atom is within the last `tokens` tokens of the earlier messages. */
function isInLast(tokens: number, need: Need, given: GivenTexts, { index }: RecordedNeeds): boolean {
  const text = given.at(need.messageIndex) as ShownText;
  const { last } = text.occurrencesOf(index).get(need.atom) as { last: number };
  const following = (text.tokens * (text.text.length - last + need.atom.length)) / text.text.length;
  return need.distance + following <= tokens;
}

/** The sums of a strategy over recordings. */
class StrategyTotals {
  tokens = 0;
  private readonly name: string;
  private readonly units: NeedCounts[] = [];
  private invented = 0;
  private stale = 0;
  private cost = 0;
  private costWithForgetting = 0;
  private readonly losses: NeedLoss[] = [];
  private readonly needs: RequestNeed[] = [];

  constructor(name: string) {
    this.name = name;
  }

  add(measured: RecordingMeasurement, meter: BillMeter, byRequest: boolean): void {
    this.tokens += measured.tokens;
    this.invented += measured.invented.size;
    this.stale += measured.stale;
    for (const loss of measured.losses) this.losses.push(loss);
    for (const need of measured.needsOfRequests) this.needs.push(need);
    if (byRequest) for (const counts of measured.counts) this.units.push(counts);
    else this.units.push(sumCounts(measured.counts));
    const { cost } = meter.bill();
    this.cost += cost;
    this.costWithForgetting += cost + meter.continuedCost;
  }

  result(base: number): NeedRecall {
    const byDistance = (part: "recall" | "associated" | "recoverable" | "floor" | "recency") =>
      Object.fromEntries(
        MIN_DISTANCES.map((distance, index) => [
          distance,
          shareOf(this.units.map((unit) => unit[part][index] as HitCount)),
        ]),
      ) as SharesByDistance;
    return {
      name: this.name,
      tokens: this.tokens,
      share: base === 0 ? 1 : this.tokens / base,
      recall: byDistance("recall"),
      associated: byDistance("associated"),
      recoverable: byDistance("recoverable"),
      complete: shareOf(this.units.map(({ complete }) => complete)),
      floor: byDistance("floor"),
      recency: {
        recall: byDistance("recency"),
        complete: shareOf(this.units.map(({ recencyComplete }) => recencyComplete)),
      },
      invented: this.invented,
      stale: this.stale,
      cost: this.cost,
      costWithForgetting: this.costWithForgetting,
      losses: this.losses.sort((left, right) => right.tokens - left.tokens),
      needs: this.needs,
    };
  }
}

function sumCounts(all: readonly NeedCounts[]): NeedCounts {
  const sum = newNeedCounts();
  const add = (pair: HitCount, [hits, of]: HitCount) => {
    pair[0] += hits;
    pair[1] += of;
  };
  for (const counts of all) {
    for (const part of ["recall", "associated", "recoverable", "floor", "recency"] as const) {
      for (const [index, hitCount] of sum[part].entries()) add(hitCount, counts[part][index] as HitCount);
    }
    add(sum.complete, counts.complete);
    add(sum.recencyComplete, counts.recencyComplete);
  }
  return sum;
}

/** Output tokens of a call that fetches the missing messages. */
const FETCH_OUTPUT_TOKENS = 50;
