import { HandlePool, HandleSlot } from "../boundary/handles.ts";
import { wellFormed } from "../boundary/plain-json.ts";
import { call, type PlanningHandle, send } from "../boundary/wasm.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import type { Message } from "../model/message.ts";
import type { ModelToolCall } from "../model/model.ts";
import { countAll, estimate, type TokenCounter } from "../tokens/tokens.ts";
import type { RequestCost } from "../turns/rendered.ts";
import { describe } from "../values/describe.ts";
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
import { copyMessages, markChecked } from "./message-copy.ts";
import { jsonText } from "./message-json.ts";
import type { CheckedParameters } from "./parameters.ts";
import { withoutThinkingFrom } from "./signed-thinking.ts";
import { type CheckedPlan, type CustomHistoryStrategy, callCustomStrategy } from "./strategies.ts";
import { isAnyCall, isAnyResult, type MessagePart } from "./tool-pairs.ts";

/** The fate of a message of the given conversation. */
export interface Fate {
  /** Its index in that conversation. */
  index: number;
  /** `stubbed`: kept, with old tool results or arguments of calls cleared. */
  fate: "kept" | "summarized" | "dropped" | "stubbed";
  /**
   * For a kept message `system`, `pinned`, `pending` or `compaction` if it must be kept; otherwise the strategy or limit.
   * `compaction` of a dropped message: the provider has made a summary of it, and ignores it. `thinking`: it had nothing
   * but thinking that is no longer valid.
   */
  reason: string | null;
  /** Tokens of the unchanged message; 0 for one that the provider ignores. */
  tokens: number;
}

/** Tokens before and after, and how they were counted. */
export interface TokenChange {
  before: number;
  after: number;
  /** Name of the counter. */
  counter: string;
  /** The factor by which its counts were multiplied; 1 without a {@link Calibration}. */
  factor: number;
  /** Tokens in `before` and `after` that the provider counts besides: the fixed part of a {@link Calibration}. */
  fixed: number;
}

/** A report of the changes to a conversation. */
export interface HistoryReport {
  /** `applied`: a strategy changed the conversation · `trimmed`: only a limit or a summary of the provider did. */
  outcome: "unchanged" | "skipped" | "applied" | "trimmed";
  /** Names of the strategies. */
  strategy: string | null;
  reason: string | null;
  warnings: string[];
  /** The fate of every message of the given conversation. */
  messages: Fate[];
  /** Number of inserted summaries. */
  inserted: number;
  llmCalls: number;
  tokens: TokenChange;
  /** What the next request costs, without its reply and without the summaries. Present with `prices` or `worthIt`. */
  cache?: RequestCost;
}

/** What is sent with the conversation and counted in every limit. */
export interface HistoryContext {
  /**
   * The current request: sent after the conversation and never compressed. Without it, the last question and the last round
   * of calls at the end of the conversation are not changed.
   */
  request?: ChatMessage | readonly ChatMessage[] | undefined;
  /** The tools that the model may call: a list, or an object by names. */
  tools?: unknown;
  /** The schema of the answer. */
  schema?: unknown;
  /** Seconds since the previous request, for `worthIt`: after a long pause it has expired from the provider's cache. */
  idleSeconds?: number | undefined;
  /** The calibration of the previous request, with the usage of its reply: counts are scaled to the provider's. */
  calibration?: Calibration | undefined;
}

/**
 * Messages of the new conversation: those of the old one from an index up to another, exclusive; the message at an index
 * with stubs; or a summary.
 */
type MessageEntry = IndexRange | StubbedMessage | SummaryEntry;
/** A message with stubs in some of its parts. */
type StubbedMessage = { index: number; stubs: Stub[] };
/**
 * A text in place of a result, by its index among the results of its message, or a JSON object in place of arguments, by
 * the index of their call among the calls.
 */
type Stub = { result: number; text: string } | { call: number; args: string };
type SummaryEntry = {
  role: string;
  content: string;
  covers: number;
  strategy: string;
  followed: number | null;
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
}

/**
 * Indexes of consecutive messages, from `start` up to `end` exclusive.
 *
 * @internal
 */
export interface IndexRange {
  start: number;
  end: number;
}

/**
 * The context of a conversation that ends with an exchange, with the position of its question.
 *
 * @internal
 */
export interface ExchangeContext extends HistoryContext {
  question?: IndexRange;
  /** True when no request follows immediately. */
  isIdle?: boolean;
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
    const before = withoutThinkingFrom(this.conversation.messages.slice(0, behind), this.changedFrom());
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
    const { role, content, covers, strategy, followed, timestamp } = entry;
    const summary = Object.freeze({ covers, strategy, ...(followed === null ? {} : { followed }) });
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

/** Messages as they were before some of their parts were replaced. */
const originals = new WeakMap<ChatMessage, ChatMessage>();

/**
 * Returns a message with all results and arguments that stubs replaced.
 *
 * @internal
 */
export const withoutStubs = (message: ChatMessage): ChatMessage => originals.get(message) ?? message;

/** A message with stubs in some of its parts. */
function withStubs(message: ChatMessage, stubbed: StubbedMessage): ChatMessage {
  const copy = replaceResults(replaceArguments(message, stubbed), stubbed);
  if (copy !== message) originals.set(copy, withoutStubs(message));
  return copy;
}

function replaceArguments(message: ChatMessage, { stubs }: StubbedMessage): ChatMessage {
  const texts = new Map(stubs.flatMap((stub) => ("call" in stub ? [[stub.call, stub.args]] : [])));
  if (texts.size === 0) return message;
  let callIndex = 0;
  const replace = <T extends object>(holder: T, name: keyof T): T => {
    const text = texts.get(callIndex++);
    if (text === undefined) return holder;
    const args = typeof holder[name] === "string" ? text : Object.freeze(JSON.parse(text));
    return Object.freeze({ ...holder, [name]: args });
  };
  const { content, toolCalls } = message;
  const parts = (content: MessagePart[]) => content.map((part) => (isAnyCall(part) ? replace(part, "input") : part));
  return markChecked({
    ...message,
    ...(Array.isArray(content) && { content: Object.freeze(parts(content as MessagePart[])) }),
    ...(toolCalls && { toolCalls: Object.freeze(toolCalls.map((call) => replace(call, "args"))) as ModelToolCall[] }),
  });
}

function replaceResults(message: ChatMessage, { stubs }: StubbedMessage): ChatMessage {
  const texts = new Map(stubs.flatMap((stub) => ("result" in stub ? [[stub.result, stub.text]] : [])));
  if (texts.size === 0) return message;
  const isAnswer = message.toolCallId !== undefined;
  const own = isAnswer ? texts.get(0) : undefined;
  const { content } = message;
  if (!Array.isArray(content)) return own === undefined ? message : markChecked({ ...message, content: own });
  let resultIndex = isAnswer ? 1 : 0;
  const parts = (content as MessagePart[]).map((part) => {
    const text = isAnyResult(part) ? texts.get(resultIndex++) : undefined;
    return text === undefined ? part : Object.freeze({ ...part, output: outputWithText(part.output, text) });
  });
  if (own === undefined) return markChecked({ ...message, content: Object.freeze(parts) });
  // The whole content is the result, images included.
  const others = parts.filter((part) => part.type === "tool-call" || isAnyResult(part));
  const replaced = others.length === 0 ? own : Object.freeze([Object.freeze({ type: "text", text: own }), ...others]);
  return markChecked({ ...message, content: replaced });
}

/** Returns a text in the form of a tool's output: a failure stays a failure, and a denial a denial. */
function outputWithText(output: unknown, text: string): unknown {
  if (Array.isArray(output)) return Object.freeze([Object.freeze({ type: "text", text })]);
  if (typeof output !== "object" || output === null) return text;
  const { type, isError } = output as { type?: unknown; isError?: unknown };
  if (type === "execution-denied") return Object.freeze({ type, reason: text });
  const isFailure = type === "error-text" || type === "error-json" || isError === true;
  return Object.freeze({ type: isFailure ? "error-text" : "text", value: text });
}

/** Returns a key of the content of a message. */
function contentKey(message: ChatMessage): string {
  const conversation = ofMessages([message]);
  const [key] = call("chat", () => handleOf(conversation).contentKeys(Uint32Array.of(0), ""));
  freeHandle(conversation);
  return key as string;
}

/**
 * Returns the messages that are sent after a conversation; null when the host gave none.
 *
 * @internal
 */
export function requestMessages(context: HistoryContext): readonly ChatMessage[] | null {
  return wrapReadErrors("invalid_option", "the context", () => {
    const { request } = context;
    if (request === undefined || request === null) return null;
    return copyMessages(Array.isArray(request) ? request : [request], "request");
  });
}

/** Converts the context for the wasm, without the messages of the request. */
function encodeContext(context: HistoryContext): object {
  return wrapReadErrors("invalid_option", "the context", () => {
    const { tools, schema, question, idleSeconds, isIdle } = context as ExchangeContext;
    const isGiven = (value: unknown) => value !== undefined && value !== null;
    return {
      question,
      idleSeconds: idleSeconds ?? undefined,
      isIdle,
      tools: isGiven(tools) ? toolList(tools).map((tool) => jsonOf("tools", tool)) : undefined,
      schema: isGiven(schema) ? (typeof schema === "string" ? schema : jsonOf("schema", schema)) : undefined,
    };
  });
}

function toolList(tools: unknown): unknown[] {
  if (Array.isArray(tools)) return tools;
  if (typeof tools === "object" && tools !== null) {
    return Object.entries(tools).map(([name, tool]) => ({ name, ...(typeof tool === "object" ? tool : {}) }));
  }
  throw new TurnfoldError("invalid_option", `tools must be a list or an object, got ${describe(tools)}`, {
    details: { option: "tools" },
  });
}

function jsonOf(name: string, value: unknown): string {
  try {
    return jsonText(value) ?? "null";
  } catch (cause) {
    throw new TurnfoldError("invalid_option", `${name} can't be written as JSON`, { details: { option: name }, cause });
  }
}
