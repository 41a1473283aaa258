import type { Step } from "../agent/step.ts";
import { checkMembers, copyMembers } from "../boundary/options.ts";
import type { RequestParameters } from "../chat/parameters.ts";
import { TurnfoldError } from "../errors.ts";
import { PRICES_DATE } from "../model/model-prices.ts";
import type { Prices } from "../model/prices.ts";
import { shareOf } from "../recall/shares.ts";
import type { Recording } from "../recordings/read-conversation.ts";
import type { ArrivingRecording } from "../recordings/read-recording.ts";
import type { RecordingFormat } from "../recordings/reading/formats.ts";
import type { RecordedChat, RecordedUsage } from "../recordings/reading/recorded-chat.ts";
import type { Compression } from "../turns/options.ts";
import { ShorterResults } from "./arrival.ts";
import type {
  Audit,
  AuditedChat,
  AuditedRequest,
  AuditFit,
  ModelBill,
  RequestParts,
  StrategyAudit,
} from "./audit-result.ts";
import { dollarsOf, pricesOf, type RequestPrices, totalsOf } from "./bill-usage.ts";
import { stretchedInterval, sumOf } from "./bootstrap.ts";
import { fitUsage, inputOf, messageTokens, type RequestScale } from "./fit-usage.ts";
import {
  MESSAGE_PARTS,
  type MeasuredChat,
  type MeasuredRequest,
  measureChat,
  measureStep,
  timesSent,
} from "./measured-chat.ts";
import { recommend } from "./recommend.ts";
import { Replay, type ReplayableChat, type ReplayedBill, type ReplayedRun } from "./replayed-run.ts";
import { ARRIVAL_CODE, CHAT_CODES, STEP_CODES } from "./strategies.ts";
import { windowShares } from "./window-shares.ts";

/** Options of {@link audit}. */
export interface AuditOptions {
  /**
   * Prices that replace those of the recorded models: dollars for a million tokens. Without `input` only the rules and the
   * proportions of the cache are replaced.
   */
  prices?: Prices | undefined;
  /** The strategies, by the code to show for them. Default: those of the documents. */
  strategies?: Record<string, RequestParameters> | Record<string, Compression> | undefined;
  /** Receives the code of each strategy before the requests of a chat are replayed with it, how many were before, and of how many. */
  onProgress?: ((strategy: string, number: number, of: number) => void) | undefined;
}

/**
 * Audits a recording: what was billed, what would have been billed with strategies, and which one to choose. No model is called.
 *
 * The bill is that of the recorded usage, at the prices that the package lists for the models. The tokens of each request
 * are also computed from its messages; the provider's tokens for each estimated one, and those that are in no message, are
 * fitted to the usage. So what strategies save is counted in the provider's tokens, and the system prompt and tools, which most
 * recordings lack, are in every request. Without usage, tokens are estimates.
 *
 * The time is that of replaying all requests with each strategy.
 *
 * @param recording the result of {@link readConversation}; with fewer `chats`, only those are audited.
 * @example
 * ```ts
 * const lines = ['{"role":"user","content":"Hello"}', '{"role":"assistant","content":"Hello to you."}'];
 * const { source, billed, recommendation } = audit(readConversation(lines.join("\n")));
 * [source, billed.requests, recommendation.code]; // => [ 'estimated', 1, null ]
 * ```
 * @throws {TurnfoldError} `invalid_option`
 */
export function audit(recording: Recording, options: AuditOptions = {}): Audit {
  const auditing = new Auditing(options);
  for (const chat of recording.chats) auditing.measure(chat, recording.step);
  for (const chat of recording.chats) auditing.replay(chat);
  return auditing.result(recording.format);
}

/** What {@link auditRecording} reads: a recording, or one that arrives. */
export type AuditedRecording = Pick<Recording, "chats" | "format" | "step"> | ArrivingRecording;

/**
 * Audits a recording that is longer than what should be in memory: it is read twice, and only one of its chats is in memory at a
 * time. The result is that of {@link audit}.
 *
 * @param open opens the recording, each time with the same content.
 * @example
 * ```ts
 * async function* pieces() {
 *   yield '{"role":"user","content":"Hello"}\n{"role":"assis';
 *   yield 'tant","content":"Hello to you."}';
 * }
 * const { billed } = await auditRecording(() => readRecording(pieces()));
 * billed.requests; // => 1
 * ```
 * @throws {TurnfoldError} `invalid_option`; `invalid_recording` as {@link readRecording} does, and for a recording that has changed
 * when it is read for the second time.
 */
export async function auditRecording(open: () => AuditedRecording, options: AuditOptions = {}): Promise<Audit> {
  const auditing = new Auditing(options);
  const recording = open();
  for await (const chat of recording.chats) auditing.measure(chat, recording.step);
  for await (const chat of open().chats) auditing.replay(chat);
  return auditing.result(recording.format as RecordingFormat);
}

/** The audit of a recording whose chats come one by one: all are measured, and then all are replayed in the same order. */
class Auditing {
  private readonly given: Prices | undefined;
  private readonly strategies: AuditOptions["strategies"];
  private readonly onProgress: AuditOptions["onProgress"];
  private readonly measured: MeasuredChat[] = [];
  private step: Step | undefined;
  private fitted: FittedChats | undefined;
  private readonly shorter = new ShorterResults();
  private replayed = 0;

  constructor(options: AuditOptions) {
    const names = ["prices", "strategies", "onProgress"];
    const own = checkMembers("the options", copyMembers(options, "the options"), names) as AuditOptions;
    this.given = own.prices;
    this.strategies = own.strategies;
    this.onProgress = own.onProgress;
  }

  /** @param step the saved step of the recording, whose only chat this is. */
  measure(chat: RecordedChat, step: Step | undefined): void {
    this.step = step;
    this.measured.push(step === undefined ? measureChat(chat, this.measured.length) : measureStep(step, chat));
  }

  replay({ conversation }: RecordedChat): void {
    const { step } = this;
    const { chats, named, replay } = this.fit();
    const chat = chats[this.replayed++];
    const { messages } = conversation;
    if (chat === undefined || chat.messages !== messages.length) throw changedRecording();
    const before = chat.index * named.length;
    replay.add(chat, step ?? conversation, (number) =>
      this.onProgress?.((named[number] as [string, unknown])[0], before + number, chats.length * named.length),
    );
    const { factor } = chat.scales[0] ?? { factor: 1 };
    if (step === undefined) this.shorter.add(messages, timesSent(chat.requests, messages.length), factor);
  }

  /** Fits all chats to the usage, when all are measured. */
  private fit(): FittedChats {
    if (this.fitted !== undefined) return this.fitted;
    const scales = fitUsage(this.measured);
    const { whole, shortened } = withWholeReplies(this.measured, scales);
    const named = namedStrategies(this.step, this.strategies);
    const replay = new Replay(named.map(([, strategy]) => strategy));
    this.fitted = { chats: replayable(whole, scales, this.given), shortened, named, replay };
    return this.fitted;
  }

  result(format: RecordingFormat): Audit {
    const { given, strategies } = this;
    const { chats, shortened, named, replay } = this.fit();
    if (this.replayed < chats.length) throw changedRecording();
    const requests = chats.flatMap(({ requests }) => requests);
    const isDollars = chats.some(({ known }) => known.some(({ isKnown }) => isKnown));
    const runs = replay.end();
    const none = runs[0] as ReplayedRun;
    const costed = new CostedRequests(chats, none, isDollars, given === undefined);
    const all = costed.requests;
    const rows = runs.map((run, index) =>
      strategyRow((named[index] as [string, unknown])[0], run, none, costed, chats),
    );
    const arrival = rows.find(({ code }) => code === ARRIVAL_CODE);
    const shown = rows.filter((row) => row !== arrival || isListed(strategies));
    const saved = Math.max(0, (rows[0] as StrategyAudit).cost - (arrival?.cost ?? Number.POSITIVE_INFINITY));
    const input = sumOf(costed.whole.map(inputOf));
    const factorOf = (chat: number) => chats[chat]?.scales[0]?.factor ?? 1;
    const unit = isDollars ? "dollars" : "tokens";
    const recorded = all.filter(({ isRecorded }) => isRecorded).length;
    return {
      format,
      source: recorded === 0 ? "estimated" : recorded === all.length ? "recorded" : "mixed",
      assumptions: assumptionsOf(costed, isDollars, given, shortened),
      billed: totalsOf(costed.billed),
      models: modelBills(costed, requests),
      unpriced: costed.unpriced,
      proxy: costed.proxy,
      fit: fitOf(
        all,
        costed,
        chats.flatMap(({ scales }) => scales),
      ),
      chats: chats.map((chat) => auditedChat(chat, costed)),
      requests: all,
      unit,
      strategies: shown,
      recommendation: recommend(shown, unit),
      arrival: this.shorter.byKind(saved),
      tools: windowShares(chats, ({ name }) => name, factorOf, input),
      files: windowShares(chats, ({ file }) => file, factorOf, input).slice(0, MAX_FILES),
    };
  }
}

const changedRecording = () =>
  new TurnfoldError("invalid_recording", "the recording changed while it was audited", {
    hint: "open it with the same content both times, such as up to a number of bytes",
  });

/** The chats with what replaying them needs, and the strategies, `none` first. */
interface FittedChats {
  chats: PricedChat[];
  /** The number of replies whose usage was recorded before they were complete. */
  shortened: number;
  named: [string, unknown][];
  replay: Replay;
}

const MAX_FILES = 100;

/** The strategies to replay, `none` first; the one that shows what results could be shorter is always among those of chats. */
function namedStrategies(step: Step | undefined, given: AuditOptions["strategies"]): [string, unknown][] {
  const chosen = Object.entries(copyMembers(given ?? (step === undefined ? CHAT_CODES : STEP_CODES), "strategies"));
  const named: [string, unknown][] = [
    ["none", step === undefined ? {} : false],
    ...chosen.filter(([code]) => code !== "none"),
  ];
  if (step === undefined && !named.some(([code]) => code === ARRIVAL_CODE))
    named.push([ARRIVAL_CODE, CHAT_CODES[ARRIVAL_CODE]]);
  return named;
}

const isListed = (given: AuditOptions["strategies"]) => given === undefined || ARRIVAL_CODE in given;

/** A recorded output is wrong when the reply has at least this many times and this many more tokens. */
const [CUT_TIMES, CUT_TOKENS] = [2, 20];

/** Some clients record the usage before a reply is complete: its output is then computed from the reply. */
function withWholeReplies(measured: readonly MeasuredChat[], scales: readonly (readonly RequestScale[])[]) {
  let shortened = 0;
  const whole = measured.map((chat, at): MeasuredChat => {
    const requests = chat.requests.map((request, index): MeasuredRequest => {
      const { usage, reply } = request;
      const output = Math.round(reply * (scales[at]?.[index]?.factor ?? 1));
      if (usage === undefined || output < CUT_TIMES * usage.output || output < usage.output + CUT_TOKENS)
        return request;
      shortened++;
      return { ...request, usage: { ...usage, output } };
    });
    return { ...chat, requests };
  });
  return { whole, shortened };
}

/** A chat with its prices, and whether they are known. */
interface PricedChat extends ReplayableChat {
  known: readonly RequestPrices[];
}

function replayable(
  measured: readonly MeasuredChat[],
  scales: readonly (readonly RequestScale[])[],
  given: Prices | undefined,
): PricedChat[] {
  let first = 0;
  return measured.map((chat, index) => {
    const usages = chat.requests.flatMap(({ usage }) => usage ?? []);
    const written = sumOf(usages.map((usage) => usage.written));
    const isHour = written > 0 && sumOf(usages.map(({ writtenForHour = 0 }) => writtenForHour)) > written / 2;
    const known = chat.requests.map(({ model, at }) => pricesOf(model, at, given));
    const own = {
      ...chat,
      scales: scales[index] as RequestScale[],
      prices: known.map(({ prices, hourPrices }) => (isHour ? (hourPrices ?? prices) : prices)),
      known,
      first,
    };
    first += chat.requests.length;
    return own;
  });
}

type ReplayedTokens = Pick<ReplayedBill, "read" | "written" | "fresh" | "output">;

/** The requests with what was billed for them, and the costs of replayed ones in its unit. */
class CostedRequests {
  readonly requests: AuditedRequest[] = [];
  readonly billed: (RecordedUsage & { billed: number | null })[] = [];
  readonly unpriced: string[];
  /** The tokens of each request without a strategy: what was billed, or of one that a proxy shortened what it would have been. */
  readonly whole: readonly ReplayedTokens[];
  /** What these cost. */
  readonly costs: number[];
  readonly proxy: Audit["proxy"];
  /** What was billed by what the rules of the cache give; null without recorded dollars. */
  readonly ratio: number | null;
  private readonly isCounted: boolean[] = [];
  private readonly unit: number;

  constructor(chats: readonly PricedChat[], none: ReplayedRun, isDollars: boolean, usesOwnDollars: boolean) {
    // Dollars are prices of a million tokens.
    this.unit = isDollars ? 1_000_000 : 1;
    const unpriced = new Set<string>();
    for (const chat of chats) {
      for (const [index, request] of chat.requests.entries()) {
        const prices = chat.known[index] as RequestPrices;
        const replayed = none.requests[chat.first + index] as ReplayedRun["requests"][number];
        const {
          usage = { fresh: replayed.fresh, read: replayed.read, written: replayed.written, output: replayed.output },
        } = request;
        const own = usesOwnDollars && usage.dollars ? usage.dollars : null;
        const dollars = own ?? (prices.isKnown ? dollarsOf(usage, prices) : null);
        if (dollars === null) unpriced.add(request.model ?? "");
        this.billed.push({ ...usage, billed: dollars });
        this.isCounted.push(dollars !== null || !isDollars);
        this.requests.push(auditedRequest(chat, index, usage, dollars));
      }
    }
    unpriced.delete("");
    this.unpriced = [...unpriced];
    const simulated = this.replayedCosts(none);
    const omitted = chats.flatMap(({ requests }) => requests.map((request) => request.omitted ?? 0));
    const isWhole = (index: number) => omitted[index] === 0;
    const isRecorded = (index: number) =>
      isWhole(index) && this.requests[index]?.isRecorded === true && this.requests[index]?.dollars !== null;
    const sum = (numbers: readonly number[]) => sumOf(numbers.filter((_, index) => isRecorded(index)));
    const [billed, computed] = [sum(this.billed.map(({ billed }) => billed ?? 0)), sum(simulated)];
    this.ratio = isDollars && computed > 0 && billed > 0 ? computed / billed : null;
    const scaled = simulated.map((cost) => cost / (this.ratio ?? 1));
    this.whole = this.requests.map((request, index) =>
      isWhole(index) ? request : (none.requests[index] as ReplayedBill),
    );
    this.costs = this.requests.map(({ dollars }, index) =>
      isDollars && isWhole(index) ? (dollars ?? 0) : (scaled[index] as number),
    );
    const shortened = this.requests.filter((_, index) => !isWhole(index));
    const prices = chats.flatMap(({ known }) => known);
    const ownCosts = this.billed.map((usage, index) =>
      isDollars ? (usage.billed ?? 0) : 1_000_000 * dollarsOf(usage, prices[index] as RequestPrices),
    );
    const saved = sumOf(this.costs.map((cost, index) => (isWhole(index) ? 0 : cost - (ownCosts[index] as number))));
    const tokens = sumOf(this.whole.map(inputOf)) - sumOf(this.requests.map(inputOf));
    this.proxy = shortened.length === 0 ? null : { requests: shortened.length, tokens, saved };
  }

  /** The costs of replayed requests, by the rules of the cache. */
  replayedCosts({ requests }: ReplayedRun): number[] {
    return requests.map(({ cost }, index) => (this.isCounted[index] ? cost / this.unit : 0));
  }

  replayedCost(cost: number): number {
    return cost / this.unit;
  }
}

function auditedRequest(chat: PricedChat, index: number, usage: RecordedUsage, dollars: number | null): AuditedRequest {
  const request = chat.requests[index] as MeasuredRequest;
  const scale = chat.scales[index] as RequestScale;
  const { fresh, read, written, output } = usage;
  const before = chat.requests[index - 1];
  return {
    chat: chat.index,
    messages: request.messages,
    id: request.id ?? null,
    model: request.model ?? null,
    at: request.at ?? null,
    isCompacted: chat.kind === "compacted" && before === undefined,
    isRecorded: request.usage !== undefined,
    fresh,
    read,
    written,
    output,
    dollars,
    computed: Math.round(scale.fixed + messageTokens(request, scale)),
    parts: partsOf(request, scale, fresh + read + written),
  };
}

/** Divides the input of a request: what is more than its messages is not known. */
function partsOf(request: MeasuredRequest, scale: RequestScale, input: number): RequestParts {
  const { parts, estimated } = request;
  const scaled = Math.min(input, messageTokens(request, scale));
  const share = estimated === 0 ? 0 : scaled / estimated;
  const own = Object.fromEntries(MESSAGE_PARTS.map((part) => [part, Math.round(share * parts[part])])) as Omit<
    RequestParts,
    "unknown"
  >;
  const known = sumOf(Object.values(own));
  return { ...own, unknown: Math.max(0, Math.round(input - known)) };
}

/** What a replayed run is relative to the recording: the recorded requests are those without a strategy. */
function strategyRow(
  code: string,
  run: ReplayedRun,
  none: ReplayedRun,
  costed: CostedRequests,
  chats: readonly PricedChat[],
): StrategyAudit {
  const { whole, costs } = costed;
  const simulated = costed.replayedCosts(none);
  const replayed = costed.replayedCosts(run);
  const total = sumOf(costs);
  const scale = sumOf(simulated) === 0 ? 1 : total / sumOf(simulated);
  const isNone = run === none;
  const inputs = run.requests.map(inputOf);
  const tokens = whole.map((request, index) =>
    Math.max(0, inputOf(request) + (inputs[index] as number) - inputOf(none.requests[index] as ReplayedBill)),
  );
  const cost = isNone ? costs : replayed.map((each) => each * scale);
  const sum = (name: "read" | "written" | "fresh" | "output") =>
    sumOf((isNone ? whole : run.requests).map((request) => request[name]));
  const windows = chats.flatMap(({ known }) => known.map(({ window }) => window));
  const needs = shareOf(run.requests.map((request) => request.needs));
  const all = sumOf(cost);
  return {
    code,
    tokens: sumOf(tokens),
    read: sum("read"),
    written: sum("written"),
    fresh: sum("fresh"),
    output: sum("output"),
    cost: all,
    share: total === 0 ? 1 : all / total,
    interval: isNone ? [1, 1] : stretchedInterval(replayed, simulated),
    costWithForgetting: all + costed.replayedCost(run.forgetting) * scale,
    summaries: run.summaries,
    overWindow: tokens.filter((size, index) => size > (windows[index] as number)).length,
    names: {
      missing: needs.of - needs.hits,
      of: needs.of,
      interval: needs.interval && [
        Math.round((1 - needs.interval[1]) * needs.of),
        Math.round((1 - needs.interval[0]) * needs.of),
      ],
    },
    hasSummaries: run.summaries > 0,
    losses: run.losses,
    requests: { tokens, cost },
  };
}

function modelBills({ billed }: CostedRequests, requests: readonly MeasuredRequest[]): ModelBill[] {
  const models = [...new Set(requests.map(({ model }) => model ?? null))];
  return models
    .map((model) => ({ model, ...totalsOf(billed.filter((_, index) => (requests[index]?.model ?? null) === model)) }))
    .sort((left, right) => (right.dollars ?? 0) - (left.dollars ?? 0) || right.read - left.read);
}

function fitOf(
  requests: readonly AuditedRequest[],
  { ratio }: CostedRequests,
  scales: readonly RequestScale[],
): AuditFit {
  const errorOf = ({ computed, fresh, read, written }: AuditedRequest) =>
    Math.abs(computed / (fresh + read + written) - 1);
  const known = requests.flatMap((request, index) =>
    request.isRecorded && request.fresh + request.read + request.written > 0
      ? [{ model: request.model, error: errorOf(request), factor: scales[index]?.factor ?? 1 }]
      : [],
  );
  const within = (list: typeof known) => list.filter(({ error }) => error <= 0.05).length / list.length;
  const sorted = known.map(({ error }) => error).sort((left, right) => left - right);
  const quantile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
  const models = [...new Set(known.map(({ model }) => model))];
  return {
    requests: known.length,
    within5: known.length === 0 ? null : within(known),
    errors:
      known.length === 0 ? null : { p50: quantile(0.5), p90: quantile(0.9), p95: quantile(0.95), p99: quantile(0.99) },
    factors: models.map((model) => {
      const own = known.filter((each) => each.model === model);
      return { model, factor: own[0]?.factor ?? 1, requests: own.length, within5: within(own) };
    }),
    dollarRatio: ratio,
  };
}

function auditedChat(chat: PricedChat, { billed }: CostedRequests): AuditedChat {
  const { kind, title, messages, requests, first, scales } = chat;
  const counts = new Map<string, number>();
  for (const { model } of requests) if (model !== undefined) counts.set(model, (counts.get(model) ?? 0) + 1);
  const [model = null] = [...counts].sort(([, left], [, right]) => right - left)[0] ?? [];
  const sorted = scales.map(({ fixed }) => fixed).sort((left, right) => left - right);
  return {
    kind,
    ...(title === undefined ? {} : { title }),
    messages,
    requests: requests.length,
    model,
    unknown: sorted[sorted.length >> 1] ?? 0,
    dollars: totalsOf(billed.slice(first, first + requests.length)).dollars,
  };
}

function assumptionsOf(
  { requests, unpriced, ratio, proxy }: CostedRequests,
  isDollars: boolean,
  given: Prices | undefined,
  shortened: number,
): string[] {
  const recorded = requests.filter(({ isRecorded }) => isRecorded).length;
  const isTimed = requests.some(({ at }) => at !== null);
  return [
    ...(recorded < requests.length
      ? [
          recorded === 0
            ? "No usage was recorded: tokens are estimates, the cache works by its provider's rules, and a system prompt and tools that are not in the file are not counted."
            : `${requests.length - recorded} of ${requests.length} requests have no recorded usage: theirs is computed.`,
        ]
      : []),
    ...(shortened > 0
      ? [
          `The output of ${shortened} of ${requests.length} requests was recorded before the reply was complete: it is computed from the reply, without hidden reasoning.`,
        ]
      : []),
    ...(proxy === null
      ? []
      : [
          `A proxy sent ${proxy.requests} of ${requests.length} requests with a shorter history: strategies are relative to the whole one, and what was billed is not.`,
        ]),
    ...(isDollars
      ? [
          given === undefined
            ? `Prices are those of ${PRICES_DATE} or of the day of the request.`
            : "Prices are those that were given.",
        ]
      : [
          "No price is known: costs are in tokens of input, where a cached one costs 0.1, a written one 1.25 and one of output 5.",
        ]),
    ...unpriced.map((model) => `No price is known for ${model}: its requests are in no figure in dollars.`),
    ...(isTimed ? [] : ["No times were recorded: the cache is taken never to expire between requests."]),
    ...(ratio !== null && Math.abs(ratio - 1) > 0.02
      ? [
          `By the rules of the cache the same requests cost ${Math.round(100 * ratio)} % of what was billed; strategies are scaled to the bill.`,
        ]
      : []),
  ];
}
