import { currentTime, sinceTime } from "../boundary/clock.ts";
import { messageOf, unlessAborted } from "../boundary/host.ts";
import { TurnfoldError, withDetails } from "../errors.ts";
import { contextRefusal } from "../model/context-refusal.ts";
import type { FinishReason } from "../model/finish-reason.ts";
import { type Answer, callModel, type LLM, type LLMRequest, type ModelToolCall } from "../model/model.ts";
import type { Retry } from "../model/retry.ts";
import { addUsage, type Usage, usageOf } from "../model/usage.ts";
import type { Fit, ObjectSchema } from "../signature/object-schema.ts";
import { approvalWarning } from "../tools/approval.ts";
import type { Approve } from "../tools/tool.ts";
import { abortedError, type SummarySpending } from "./ask-summaries.ts";
import { type Calibration, previousTokens } from "./calibration.ts";
import { withUniqueIds } from "./call-ids.ts";
import type { ChatMessage } from "./chat-message.ts";
import { type ChatTools, callTool, checkChatTools } from "./chat-tools.ts";
import { managesHistory, reducedParameters } from "./context-recovery.ts";
import { appendAll, type Conversation, ofMessages } from "./conversation.ts";
import type { ExchangeContext, IndexRange } from "./history-context.ts";
import type { HistoryReport } from "./history-report.ts";
import { parseJsonReply } from "./json-reply.ts";
import { type ManageOptions, manageChecked, warn } from "./manage-history.ts";
import { mergeRoles } from "./merge-roles.ts";
import { copyMessages, markChecked } from "./message-copy.ts";
import type { CheckedParameters } from "./parameters.ts";
import { RESULT_TOOL_NAME, type ResultTool, resultTool } from "./result-tool.ts";
import { withoutStubs } from "./stubs.ts";
import type { SummaryStorage } from "./summary-store.ts";
import { type ExchangeStart, withMarks } from "./unfinished-exchange.ts";

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

/** The result of a call. */
export interface ChatReply {
  /** The model's last reply. */
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
  /** The first of `reports` that changed the history, or the last one. */
  report: HistoryReport;
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
 */
export type ChatEvent =
  | { type: "text"; text: string }
  | { type: "tool-call"; call: ModelToolCall }
  | { type: "tool-result"; call: ModelToolCall; message: ChatMessage }
  | { type: "step"; step: ChatStep }
  | { type: "summary"; report: HistoryReport }
  | { type: "usage"; usage: Usage; total: Usage }
  | { type: "done"; reply: ChatReply };

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
  private readonly resultTool: ResultTool | null;
  private readonly call: CallSettings;
  private readonly start: ExchangeStart;
  /** The conversation, with the question and the messages after it. */
  private conversation: Conversation;
  /** The question. No strategy or limit removes it. */
  private readonly question: readonly ChatMessage[];
  /** What is sent of the conversation. */
  private managedMessages: readonly ChatMessage[] = [];
  /** The conversation before the first message of this call was added. */
  private conversationBefore: Conversation;
  /** Everything that happened. */
  private readonly messages: ChatMessage[];
  /** The newest text of an answer that is not accepted yet. */
  private pendingText = "";
  /** The partial answer of an earlier call, until there is a newer text. */
  private partial: ChatMessage | null;
  private readonly reports: HistoryReport[] = [];
  private readonly steps: ChatStep[] = [];
  private readonly usage: Usage = {};

  constructor(settings: AgentSettings, tools: ChatTools, start: ExchangeStart, call: CallSettings) {
    this.settings = settings;
    this.resultTool = call.parameters.offersRecall
      ? resultTool(() => [...start.earlierTranscript, ...this.messages])
      : null;
    this.tools =
      this.resultTool === null
        ? tools
        : new Map([...tools, ...checkChatTools({ [RESULT_TOOL_NAME]: this.resultTool })]);
    this.call = call;
    this.start = start;
    this.conversation = appendAll(start.before, start.exchanged);
    this.question = start.exchanged.slice(0, start.questionCount);
    this.conversationBefore = this.conversation;
    this.messages = [...start.messages];
    this.partial = start.partial;
  }

  /** Calls the model and its tools until there is an answer or, for objects, one that matches the schema. */
  async run(): Promise<{ reply: ChatReply; object: unknown }> {
    const { schema, maxRepairs, maxSteps } = this.call;
    /** Repair messages for objects that did not match. They are not part of the history. */
    let repair: ChatMessage[] = [];
    let repairs = 0;
    for (let step = 1; step <= maxSteps + repairs; step++) {
      const answer = await this.requestAnswer(repair);
      const compaction = this.addCompaction(answer);
      if (answer.toolCalls.length > 0) {
        repair = [];
        await this.callTools(answer, compaction);
        continue;
      }
      const reply = assistantMessage(answer.content, originalOf(answer));
      const fit = schema === undefined ? { object: undefined } : await this.parseObject(schema, answer.content);
      this.finishStep(answer, [...compaction, reply]);
      if ("object" in fit) {
        this.accept(reply);
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

  /** Returns the conversation and the transcript when the exchange has succeeded. */
  stateAfterSuccess(): { conversation: Conversation; transcript: readonly ChatMessage[] } {
    return {
      conversation: this.conversation,
      transcript: Object.freeze([...this.start.earlierTranscript, ...this.messages]),
    };
  }

  /** Returns the conversation and the transcript when the exchange has ended early. */
  stateAfterFailure(): { conversation: Conversation; transcript: readonly ChatMessage[] } {
    const { earlierTranscript, isNewQuestion } = this.start;
    const { messages } = this.conversation;
    const partial = this.interruptedAnswer();
    const everything = [...earlierTranscript, ...this.messages, ...partial];
    const { start } = this.questionRange();
    if (this.settings.onFailure === "discard") {
      const kept = isNewQuestion ? ofMessages(messages.slice(0, start)) : this.conversationBefore;
      return { conversation: kept, transcript: Object.freeze(everything) };
    }
    const question = new Set(this.question);
    // The whole results again, which a limit may have cut.
    const exchanged = messages.slice(start).map((message) => {
      const original = withoutStubs(message);
      return question.has(original) ? original : message;
    });
    const rest = withMarks(exchanged, question);
    return {
      conversation: ofMessages([...messages.slice(0, start), ...rest, ...partial]),
      transcript: Object.freeze(withMarks(everything, question)),
    };
  }

  /**
   * Returns the indexes of the question, which change when messages before it are summarized or dropped. It may have
   * results of tools that the host runs, which a limit may cut.
   */
  private questionRange(): IndexRange {
    const last = this.question.at(-1) as ChatMessage;
    const { messages } = this.conversation;
    let end = messages.length;
    while (end > 0 && withoutStubs(messages[end - 1] as ChatMessage) !== last) end--;
    return { start: end - this.question.length, end };
  }

  /** Adds the messages and the usage to the details of the error, and to its hint what the conversation keeps. */
  withExchangeDetails(error: unknown): unknown {
    if (!TurnfoldError.isInstance(error)) return error;
    const messages = [...this.messages, ...this.interruptedAnswer()];
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
    const rounds = this.messages.filter(({ toolCalls }) => toolCalls !== undefined && toolCalls.length > 0).length;
    const kept = [
      "the question",
      ...(rounds === 0 ? [] : [`${rounds} ${rounds === 1 ? "round" : "rounds"} of tool calls`]),
      ...(this.interruptedAnswer().length === 0 ? [] : ["a partial answer"]),
    ];
    const last = kept.pop() as string;
    const all = kept.length === 0 ? last : `${kept.join(", ")} and ${last}`;
    return `the conversation keeps ${all}: agent.resume() continues from there`;
  }

  /** Returns the interrupted answer: a list of one message, or an empty list. */
  private interruptedAnswer(): ChatMessage[] {
    if (this.pendingText.trim() !== "") {
      // Made once, so that all callers get the same message with the same time.
      this.partial = assistantMessage(this.pendingText, { partial: true });
      this.pendingText = "";
    }
    return this.partial === null ? [] : [this.partial];
  }

  /** @throws {TurnfoldError} `aborted`, `invalid_object` */
  private async parseObject(schema: ObjectSchema, text: string): Promise<Fit> {
    const { signal } = this.call;
    const fit = await unlessAborted(parseObject(schema, text), signal);
    if (fit === null) throw abortedError(signal);
    return fit;
  }

  private accept(...messages: readonly ChatMessage[]): void {
    this.pendingText = "";
    this.partial = null;
    this.add(messages);
  }

  private add(messages: readonly ChatMessage[]): void {
    this.messages.push(...messages);
    this.conversation = this.conversation.append(...messages);
  }

  /** Adds the provider's summary of what is before an answer, and returns it. */
  private addCompaction({ compaction }: Answer): ChatMessage[] {
    if (compaction === undefined) return [];
    const message = copyReply({ ...(compaction as ChatMessage), timestamp: currentTime() });
    this.add([message]);
    return [message];
  }

  private finishStep({ usage, finishReason }: Answer, messages: readonly ChatMessage[]): void {
    const step: ChatStep = { messages: Object.freeze(messages), usage, finishReason };
    this.steps.push(step);
    this.report({ type: "step", step });
  }

  /** After an abort nothing more is reported. */
  private report(event: ChatEvent): void {
    if (!this.call.signal?.aborted) this.call.onEvent(event);
  }

  private reply({ content, finishReason }: Answer): ChatReply {
    const changed = this.reports.find(({ outcome }) => outcome === "applied" || outcome === "trimmed");
    return {
      text: content,
      finishReason,
      messages: Object.freeze([...this.messages]),
      steps: Object.freeze(this.steps),
      report: (changed ?? this.reports.at(-1)) as HistoryReport,
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
    const { settings } = this;
    const { llm, retry, onWarning, summaryStore, sentAt } = settings;
    const { signal, schema } = this.call;
    const options: ManageOptions & ExchangeContext = {
      llm,
      retry,
      onWarning,
      ...(summaryStore === undefined ? {} : { summaryStore }),
      question: this.questionRange(),
      ...(sentAt === null ? {} : { idleSeconds: sinceTime(sentAt) / 1000 }),
      ...(repair.length === 0 ? {} : { request: repair }),
      ...(offered.length === 0 ? {} : { tools: offered }),
      ...(schema === undefined ? {} : { schema: schema.json ?? undefined }),
      ...(signal === undefined ? {} : { signal }),
      ...(settings.calibration === null ? {} : { calibration: settings.calibration }),
    };
    const spent: SummarySpending = { usage: {}, calls: 0 };
    const managed = await manageChecked(this.conversation, parameters, options, spent).catch((error) => {
      if (spent.calls > 0) this.addToUsage(spent.usage);
      throw error;
    });
    const { conversation, report } = managed;
    this.conversation = conversation;
    this.managedMessages = managed.messages;
    if (settings.calibration !== null) settings.calibration = managed.calibration;
    if (this.messages.length === this.start.messages.length) this.conversationBefore = conversation;
    this.reports.push(report);
    if (report.inserted > 0) this.report({ type: "summary", report });
    // A summary that is not used because it is not shorter has a price, too.
    if (spent.calls > 0) this.addToUsage(spent.usage);
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

  private async requestAnswer(repair: readonly ChatMessage[]): Promise<Answer> {
    const { parameters } = this.call;
    const offered = [...this.tools.values()].map((tool) => tool.offered);
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

  private async callTools(answer: Answer, before: readonly ChatMessage[]): Promise<void> {
    const { signal, approve } = this.call;
    const { content } = answer;
    const { messages } = this.conversation;
    const toolCalls = withUniqueIds(answer.toolCalls, callIdsIn(messages));
    // Copied, because a tool may change its arguments.
    const reply = { role: "assistant", content, toolCalls, ...originalOf(answer), timestamp: currentTime() };
    const callMessage = copyReply(reply);
    const calls = callMessage.toolCalls as ModelToolCall[];
    for (const call of calls) this.report({ type: "tool-call", call });
    const results = await Promise.all(
      toolCalls.map(async (given, index) => {
        const isOwn = this.resultTool !== null && given.name === RESULT_TOOL_NAME;
        const result = await callTool(this.tools, given, {
          messages,
          signal,
          approve: isOwn ? undefined : approve,
          model: this.settings,
          onUnapproved: (tool) => warn(this.settings.onWarning, approvalWarning(tool)),
          onUsage: (usage) => this.addToUsage(usageOf(usage)),
        });
        const call = calls[index] as ModelToolCall;
        if (!result.isInterrupted) this.report({ type: "tool-result", call, message: result.message });
        return result;
      }),
    );
    const round = [callMessage, ...results.map(({ message }) => message)];
    this.accept(...round);
    if (results.some(({ isInterrupted }) => isInterrupted)) throw abortedError(signal);
    this.finishStep(answer, [...before, ...round]);
  }
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
