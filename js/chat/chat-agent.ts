import { checkSignal } from "../boundary/abort.ts";
import { currentTime } from "../boundary/clock.ts";
import { unlessAborted } from "../boundary/host.ts";
import {
  anyOption,
  choiceOption,
  countOption,
  flagOption,
  functionOption,
  type OptionChecks,
  readOptions,
  textOption,
} from "../boundary/options.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { checkLLM, type LLM } from "../model/model.ts";
import { checkRetry, type Retry } from "../model/retry.ts";
import { type ObjectAs, type ObjectSchema, readSchema } from "../signature/object-schema.ts";
import { checkApprove } from "../tools/approval.ts";
import {
  type AnyTools,
  type Approve,
  type GivenTools,
  type LiveTools,
  refreshKey,
  type ToolsOption,
} from "../tools/tool.ts";
import { listTools, liveTools, toolWarnings } from "../tools/tools.ts";
import { Recorder } from "../waiting/recorder.ts";
import type { OnRecord } from "../waiting/run-record.ts";
import type { AnswerSource, WaitingCall } from "../waiting/waiting-call.ts";
import { checkCalibration, hasLearned } from "./calibration.ts";
import { type ChatMessage, isSystem } from "./chat-message.ts";
import { type ChatTools, checkChatAnswers, checkChatTools } from "./chat-tools.ts";
import { Conversation, localConversation, ofMessages, restoreConversation, saveConversation } from "./conversation.ts";
import {
  type AgentSettings,
  type CallSettings,
  type ChatReply,
  Exchange,
  type FinishedReply,
  waitingIn,
} from "./exchange.ts";
import { afterRecords, readRound } from "./exchange-state.ts";
import { warn } from "./manage-history.ts";
import { copyMessages, markChecked } from "./message-copy.ts";
import {
  checkParameters,
  copyParameters,
  PARAMETER_NAMES,
  RENAMED_PARAMETERS,
  type RequestParameters,
} from "./parameters.ts";
import { PartialJson } from "./partial-json.ts";
import { type ReplyStream, ReplyWriter } from "./reply-stream.ts";
import { RESULT_TOOL_NAME } from "./result-tool.ts";
import { checkStore, type SummaryStorage } from "./summary-store.ts";
import { checkFoundTools, SEARCH_TOOL_NAME } from "./tool-search.ts";
import { type AgentState, exchangeStart, isResumedBy, unfinishedQuestion } from "./unfinished-exchange.ts";

/**
 * Options of {@link Agent}. {@link RequestParameters}, `maxSteps`, `maxRepairs`, `approve` and `onRecord` are defaults: a
 * call may replace each of them. A checkpoint does not contain them.
 */
export interface ChatAgentOptions<T extends GivenTools = GivenTools>
  extends RequestParameters,
    Omit<CallOptions<T>, "signal" | "answers"> {
  /** The system message. It replaces the leading system messages of a given conversation. */
  system?: string | undefined;
  llm: LLM;
  /**
   * The tools that the model may call. They are copied, except the object of {@link mcpTools}, which is read again at the start
   * of each call.
   */
  tools?: ToolsOption<T>;
  /**
   * Maximum tokens of the tools that are offered to the model, by the estimate: the first tools of `tools` that fit, and a tool
   * `tool_search`, which finds the others by words of their names and descriptions. What it found is offered after the other
   * tools for the rest of the conversation, and saved by {@link Agent.checkpoint}. Default none: all tools are offered.
   */
  toolBudget?: number | undefined;
  /** The earlier conversation. */
  conversation?: Conversation | undefined;
  /**
   * What a call that ends early leaves in the conversation. `keep`: its question, the tool calls that ran and the
   * streamed part of the answer, for {@link Agent.resume} · `discard`: nothing. Default `keep`.
   */
  onFailure?: "keep" | "discard" | undefined;
  retry?: Retry | undefined;
  /**
   * Whether counts are scaled to the provider's, by the usage of the replies and for each model that they name. Limits
   * apply to scaled counts, reports have the scale, and checkpoints what was learned. Default true.
   */
  calibrate?: boolean | undefined;
  /** Receives warnings; default `console.warn`. */
  onWarning?: ((text: string) => void) | undefined;
  /** Stores summaries, so that those that succeeded are not requested again when another one of the same plan fails. */
  summaryStore?: SummaryStorage | undefined;
}

/**
 * Options of one call of an {@link Agent}, in addition to {@link RequestParameters}. Each replaces that of the agent;
 * one that is undefined does not.
 */
export interface CallOptions<T extends GivenTools = AnyTools> {
  signal?: AbortSignal | undefined;
  /** Maximum number of model calls for one input: the first, and one after each round of tool calls. Default 10. */
  maxSteps?: number | undefined;
  /** Maximum number of times that the model may repair an object that does not match its schema. Default 1. */
  maxRepairs?: number | undefined;
  /**
   * Asked before each tool call, and by agents that run as tools for their tools that ask for an approval. Default: tools
   * run without asking, except those that ask for an approval (`needsApproval`, `requireApproval`), which wait for an
   * answer.
   */
  approve?: Approve<T> | undefined;
  /** Answers to calls that wait, by their ids in {@link Agent.waiting}. What is not answered goes on waiting. */
  answers?: AnswerSource | undefined;
  /**
   * Stores each record of what happens, in order, before it has an effect that can't be taken back: enough for
   * {@link Agent.restore} after a crash at any point. The call waits for it.
   */
  onRecord?: OnRecord | undefined;
}

/** The result of {@link Agent.generateObject}. */
export type ObjectReply<O> = FinishedReply & { object: O };

/** Options of {@link Agent.checkpoint}. */
export interface CheckpointOptions {
  /** Whether the transcript is saved too. Default false. */
  transcript?: boolean | undefined;
}

const RENAMED = {
  ...RENAMED_PARAMETERS,
  systemPrompt: "system",
  instructions: "system",
  model: "llm",
  messages: "conversation",
  maxTurns: "maxSteps",
};

const CALL_OPTIONS: readonly (keyof CallOptions)[] = [
  "signal",
  "maxSteps",
  "maxRepairs",
  "approve",
  "answers",
  "onRecord",
];

const MAX_STEPS = 10;
const MAX_REPAIRS = 1;

/**
 * A chat with a model. The history is managed before every request to the model, with the parameters of the agent and of
 * the call.
 *
 * Only one call may run at a time.
 *
 * A call that ends early, for any reason, keeps its question, the tool calls that ran with their results, and the
 * streamed part of the answer, marked `partial`. A tool call without a result gets one that says so. All of it is in
 * `conversation`, in `transcript`, and in `details.messages` of the error. {@link Agent.resume}, or sending the same
 * question again, continues from there: no question is asked and no tool is called twice. Another question leaves these
 * messages in the history.
 *
 * A tool call that needs an approval which nobody gives within the call, or whose tool returned {@link later}, waits: the
 * other calls run, and the reply has the status `waiting`. Such calls are kept beside the conversation and in checkpoints,
 * until {@link Agent.resume} has an answer to each, or another question is asked.
 *
 * @example
 * ```ts
 * const agent = new Agent({
 *   system: "You help customers.",
 *   llm,
 *   compressionStrategy: lastNMessages(20),
 *   maxTokens: 50_000,
 * });
 * const { text } = await agent.chat("Where is my order?");
 * const short = await agent.chat("And in one word?", { maxTokens: 10_000 });
 * ```
 */
export class Agent<const ToolSet extends GivenTools = AnyTools> {
  private readonly settings: AgentSettings;
  private readonly defaults: Pick<CallSettings, "maxSteps" | "maxRepairs" | "approve" | "onRecord">;
  private readonly parameters: RequestParameters;
  private readonly system: ChatMessage | null;
  private tools: ChatTools;
  /** The tools as given, when they follow a list elsewhere. */
  private readonly liveTools: LiveTools | undefined;
  private state: AgentState;
  private isBusy = false;
  /** The exchange that runs. */
  private exchange: Exchange | null = null;
  /** The records of the call before. */
  private recorder = Recorder.for(undefined);

  /**
   * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`, `invalid_tool`,
   * `invalid_signature`, `missing_llm`
   */
  constructor(options: ChatAgentOptions<ToolSet>) {
    // The parameters are checked by `checkParameters`.
    const parameterChecks = Object.fromEntries(PARAMETER_NAMES.map((name) => [name, anyOption()]));
    const given = readOptions(
      "the options of an agent",
      options,
      {
        ...(parameterChecks as OptionChecks<RequestParameters>),
        llm: checkLLM,
        system: textOption,
        tools: anyOption(),
        toolBudget: countOption(undefined, 0),
        conversation: anyOption(),
        onWarning: functionOption(null, console.warn),
        summaryStore: checkStore,
        onFailure: choiceOption(["keep", "discard"], "keep"),
        calibrate: flagOption(true),
        retry: checkRetry,
        maxSteps: countOption(MAX_STEPS, 1),
        maxRepairs: countOption(MAX_REPAIRS, 0),
        approve: checkApprove,
        onRecord: functionOption<OnRecord>(),
      } satisfies OptionChecks<Partial<ChatAgentOptions>>,
      RENAMED,
    );
    const { llm, system, retry, onWarning, summaryStore, calibrate, maxSteps, maxRepairs, approve, onRecord } = given;
    const { tools = {}, toolBudget, conversation = new Conversation(), onFailure } = given;
    if (llm === undefined) {
      throw new TurnfoldError("missing_llm", "an agent needs a model", {
        hint: "llm: async ({ messages, tools, signal }) => ({ content, toolCalls })",
      });
    }
    const calibration = calibrate ? {} : null;
    this.settings = { llm, retry, onWarning, onFailure, calibration, summaryStore, toolBudget, sentAt: null };
    this.defaults = { maxSteps, maxRepairs, approve, onRecord };
    this.parameters = copyParameters(given);
    const parameters = checkParameters(this.parameters);
    this.system = system === undefined ? null : markChecked({ role: "system", content: system });
    const listed = wrapReadErrors("invalid_option", "tools", () => listTools(tools));
    this.tools = wrapReadErrors("invalid_option", "tools", () => checkChatTools(tools, listed));
    for (const warning of toolWarnings(tools, listed)) warn(onWarning, warning);
    this.checkOwnTools(parameters);
    this.liveTools = wrapReadErrors("invalid_option", "tools", () => liveTools(tools));
    const own = withOwnSystem(conversation, this.system);
    this.state = { conversation: own, transcript: own.messages, round: null, foundTools: [] };
  }

  /**
   * The conversation from which the next call starts. Each call replaces it; the conversation itself never changes.
   */
  get conversation(): Conversation {
    return this.state.conversation;
  }

  /** True when the last call ended early, or waits, and {@link Agent.resume} can continue it. */
  get isUnfinished(): boolean {
    return unfinishedQuestion(this.state.conversation.messages) !== null;
  }

  /** The tool calls that wait for `answers`, in their order; empty when none does. */
  get waiting(): readonly WaitingCall[] {
    return waitingIn(this.state.round, this.tools);
  }

  /** All messages of all calls, including those that were summarized or dropped. It is never sent. */
  get transcript(): readonly ChatMessage[] {
    return this.state.transcript;
  }

  /**
   * Sends a message and resolves to the text of the reply.
   *
   * @throws {TurnfoldError} as {@link Agent.chat}; `calls_waiting` when tool calls wait, which are then in
   * `details.waiting` and in {@link Agent.waiting}: {@link Agent.resume} continues.
   */
  async invoke(
    input: string | readonly ChatMessage[],
    parameters: RequestParameters & CallOptions<ToolSet> = {},
  ): Promise<string> {
    return requireAnswer(await this.chat(input, parameters)).text;
  }

  /**
   * Sends a message and resolves to the reply with its messages, reports and usage. Its `status` says whether the model has
   * answered, or whether tool calls wait.
   *
   * @param input a text that is not empty, or messages; with an empty list the model answers the end of the conversation. The question of
   * an unfinished exchange resumes it.
   * @throws {TurnfoldError} `llm_error`, `max_steps_exceeded`, `aborted` and the errors of {@link manageHistory}, with
   * the messages of the exchange in `details.messages` and the usage of the call in `details.usage`; `busy`,
   * `invalid_message` and `invalid_option` before anything happens.
   */
  chat(
    input: string | readonly ChatMessage[],
    parameters: RequestParameters & CallOptions<ToolSet> = {},
  ): Promise<ChatReply> {
    return this.runExchange(input, () => this.checkCall(parameters)).then(({ reply }) => reply);
  }

  /**
   * Continues an exchange that ended early, or that waits. Its question is not asked again and none of its tools is called
   * again; the new answer replaces a partial one. For a stream or an object, send the same question, or an empty list,
   * with {@link Agent.stream} or {@link Agent.generateObject}; they take `answers` too.
   *
   * The model is asked when every call that waited has an answer; until then the reply has the status `waiting`. A call that
   * was being made when its process ended waits with the reason `interrupted`, unless its tool is `idempotent`.
   *
   * @throws {TurnfoldError} `nothing_to_resume` when the last exchange was finished or discarded; `invalid_answer` before
   * anything is called; otherwise as {@link Agent.chat}.
   * @example
   * ```ts
   * const agent = new Agent({ llm, tools: { refund: async ({ order }) => `${order} was refunded` } });
   * try {
   *   await agent.chat("Refund order 17.");
   * } catch {
   *   // The order is refunded once, whatever failed after it.
   *   if (agent.isUnfinished) console.log((await agent.resume()).text);
   * }
   * ```
   */
  resume(parameters: RequestParameters & CallOptions<ToolSet> = {}): Promise<ChatReply> {
    return this.runExchange(null, () => this.checkCall(parameters)).then(({ reply }) => reply);
  }

  /**
   * Sends a message and streams the reply. The history is managed before the first piece. Leaving the loop early aborts
   * the call.
   *
   * @returns the pieces of text; `events`, which has tool calls, steps and usage too; and `done`, a promise of the reply. The call
   * runs even if nothing is read.
   */
  stream(
    input: string | readonly ChatMessage[],
    parameters: RequestParameters & CallOptions<ToolSet> = {},
  ): ReplyStream<string> {
    const writer = new ReplyWriter<string>();
    const done = this.runExchange(input, () => ({
      ...this.checkCall(parameters, writer),
      onEvent: (event) => {
        if (event.type === "text") writer.push(event.text);
        writer.report(event);
      },
    })).then(({ reply }) => reply);
    return writer.streamUntil(done);
  }

  /**
   * Asks for an object that matches a schema and has its type. It is null while tool calls wait.
   *
   * @param schema a signature (`-> name: str, tags: list[str]`), JSON Schema, or a Standard Schema such as one of Zod. The
   * model callback receives it as JSON Schema, to be passed to the provider. A Standard Schema that can't produce JSON
   * Schema is only used for validation, with a warning that says what to do.
   * @throws {TurnfoldError} `invalid_object` when the object does not match after all repairs, with its text and the
   * problems in the details; `invalid_schema` and `invalid_signature` before anything happens; `calls_waiting` as
   * {@link Agent.invoke}; otherwise as {@link Agent.chat}.
   */
  async generateObject<T = never, const S = unknown>(
    input: string | readonly ChatMessage[],
    schema: S,
    parameters: RequestParameters & CallOptions<ToolSet> = {},
  ): Promise<ObjectReply<ObjectAs<T, S>>> {
    const { reply, object } = await this.runExchange(input, () => ({
      ...this.checkCall(parameters),
      schema: this.checkSchema(schema),
    }));
    return { ...requireAnswer(reply), object: object as ObjectAs<T, S> };
  }

  /**
   * Asks for an object and streams partial objects as text arrives. Partial objects are frozen and not validated; the
   * object of `done` is validated. A reader that is slower than the model gets the newest one each time. When the model
   * has to repair an object, the stream starts again.
   */
  streamObject<T = never, const S = unknown>(
    input: string | readonly ChatMessage[],
    schema: S,
    parameters: RequestParameters & CallOptions<ToolSet> = {},
  ): ReplyStream<Partial<ObjectAs<T, S>>, ObjectReply<ObjectAs<T, S>>> {
    const writer = new ReplyWriter<Partial<ObjectAs<T, S>>>({ keepsAll: false });
    let json = new PartialJson();
    const done = this.runExchange(input, () => ({
      ...this.checkCall(parameters, writer),
      schema: this.checkSchema(schema),
      onText: (text, isFirst) => {
        if (isFirst) json = new PartialJson();
        const partial = json.add(text);
        if (partial !== undefined) writer.push(partial as Partial<ObjectAs<T, S>>);
      },
      onEvent: (event) => writer.report(event),
    })).then(({ reply, object }) => ({ ...requireAnswer(reply), object: object as ObjectAs<T, S> }));
    return writer.streamUntil(done);
  }

  private checkSchema(schema: unknown): ObjectSchema {
    const read = readSchema(schema);
    if (read.advice !== null) {
      warn(this.settings.onWarning, `the model is not sent the schema, which gives no JSON Schema: ${read.advice}`);
    }
    return read;
  }

  /**
   * The current messages as JSON data, with the mark of an unfinished exchange, the calls that wait and the calibration. While
   * a call runs, it has everything that happened so far: {@link Agent.resume} continues from there after
   * {@link Agent.restore} in another process.
   *
   * @throws {TurnfoldError} `invalid_option`
   */
  checkpoint(options: CheckpointOptions = {}): unknown {
    const checks = { transcript: flagOption(false) };
    const { conversation, transcript, round, foundTools } = this.exchange?.current ?? this.state;
    const saved = readOptions("the options of a checkpoint", options, checks).transcript
      ? saveConversation(conversation, transcript)
      : conversation.toJSON();
    const { calibration } = this.settings;
    return {
      ...(saved as object),
      ...(round === null ? {} : { round: round.toJSON() }),
      ...(foundTools.length === 0 ? {} : { foundTools }),
      ...(calibration !== null && hasLearned(calibration) ? { calibration } : {}),
    };
  }

  /**
   * Restores a checkpoint, with or without a transcript; or continues with records that `onRecord` got: all since the agent began,
   * for one made with the same options, or all since a checkpoint, which is restored before.
   *
   * Without a transcript, the transcript begins with the messages of the checkpoint. Separated tool calls and results are
   * reported as warnings. The `system` of the agent replaces the leading system messages of the checkpoint. An agent
   * without it uses those of the checkpoint. A checkpoint without a calibration leaves that of the agent as it is.
   *
   * @param saved what {@link Agent.checkpoint} returned, or its JSON text; or a list of records.
   * @throws {TurnfoldError} `invalid_conversation`, `unknown_version`, `invalid_message`, `invalid_option` for its
   * calibration, `invalid_argument` for records, `busy`
   *
   * @example
   * ```ts
   * const records: RunRecord[] = [];
   * const tools = { refund: async ({ order }: { order: number }) => `${order} was refunded` };
   * const agent = new Agent({ llm, tools, onRecord: (record) => records.push(record) });
   * await agent.chat("Refund order 17.");
   *
   * const other = new Agent({ llm, tools });
   * other.restore(records);
   * if (other.isUnfinished) await other.resume();
   * ```
   */
  restore(saved: unknown): void {
    if (this.isBusy) throw busyError();
    const isList = Array.isArray(saved);
    const { state, calibration: given } = isList ? afterRecords(this.state, saved) : this.readCheckpoint(saved);
    // Reads the records of agents, too.
    waitingIn(state.round, this.tools);
    const calibration = given === null ? null : checkCalibration(given);
    for (const { message } of state.conversation.lint()) {
      warn(this.settings.onWarning, `the ${isList ? "chat after the records" : "checkpoint"} is not whole: ${message}`);
    }
    if (calibration !== null && this.settings.calibration !== null) this.settings.calibration = calibration;
    this.state = state;
  }

  private readCheckpoint(saved: unknown): { state: AgentState; calibration: unknown } {
    const { conversation: given, transcript, round: records, calibration, foundTools } = restoreConversation(saved);
    const round = records === null ? null : readRound(records);
    const conversation = withOwnSystem(given, this.system);
    const all = transcript === null ? conversation.messages : withSystem(transcript, this.system);
    return { state: { conversation, transcript: all, round, foundTools: checkFoundTools(foundTools) }, calibration };
  }

  private checkCall(parameters: RequestParameters & CallOptions<ToolSet>, writer?: ReplyWriter<unknown>): CallSettings {
    const checked = checkParameters(parameters, CALL_OPTIONS, this.parameters);
    this.checkOwnTools(checked);
    const maxSteps = countOption(this.defaults.maxSteps, 1)(parameters.maxSteps, "maxSteps");
    const maxRepairs = countOption(this.defaults.maxRepairs, 0)(parameters.maxRepairs, "maxRepairs");
    const approve = checkApprove(parameters.approve) ?? this.defaults.approve;
    const onRecord = functionOption<OnRecord>()(parameters.onRecord, "onRecord") ?? this.defaults.onRecord;
    const signal = checkSignal(parameters.signal);
    return {
      parameters: checked,
      signal: writer === undefined ? signal : writer.signalOf(signal),
      maxSteps,
      maxRepairs,
      approve,
      answers: parameters.answers,
      onRecord,
      schema: undefined,
      onText: () => {},
      onEvent: () => {},
    };
  }

  /** @throws {TurnfoldError} `invalid_option` when two tools would have one name. */
  private checkOwnTools({ offersRecall }: CallSettings["parameters"]): void {
    if (this.tools.has(SEARCH_TOOL_NAME) && this.settings.toolBudget !== undefined) {
      throw new TurnfoldError(
        "invalid_option",
        `toolBudget offers a tool named ${SEARCH_TOOL_NAME}, and the agent has one`,
        {
          details: { option: "tools" },
          hint: "rename the tool of the agent, or leave out toolBudget",
        },
      );
    }
    if (!this.tools.has(RESULT_TOOL_NAME) || !offersRecall) return;
    throw new TurnfoldError(
      "invalid_option",
      "digest({ handles: true }) and arrival: { above } offer a tool named recall, and the agent has one",
      {
        details: { option: "tools" },
        hint: "rename the tool of the agent, or leave out handles and above",
      },
    );
  }

  /** Brings tools that follow a list elsewhere up to date. */
  private async refreshTools(live: LiveTools, { parameters, signal }: CallSettings): Promise<void> {
    await unlessAborted(live[refreshKey](), signal);
    this.tools = checkChatTools(live);
    this.checkOwnTools(parameters);
  }

  /** @param input null to resume. */
  private async runExchange(
    input: string | readonly ChatMessage[] | null,
    check: () => CallSettings,
  ): Promise<{ reply: ChatReply; object: unknown }> {
    const call = check();
    const messages = input === null ? [] : inputMessages(input, this.conversation);
    if (this.isBusy) throw busyError();
    if (input === null && !this.isUnfinished) {
      throw new TurnfoldError("nothing_to_resume", "there is no unfinished exchange", {
        hint: "isUnfinished says whether there is one; chat(input) begins a new one",
      });
    }
    this.isBusy = true;
    try {
      if (this.liveTools !== undefined) await this.refreshTools(this.liveTools, call);
      const at = currentTime();
      const { state, settings, tools } = this;
      const waiting = waitingIn(isResumedBy(state.conversation, messages) ? state.round : null, tools);
      const answers = await checkChatAnswers(tools, call.answers, waiting);
      const recorder = Recorder.for(call.onRecord, this.recorder);
      const exchange = new Exchange(settings, tools, exchangeStart(state, messages, at), call, recorder);
      this.recorder = recorder;
      this.exchange = exchange;
      try {
        const result = await exchange.start(messages, at, answers);
        this.state = exchange.current;
        return result;
      } catch (error) {
        this.state = await exchange.stateAfterFailure();
        throw exchange.withExchangeDetails(error);
      }
    } finally {
      this.exchange = null;
      this.isBusy = false;
    }
  }
}

/**
 * Returns a reply that is an answer.
 *
 * @throws {TurnfoldError} `calls_waiting`
 */
function requireAnswer(reply: ChatReply): FinishedReply {
  if (reply.status === "done") return reply;
  const { waiting } = reply;
  throw new TurnfoldError(
    "calls_waiting",
    `there is no answer yet: ${waiting.map(({ tool }) => tool).join(", ")} waits`,
    {
      details: { waiting },
      hint: "agent.resume({ answers }) continues; chat() resolves to a reply with the calls that wait",
    },
  );
}

function busyError(): TurnfoldError {
  return new TurnfoldError("busy", "the agent is answering; one call at a time", {
    hint: "await the call before, or make another Agent with the same conversation",
  });
}

/** Replaces the leading system messages by the agent's, if it has one. */
function withSystem(messages: readonly ChatMessage[], system: ChatMessage | null): readonly ChatMessage[] {
  if (system === null) return messages;
  const first = messages.findIndex((message) => !isSystem(message));
  return Object.freeze([system, ...(first < 0 ? [] : messages.slice(first))]);
}

function withOwnSystem(conversation: Conversation, system: ChatMessage | null): Conversation {
  const own = localConversation(conversation);
  return system === null ? own : ofMessages(withSystem(own.messages, system));
}

function inputMessages(input: unknown, conversation: Conversation): ChatMessage[] {
  if (input === "") {
    throw new TurnfoldError("invalid_message", "there is no text to send", {
      details: { path: "input" },
      hint: "with an empty list, chat([]), the model answers the end of the conversation",
    });
  }
  const messages = typeof input === "string" ? [{ role: "user", content: input }] : input;
  const copied = copyMessages(messages, "input");
  if (copied.length === 0 && conversation.messages.length === 0) {
    throw new TurnfoldError("invalid_message", "there is nothing to answer: the conversation and the input are empty");
  }
  const now = currentTime();
  return copied.map((message) =>
    message.timestamp === undefined ? markChecked({ ...message, timestamp: now }) : message,
  );
}
