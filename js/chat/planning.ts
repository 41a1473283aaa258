import { quote, wellFormed } from "../boundary/plain-json.ts";
import { call, generation, type PlanningHandle, send } from "../boundary/wasm.ts";
import { reading, TurnfoldError } from "../errors.ts";
import { countAll, estimate, type TokenCounter } from "../tokens/tokens.ts";
import { describe } from "../values/describe.ts";
import type { ChatMessage } from "./chat-message.ts";
import { adopt, type Conversation, describedList, messagesOf, ofMessages, twinOf } from "./conversation.ts";
import { copyMessages, known } from "./message-copy.ts";
import type { CheckedParameters } from "./parameters.ts";
import { askStrategy, type CustomHistoryStrategy } from "./strategies.ts";

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

type Entry = number | [index: number, stubs: [place: number, text: string][]] | NewSummary;
type NewSummary = { role: string; content: string; covers: number; strategy: string; timestamp: number | null };
/** Three for each stretch of messages that fare the same: how many, their fate, its reason. */
type ToldFates = (string | number | null)[];

/** @internal */
export interface Applied {
  outcome: HistoryReport["outcome"];
  reason: string | null;
  fates: ToldFates;
  entries: Entry[];
  inserted: number;
  warnings: string[];
  tokens: [number, number];
}

/** @internal */
export interface ToldPlan {
  fates: ToldFates;
  /** The tokens of each message. */
  sizes: number[];
  requests: { instruction: string; transcript: string; covers: number[] }[];
  warnings: string[];
  reason: string | null;
  tokens: [number, number];
  strategy: string | null;
  ready: Applied | null;
}

type Told = {
  count?: string[];
  host?: { strategy: number; messages: [index: number, tokens: number][]; stubs: [number, [number, string][]][] };
  plan?: ToldPlan;
  applied?: Applied;
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
  apply(summaries: readonly string[]): Applied {
    // What needs no summary was applied with the plan; the wasm side counts the summaries.
    if (this.told?.ready && summaries.length === 0) return this.told.ready;
    const text = `[${summaries.map(quote).join()}]`;
    return this.ask(() => {
      const isNew = this.made !== generation();
      const handle = this.open();
      if (isNew) this.plan();
      return handle.apply(send(text));
    }).applied as Applied;
  }

  /** The conversation that the plan came to. */
  result({ outcome, entries }: Applied): Conversation {
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
