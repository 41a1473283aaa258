import type { Step } from "../agent/step.ts";
import { checkMembers, copyMembers } from "../boundary/options.ts";
import { Conversation, localConversation } from "../chat/conversation.ts";
import type { RequestParameters } from "../chat/parameters.ts";
import { bill } from "../costs/bill.ts";
import { CHAT_STRATEGIES, checkRun, TURN_STRATEGIES } from "../costs/compare-costs.ts";
import { type ReplayedRequest, replayChat, replayStep, withSummaryRequests } from "../costs/replay-requests.ts";
import { TurnfoldError } from "../errors.ts";
import type { Prices } from "../model/prices.ts";
import { checkCounter, estimate, type TokenCounter } from "../tokens/tokens.ts";
import type { Compression } from "../turns/compression.ts";
import { type Need, RecordedNeeds, type RecordedRequest } from "./recorded-needs.ts";
import { type Share, shareOf } from "./shares.ts";
import { AtomIndex, type ShownText, ShownTexts } from "./shown-text.ts";

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
  strategies?: Record<string, S>;
  /** Default those of {@link PriceList}. */
  prices?: Prices;
  /** Default {@link estimate}. */
  counter?: TokenCounter;
  /** Receives the name of each strategy before it is measured. */
  onProgress?: (name: string) => void;
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
 * Summaries are assumed to contain nothing, because no model writes them. Deterministic.
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
    const texts = new ShownTexts((text) => counter.count(text));
    const needs = new RecordedNeeds(recording, texts);
    for (const text of needs.texts) for (const name of text.names) needs.index.add(name);
    needs.findNeeds();
    const requestsWith =
      recording instanceof Conversation ? replayChat(recording, { counter, prices }) : replayStep(recording, prices);
    // One strategy after the other, so that only the texts of one are in memory at a time.
    for (const [name, strategy] of named) {
      onProgress?.(name);
      const replayed = requestsWith(strategy);
      // The recorded requests begin with the first one that has a message before it.
      const requests = replayed.slice(replayed.length - needs.requests.length);
      const own = new ShownTexts((text) => counter.count(text), texts);
      const sent = requests.map(({ messages }) => messages.map((message) => own.of(message)));
      const measured = new RecordingMeasurement(number, needs, sent);
      (totals.get(name) as StrategyTotals).add(measured, requests, { prices, counter }, checked.length === 1);
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

/** Maximum number of requests of a recording that are sampled for the noise floor. */
const MAX_FLOOR_SAMPLES = 40;

/** Measures the requests of a strategy for a recording. */
class RecordingMeasurement {
  readonly counts: NeedCounts[] = [];
  readonly losses: NeedLoss[] = [];
  readonly invented = new Set<string>();
  tokens = 0;
  stale = 0;
  private readonly recording: number;
  private readonly needs: RecordedNeeds;

  /** The requests as they were recorded. */
  get requests(): readonly RecordedRequest[] {
    return this.needs.requests;
  }

  constructor(recording: number, needs: RecordedNeeds, sent: readonly (readonly ShownText[])[]) {
    this.recording = recording;
    this.needs = needs;
    const step = Math.ceil(needs.requests.length / MAX_FLOOR_SAMPLES);
    const checkedForNew = new Set<ShownText>();
    for (const [number, request] of needs.requests.entries()) {
      const shown = sent[number] as readonly ShownText[];
      const counts = newNeedCounts();
      this.countNeeds(number, request, shown, counts);
      if (number % step === 0) this.countFloor(request, shown, counts);
      this.findInvented(request, shown, checkedForNew);
      this.stale += countStale(request, needs.repeats, shown);
      this.counts.push(counts);
    }
  }

  private countNeeds(number: number, request: RecordedRequest, shown: readonly ShownText[], counts: NeedCounts): void {
    const { given, unchanged, needs } = request;
    const tokens = shown.reduce((sum, text) => sum + text.tokens, 0);
    this.tokens += tokens;
    const system = shown.reduce((sum, text) => sum + (text.isSystem ? text.tokens : 0), 0);
    const missing: Need[] = [];
    const far = needs.filter(({ distance }) => distance >= MIN_DISTANCES[0]);
    let recent = 0;
    for (const need of far) {
      const holding = shown.filter((text) => !text.isSystem && text.occurrencesOf(this.needs.index).has(need.atom));
      const isAssociated = holding.some((text) => unchanged.has(text) || this.isAssociated(text, need.atom, given));
      const isRecent = isInLast(tokens - system, need, given, this.needs);
      addToDistances(counts.recall, need.distance, holding.length > 0);
      addToDistances(counts.associated, need.distance, isAssociated);
      addToDistances(counts.recency, need.distance, isRecent);
      const isLost = holding.length === 0;
      addToDistances(counts.recoverable, need.distance, isLost && this.isRecoverable(need.atom, shown, given));
      if (isLost) missing.push(need);
      if (isRecent) recent++;
    }
    if (far.length === 0) return;
    counts.complete = [missing.length === 0 ? 1 : 0, 1];
    counts.recencyComplete = [recent === far.length ? 1 : 0, 1];
    if (missing.length > 0) this.losses.push(this.needLoss(number, missing, given));
  }

  /** True when the request has a handle of an earlier result with the atom. */
  private isRecoverable(atom: string, shown: readonly ShownText[], given: readonly ShownText[]): boolean {
    const { handles, index } = this.needs;
    return given.some((earlier, messageIndex) => {
      const own = handles.get(messageIndex) ?? [];
      if (own.length === 0 || !earlier.occurrencesOf(index).has(atom)) return false;
      return own.some((handle) => shown.some((text) => text.handles.has(handle)));
    });
  }

  private isAssociated(text: ShownText, atom: string, given: readonly ShownText[]): boolean {
    const words = text.wordsBeside(atom);
    if (words.size === 0) return false;
    return given.some((earlier) => {
      if (earlier.isSystem || !earlier.occurrencesOf(this.needs.index).has(atom)) return false;
      for (const word of earlier.wordsBeside(atom)) if (words.has(word)) return true;
      return false;
    });
  }

  private needLoss(request: number, missing: readonly Need[], given: readonly ShownText[]): NeedLoss {
    const messages = new Set<number>();
    for (const { atom } of missing) {
      let best = -1;
      for (const [index, text] of given.entries()) {
        if (text.isSystem || !text.occurrencesOf(this.needs.index).has(atom)) continue;
        if (best < 0 || text.tokens <= (given[best] as ShownText).tokens) best = index;
      }
      messages.add(best);
    }
    const indexes = [...messages].sort((left, right) => left - right);
    const tokens = indexes.reduce((sum, index) => sum + (given[index] as ShownText).tokens, 0);
    return { recording: this.recording, request, atoms: missing.map(({ atom }) => atom), messages: indexes, tokens };
  }

  /** Counts all atoms of the earlier messages by the last position of each. */
  private countFloor({ given }: RecordedRequest, shown: readonly ShownText[], counts: NeedCounts): void {
    const seen = new Set<string>();
    const all = new Set<string>();
    for (const text of shown)
      if (!text.isSystem) for (const atom of text.occurrencesOf(this.needs.index).keys()) all.add(atom);
    let distance = 0;
    for (const text of [...given].reverse()) {
      if (text.isSystem) continue;
      for (const atom of text.occurrencesOf(this.needs.index).keys()) {
        if (seen.has(atom)) continue;
        seen.add(atom);
        addToDistances(counts.floor, distance, all.has(atom));
      }
      distance += text.tokens;
    }
  }

  private isGiven(name: string, given: readonly ShownText[]): boolean {
    const { index } = this.needs;
    if (index.has(name)) return given.some((earlier) => earlier.occurrencesOf(index).has(name));
    const own = new AtomIndex();
    own.add(name);
    return given.some(({ text }) => text.includes(name) && own.occurrencesIn(text).has(name));
  }

  private findInvented({ given, unchanged }: RecordedRequest, shown: readonly ShownText[], done: Set<ShownText>): void {
    for (const text of shown) {
      // Each text is checked once: a name that is not invented stays in the earlier messages of all later requests.
      if (unchanged.has(text) || done.has(text)) continue;
      done.add(text);
      for (const name of text.names) {
        const isIn = [name, withoutNamespace(name)].some((form) => this.isGiven(form, given));
        if (!isIn) this.invented.add(name);
      }
    }
  }
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
function isInLast(tokens: number, need: Need, given: readonly ShownText[], { index }: RecordedNeeds): boolean {
  const text = given[need.messageIndex] as ShownText;
  const { last } = text.occurrencesOf(index).get(need.atom) as { last: number };
  const following = (text.tokens * (text.text.length - last + need.atom.length)) / Math.max(1, text.text.length);
  return need.distance + following <= tokens;
}

/** Counts the calls with a result in the request whose newest result is not in the request. */
function countStale(
  { given }: RecordedRequest,
  repeats: readonly (readonly number[])[],
  shown: readonly ShownText[],
): number {
  const visible = new Set(shown);
  let stale = 0;
  for (const indexes of repeats) {
    const results = indexes.flatMap((index) => given[index] ?? []);
    const newest = results.at(-1);
    if (newest === undefined || visible.has(newest)) continue;
    if (results.some((result) => visible.has(result))) stale++;
  }
  return stale;
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

  constructor(name: string) {
    this.name = name;
  }

  add(
    measured: RecordingMeasurement,
    requests: readonly ReplayedRequest[],
    { prices, counter }: { prices: Prices; counter: TokenCounter },
    byRequest: boolean,
  ): void {
    this.tokens += measured.tokens;
    this.invented += measured.invented.size;
    this.stale += measured.stale;
    this.losses.push(...measured.losses);
    this.units.push(...(byRequest ? measured.counts : [sumCounts(measured.counts)]));
    const costOf = (sent: readonly ReplayedRequest[]) => bill(withSummaryRequests(sent), prices, { counter }).cost;
    this.cost += costOf(requests);
    this.costWithForgetting += costOf(withFetches(requests, measured.losses, measured.requests));
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

/** Inserts, after each request with a loss, another one with the missing earlier messages. */
function withFetches(
  requests: readonly ReplayedRequest[],
  losses: readonly NeedLoss[],
  recorded: readonly RecordedRequest[],
): ReplayedRequest[] {
  const lost = new Map(losses.map((loss) => [loss.request, loss.messages]));
  return requests.flatMap((request, number) => {
    const indexes = lost.get(number);
    if (indexes === undefined) return [request];
    const { messages } = recorded[number] as RecordedRequest;
    const fetched = indexes.map((index) => messages[index] as RecordedRequest["messages"][number]);
    const repeated = { messages: [...request.messages, ...fetched], output: FETCH_OUTPUT_TOKENS, summaries: [] };
    return [request, { ...request, ...repeated }];
  });
}

/** Output tokens of a call that fetches the missing messages. */
const FETCH_OUTPUT_TOKENS = 50;
