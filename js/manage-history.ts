import type { ChatMessage } from "./chat-message.ts";
import { adopt, type Conversation, describedList, messagesOf, ofMessages, twinOf } from "./conversation.ts";
import { describe } from "./describe.ts";
import { messageOf } from "./drive.ts";
import { quote, wellFormed } from "./encode.ts";
import { reading, TurnfoldError } from "./errors.ts";
import { checkMembers } from "./limits.ts";
import type { Message } from "./message.ts";
import { copyMessages, known } from "./message-copy.ts";
import {
  type Answer,
  addUsage,
  askModel,
  checkLLM,
  checkRetry,
  type LLM,
  type LLMRequest,
  type Retry,
  type Usage,
} from "./model.ts";
import { type CheckedParameters, checkParameters, type RequestParameters } from "./parameters.ts";
import { askStrategy, type CustomHistoryStrategy } from "./strategies.ts";
import { countAll, estimate, type TokenCounter } from "./tokens.ts";
import { call, generation, type PlanningHandle, send } from "./wasm.ts";

/** What becomes of a message of the conversation that was given. */
export interface Fate {
  /** Its place in that conversation. */
  index: number;
  /** `stubbed`: it stays, its old results are cleared. */
  fate: "kept" | "summarized" | "dropped" | "stubbed";
  /** Of what is kept: `system`, `pinned` or `pending`, when it had to be; else the strategy or limit. */
  reason: string | null;
  /** As it came. */
  tokens: number;
}

/** What would be sent, in tokens, and what counted them. */
export interface TokenChange {
  before: number;
  after: number;
  counter: string;
}

/** What becomes of a conversation; made without asking a model. */
export interface Plan {
  /**
   * `unchanged`: there is nothing to do · `skipped`: no strategy runs, and `reason` says why · `summarize`: the answers to
   * `requests` are missing · `ready`: it can be applied as it is.
   */
  outcome: "unchanged" | "skipped" | "summarize" | "ready";
  reason: string | null;
  messages: Fate[];
  /** One call of a model each; `covers` are the places of the messages that it is shown. */
  requests: { messages: Message[]; covers: number[] }[];
  /** `after` is an estimate until the summaries are there. */
  tokens: TokenChange;
  warnings: string[];
}

/** What happened to a conversation. */
export interface HistoryReport {
  /** `applied`: a strategy did something · `trimmed`: only a limit did. */
  outcome: "unchanged" | "skipped" | "applied" | "trimmed";
  /** What was asked for, by name. */
  strategy: string | null;
  reason: string | null;
  warnings: string[];
  /** Of every message of the conversation that was given, once. */
  messages: Fate[];
  /** How many summaries there are. */
  inserted: number;
  llmCalls: number;
  tokens: TokenChange;
}

/** What is sent with the conversation, and counts in every limit. */
export interface HistoryContext {
  /**
   * What is asked right now, and everything behind it: it is sent after the conversation and never compressed. When it is not
   * given, what waits for an answer at the end of the conversation is left alone.
   */
  request?: ChatMessage | readonly ChatMessage[];
  /** The tools that the model may call: a list, or an object by names. */
  tools?: unknown;
  /** The schema of the answer. */
  schema?: unknown;
}

/** What {@link manageHistory} needs beside parameters. */
export interface ManageOptions extends HistoryContext {
  /** Asked for summaries. */
  llm?: LLM;
  retry?: Retry;
  signal?: AbortSignal;
  /** Told of warnings; `console.warn` [FR-019]. */
  onWarning?: (text: string) => void;
}

/** A conversation, and what was done to it. */
export interface Managed {
  conversation: Conversation;
  report: HistoryReport;
}

/** With what the summaries took. */
type ManagedWithUsage = Managed & { usage: Usage };

type Entry = number | [index: number, stubs: [place: number, text: string][]] | NewSummary;
type NewSummary = { role: string; content: string; covers: number; strategy: string; timestamp: number | null };
/** Three for each stretch of messages that fare the same: how many, their fate, its reason. */
type ToldFates = (string | number | null)[];

interface Settled {
  outcome: HistoryReport["outcome"];
  reason: string | null;
  fates: ToldFates;
  entries: Entry[];
  inserted: number;
  warnings: string[];
  tokens: [number, number];
}

interface ToldPlan {
  fates: ToldFates;
  /** The tokens of each message. */
  sizes: number[];
  requests: { instruction: string; transcript: string; covers: number[] }[];
  warnings: string[];
  reason: string | null;
  tokens: [number, number];
  strategy: string | null;
  ready: Settled | null;
}

type Told = {
  count?: string[];
  host?: { strategy: number; messages: [index: number, tokens: number][]; stubs: [number, [number, string][]][] };
  plan?: ToldPlan;
  settled?: Settled;
};

/** More than any text has: a sum of such counts would not be one of tokens. */
const MOST_TOKENS = 10_000_000;

/** Numbers of counters, in what messages keep of their counts. */
const counters = new WeakMap<TokenCounter, number>([[estimate, 1]]);
let lastCounter = 1;

function numberOf(counter: TokenCounter): number {
  const number = counters.get(counter) ?? ++lastCounter;
  counters.set(counter, number);
  return number;
}

/**
 * A plan on its way, and everything that it was made of: an instance of the wasm that goes down is made up for.
 *
 * @internal
 */
export class Planning {
  private readonly conversation: Conversation;
  private readonly parameters: CheckedParameters;
  private readonly wire: string;
  /** What the host's counter said so far. */
  private readonly counts = new Map<string, number>();
  /** What the host's strategies said, by their places: the same when it is told to another instance. */
  private readonly answers = new Map<number, string>();
  private handle: PlanningHandle | null = null;
  private made = 0;
  private told: ToldPlan | null = null;

  constructor(conversation: Conversation, parameters: CheckedParameters, context: HistoryContext) {
    messagesOf(conversation);
    this.conversation = conversation;
    this.parameters = parameters;
    const { counter, caches, wire } = parameters;
    const members = Object.entries({ ...wire, counter: caches ? numberOf(counter) : 0, isHost: counter !== estimate });
    const texts = members.flatMap(([name, value]) => (value === undefined ? [] : `"${name}":${jsonOf(name, value)}`));
    this.wire = `{${[...texts, ...contextMembers(context)].join()}}`;
  }

  /** What was asked for, by name. */
  get strategy(): string | null {
    return this.told?.strategy ?? null;
  }

  /** What a model is told that its answers are for. */
  get purpose(): "summary" | "extraction" {
    const { strategies } = this.parameters.wire as { strategies: { name: string }[] };
    return strategies.at(-1)?.name === "retrieveFacts" ? "extraction" : "summary";
  }

  plan(): ToldPlan {
    const { plan } = this.ask(() => this.open().plan());
    this.told = plan as ToldPlan;
    return this.told;
  }

  /** @param summaries the answers to the requests. */
  settle(summaries: readonly string[]): Settled {
    const asked = this.told?.requests.length;
    if (summaries.length !== asked) {
      const wanted = `${asked} ${asked === 1 ? "summary text" : "summary texts"}`;
      throw new TurnfoldError("invalid_summaries", `the plan asks for ${wanted}, got ${summaries.length}`, {
        hint: "give one text for each of plan.requests",
      });
    }
    if (this.told?.ready) return this.told.ready;
    const text = `[${summaries.map(quote).join()}]`;
    return this.ask(() => {
      const isNew = this.made !== generation();
      const handle = this.open();
      if (isNew) this.plan();
      return handle.settle(send(text));
    }).settled as Settled;
  }

  /** The conversation that the plan came to. */
  result({ outcome, entries }: Settled): Conversation {
    const { conversation } = this;
    if (outcome === "unchanged" || outcome === "skipped") return conversation;
    const messages = entries.map((entry) => this.message(entry));
    const next = ofMessages(messages);
    if (this.made === generation()) {
      adopt(
        next,
        call(() => (this.handle as PlanningHandle).conversation()),
      );
    }
    return next;
  }

  /** What is told with an error: nothing has changed. */
  reportSoFar(): HistoryReport {
    const { requests, warnings, reason, fates, tokens } = this.told as ToldPlan;
    return {
      outcome: "unchanged",
      strategy: this.strategy,
      reason,
      warnings,
      messages: this.fates(fates).map((message) => ({ ...message, fate: "kept", reason: null })),
      inserted: 0,
      llmCalls: requests.length,
      tokens: this.change([tokens[0], tokens[0]]),
    };
  }

  fates(told: ToldFates): Fate[] {
    const { sizes } = this.told as ToldPlan;
    const fates: Fate[] = [];
    for (let at = 0; at < told.length; at += 3) {
      const [count, fate, reason] = told.slice(at, at + 3) as [number, Fate["fate"], string | null];
      const end = fates.length + count;
      for (let index = fates.length; index < end; index++) {
        fates.push({ index, fate, reason, tokens: sizes[index] as number });
      }
    }
    return fates;
  }

  change([before, after]: [number, number]): TokenChange {
    return { before, after, counter: this.parameters.counterName };
  }

  private message(entry: Entry): ChatMessage {
    const { messages } = this.conversation;
    if (typeof entry === "number") return messages[entry] as ChatMessage;
    if (Array.isArray(entry)) return stubbed(messages[entry[0]] as ChatMessage, entry[1]);
    const { role, content, covers, strategy, timestamp } = entry;
    const summary = Object.freeze({ covers, strategy });
    return known({ role, content, ...(timestamp === null ? {} : { timestamp }), summary });
  }

  private open(): PlanningHandle {
    if (this.handle === null || this.made !== generation()) {
      this.countTexts();
      const twin = twinOf(this.conversation);
      this.handle = call((wasm) => new wasm.PlanningHandle(twin, send(this.wire)));
      this.made = generation();
    }
    return this.handle;
  }

  /** Does what the wasm side asks for until it has an answer. */
  private ask(step: () => string): Told {
    for (;;) {
      const told = JSON.parse(call(step)) as Told;
      if (told.count !== undefined) this.count(told.count);
      else if (told.host !== undefined) this.askHost(told.host);
      else return told;
    }
  }

  /**
   * Has the host's counter count messages that are a text and nothing else. All other texts it is asked for while planning, and
   * those have to come back from the wasm side.
   */
  private countTexts(): void {
    const { counter, caches } = this.parameters;
    if (counter === estimate || !caches) return;
    const number = numberOf(counter);
    const { messages } = this.conversation;
    const places: number[] = [];
    const texts: string[] = [];
    for (const place of call(() => twinOf(this.conversation).uncounted(number))) {
      const { content } = messages[place] as ChatMessage;
      if (typeof content !== "string") continue;
      places.push(place);
      texts.push(wellFormed(content));
    }
    if (places.length === 0) return;
    const counts = this.countsOf(texts);
    call(() => twinOf(this.conversation).counted(number, Uint32Array.from(places), counts));
  }

  private count(texts: readonly string[]): void {
    const counts = this.countsOf(texts);
    call(() => this.open().counted(counts));
  }

  private countsOf(texts: readonly string[]): Float64Array {
    const missing = texts.filter((text) => !this.counts.has(text));
    const counts = countAll(this.parameters.counter, missing);
    missing.forEach((text, index) => {
      const count = counts[index] as number;
      if (count > MOST_TOKENS) {
        const { counterName: counter } = this.parameters;
        const problem = `the counter ${JSON.stringify(counter)} gave ${count} tokens for a text of ${text.length} characters`;
        throw new TurnfoldError("invalid_counter", problem, { details: { counter } });
      }
      this.counts.set(text, Math.ceil(count));
    });
    return Float64Array.from(texts, (text) => this.counts.get(text) as number);
  }

  private askHost(question: NonNullable<Told["host"]>): void {
    const place = question.strategy;
    const answer = this.answers.get(place) ?? this.answerOf(question);
    this.answers.set(place, answer);
    call(() => this.open().answered(place, send(answer)));
  }

  private answerOf({ strategy: place, messages, stubs }: NonNullable<Told["host"]>): string {
    const strategy = this.parameters.strategies[place] as CustomHistoryStrategy;
    const shortened = new Map(stubs);
    const shown = messages.map(([index]) => {
      const message = this.conversation.messages[index] as ChatMessage;
      const texts = shortened.get(index);
      return texts === undefined ? message : stubbed(message, texts);
    });
    const answer = askStrategy(
      strategy,
      Object.freeze(shown),
      messages.map(([, tokens]) => tokens),
    );
    const indexes = (places: readonly number[]) => places.map((at) => (messages[at] as [number, number])[0]);
    return JSON.stringify({
      keep: indexes(answer.keep),
      drop: indexes(answer.drop),
      summarize: answer.summarize.map((group) => ({ ...group, covers: indexes(group.covers) })),
    });
  }
}

/** A message with some of its results replaced: by their places among the results that it holds. */
function stubbed(message: ChatMessage, stubs: readonly [place: number, text: string][]): ChatMessage {
  const texts = new Map(stubs);
  const isAnswer = message.toolCallId !== undefined;
  const own = isAnswer ? texts.get(0) : undefined;
  const { content } = message;
  if (!Array.isArray(content)) return own === undefined ? message : known({ ...message, content: own });
  let place = isAnswer ? 1 : 0;
  const parts = (content as { type: string; output?: unknown }[]).map((part) => {
    const text = part.type === "tool-result" ? texts.get(place++) : undefined;
    return text === undefined ? part : Object.freeze({ ...part, output: outputLike(part.output, text) });
  });
  if (own === undefined) return known({ ...message, content: Object.freeze(parts) });
  // All that is said is the result, images too.
  const others = parts.filter(({ type }) => type === "tool-call" || type === "tool-result");
  const replaced = others.length === 0 ? own : Object.freeze([Object.freeze({ type: "text", text: own }), ...others]);
  return known({ ...message, content: replaced });
}

/** A text in the form that a tool's output had. */
function outputLike(output: unknown, text: string): unknown {
  if (Array.isArray(output)) return Object.freeze([Object.freeze({ type: "text", text })]);
  return typeof output === "object" && output !== null ? Object.freeze({ type: "text", value: text }) : text;
}

/** What the request is made of beside the conversation, as the wasm side takes it. */
function contextMembers(context: HistoryContext): string[] {
  return reading("invalid_option", "the context", () => {
    const { request, tools, schema } = context;
    const members: string[] = [];
    if (request !== undefined && request !== null) {
      const messages = copyMessages(Array.isArray(request) ? request : [request], "request");
      members.push(`"exchange":${describedList(messages)}`);
    }
    if (tools !== undefined && tools !== null) {
      members.push(
        `"tools":[${toolList(tools)
          .map((tool) => quote(jsonOf("tools", tool)))
          .join()}]`,
      );
    }
    if (schema !== undefined && schema !== null) {
      members.push(`"schema":${quote(typeof schema === "string" ? schema : jsonOf("schema", schema))}`);
    }
    return members;
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
  if (typeof value === "string") return quote(value);
  try {
    return JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? String(item) : item)) ?? "null";
  } catch (cause) {
    throw new TurnfoldError("invalid_option", `${name} can't be written as JSON`, { details: { option: name }, cause });
  }
}

/** What plans were made of, for {@link applyPlan}. */
const plannings = new WeakMap<Plan, Planning>();

/**
 * Says what would become of a conversation, without asking a model: which messages stay, what each summary covers, what a
 * model is to be asked, and how many tokens that saves. The same input gives the same plan.
 *
 * @example
 * ```ts
 * const plan = planHistory(conversation, { compressionStrategy: chunked(10), minMessages: 0 });
 * for (const { covers, messages } of plan.requests) console.log(covers.length, messages.length);
 * ```
 * @throws {TurnfoldError} `max_tokens_below_system` [FR-016], `pins_over_limit`, `request_over_budget`, `missing_timestamp`,
 * `invalid_option`, `invalid_strategy`, `invalid_counter`, `invalid_message`
 */
export function planHistory(
  conversation: Conversation,
  parameters: RequestParameters,
  context: HistoryContext = {},
): Plan {
  return planWith(new Planning(conversation, checkParameters(parameters), contextOf(context)));
}

function contextOf(context: unknown): HistoryContext {
  if (typeof context === "object" && context !== null) return context;
  throw new TurnfoldError("invalid_option", `the context is { request, tools, schema }, got ${describe(context)}`);
}

function planWith(planning: Planning): Plan {
  const { ready, requests, warnings, reason, fates, tokens } = planning.plan();
  const does = ready?.outcome === "applied" || ready?.outcome === "trimmed";
  const plan: Plan = {
    outcome: ready === null ? "summarize" : does ? "ready" : (ready.outcome as "unchanged" | "skipped"),
    reason: ready?.reason ?? reason,
    messages: planning.fates(ready?.fates ?? fates),
    requests: requests.map(({ instruction, transcript, covers }) => ({
      messages: [
        { role: "system", content: instruction },
        { role: "user", content: transcript },
      ],
      covers,
    })),
    tokens: planning.change(ready?.tokens ?? tokens),
    warnings: ready?.warnings ?? warnings,
  };
  plannings.set(plan, planning);
  return plan;
}

/**
 * Carries a plan out with the answers to its requests, in their order.
 *
 * @example
 * ```ts
 * const plan = planHistory(conversation, { compressionStrategy: wholeHistory() });
 * const { conversation: shorter } = applyPlan(
 *   plan,
 *   plan.requests.map(() => "They greeted each other."),
 * );
 * ```
 * @throws {TurnfoldError} `compression_failed` when a summary is empty or longer than what it stands for [FR-017],
 * with the report so far in `details`; `invalid_summaries` when their number is not that of the requests, `invalid_plan` for
 * a plan of another making.
 */
export function applyPlan(plan: Plan, summaries: readonly string[]): Managed {
  const planning = plannings.get(plan);
  if (planning === undefined) {
    throw new TurnfoldError("invalid_plan", "applyPlan takes a plan that planHistory gave", {
      hint: "a copy or a saved plan can't be applied: plan again, which gives the same",
    });
  }
  const texts = reading("invalid_summaries", "summaries", () => {
    const copied: unknown[] | null = Array.isArray(summaries) ? Array.from(summaries) : null;
    const wrong = copied?.find((text) => typeof text !== "string");
    if (copied?.every((text) => typeof text === "string")) return copied as string[];
    throw new TurnfoldError(
      "invalid_summaries",
      `summaries must be a list of texts, got ${copied === null ? describe(summaries) : `${describe(wrong)} in it`}`,
    );
  });
  return settleWith(planning, texts);
}

function settleWith(planning: Planning, summaries: readonly string[]): Managed {
  let settled: Settled;
  try {
    settled = planning.settle(summaries);
  } catch (error) {
    if (TurnfoldError.isInstance(error)) error.details.report = planning.reportSoFar();
    throw error;
  }
  return {
    conversation: planning.result(settled),
    report: {
      outcome: settled.outcome,
      strategy: planning.strategy,
      reason: settled.reason,
      warnings: settled.warnings,
      messages: planning.fates(settled.fates),
      inserted: settled.inserted,
      llmCalls: summaries.length,
      tokens: planning.change(settled.tokens),
    },
  };
}

const OPTIONS = ["request", "tools", "schema", "llm", "retry", "signal", "onWarning"];

/**
 * Plans, asks the model for the summaries, side by side, and applies. It is all or nothing: when it rejects, everything is
 * as it was [FR-004, FR-017, FR-018].
 *
 * @example
 * ```ts
 * const { conversation: shorter, report } = await manageHistory(
 *   conversation,
 *   { compressionStrategy: lastNMessages(10), maxTokens: 50_000 },
 *   { llm },
 * );
 * ```
 * @throws {TurnfoldError} as {@link planHistory}; `compression_failed` when the model can't be asked, or its summary is empty,
 * was cut off, or is longer than what it stands for, with the strategy, the problem and the report so far in `details` and
 * the failure as its cause; `aborted`.
 */
export async function manageHistory(
  conversation: Conversation,
  parameters: RequestParameters,
  options: ManageOptions = {},
): Promise<Managed> {
  const checked = checkParameters(parameters);
  const { usage: _, ...managed } = await manage(conversation, checked, checkOptions(options));
  return managed;
}

function checkOptions(options: unknown): ManageOptions {
  return reading("invalid_option", "the options", () => {
    const given = checkMembers("the options", options, OPTIONS) as ManageOptions;
    checkLLM(given.llm);
    checkRetry(given.retry);
    checkWarn(given.onWarning);
    checkSignal(given.signal);
    return given;
  });
}

function checkSignal(signal: unknown): void {
  const { aborted, addEventListener } = Object(signal) as Partial<AbortSignal>;
  if (signal === undefined || (typeof aborted === "boolean" && typeof addEventListener === "function")) return;
  throw new TurnfoldError("invalid_option", `signal must be an AbortSignal, got ${describe(signal)}`, {
    details: { option: "signal" },
    hint: "new AbortController().signal, or AbortSignal.timeout(10_000)",
  });
}

/**
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkWarn(onWarning: unknown): void {
  if (onWarning === undefined || typeof onWarning === "function") return;
  throw new TurnfoldError("invalid_option", `onWarning must be a function, got ${describe(onWarning)}`, {
    details: { option: "onWarning" },
  });
}

/**
 * {@link manageHistory} with everything checked.
 *
 * @internal
 */
export async function manage(
  conversation: Conversation,
  parameters: CheckedParameters,
  { llm, retry, signal, onWarning = console.warn, ...context }: ManageOptions,
): Promise<ManagedWithUsage> {
  if (signal?.aborted) throw aborted(signal);
  const planning = new Planning(conversation, parameters, context);
  const plan = planWith(planning);
  const usage: Usage = {};
  const answers = plan.requests.length === 0 ? [] : await askAll(planning, plan, llm, retry, signal);
  for (const answer of answers) addUsage(usage, answer.usage);
  const managed = settleWith(
    planning,
    answers.map(({ content }) => content),
  );
  for (const warning of managed.report.warnings) warn(onWarning, warning);
  return { ...managed, usage };
}

/**
 * Tells of a warning. Whoever is told must not undo what succeeded: what they throw is written to the console.
 *
 * @internal
 */
export function warn(onWarning: (text: string) => void, warning: string): void {
  try {
    onWarning(warning);
  } catch (error) {
    console.error(error);
  }
}

/**
 * The error of what was given up.
 *
 * @internal
 */
export function aborted(signal: AbortSignal | undefined, report?: HistoryReport): TurnfoldError {
  return new TurnfoldError("aborted", "it was given up by the host; nothing has changed", {
    details: report === undefined ? {} : { strategy: report.strategy, report },
    cause: signal?.reason,
  });
}

async function askAll(
  planning: Planning,
  plan: Plan,
  llm: LLM | undefined,
  retry: Retry | undefined,
  signal: AbortSignal | undefined,
): Promise<Answer[]> {
  if (llm === undefined) {
    throw new TurnfoldError("invalid_option", `${planning.strategy} asks for summaries, and there is no llm`, {
      details: { option: "llm", report: planning.reportSoFar() },
      hint: "{ llm: async ({ messages, signal }) => text }",
    });
  }
  // One that fails ends the others.
  const own = new AbortController();
  const forward = () => own.abort(signal?.reason);
  signal?.addEventListener("abort", forward, { once: true });
  const failed = (problem: string, message: string, request: number, cause?: unknown) =>
    new TurnfoldError("compression_failed", `${planning.strategy}: ${message}`, {
      details: { strategy: planning.strategy, problem, request, report: planning.reportSoFar() },
      hint: "the conversation is as it was; call again, or use another strategy or model",
      ...(cause === undefined ? {} : { cause }),
    });
  const ask = async ({ messages }: Plan["requests"][number], request: number): Promise<Answer> => {
    let answer: Answer | null;
    try {
      const asked: LLMRequest = {
        messages: messages.map((message) => ({ ...message })),
        purpose: planning.purpose,
        signal: own.signal,
      };
      answer = await askModel(llm, asked, retry);
    } catch (cause) {
      throw failed("model", messageOf(cause), request, cause);
    }
    if (answer === null) throw aborted(signal, planning.reportSoFar());
    if (answer.isCutOff) throw failed("cut_off", "the summary was cut off by the model's length limit", request);
    if (answer.content.trim() === "") {
      const called = answer.toolCalls.length > 0;
      throw failed(
        "empty",
        called ? "the model called a tool and wrote no summary" : "the model gave an empty summary",
        request,
      );
    }
    return answer;
  };
  try {
    return await Promise.all(plan.requests.map(ask));
  } catch (error) {
    own.abort(error);
    throw signal?.aborted ? aborted(signal, planning.reportSoFar()) : error;
  } finally {
    signal?.removeEventListener("abort", forward);
  }
}
