import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import type { FinishReason } from "../model/finish-reason.ts";
import { usageOf } from "../model/usage.ts";
import { describe } from "../values/describe.ts";
import { checkRecords, type RunRecord } from "../waiting/run-record.ts";
import type { ChatMessage } from "./chat-message.ts";
import { appendAll, type Conversation, ofMessages } from "./conversation.ts";
import { copyMessages } from "./message-copy.ts";
import { decodeMessage } from "./message-json.ts";
import { type CallRecord, noteInner, OpenRound } from "./open-round.ts";
import { withoutStubs } from "./stubs.ts";
import { toolsFoundIn } from "./tool-search.ts";
import { type AgentState, type ExchangeStart, exchangeStart, withMarks } from "./unfinished-exchange.ts";

/**
 * What has happened in an exchange so far. It changes in the same way while the exchange runs and when its records are read.
 *
 * @internal
 */
export class ExchangeState {
  /** The conversation, with the question and the messages after it. */
  conversation: Conversation;
  /** The index of the question, which changes when messages before it are summarized or dropped. */
  questionStart: number;
  /** The question. No strategy or limit removes it. */
  readonly question: readonly ChatMessage[];
  /** Everything that happened. */
  readonly messages: ChatMessage[];
  /** The part of an answer that was streamed. */
  partial: ChatMessage | null;
  round: OpenRound | null;
  isFinished = false;
  /** The names of the tools that searches have found, in their order. */
  foundTools: readonly string[];
  private readonly earlierTranscript: readonly ChatMessage[];

  constructor(start: ExchangeStart) {
    const { before, exchanged, questionCount, earlierTranscript, messages, partial, round } = start;
    this.foundTools = start.foundTools;
    this.conversation = appendAll(before, exchanged);
    this.questionStart = before.messages.length;
    this.question = exchanged.slice(0, questionCount);
    this.earlierTranscript = earlierTranscript;
    this.messages = [...messages];
    this.partial = partial;
    this.round = round;
  }

  add(...messages: readonly ChatMessage[]): void {
    this.partial = null;
    this.messages.push(...messages);
    this.conversation = this.conversation.append(...messages);
  }

  /** Adds the answer. */
  finish(...messages: readonly ChatMessage[]): void {
    this.add(...messages);
    this.isFinished = true;
  }

  /** Leaves nothing of the exchange in the conversation. */
  discard(kept: Conversation): void {
    this.conversation = kept;
    this.round = null;
    this.isFinished = true;
  }

  /** Takes the managed conversation. */
  change(conversation: Conversation): void {
    const last = this.question.at(-1);
    const { messages } = conversation;
    let end = messages.length;
    // A limit may have cut results of tools in the question.
    while (end > 0 && withoutStubs(messages[end - 1] as ChatMessage) !== last) end--;
    this.conversation = conversation;
    this.questionStart = end - this.question.length;
  }

  open(round: OpenRound): void {
    this.partial = null;
    this.round = round;
  }

  /** Adds the reply and the results of a round of which every call has one, and returns them. */
  closeRound(): readonly ChatMessage[] {
    const messages = (this.round as OpenRound).closed();
    this.round = null;
    this.add(...messages);
    this.foundTools = [...new Set([...this.foundTools, ...toolsFoundIn(messages)])];
    return messages;
  }

  /** The messages so far, with the part of an answer. */
  get messagesSoFar(): ChatMessage[] {
    return this.partial === null ? [...this.messages] : [...this.messages, this.partial];
  }

  get transcript(): readonly ChatMessage[] {
    return [...this.earlierTranscript, ...this.messagesSoFar];
  }

  /** The state of the agent. That of an exchange which has not finished continues it. */
  get current(): AgentState {
    const { conversation, transcript, questionStart: start, question, partial, round, foundTools } = this;
    if (this.isFinished) return { conversation, transcript: Object.freeze(transcript), round: null, foundTools };
    const marked = new Set(question);
    const { messages } = conversation;
    const before = messages.slice(0, start);
    const after = messages.slice(start + question.length);
    // The whole question again: a limit may have cut results of tools in it.
    const exchanged = [...withMarks(question, marked), ...after, ...(partial === null ? [] : [partial])];
    return {
      conversation: ofMessages([...before, ...exchanged]),
      transcript: Object.freeze(withMarks(transcript, marked)),
      round,
      foundTools,
    };
  }
}

/** A part of a list that was replaced. */
interface Change {
  /** Its index after the changes before it. */
  readonly from: number;
  readonly removed: number;
  readonly inserted: readonly ChatMessage[];
}

/**
 * The differences between two lists of messages, of which those that stayed are the same objects.
 *
 * @internal
 */
export function changesBetween(before: readonly ChatMessage[], after: readonly ChatMessage[]): Change[] {
  if (before === after) return [];
  const indexes = new Map(before.map((message, index) => [message, index]));
  const changes: Change[] = [];
  let inserted: ChatMessage[] = [];
  let next = 0;
  const change = (end: number, to: number) => {
    if (end === next && inserted.length === 0) return;
    changes.push({ from: to - inserted.length, removed: end - next, inserted });
    inserted = [];
  };
  for (const [index, message] of after.entries()) {
    const found = indexes.get(message) ?? -1;
    if (found < next) {
      inserted.push(message);
      continue;
    }
    change(found, index);
    next = found + 1;
  }
  change(before.length, after.length);
  return changes;
}

/**
 * The state of an agent after records, and the last calibration in them.
 *
 * @param state the state before them.
 * @throws {TurnfoldError} `invalid_argument`, `unknown_version`; `invalid_message`, `invalid_conversation` for a message
 *
 * @internal
 */
export function afterRecords(state: AgentState, given: unknown): { state: AgentState; calibration: unknown } {
  const records = checkRecords(given);
  // Copied, because records that can't be read must change nothing.
  let current: AgentState = { ...state, round: state.round && readRound(state.round.toJSON()) };
  let exchange: ExchangeState | null = null;
  let calibration: unknown = null;
  for (const [index, record] of records.entries()) {
    const path = `records[${index}]`;
    wrapReadErrors("invalid_argument", path, () => {
      if (record.in === undefined && record.type === "start") {
        current = exchange?.current ?? current;
        const messages = messagesOf(record.messages ?? [], `${path}.messages`);
        exchange = new ExchangeState(exchangeStart(current, messages, record.at));
        return;
      }
      // Records after a checkpoint may begin in the midst of an exchange.
      exchange ??= new ExchangeState(exchangeStart(current, [], 0));
      if (record.in === undefined && record.type === "reply") applyReply(exchange, record, path);
      else if (record.in === undefined && record.type === "history") applyChanges(exchange, record, path);
      else if (record.in === undefined && record.type === "step") {
        if (exchange.round?.isComplete) exchange.closeRound();
      } else if (record.in === undefined && (record.type === "end" || record.type === "suspended")) {
        calibration = record.calibration ?? calibration;
        if (record.type === "end") exchange.isFinished = true;
      } else if (exchange.round !== null) noteRecord(exchange.round, record, path);
    });
  }
  return { state: (exchange as ExchangeState | null)?.current ?? current, calibration };
}

/**
 * A round from its records.
 *
 * @throws {TurnfoldError} as {@link afterRecords}
 *
 * @internal
 */
export function readRound(given: unknown): OpenRound {
  const [first, ...records] = checkRecords(given);
  const round = first?.type === "reply" ? roundOf(first, messagesOf(first.messages, "records[0].messages")) : null;
  if (round === null) throw refused("records[0]", first);
  for (const [index, record] of records.entries()) noteRecord(round, record, `records[${index + 1}]`);
  return round;
}

function noteRecord(round: OpenRound, record: RunRecord, path: string): void {
  if (record.in !== undefined) {
    noteInner(round, record as RunRecord & { in: string });
    return;
  }
  if (record.type === "waiting" && !REASONS.includes(record.reason)) throw refused(`${path}.reason`, record.reason);
  if (record.type === "call" || record.type === "waiting" || record.type === "answer") {
    round.note(decodeMessage(record) as CallRecord);
  } else if (record.type === "result") {
    const { message: given, args } = record;
    const [message] = messagesOf([given], `${path}.message`);
    round.note({ ...record, message, args: args === undefined ? undefined : decodeMessage(args) });
  }
}

const REASONS: readonly unknown[] = ["approval", "later", "interrupted", "agent"];

/** Returns null for a reply that calls no tool. */
function roundOf(record: RunRecord & { type: "reply" }, messages: readonly ChatMessage[]): OpenRound | null {
  const { at, run = "", usage, finishReason = "stop" } = record;
  if ((messages.at(-1)?.toolCalls ?? []).length === 0) return null;
  return new OpenRound({ run, at, messages, usage: usageOf(usage), finishReason: finishReason as FinishReason });
}

function applyReply(exchange: ExchangeState, record: RunRecord & { type: "reply" }, path: string): void {
  const messages = messagesOf(record.messages, `${path}.messages`);
  const reply = messages.at(-1);
  if (reply === undefined) throw refused(`${path}.messages`, record.messages);
  if (reply.partial === true) exchange.partial = reply;
  else if (record.isRejected === true) exchange.add(...messages.slice(0, -1));
  else {
    const round = roundOf(record, messages);
    if (round === null) exchange.finish(...messages);
    else exchange.open(round);
  }
}

function applyChanges(exchange: ExchangeState, record: RunRecord & { type: "history" }, path: string): void {
  const messages = [...exchange.conversation.messages];
  for (const [number, change] of record.changes.entries()) {
    const { from, removed, inserted } = Object(change) as Record<string, unknown>;
    const fits = isCount(from) && isCount(removed) && from + removed <= messages.length;
    if (!fits) throw refused(`${path}.changes[${number}]`, change);
    const more = messagesOf(inserted, `${path}.changes[${number}].inserted`);
    messages.splice(from, removed, ...more);
  }
  if (!isCount(record.question) || record.question > messages.length)
    throw refused(`${path}.question`, record.question);
  exchange.conversation = ofMessages(messages);
  exchange.questionStart = record.question;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function messagesOf(given: unknown, path: string): ChatMessage[] {
  if (!Array.isArray(given)) throw refused(path, given);
  return copyMessages(decodeMessage(given), path, true);
}

function refused(path: string, value: unknown): TurnfoldError {
  return new TurnfoldError("invalid_argument", `${path} is ${describe(value)}`, {
    details: { path },
    hint: "give the records as onRecord got them, in their order",
  });
}
