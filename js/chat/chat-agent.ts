import { forwardAbort } from "../boundary/abort.ts";
import { checkCount, checkMembers, invalidOption } from "../boundary/options.ts";
import { reading, TurnfoldError } from "../errors.ts";
import {
  type Answer,
  addUsage,
  askModel,
  checkLLM,
  checkRetry,
  checkSignal,
  type LLM,
  type LLMRequest,
  type Retry,
  type Usage,
} from "../model/model.ts";
import type { Tools } from "../sandbox/tools.ts";
import { type ObjectSchema, readSchema } from "../signature/object-schema.ts";
import type { ChatMessage } from "./chat-message.ts";
import { answerCall, type ChatTools, checkChatTools } from "./chat-tools.ts";
import { Conversation, messagesOf, ofMessages } from "./conversation.ts";
import { jsonIn, partialJsonIn } from "./json-reply.ts";
import { aborted, checkWarn, manage, warn } from "./manage-history.ts";
import { copyMessages } from "./message-copy.ts";
import { type CheckedParameters, checkParameters, type RequestParameters } from "./parameters.ts";
import type { HistoryReport } from "./planning.ts";

/** Options of {@link Agent}. */
export interface ChatAgentOptions {
  /** The system message. It replaces the leading system messages of a given conversation. */
  system?: string;
  llm: LLM;
  /** The tools that the model may call. */
  tools?: Tools;
  /** The earlier conversation. */
  conversation?: Conversation;
  /** Maximum number of model calls for one input: the first, and one after each round of tool calls. Default 10. */
  maxSteps?: number;
  retry?: Retry;
  /** Receives warnings; default `console.warn`. */
  onWarning?: (text: string) => void;
}

/** Options of one call of an {@link Agent}, beside {@link RequestParameters}. */
export interface CallOptions {
  signal?: AbortSignal;
  /** How often the model may repair an object that does not fit its schema. Default 1. */
  maxRepairs?: number;
}

/** The result of a call. */
export interface ChatReply {
  /** The model's last reply. */
  text: string;
  /** The messages of this call: the input, tool calls, their results, the reply. */
  messages: readonly ChatMessage[];
  /** The first of `reports` that changed the history, or the last one. */
  report: HistoryReport;
  /** One report for each call of the model: the history is managed before each. */
  reports: readonly HistoryReport[];
  /** Usage of the whole call. */
  usage: Usage;
}

const OPTIONS: readonly (keyof ChatAgentOptions)[] = [
  "system",
  "llm",
  "tools",
  "conversation",
  "maxSteps",
  "retry",
  "onWarning",
];

const RENAMED = {
  systemPrompt: "system",
  instructions: "system",
  model: "llm",
  messages: "conversation",
  maxTurns: "maxSteps",
};

const MAX_STEPS = 10;
const MAX_REPAIRS = 1;

/** Checked parameters of one call. */
interface Call {
  parameters: CheckedParameters;
  signal: AbortSignal | undefined;
  maxRepairs: number;
  schema: ObjectSchema | undefined;
  /** Receives each piece of text, and the whole text of the reply so far. */
  onText: (text: string, all: string) => void;
  /** Whether the text so far is kept when the call is aborted. */
  keepsPartial: boolean;
}

/**
 * A chat with a model. The history is managed before every request to the model, by the parameters of the call.
 *
 * Only one call may run at a time. A call that fails changes nothing; a stream that is aborted keeps the text so far, marked
 * `partial`.
 *
 * @example
 * ```ts
 * const agent = new Agent({ system: "You help customers.", llm });
 * const answer = await agent.invoke("Where is my order?", {
 *   compressionStrategy: lastNMessages(20),
 *   maxTokens: 50_000,
 * });
 * ```
 */
export class Agent {
  private readonly options: Settings;
  private readonly tools: ChatTools;
  private current: Conversation;
  private said: readonly ChatMessage[];
  private isBusy = false;

  /** @throws {TurnfoldError} `invalid_option`, `invalid_tool`, `invalid_signature`, `missing_llm` */
  constructor(options: ChatAgentOptions) {
    const given = reading("invalid_option", "the options of an agent", () =>
      checkMembers("the options of an agent", options, OPTIONS, RENAMED),
    ) as Partial<ChatAgentOptions>;
    const { system, tools = {}, conversation = new Conversation(), onWarning = console.warn } = given;
    const llm = checkLLM(given.llm);
    if (llm === undefined) {
      throw new TurnfoldError("missing_llm", "an agent needs a model", {
        hint: "llm: async ({ messages, tools, signal }) => ({ content, toolCalls })",
      });
    }
    if (system !== undefined && typeof system !== "string") throw invalidOption("system", "a text", system);
    checkWarn(onWarning);
    const maxSteps = checkCount("maxSteps", given.maxSteps, MAX_STEPS, 1);
    this.options = { llm, maxSteps, retry: checkRetry(given.retry), onWarning };
    this.tools = reading("invalid_option", "tools", () => checkChatTools(tools));
    this.current = withSystem(conversation, system);
    this.said = this.current.messages;
  }

  /** The conversation from which the next call starts. It is replaced as a whole or not at all. */
  get conversation(): Conversation {
    return this.current;
  }

  /** All messages of all calls, including those that were summarized or dropped. It is never sent. */
  get transcript(): readonly ChatMessage[] {
    return this.said;
  }

  /**
   * Sends a message and resolves to the text of the reply.
   *
   * @throws {TurnfoldError} as {@link Agent.chat}
   */
  async invoke(
    input: string | readonly ChatMessage[],
    parameters: RequestParameters & CallOptions = {},
  ): Promise<string> {
    return (await this.chat(input, parameters)).text;
  }

  /**
   * Sends a message and resolves to the reply with its messages, reports and usage.
   *
   * @param input a text, or messages; an empty list answers what is pending at the end of the conversation.
   * @throws {TurnfoldError} `llm_error`; `max_steps_exceeded`, with the messages so far in its details; `aborted`; `busy`;
   * `invalid_message`, `invalid_option`; what {@link manageHistory} throws.
   */
  chat(input: string | readonly ChatMessage[], parameters: RequestParameters & CallOptions = {}): Promise<ChatReply> {
    return this.begin(input, () => callOf(parameters)).then(({ reply }) => reply);
  }

  /**
   * Sends a message and streams the reply. The history is managed before the first piece. Leaving the loop early closes the
   * stream.
   *
   * @returns the pieces, and `done`, a promise of the reply. The call runs even if the pieces are not read.
   */
  stream(
    input: string | readonly ChatMessage[],
    parameters: RequestParameters & CallOptions = {},
  ): AsyncIterable<string> & { readonly done: Promise<ChatReply> } {
    const pieces = new Pieces<string>();
    const done = this.begin(input, () => ({
      ...callOf(parameters, pieces),
      onText: (text) => pieces.push(text),
      keepsPartial: true,
    })).then(({ reply }) => reply);
    return pieces.until(done);
  }

  /**
   * Asks for an object that fits a schema.
   *
   * @param schema a signature's text (`-> name: str, tags: list[str]`), JSON Schema, or a Standard Schema. The model callback
   * gets it as JSON Schema, to be passed to the provider.
   * @throws {TurnfoldError} `invalid_object` when the object does not fit after all repairs, with its text and the problems in
   * the details; else as {@link Agent.chat}.
   */
  async generateObject<T = unknown>(
    input: string | readonly ChatMessage[],
    schema: unknown,
    parameters: RequestParameters & CallOptions = {},
  ): Promise<ChatReply & { object: T }> {
    const { reply, object } = await this.begin(input, () => ({ ...callOf(parameters), schema: readSchema(schema) }));
    return { ...reply, object: object as T };
  }

  /**
   * Asks for an object and streams partial objects as text arrives. Partial objects are not checked; the object of `done` is.
   * When the model has to repair an object, the stream starts over.
   */
  streamObject<T = unknown>(
    input: string | readonly ChatMessage[],
    schema: unknown,
    parameters: RequestParameters & CallOptions = {},
  ): AsyncIterable<Partial<T>> & { readonly done: Promise<ChatReply & { object: T }> } {
    const pieces = new Pieces<Partial<T>>();
    let last = "";
    const done = this.begin(input, () => ({
      ...callOf(parameters, pieces),
      schema: readSchema(schema),
      onText: (_, all) => {
        const partial = partialJsonIn(all);
        const text = JSON.stringify(partial);
        if (partial === undefined || text === last) return;
        last = text;
        pieces.push(partial as Partial<T>);
      },
      keepsPartial: true,
    })).then(({ reply, object }) => ({ ...reply, object: object as T }));
    return pieces.until(done);
  }

  /** The current messages, and nothing else, as JSON data. */
  checkpoint(): unknown {
    return this.current.toJSON();
  }

  /**
   * Restores a checkpoint. Torn pairs in it are reported as warnings.
   *
   * @throws {TurnfoldError} `invalid_conversation`, `unknown_version`, `invalid_message`, `busy`
   */
  restore(checkpoint: unknown): void {
    if (this.isBusy) throw busy();
    const conversation = Conversation.fromJSON(checkpoint);
    for (const { message } of conversation.lint()) {
      warn(this.options.onWarning, `the checkpoint is not whole: ${message}`);
    }
    this.current = conversation;
    this.said = conversation.messages;
  }

  private async begin(
    input: string | readonly ChatMessage[],
    check: () => Call,
  ): Promise<{ reply: ChatReply; object: unknown }> {
    const call = check();
    const request = requestOf(input, this.current);
    if (this.isBusy) throw busy();
    this.isBusy = true;
    try {
      return await new Exchange(this.options, this.tools, this.current, request, call).run((conversation, messages) => {
        this.current = conversation.append(...messages);
        this.said = Object.freeze([...this.said, ...this.current.messages.slice(conversation.messages.length)]);
      });
    } finally {
      this.isBusy = false;
    }
  }
}

function busy(): TurnfoldError {
  return new TurnfoldError("busy", "the agent is answering; one call at a time", {
    hint: "await the call before, or make another Agent with the same conversation",
  });
}

/** The agent's system message replaces the leading system messages of a stored conversation. */
function withSystem(conversation: Conversation, system: string | undefined): Conversation {
  const messages = messagesOf(conversation);
  if (system === undefined) return conversation;
  const first = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const own = copyMessages([{ role: "system", content: system }], "system");
  return ofMessages([...own, ...(first < 0 ? [] : messages.slice(first))]);
}

function requestOf(input: unknown, conversation: Conversation): ChatMessage[] {
  const messages = typeof input === "string" ? [{ role: "user", content: input }] : input;
  const copied = copyMessages(messages, "input");
  if (copied.length === 0 && conversation.messages.length === 0) {
    throw new TurnfoldError("invalid_message", "there is nothing to answer: the conversation and the input are empty");
  }
  const now = Date.now();
  return copied.map((message) => (message.timestamp === undefined ? { ...message, timestamp: now } : message));
}

function callOf(parameters: RequestParameters & CallOptions, pieces?: Pieces<unknown>): Call {
  const checked = checkParameters(parameters, ["signal", "maxRepairs"]);
  const maxRepairs = checkCount("maxRepairs", parameters.maxRepairs, MAX_REPAIRS, 0);
  const signal = checkSignal(parameters.signal);
  return {
    parameters: checked,
    signal: pieces === undefined ? signal : pieces.signalOf(signal),
    maxRepairs,
    schema: undefined,
    onText: () => {},
    keepsPartial: false,
  };
}

type Settings = Required<Pick<ChatAgentOptions, "llm" | "maxSteps" | "retry" | "onWarning">>;

/** One input and everything that follows until the model has answered. */
class Exchange {
  private readonly settings: Settings;
  private readonly tools: ChatTools;
  private readonly call: Call;
  private readonly request: readonly ChatMessage[];
  private conversation: Conversation;
  private readonly messages: ChatMessage[];
  private readonly reports: HistoryReport[] = [];
  private readonly usage: Usage = {};

  constructor(settings: Settings, tools: ChatTools, conversation: Conversation, request: ChatMessage[], call: Call) {
    this.settings = settings;
    this.tools = tools;
    this.conversation = conversation;
    this.request = request;
    this.messages = [...request];
    this.call = call;
  }

  /** @param commit stores the messages of the exchange. */
  async run(
    commit: (conversation: Conversation, messages: readonly ChatMessage[]) => void,
  ): Promise<{ reply: ChatReply; object: unknown }> {
    const partial = { text: "" };
    try {
      const { text, object } = await this.answer(partial);
      commit(this.conversation, this.messages);
      return { reply: this.reply(text), object };
    } catch (error) {
      const isGivenUp = TurnfoldError.isInstance(error) && error.code === "aborted";
      if (isGivenUp && this.call.keepsPartial && (partial.text !== "" || this.messages.length > this.request.length)) {
        if (partial.text !== "") this.messages.push(reply(partial.text, { partial: true }));
        commit(this.conversation, this.messages);
      }
      throw error;
    }
  }

  private reply(text: string): ChatReply {
    const report =
      this.reports.find(({ outcome }) => outcome === "applied" || outcome === "trimmed") ?? this.reports.at(-1);
    return {
      text,
      messages: Object.freeze([...this.messages]),
      report: report as HistoryReport,
      reports: this.reports,
      usage: this.usage,
    };
  }

  /** Calls the model and its tools until there is an answer or, for objects, one that fits. */
  private async answer(partial: { text: string }): Promise<{ text: string; object: unknown }> {
    const { schema, maxRepairs } = this.call;
    /** Repair messages for objects that did not fit. They are not part of the history. */
    let repair: ChatMessage[] = [];
    let repairs = 0;
    for (let step = 1; step <= this.settings.maxSteps + repairs; step++) {
      const answer = await this.ask(repair, partial);
      if (answer.toolCalls.length > 0) {
        repair = [];
        await this.callTools(answer);
        continue;
      }
      partial.text = "";
      if (schema === undefined) {
        this.messages.push(reply(answer.content));
        return { text: answer.content, object: undefined };
      }
      const json = jsonIn(answer.content);
      const fit = json === undefined ? { problems: ["it is not JSON"] } : await schema.fit(json);
      if ("object" in fit) {
        this.messages.push(reply(answer.content));
        return { text: answer.content, object: fit.object };
      }
      if (repairs === maxRepairs) throw this.misfit(answer.content, fit.problems);
      repairs++;
      repair = [reply(answer.content), { role: "user", content: repairText(schema, fit.problems) }];
    }
    throw new TurnfoldError(
      "max_steps_exceeded",
      `the model went on calling tools for ${this.settings.maxSteps} steps`,
      {
        details: { maxSteps: this.settings.maxSteps, messages: [...this.messages] },
        hint: "raise maxSteps; the conversation is unchanged; details.messages has the messages of this call",
      },
    );
  }

  private misfit(text: string, problems: string[]): TurnfoldError {
    return new TurnfoldError("invalid_object", `the model's object does not fit the schema: ${problems.join("; ")}`, {
      details: { text, problems, reports: this.reports },
      hint: "raise maxRepairs, hand the schema to the provider, or relax it",
    });
  }

  private async ask(repair: readonly ChatMessage[], partial: { text: string }): Promise<Answer> {
    const { settings, tools, call } = this;
    const { signal, schema } = call;
    const offered = [...tools.values()].map((tool) => tool.offered);
    const sent = [...this.messages, ...repair];
    const { conversation, report, usage } = await manage(this.conversation, call.parameters, {
      ...settings,
      // An empty input answers the end of the conversation.
      ...(sent.length === 0 ? {} : { request: sent }),
      ...(offered.length === 0 ? {} : { tools: offered }),
      ...(schema === undefined ? {} : { schema: schema.json ?? undefined }),
      ...(signal === undefined ? {} : { signal }),
    });
    this.conversation = conversation;
    this.reports.push(report);
    addUsage(this.usage, usage);
    const request: LLMRequest = { messages: [...conversation.messages, ...sent], purpose: "answer" };
    if (signal !== undefined) request.signal = signal;
    if (schema?.json) request.schema = schema.json;
    if (offered.length > 0) request.tools = offered;
    partial.text = "";
    const onText = (text: string) => {
      partial.text += text;
      // After an abort nothing more is reported.
      if (!signal?.aborted) call.onText(text, partial.text);
    };
    // Streamed text can't be taken back, so a stream that has begun is not retried.
    const answer = await askModel(settings.llm, request, settings.retry, onText, () => partial.text !== "");
    if (answer === null) throw aborted(signal);
    if (partial.text === "" && answer.content !== "") onText(answer.content);
    addUsage(this.usage, answer.usage);
    return answer;
  }

  private async callTools({ content, toolCalls }: Answer): Promise<void> {
    const asked = reply(content, { toolCalls });
    const before = [...this.conversation.messages, ...this.messages];
    const results = await Promise.all(toolCalls.map((call) => answerCall(this.tools, call, before, this.call.signal)));
    if (results.includes(null)) throw aborted(this.call.signal);
    this.messages.push(asked, ...(results as ChatMessage[]));
  }
}

function reply(content: string, more: Partial<ChatMessage> = {}): ChatMessage {
  return { role: "assistant", content, ...more, timestamp: Date.now() };
}

function repairText({ json }: ObjectSchema, problems: readonly string[]): string {
  const told = problems.map((problem) => `- ${problem}`).join("\n");
  const schema = json === null ? "" : `\n\nThe JSON Schema:\n${JSON.stringify(json)}`;
  return `That object can't be used:\n${told}\n\nWrite the whole object again as JSON, and nothing else.${schema}`;
}

/** A stream of pieces for one reader, who may start late or leave early. */
class Pieces<T> {
  private readonly waiting: T[] = [];
  private readonly left = new AbortController();
  private wake: () => void = () => {};
  private unlisten: () => void = () => {};
  private isOver = false;
  private failure: { error: unknown } | null = null;

  push(piece: T): void {
    this.waiting.push(piece);
    this.wake();
  }

  /** Aborts when the host's signal aborts or the reader leaves. */
  signalOf(signal: AbortSignal | undefined): AbortSignal {
    this.unlisten = forwardAbort(signal, this.left);
    return this.left.signal;
  }

  until<R>(done: Promise<R>): AsyncIterable<T> & { readonly done: Promise<R> } {
    done.then(
      () => this.end(null),
      (error: unknown) => this.end({ error }),
    );
    return { [Symbol.asyncIterator]: () => this.read(), done };
  }

  private end(failure: { error: unknown } | null): void {
    this.isOver = true;
    this.failure = failure;
    this.unlisten();
    this.wake();
  }

  private async *read(): AsyncGenerator<T> {
    let finished = false;
    try {
      for (;;) {
        while (this.waiting.length > 0) yield this.waiting.shift() as T;
        if (this.isOver) break;
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
      finished = true;
      if (this.failure !== null) throw this.failure.error;
    } finally {
      if (!finished) this.left.abort(new DOMException("the reader left the stream", "AbortError"));
    }
  }
}
