import { currentTime, Stopwatch, sinceTime } from "../boundary/clock.ts";
import { messageOf, unlessAborted } from "../boundary/host.ts";
import { TurnfoldError, withDetails } from "../errors.ts";
import { contextRefusal } from "../model/context-refusal.ts";
import type { FinishReason } from "../model/finish-reason.ts";
import { type Answer, callModel, type LLM, type LLMRequest, type ModelToolCall } from "../model/model.ts";
import type { Retry } from "../model/retry.ts";
import { addUsage, type Usage, usageOf, usageWithout } from "../model/usage.ts";
import type { Fit, ObjectSchema } from "../signature/object-schema.ts";
import type { Approve } from "../tools/tool.ts";
import { answersWithin } from "../waiting/answers.ts";
import { Recorder } from "../waiting/recorder.ts";
import { inCall, newRunId, type OnRecord, RECORDS_VERSION, type RunRecord } from "../waiting/run-record.ts";
import { type Answers, type WaitingCall, Waits } from "../waiting/waiting-call.ts";
import { abortedError, type SummarySpending } from "./ask-summaries.ts";
import { type Calibration, hasLearned, previousTokens } from "./calibration.ts";
import { withUniqueIds } from "./call-ids.ts";
import type { ChatMessage } from "./chat-message.ts";
import { type ChatTools, callTool, checkChatTools, isRepeatable, type RequestTool } from "./chat-tools.ts";
import { managesHistory, reducedParameters } from "./context-recovery.ts";
import { type Conversation, ofMessages } from "./conversation.ts";
import { changesBetween, ExchangeState } from "./exchange-state.ts";
import type { ExchangeContext } from "./history-context.ts";
import type { HistoryReport } from "./history-report.ts";
import { parseJsonReply } from "./json-reply.ts";
import { type ManageOptions, manageChecked, warn } from "./manage-history.ts";
import { mergeRoles } from "./merge-roles.ts";
import { copyMessages, markChecked } from "./message-copy.ts";
import { encodeMessage } from "./message-json.ts";
import { type CallRecord, type OpenCall, OpenRound } from "./open-round.ts";
import type { CheckedParameters } from "./parameters.ts";
import { RESULT_TOOL_NAME, type ResultTool, resultTool } from "./result-tool.ts";
import type { SummaryStorage } from "./summary-store.ts";
import { SEARCH_TOOL_NAME, type ToolSearch, toolSearch } from "./tool-search.ts";
import type { AgentState, ExchangeStart } from "./unfinished-exchange.ts";

/** One request to the model, with the messages that resulted. */
export interface ChatStep {
  /**
   * The reply, and the results of the tools that it called. A reply that had to be repaired is only here, not in the
   * conversation.
   */
  messages: readonly ChatMessage[];
  /** Usage of this request. */
  usage: Usage;
  finishReason: FinishReason;
}

/** What the two kinds of {@link ChatReply} have in common. */
export interface ChatReplyParts {
  /** The model's last reply; what it said beside its calls while these wait. */
  text: string;
  /** Why the last reply ended. `stop` when the callback gives no reason. */
  finishReason: FinishReason;
  /**
   * The messages of the exchange: the input, tool calls, their results, the reply. A call that resumed an exchange
   * includes its earlier messages.
   */
  messages: readonly ChatMessage[];
  /** The requests to the model in this call. */
  steps: readonly ChatStep[];
  /** The first of `reports` that changed the history, or the last one; null when calls wait and no model was asked. */
  report: HistoryReport | null;
  /**
   * One report for each request to the model: the history is managed before each. A request that the provider refuses as too long
   * and that is repeated has two.
   */
  reports: readonly HistoryReport[];
  /** Usage of the whole call, with summaries and agents that ran as tools. */
  usage: Usage;
  /** How often the model read the whole result of an earlier call, with `digest({ handles: true })`. */
  resultReads: number;
}

/** The result of a call in which the model has answered. */
export interface FinishedReply extends ChatReplyParts {
  status: "done";
  waiting: readonly [];
  report: HistoryReport;
}

/**
 * The result of a call in which tool calls wait for a decision or for their results, and nothing else is left to do.
 * {@link Agent.resume} continues with answers.
 */
export interface WaitingReply extends ChatReplyParts {
  status: "waiting";
  /** The calls that wait, in their order. They are not in `messages`. */
  waiting: readonly WaitingCall[];
}

/** The result of a call. */
export type ChatReply = FinishedReply | WaitingReply;

/**
 * What happens during a call, in order.
 *
 * - `text`: a piece of a reply.
 * - `tool-call`: the reply is complete and calls a tool; approval and the tool run follow.
 * - `tool-result`: the message with the result of that call. The calls of a step run concurrently; results are reported
 *   as they arrive.
 * - `step`: a request to the model is done, its tools included.
 * - `summary`: summaries replaced messages of the history.
 * - `usage`: usage of a request to the model, of the summaries before it, or of an agent that ran as a tool, and of the
 *   whole call so far.
 * - `done`: the call succeeded. It is the last event.
 * - `waiting`: nothing is left but to wait for the calls in `reply.waiting`. It is the last event, instead of `done`.
 */
export type ChatEvent =
  | { type: "text"; text: string }
  | { type: "tool-call"; call: ModelToolCall }
  | { type: "tool-result"; call: ModelToolCall; message: ChatMessage }
  | { type: "step"; step: ChatStep }
  | { type: "summary"; report: HistoryReport }
  | { type: "usage"; usage: Usage; total: Usage }
  | { type: "done"; reply: FinishedReply }
  | { type: "waiting"; reply: WaitingReply };

/**
 * Checked parameters of one call.
 *
 * @internal
 */
export interface CallSettings {
  parameters: CheckedParameters;
  signal: AbortSignal | undefined;
  maxSteps: number;
  maxRepairs: number;
  approve: Approve | undefined;
  /** Unchecked. */
  answers: unknown;
  onRecord: OnRecord | undefined;
  schema: ObjectSchema | undefined;
  /** Receives each piece of a reply; `isFirst` is true for its first one. */
  onText: (text: string, isFirst: boolean) => void;
  onEvent: (event: ChatEvent) => void;
}

/**
 * Checked options of an agent.
 *
 * @internal
 */
export interface AgentSettings {
  llm: LLM;
  retry: Retry | undefined;
  onWarning: (text: string) => void;
  summaryStore: SummaryStorage | undefined;
  onFailure: "keep" | "discard";
  /** What was learned about the provider's counts; null to leave them unscaled. */
  calibration: Calibration | null;
  /** Maximum tokens of the tools that are offered. */
  toolBudget: number | undefined;
  /** When the last request was sent, in milliseconds; null before the first. */
  sentAt: number | null;
}

/**
 * One input and everything that follows until the model has answered.
 *
 * @internal
 */
export class Exchange {
  private readonly settings: AgentSettings;
  private readonly tools: ChatTools;
  /** What is offered of the tools within a budget. */
  private readonly search: ToolSearch | null;
  private readonly resultTool: ResultTool | null;
  private readonly call: CallSettings;
  private readonly recorder: Recorder;
  /** Part of the `callId` of the tools that it calls. */
  private readonly run = newRunId();
  private readonly state: ExchangeState;
  private readonly isNewQuestion: boolean;
  /** The part of an answer that the records have. */
  private readonly partialBefore: ChatMessage | null;
  /** What is sent of the conversation. */
  private managedMessages: readonly ChatMessage[] = [];
  /** The conversation before the first message of this call was added. */
  private conversationBefore: Conversation;
  private readonly countBefore: number;
  /** The newest text of an answer that is not accepted yet. */
  private pendingText = "";
  private readonly reports: HistoryReport[] = [];
  private readonly steps: ChatStep[] = [];
  private readonly usage: Usage = {};

  constructor(
    settings: AgentSettings,
    tools: ChatTools,
    start: ExchangeStart,
    call: CallSettings,
    recorder: Recorder = Recorder.for(undefined),
  ) {
    this.settings = settings;
    this.state = new ExchangeState(start);
    this.resultTool = call.parameters.offersRecall ? resultTool(() => this.state.transcript) : null;
    const { toolBudget } = settings;
    this.search = toolBudget === undefined ? null : toolSearch(tools, toolBudget);
    const own = {
      ...(this.search?.tool && { [SEARCH_TOOL_NAME]: this.search.tool }),
      ...(this.resultTool && { [RESULT_TOOL_NAME]: this.resultTool }),
    };
    this.tools = new Map([...tools, ...checkChatTools(own)]);
    this.call = call;
    this.recorder = recorder;
    this.isNewQuestion = start.isNewQuestion;
    this.partialBefore = start.partial;
    this.conversationBefore = this.state.conversation;
    this.countBefore = start.messages.length;
  }

  /**
   * Calls the model and its tools until there is an answer or, for objects, one that matches the schema; or until nothing is
   * left but to wait.
   *
   * @param input the messages that begin the exchange; empty to resume one.
   */
  async start(input: readonly ChatMessage[], at: number, answers: Answers): Promise<ExchangeResult> {
    await this.write(() => ({ type: "start", version: RECORDS_VERSION, run: this.run, at, messages: input }));
    for (const [id, answer] of Object.entries(answers)) {
      // Those of calls of an agent are recorded there.
      if (this.state.round?.calls.some(({ call }) => call.id === id)) await this.note({ type: "answer", id, answer });
    }
    const { schema, maxRepairs, maxSteps } = this.call;
    if (this.state.round !== null && !(await this.runRound(answers))) return this.suspend();
    /** Repair messages for objects that did not match. They are not part of the history. */
    let repair: ChatMessage[] = [];
    let repairs = 0;
    for (let step = 1; step <= maxSteps + repairs; step++) {
      const answer = await this.requestAnswer(repair);
      const compaction = compactionOf(answer);
      if (answer.toolCalls.length > 0) {
        repair = [];
        await this.openRound(answer, compaction);
        if (await this.runRound({})) continue;
        return this.suspend();
      }
      const reply = assistantMessage(answer.content, originalOf(answer));
      const messages = [...compaction, reply];
      const fit = schema === undefined ? { object: undefined } : await this.parseObject(schema, answer.content);
      const isRejected = !("object" in fit);
      if (isRejected) this.state.add(...compaction);
      else this.finish(...messages);
      await this.write(() => ({ ...replyOf(answer, messages), ...(isRejected && { isRejected }) }));
      this.finishStep(answer, messages);
      if ("object" in fit) {
        await this.end();
        return { reply: this.reply(answer), object: fit.object };
      }
      if (repairs === maxRepairs) throw this.invalidObjectError(answer.content, fit.problems);
      repairs++;
      repair = [reply, markChecked({ role: "user", content: repairText(schema as ObjectSchema, fit.problems) })];
    }
    throw new TurnfoldError("max_steps_exceeded", `the model went on calling tools for ${maxSteps} steps`, {
      details: { maxSteps },
      hint: "raise maxSteps",
    });
  }

  /** The state of the agent at this moment, from which the exchange can be continued. */
  get current(): AgentState {
    this.keepPartialAnswer();
    return this.state.current;
  }

  /** Returns the state of the agent when the exchange has ended early, which is recorded. */
  async stateAfterFailure(): Promise<AgentState> {
    this.keepPartialAnswer();
    const { state, recorder } = this;
    const { partial } = state;
    if (this.settings.onFailure === "keep" || state.isFinished) {
      const record = { type: "reply" as const, at: currentTime(), messages: [partial], usage: {} };
      if (partial !== null && partial !== this.partialBefore) void this.send(() => record);
    } else {
      const { messages } = state.conversation;
      const kept = this.isNewQuestion ? ofMessages(messages.slice(0, state.questionStart)) : this.conversationBefore;
      const changes = changesBetween(messages, kept.messages);
      void this.send(() => ({ type: "history", changes, question: kept.messages.length }));
      void this.send(() => ({ type: "end", outcome: null }));
      state.discard(kept);
    }
    await unlessAborted(
      recorder.settled().catch(() => {}),
      this.call.signal,
    );
    return state.current;
  }

  /** Adds the messages and the usage to the details of the error, and to its hint what the conversation keeps. */
  withExchangeDetails(error: unknown): unknown {
    if (!TurnfoldError.isInstance(error)) return error;
    const messages = this.state.messagesSoFar;
    // The original hint says that the conversation is unchanged, which does not hold for an exchange.
    const hint = error.code === "compression_failed" ? "call again, or use another strategy or model" : error.hint;
    return withDetails(
      error,
      { messages, usage: this.usage },
      [...(hint === null ? [] : [hint]), this.keptHint()].join("; "),
    );
  }

  private keptHint(): string {
    if (this.settings.onFailure === "discard") {
      return "nothing of this exchange is in the conversation, all of it in details.messages";
    }
    const { messages, partial } = this.state;
    const rounds = messages.filter(({ toolCalls }) => toolCalls !== undefined && toolCalls.length > 0).length;
    const kept = [
      "the question",
      ...(rounds === 0 ? [] : [`${rounds} ${rounds === 1 ? "round" : "rounds"} of tool calls`]),
      ...(partial === null ? [] : ["a partial answer"]),
    ];
    const last = kept.pop() as string;
    const all = kept.length === 0 ? last : `${kept.join(", ")} and ${last}`;
    return `the conversation keeps ${all}: agent.resume() continues from there`;
  }

  /** Keeps the text of an interrupted answer as a message. */
  private keepPartialAnswer(): void {
    if (this.pendingText.trim() === "") return;
    // Made once, so that it keeps its time.
    this.state.partial = assistantMessage(this.pendingText, { partial: true });
    this.pendingText = "";
  }

  /** Stores a record; resolves at once after an abort. */
  private async write(make: () => unknown): Promise<void> {
    await unlessAborted(this.send(make), this.call.signal);
  }

  private send(make: () => unknown): Promise<void> {
    return this.recorder.send(() => encodeMessage(make()) as RunRecord);
  }

  /** Notes what happened to a call, and records it. */
  private note(record: CallRecord): Promise<void> {
    this.state.round?.note(record);
    return this.write(() => record);
  }

  /** @throws {TurnfoldError} `aborted`, `invalid_object` */
  private async parseObject(schema: ObjectSchema, text: string): Promise<Fit> {
    const { signal } = this.call;
    const fit = await unlessAborted(parseObject(schema, text), signal);
    if (fit === null) throw abortedError(signal);
    return fit;
  }

  private finish(...messages: readonly ChatMessage[]): void {
    this.pendingText = "";
    this.state.finish(...messages);
  }

  private finishStep(
    { usage, finishReason }: Pick<Answer, "usage" | "finishReason">,
    messages: readonly ChatMessage[],
  ): void {
    const step: ChatStep = { messages: Object.freeze(messages), usage, finishReason };
    this.steps.push(step);
    this.report({ type: "step", step });
  }

  /** After an abort nothing more is reported. */
  private report(event: ChatEvent): void {
    if (!this.call.signal?.aborted) this.call.onEvent(event);
  }

  private reply({ content, finishReason }: Answer): FinishedReply {
    return {
      status: "done",
      waiting: [],
      ...this.replyParts(content, finishReason),
      report: this.mainReport as HistoryReport,
    };
  }

  /** The result when nothing is left but to wait. */
  private async suspend(): Promise<ExchangeResult> {
    const { text, finishReason } = this.state.round as OpenRound;
    await this.write(() => ({ type: "suspended", rounds: 0, ...this.learned() }));
    if (this.call.signal?.aborted) throw abortedError(this.call.signal);
    const waiting = Object.freeze(waitingIn(this.state.round, this.tools));
    const parts = this.replyParts(text, finishReason);
    return { reply: { status: "waiting", waiting, ...parts, report: this.mainReport ?? null }, object: null };
  }

  private end(): Promise<void> {
    return this.write(() => ({ type: "end", outcome: null, ...this.learned() }));
  }

  private learned(): { calibration?: Calibration } {
    const { calibration } = this.settings;
    return calibration !== null && hasLearned(calibration) ? { calibration } : {};
  }

  private get mainReport(): HistoryReport | undefined {
    const changed = this.reports.find(({ outcome }) => outcome === "applied" || outcome === "trimmed");
    return changed ?? this.reports.at(-1);
  }

  private replyParts(text: string, finishReason: FinishReason): Omit<ChatReplyParts, "report"> {
    return {
      text,
      finishReason,
      messages: Object.freeze([...this.state.messages]),
      steps: Object.freeze(this.steps),
      reports: this.reports,
      usage: this.usage,
      resultReads: this.resultTool?.uses ?? 0,
    };
  }

  private invalidObjectError(text: string, problems: string[]): TurnfoldError {
    return new TurnfoldError("invalid_object", `the model's object does not fit the schema: ${problems.join("; ")}`, {
      details: { text, problems, reports: this.reports },
      hint: this.call.schema?.advice ?? "raise maxRepairs, hand the schema to the provider, or relax it",
    });
  }

  /** Manages the conversation before a request. */
  private async manageConversation(
    repair: readonly ChatMessage[],
    offered: LLMRequest["tools"] & object,
    parameters: CheckedParameters,
  ): Promise<HistoryReport> {
    const { settings, state } = this;
    const { llm, retry, onWarning, summaryStore, sentAt } = settings;
    const { signal, schema } = this.call;
    const options: ManageOptions & ExchangeContext = {
      llm,
      retry,
      onWarning,
      ...(summaryStore === undefined ? {} : { summaryStore }),
      question: { start: state.questionStart, end: state.questionStart + state.question.length },
      ...(sentAt === null ? {} : { idleSeconds: sinceTime(sentAt) / 1000 }),
      ...(repair.length === 0 ? {} : { request: repair }),
      ...(offered.length === 0 ? {} : { tools: offered }),
      ...(schema === undefined ? {} : { schema: schema.json ?? undefined }),
      ...(signal === undefined ? {} : { signal }),
      ...(settings.calibration === null ? {} : { calibration: settings.calibration }),
    };
    const spent: SummarySpending = { usage: {}, calls: 0 };
    const managed = await manageChecked(state.conversation, parameters, options, spent).catch((error) => {
      if (spent.calls > 0) this.addToUsage(spent.usage);
      throw error;
    });
    const { conversation, report } = managed;
    const changes = changesBetween(state.conversation.messages, conversation.messages);
    state.change(conversation);
    this.managedMessages = managed.messages;
    if (settings.calibration !== null) settings.calibration = managed.calibration;
    if (state.messages.length === this.countBefore) this.conversationBefore = conversation;
    this.reports.push(report);
    if (report.inserted > 0) this.report({ type: "summary", report });
    // A summary that is not used because it is not shorter has a price, too.
    if (spent.calls > 0) this.addToUsage(spent.usage);
    if (changes.length > 0) await this.write(() => ({ type: "history", changes, question: state.questionStart }));
    return report;
  }

  /**
   * Reduces the history to the provider's limit after an error for a request that is too long. Returns the report, or
   * null when that is not possible.
   */
  private async recoverFromRefusal(
    error: unknown,
    { tokens }: HistoryReport,
    repair: readonly ChatMessage[],
    offered: LLMRequest["tools"] & object,
  ): Promise<HistoryReport | null> {
    const { onWarning } = this.settings;
    const { parameters } = this.call;
    const refusal = managesHistory(parameters) ? contextRefusal(error) : null;
    if (refusal === null) return null;
    this.learn({ inputTokens: refusal.requested });
    const { calibration } = this.settings;
    const sent = calibration === null ? tokens.after : previousTokens(calibration, parameters);
    const { parameters: lower, warning } = reducedParameters(parameters, refusal, sent);
    try {
      const report = await this.manageConversation(repair, offered, lower);
      if (report.tokens.after >= sent) return null;
      report.warnings.push(warning);
      warn(onWarning, warning);
      return report;
    } catch (cause) {
      if (TurnfoldError.isInstance(cause) && cause.code === "aborted") throw cause;
      // The provider's refusal is more useful than the reason why the history can't be made shorter.
      return null;
    }
  }

  /** Keeps the usage of a request for the next one. */
  private learn(usage: Usage, model?: string): void {
    const { settings } = this;
    if (settings.calibration !== null) settings.calibration = { ...settings.calibration, usage, model };
  }

  private addToUsage(usage: Usage): void {
    addUsage(this.usage, usage);
    this.report({ type: "usage", usage, total: { ...this.usage } });
  }

  /** The tools of the next request. Those that a search found are at the end, so that the others stay in a provider's cache. */
  private offeredTools(): NonNullable<LLMRequest["tools"]> {
    const all = [...this.tools.values()].map((tool) => tool.offered);
    const { search } = this;
    if (search?.tool == null) return all;
    const found = this.state.foundTools.filter((name) => search.others.has(name));
    return [
      ...all.filter(({ name }) => !search.others.has(name)),
      ...found.map((name) => search.others.get(name) as RequestTool),
    ];
  }

  private async requestAnswer(repair: readonly ChatMessage[]): Promise<Answer> {
    const { parameters } = this.call;
    const offered = this.offeredTools();
    let report = await this.manageConversation(repair, offered, parameters);
    let hasText = false;
    const onText = () => {
      hasText = true;
    };
    let answer: Answer;
    try {
      answer = await this.sendRequest(repair, offered, onText);
    } catch (error) {
      const recovered = hasText ? null : await this.recoverFromRefusal(error, report, repair, offered);
      if (recovered === null) throw error;
      report = recovered;
      answer = await this.sendRequest(repair, offered, onText);
    }
    this.learn(answer.usage, answer.model);
    this.addToUsage(answer.usage);
    return answer;
  }

  /** @param begin is called when the reply begins to arrive. */
  private async sendRequest(
    repair: readonly ChatMessage[],
    offered: LLMRequest["tools"] & object,
    begin: () => void,
  ): Promise<Answer> {
    const { settings, call } = this;
    const { signal, schema, parameters } = call;
    const messages = [...this.managedMessages, ...repair];
    const request: LLMRequest = {
      messages: parameters.mergesRoles ? mergeRoles(messages) : messages,
      purpose: "answer",
    };
    if (signal !== undefined) request.signal = signal;
    if (schema?.json) request.schema = schema.json as Record<string, unknown>;
    if (offered.length > 0) request.tools = offered;
    let streamed = "";
    const onText = (text: string) => {
      begin();
      const isFirst = streamed === "";
      streamed += text;
      if (signal?.aborted) return;
      this.pendingText = streamed;
      this.report({ type: "text", text });
      call.onText(text, isFirst);
    };
    settings.sentAt = currentTime();
    // Streamed text can't be withdrawn, so a stream that has begun is not retried.
    const answer = await callModel(settings.llm, request, settings.retry, onText, () => streamed !== "");
    if (answer === null) throw abortedError(signal);
    if (streamed === "" && answer.content !== "") onText(answer.content);
    return answer;
  }

  /** Keeps a reply that calls tools beside the conversation. */
  private async openRound(answer: Answer, compaction: readonly ChatMessage[]): Promise<void> {
    const { state, run } = this;
    // Those of the exchange too, which may not be in the conversation: `callId` has to be new.
    const taken = callIdsIn([...state.conversation.messages, ...state.messages]);
    const toolCalls = withUniqueIds(answer.toolCalls, taken);
    const at = currentTime();
    const reply = copyReply({
      role: "assistant",
      content: answer.content,
      toolCalls,
      ...originalOf(answer),
      timestamp: at,
    });
    this.pendingText = "";
    const { usage, finishReason } = answer;
    const round = new OpenRound({ run, at, messages: [...compaction, reply], usage, finishReason });
    state.open(round);
    await unlessAborted(
      this.recorder.send(() => round.replyRecord()),
      this.call.signal,
    );
    for (const { call } of round.calls) this.report({ type: "tool-call", call });
  }

  /**
   * Makes the calls of the round that have no result yet.
   *
   * @returns false when some wait.
   */
  private async runRound(answers: Answers): Promise<boolean> {
    const { state } = this;
    const round = state.round as OpenRound;
    const { messages } = state.conversation;
    const open = round.calls.filter(({ result }) => result === null);
    const made = await Promise.allSettled(open.map((each) => this.makeCall(round, each, messages, answers)));
    const failed = made.find((each) => each.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    const isInterrupted = made.some((each) => each.status === "fulfilled" && each.value);
    if (round.isComplete) {
      const closed = state.closeRound();
      await this.write(() => ({ type: "step" }));
      if (!isInterrupted) this.finishStep(round, closed);
    }
    if (isInterrupted) throw abortedError(this.call.signal);
    return state.round === null;
  }

  /** Makes a call. Returns true when an abort interrupted it. */
  private async makeCall(
    round: OpenRound,
    open: OpenCall,
    messages: readonly ChatMessage[],
    answers: Answers,
  ): Promise<boolean> {
    const { call } = open;
    const { id, name: tool, args } = call;
    const { signal, approve } = this.call;
    const isOwn =
      (this.resultTool !== null && tool === RESULT_TOOL_NAME) || (this.search?.tool && tool === SEARCH_TOOL_NAME);
    const time = new Stopwatch();
    // An agent that goes on tells the tokens of its whole run.
    const spent: Usage = {};
    for (const record of open.inner) if (record.type === "reply") addUsage(spent, usageOf(record.usage));
    const outcome = await callTool(this.tools, open, {
      messages,
      signal,
      approve: isOwn ? undefined : approve,
      callId: `${round.run}/${id}`,
      model: this.settings,
      onUsage: (usage) => this.addToUsage(usageWithout(usage, spent)),
      begin: () => this.begin(open),
      onInnerRecord: (record) => {
        open.inner.push(record);
        return this.recorder.send(() => inCall(id, record));
      },
      answers: answersWithin(answers, id),
    });
    if (outcome === null) return false;
    if (outcome instanceof Waits) {
      const { reason, info } = outcome.wait;
      await this.note({ type: "waiting", id, tool, args, reason, info });
      return signal?.aborted === true;
    }
    const { message, isInterrupted } = outcome;
    const { edited } = open;
    const more = edited === undefined ? {} : { args: edited };
    await this.note({ type: "result", id, tool, message, ...more, durationMs: time.elapsed });
    if (!isInterrupted) this.report({ type: "tool-result", call, message });
    return isInterrupted;
  }

  /** Records that a tool is about to be called. Where that fails, it is not called. */
  private async begin(open: OpenCall): Promise<void> {
    const { call, ...before } = { ...open };
    const { id, name: tool, args } = call;
    try {
      await this.note({ type: "call", id, tool, args });
    } catch (error) {
      Object.assign(open, before);
      throw error;
    }
  }
}

/** What an exchange came to. */
interface ExchangeResult {
  reply: ChatReply;
  object: unknown;
}

/**
 * The calls of a round that wait, with those of agents.
 *
 * @internal
 */
export function waitingIn(round: OpenRound | null, tools: ChatTools): WaitingCall[] {
  if (round === null) return [];
  const isKnownRepeatable = (name: string) => {
    const tool = tools.get(name);
    return tool !== undefined && isRepeatable(tool);
  };
  return round.waitingCalls(isKnownRepeatable, (name, records) => tools.get(name)?.agent?.waiting(records) ?? []);
}

function callIdsIn(messages: readonly ChatMessage[]): Set<string> {
  const ids = new Set<string>();
  for (const { content, toolCalls = [] } of messages) {
    for (const { id } of toolCalls) ids.add(id);
    for (const part of Array.isArray(content) ? (content as readonly { toolCallId?: unknown }[]) : []) {
      if (typeof part.toolCallId === "string") ids.add(part.toolCallId);
    }
  }
  return ids;
}

/** The record of a reply that calls no tool. */
const replyOf = ({ usage, finishReason }: Answer, messages: readonly ChatMessage[]) =>
  ({ type: "reply", at: currentTime(), messages, usage, finishReason }) as const;

/** The provider's summary of what is before an answer, if there is one. */
function compactionOf({ compaction }: Answer): ChatMessage[] {
  return compaction === undefined ? [] : [copyReply({ ...(compaction as ChatMessage), timestamp: currentTime() })];
}

/** Returns the data of the provider's format in a reply as a member of the message. */
const originalOf = ({ original }: Answer): Partial<ChatMessage> => (original === undefined ? {} : { original });

function assistantMessage(content: string, more: Partial<ChatMessage> = {}): ChatMessage {
  return markChecked({ role: "assistant", content, ...more, timestamp: currentTime() });
}

/** @throws {TurnfoldError} `llm_error` for arguments that a message can't contain, such as functions. */
function copyReply(reply: ChatMessage): ChatMessage {
  try {
    return copyMessages([reply], "reply")[0] as ChatMessage;
  } catch (cause) {
    throw new TurnfoldError("llm_error", `the model's reply can't be used: ${messageOf(cause)}`, { cause });
  }
}

async function parseObject(schema: ObjectSchema, text: string): Promise<Fit> {
  const json = parseJsonReply(text);
  if (json === undefined) return { problems: ["it is not JSON"] };
  try {
    return await schema.fit(json);
  } catch (cause) {
    throw new TurnfoldError("invalid_object", `the schema could not check the object: ${messageOf(cause)}`, {
      details: { text },
      cause,
    });
  }
}

function repairText({ json }: ObjectSchema, problems: readonly string[]): string {
  const list = problems.map((problem) => `- ${problem}`).join("\n");
  const schema = json === null ? "" : `\n\nThe JSON Schema:\n${JSON.stringify(json)}`;
  return `That object can't be used:\n${list}\n\nWrite the whole object again as JSON, and nothing else.${schema}`;
}
