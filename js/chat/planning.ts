import { HandlePool, HandleSlot } from "../boundary/handles.ts";
import { wellFormed } from "../boundary/plain-json.ts";
import { call, type PlanningHandle, send } from "../boundary/wasm.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import type { Message } from "../model/message.ts";
import { countAll, estimate, type TokenCounter } from "../tokens/tokens.ts";
import type { RequestCost } from "../turns/rendered.ts";
import { type Calibration, RequestCalibration } from "./calibration.ts";
import type { ChatMessage } from "./chat-message.ts";
import {
  type Conversation,
  freeHandle,
  handleOf,
  localConversation,
  messagesJson,
  ofMessages,
  setHandleAhead,
  sizeOf,
} from "./conversation.ts";
import { encodeContext, type HistoryContext, type IndexRange, requestMessages } from "./history-context.ts";
import type { Fate, HistoryReport, TokenChange } from "./history-report.ts";
import { markChecked } from "./message-copy.ts";
import type { CheckedParameters } from "./parameters.ts";
import { withoutThinkingFrom } from "./signed-thinking.ts";
import { type CheckedPlan, type CustomHistoryStrategy, callCustomStrategy } from "./strategies.ts";
import { type StubbedMessage, withStubs } from "./stubs.ts";

/**
 * Messages of the new conversation: those of the old one from an index up to another, exclusive; the message at an index
 * with stubs; or a summary.
 */
type MessageEntry = IndexRange | StubbedMessage | SummaryEntry;
type SummaryEntry = {
  role: string;
  content: string;
  covers: number;
  strategy: string;
  followed: number | null;
  tokens: number | null;
  timestamp: number | null;
};
/** The fate of `count` messages in a row. */
type FateRun = Pick<Fate, "fate" | "reason"> & { count: number };
type TokenTotals = Pick<TokenChange, "before" | "after">;

/** @internal */
export interface Applied {
  outcome: HistoryReport["outcome"];
  reason: string | null;
  fates: FateRun[];
  entries: MessageEntry[];
  /** The messages of the new conversation that are sent with other texts in place of results. */
  sent: StubbedMessage[];
  inserted: number;
  /** For each group of messages to summarize, whether it is kept without a summary. */
  left: boolean[];
  warnings: string[];
  tokens: TokenTotals;
  cache: RequestCost | null;
}

/**
 * A request for a summary.
 *
 * @internal
 */
export interface PlannedRequest {
  /** The number of the summary that the answer becomes a part of. */
  group: number;
  /** The tokens of the messages that the summary replaces. */
  covered: number;
  instruction: string;
  transcript: string;
  /** The number of messages of the conversation before the instruction; null when the transcript is sent. */
  behind: number | null;
  covers: number[];
  /** The expected number of tokens of the answer. */
  expectedTokens: number;
}

/** The messages of a request for a summary; the tools are those of the conversation, for a request behind it. */
export interface SummaryRequest {
  messages: Message[];
  tools?: unknown;
  /** For the request after one that the model answered with nothing but calls: it must not call the tools. */
  toolChoice?: "none";
}

/** @internal */
export interface PlanRecord {
  fates: FateRun[];
  /** The tokens of each message. */
  sizes: number[];
  requests: PlannedRequest[];
  warnings: string[];
  reason: string | null;
  tokens: TokenTotals;
  strategy: string | null;
  cache: RequestCost | null;
  /** The result when no summary is needed. */
  ready: Applied | null;
  /** The messages of the conversation that requests for summaries behind it have with other texts. */
  sent: StubbedMessage[];
}

/**
 * The messages that one summary replaces: their indexes, and their tokens.
 *
 * @internal
 */
export interface SummaryGroup {
  covers: number[];
  covered: number;
}

/** The input of a strategy of the host. */
interface StrategyRequest {
  strategy: number;
  messages: { index: number; tokens: number }[];
  stubbed: StubbedMessage[];
}

/** The response of the wasm: a result, or what it needs first. */
type PlanningResponse = { count?: string[]; host?: StrategyRequest; plan?: PlanRecord; applied?: Applied };

/** Maximum number of tokens of a text. With larger counts the sums could overflow. */
const MAX_TOKENS = 10_000_000;

/** The numbers that identify counters in the wasm, where messages store their tokens by each. */
const counterNumbers = new WeakMap<TokenCounter, number>([[estimate, 1]]);
let lastCounterNumber = 1;

function counterNumber(counter: TokenCounter): number {
  const number = counterNumbers.get(counter) ?? ++lastCounterNumber;
  counterNumbers.set(counter, number);
  return number;
}

const pool = new HandlePool("chat", 16 * 2 ** 20);

/**
 * A plan that is made and applied. It keeps its inputs, to start again in a new instance of the wasm after a crash.
 *
 * @internal
 */
export class Planning {
  conversation: Conversation;
  readonly parameters: CheckedParameters;
  private context: object;
  /** The messages that are sent after the conversation; null when the host gave none. */
  readonly requests: readonly ChatMessage[] | null;
  private readonly calibration: RequestCalibration;
  /** The tools that the model may call. */
  private readonly tools: unknown;
  /** The counts of the host's counter, by text. */
  private readonly counts = new Map<string, number>();
  /** The plans of the host's strategies, by the indexes of the strategies. Each is called once. */
  private readonly customPlans = new Map<number, CheckedPlan>();
  private readonly slot = new HandleSlot<PlanningHandle>(pool);
  /** The handle that has made the plan. */
  private planned: PlanningHandle | null = null;
  private record: PlanRecord | null = null;
  private knownGroups: readonly SummaryGroup[] | null = null;
  /** The messages of the new conversation. */
  private next: readonly ChatMessage[] | null = null;
  /** The first message that earlier requests had in another form than in the conversation. */
  private readonly knownChange: number;

  constructor(
    conversation: Conversation,
    parameters: CheckedParameters,
    context: HistoryContext,
    knownChange = Number.POSITIVE_INFINITY,
  ) {
    this.knownChange = knownChange;
    this.conversation = localConversation(conversation);
    this.parameters = parameters;
    this.tools = wrapReadErrors("invalid_option", "the context", () => context.tools) ?? undefined;
    const { counter } = parameters;
    this.requests = requestMessages(context);
    const given = wrapReadErrors("invalid_option", "the context", () => context.calibration);
    this.calibration = new RequestCalibration(given, parameters, (last) => this.replyTokens(last));
    this.context = {
      ...encodeContext(context),
      ...(this.requests === null ? {} : { request: messagesJson(this.requests) }),
      counter: counterNumber(counter),
      isHost: counter !== estimate,
      ...this.calibration.scale,
    };
  }

  /** The names of the strategies. */
  get strategy(): string | null {
    return this.record?.strategy ?? null;
  }

  /** The purpose of requests to the model. */
  get purpose(): "summary" | "extraction" {
    const { strategies } = this.parameters.wire as { strategies: { name: string }[] };
    return strategies.at(-1)?.name === "retrieveFacts" ? "extraction" : "summary";
  }

  /** The plan. It is made once. */
  plan(): PlanRecord {
    this.record ??= this.requestPlan();
    return this.record;
  }

  private requestPlan(): PlanRecord {
    const { plan } = this.requestResult(() => this.open().plan());
    this.planned = this.slot.current;
    return plan as PlanRecord;
  }

  /** @param summaries the answers to the requests; null for none, which keeps its messages unchanged. */
  apply(summaries: readonly (string | null)[]): Applied {
    // A plan that needs no summary is already applied. With summaries for it, the wasm refuses their number.
    if (this.record?.ready && summaries.length === 0) return this.record.ready;
    return this.requestResult(() => {
      // The handle may be new.
      if (this.open() !== this.planned) this.requestPlan();
      return this.open().apply(summaries.map((text) => text ?? undefined));
    }).applied as Applied;
  }

  /** The groups of the plan, one for each summary. */
  get groups(): readonly SummaryGroup[] {
    this.knownGroups ??= summaryGroups(this.plan().requests);
    return this.knownGroups;
  }

  /**
   * Returns the messages of a request for a summary. One behind the conversation has its tools, which the provider's
   * cache compares, and none of them may be called.
   */
  summaryRequest({ instruction, transcript, behind }: PlannedRequest): SummaryRequest {
    if (behind === null) {
      return {
        messages: [
          { role: "system", content: instruction },
          { role: "user", content: transcript },
        ],
      };
    }
    const sent = asSent(this.conversation.messages.slice(0, behind), this.plan().sent);
    const before = withoutThinkingFrom(sent, this.changedFrom());
    const messages = [...before, { role: "user", content: instruction }];
    return this.tools === undefined ? { messages } : { messages, tools: this.tools, toolChoice: "none" };
  }

  /** The first message before which a request of the conversation may have had another form. */
  private changedFrom(): number {
    if (this.parameters.keepsThinking) return Number.POSITIVE_INFINITY;
    const changed = this.expandFates(this.plan().fates).find(
      ({ fate, reason }) => fate === "stubbed" || (fate === "dropped" && reason !== "compaction"),
    );
    return Math.min(this.knownChange, changed?.index ?? Number.POSITIVE_INFINITY);
  }

  /** A message of the conversation. */
  messageAt(index: number): ChatMessage {
    return this.conversation.messages[index] as ChatMessage;
  }

  /** The messages of the new conversation. */
  messages({ outcome, entries }: Applied): readonly ChatMessage[] {
    const { messages } = this.conversation;
    if (outcome === "unchanged" || outcome === "skipped") this.next = messages;
    else {
      const parts = entries.map((entry) =>
        "start" in entry ? messages.slice(entry.start, entry.end) : this.entryMessage(entry),
      );
      this.next = ([] as ChatMessage[]).concat(...parts);
    }
    return this.next;
  }

  /**
   * Continues with the messages that were sent, followed by more, to plan for the request after them. When the last
   * result of {@link Planning.messages} was sent, that plan reads only the messages about which something is still to be
   * decided, and its fates are those of these messages.
   */
  advance(sent: readonly ChatMessage[], more: readonly ChatMessage[], idleSeconds: number | undefined): void {
    const handle = this.slot.current;
    const json = messagesJson(more);
    const isResult = sent === this.next;
    this.conversation = ofMessages(sent.concat(more));
    this.next = null;
    this.context = { ...this.context, idleSeconds };
    this.record = null;
    this.knownGroups = null;
    this.customPlans.clear();
    if (!isResult || handle === null || handle !== this.planned) this.release();
    else {
      call("chat", () => handle.advance(send(json), idleSeconds));
      this.slot.grow(json.length);
    }
    this.planned = null;
  }

  /** The new conversation. */
  result(applied: Applied): Conversation {
    const { conversation } = this;
    const messages = this.messages(applied);
    if (messages === conversation.messages) return conversation;
    const next = ofMessages(messages);
    const handle = this.slot.current;
    if (handle !== null && handle === this.planned) {
      setHandleAhead(next, () => handle.conversation(), sizeOf(conversation));
    }
    return next;
  }

  /**
   * Frees the wasm's memory of the plan, which can still be applied again.
   */
  release(): void {
    this.slot.free();
  }

  /** The report in an error: nothing has changed. */
  reportSoFar(llmCalls = 0): HistoryReport {
    const { warnings, reason, fates, tokens } = this.record as PlanRecord;
    return {
      outcome: "unchanged",
      strategy: this.strategy,
      reason,
      warnings,
      messages: this.expandFates(fates).map((message) => ({ ...message, fate: "kept", reason: null })),
      inserted: 0,
      llmCalls,
      tokens: this.tokenChange({ before: tokens.before, after: tokens.before }),
    };
  }

  /** What the next request costs, if that was requested: with the expected summaries before the plan is applied. */
  cost(applied: Applied | null): { cache?: RequestCost } {
    const { cache } = applied ?? (this.record as PlanRecord);
    return cache === null ? {} : { cache };
  }

  expandFates(runs: readonly FateRun[]): Fate[] {
    const { sizes } = this.record as PlanRecord;
    const fates: Fate[] = [];
    for (const { count, fate, reason } of runs) {
      const end = fates.length + count;
      for (let index = fates.length; index < end; index++) {
        fates.push({ index, fate, reason, tokens: sizes[index] as number });
      }
    }
    return fates;
  }

  tokenChange({ before, after }: TokenTotals): TokenChange {
    const { factor, fixed } = this.calibration.scale;
    return { before, after, counter: this.parameters.counterName, factor, fixed };
  }

  /** The calibration for the reply to a request of the new conversation. */
  nextCalibration({ tokens }: Applied, { messages }: Conversation): Calibration {
    const last = this.requests?.at(-1) ?? messages.at(-1);
    return this.calibration.forRequest(tokens.after, last === undefined ? "" : contentKey(last));
  }

  /**
   * Returns the tokens of the last reply by the counter; null if the messages do not continue the request whose last
   * message has this key. A reply may have several messages.
   */
  private replyTokens(last: string): number | null {
    const messages = [...this.conversation.messages, ...(this.requests ?? [])];
    const isReply = (message: ChatMessage | undefined) => message?.role === "assistant";
    let end = messages.length;
    while (end > 0 && !isReply(messages[end - 1])) end--;
    let start = end;
    while (start > 0 && isReply(messages[start - 1])) start--;
    if (start === 0 || contentKey(messages[start - 1] as ChatMessage) !== last) return null;
    return messageSizes(messages.slice(start, end), this.parameters).reduce((sum, tokens) => sum + tokens, 0);
  }

  private entryMessage(entry: StubbedMessage | SummaryEntry): ChatMessage {
    const { messages } = this.conversation;
    if ("stubs" in entry) return withStubs(messages[entry.index] as ChatMessage, entry);
    const { role, content, covers, strategy, followed, tokens, timestamp } = entry;
    const known = { ...(followed === null ? {} : { followed }), ...(tokens === null ? {} : { tokens }) };
    const summary = Object.freeze({ covers, strategy, ...known });
    return markChecked({ role, content, ...(timestamp === null ? {} : { timestamp }), summary });
  }

  private open(): PlanningHandle {
    const { current } = this.slot;
    if (current !== null) return current;
    this.countTexts();
    const conversation = handleOf(this.conversation);
    return this.slot.set(
      call("chat", (wasm) => new wasm.PlanningHandle(conversation, this.parameters.wire, this.context)),
      sizeOf(this.conversation),
    );
  }

  /** Supplies counts and plans until the wasm returns a result. */
  private requestResult(step: () => string): PlanningResponse {
    for (;;) {
      const response = JSON.parse(call("chat", step)) as PlanningResponse;
      if (response.count !== undefined) this.supplyCounts(response.count);
      else if (response.host !== undefined) this.supplyCustomPlan(response.host);
      else return response;
    }
  }

  /**
   * Calls the host's counter for the messages that are only a text. Other texts are counted while planning, when the
   * wasm requests them.
   */
  private countTexts(): void {
    const { counter } = this.parameters;
    if (counter === estimate) return;
    const number = counterNumber(counter);
    const { messages } = this.conversation;
    const indexes: number[] = [];
    const texts: string[] = [];
    for (const index of call("chat", () => handleOf(this.conversation).uncounted(number))) {
      const { content } = messages[index] as ChatMessage;
      if (typeof content !== "string") continue;
      indexes.push(index);
      texts.push(wellFormed(content));
    }
    if (indexes.length === 0) return;
    const counts = this.countsOf(texts);
    call("chat", () => handleOf(this.conversation).counted(number, Uint32Array.from(indexes), counts));
  }

  private supplyCounts(texts: readonly string[]): void {
    const counts = this.countsOf(texts);
    call("chat", () => this.open().counted(counts));
  }

  private countsOf(texts: readonly string[]): Float64Array {
    const missing = texts.filter((text) => !this.counts.has(text));
    const counts = countAll(this.parameters.counter, missing);
    missing.forEach((text, index) => {
      const count = counts[index] as number;
      if (count > MAX_TOKENS) {
        const { counterName: counter } = this.parameters;
        const problem = `the counter ${JSON.stringify(counter)} returned ${count} tokens for a text of ${text.length} characters`;
        throw new TurnfoldError("invalid_counter", problem, { details: { counter } });
      }
      this.counts.set(text, Math.ceil(count));
    });
    return Float64Array.from(texts, (text) => this.counts.get(text) as number);
  }

  private supplyCustomPlan(question: StrategyRequest): void {
    const { strategy } = question;
    const answer = this.customPlans.get(strategy) ?? this.customPlan(question);
    this.customPlans.set(strategy, answer);
    call("chat", () => this.open().answered(strategy, answer));
  }

  private customPlan({ strategy: strategyIndex, messages, stubbed }: StrategyRequest): CheckedPlan {
    const strategy = this.parameters.strategies[strategyIndex] as CustomHistoryStrategy;
    const stubs = new Map(stubbed.map((message) => [message.index, message]));
    const shown = messages.map(({ index }) => {
      const message = this.conversation.messages[index] as ChatMessage;
      const own = stubs.get(index);
      return own === undefined ? message : withStubs(message, own);
    });
    const answer = callCustomStrategy(
      strategy,
      Object.freeze(shown),
      messages.map(({ tokens }) => tokens),
    );
    const indexes = (positions: readonly number[]) =>
      positions.map((position) => (messages[position] as { index: number }).index);
    return {
      keep: indexes(answer.keep),
      drop: indexes(answer.drop),
      summarize: answer.summarize.map((group) => ({ ...group, covers: indexes(group.covers) })),
    };
  }
}

/** Messages as they were sent last, with the texts in place of their results. */
const sentMessages = new WeakMap<ChatMessage, { texts: string; sent: ChatMessage }>();

/**
 * Returns messages as they are sent: with other texts in place of some results. A message with the same texts is the same
 * object in each request.
 *
 * @internal
 */
export function asSent(messages: readonly ChatMessage[], changed: readonly StubbedMessage[]): readonly ChatMessage[] {
  if (changed.length === 0) return messages;
  const sent = [...messages];
  for (const own of changed) {
    const message = messages[own.index];
    if (message === undefined) continue;
    const texts = JSON.stringify(own.stubs);
    const known = sentMessages.get(message);
    const next = known?.texts === texts ? known.sent : withStubs(message, own);
    sentMessages.set(message, { texts, sent: next });
    sent[own.index] = next;
  }
  return Object.freeze(sent);
}

/**
 * Returns the tokens of each message.
 *
 * @internal
 */
export function messageSizes(
  messages: readonly ChatMessage[],
  parameters: CheckedParameters,
  calibration?: Calibration,
): readonly number[] {
  const { provider } = parameters.wire;
  const wire = { strategies: [], ...(provider === undefined ? {} : { provider }) };
  const conversation = ofMessages(messages);
  const context = calibration === undefined ? {} : { calibration };
  const planning = new Planning(conversation, { ...parameters, strategies: [], wire }, context);
  const { sizes } = planning.plan();
  planning.release();
  freeHandle(conversation);
  return sizes;
}

function summaryGroups(requests: PlanRecord["requests"]): SummaryGroup[] {
  const groups: { covers: Set<number>; covered: number }[] = [];
  for (const { group, covered, covers } of requests) {
    const known = groups[group] ?? { covers: new Set(), covered };
    for (const index of covers) known.covers.add(index);
    groups[group] = known;
  }
  return groups.map(({ covers, covered }) => ({ covers: [...covers], covered }));
}

/** Returns a key of the content of a message. */
function contentKey(message: ChatMessage): string {
  const conversation = ofMessages([message]);
  const [key] = call("chat", () => handleOf(conversation).contentKeys(Uint32Array.of(0), ""));
  freeHandle(conversation);
  return key as string;
}
