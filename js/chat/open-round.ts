import type { FinishReason } from "../model/finish-reason.ts";
import type { ModelToolCall } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import type { Value } from "../values/values.ts";
import { inCall, type RunRecord } from "../waiting/run-record.ts";
import type { Answer, Wait, WaitingCall } from "../waiting/waiting-call.ts";
import { parseArguments } from "./call-arguments.ts";
import type { ChatMessage } from "./chat-message.ts";
import { copyMessages, markChecked } from "./message-copy.ts";
import { encodeMessage } from "./message-json.ts";

/**
 * A call of a round, and what became of it.
 *
 * @internal
 */
export interface OpenCall {
  readonly call: ModelToolCall;
  /** True when its tool was called, as far as the records say. */
  hasBegun: boolean;
  wait: Wait | null;
  /** What was answered while it waited, until it is carried out. */
  answer: Answer | undefined;
  /** The arguments of an answer, with which it began in place of the model's. */
  edited: unknown;
  /** The records of the agent that the tool is. */
  readonly inner: RunRecord[];
  result: ChatMessage | null;
}

/**
 * What a record says about a call of a round. Messages are objects.
 *
 * @internal
 */
export type CallRecord = RunRecord & { readonly type: "call" | "waiting" | "answer" | "result" };

/**
 * A reply that calls tools, and what became of the calls. It is kept beside the conversation, which gets all of it when every
 * call has a result.
 *
 * @internal
 */
export class OpenRound {
  /** The id of the run in which it began: part of the `callId` of its tools. */
  readonly run: string;
  readonly usage: Usage;
  readonly finishReason: FinishReason;
  readonly calls: readonly OpenCall[];
  private readonly at: number;
  /** The provider's summary before the reply, if there is one, and the reply. */
  private readonly messages: readonly ChatMessage[];

  constructor({
    run,
    at,
    messages,
    usage,
    finishReason,
  }: Pick<OpenRound, "run" | "usage" | "finishReason"> & { at: number; messages: readonly ChatMessage[] }) {
    this.run = run;
    this.at = at;
    this.messages = messages;
    this.usage = usage;
    this.finishReason = finishReason;
    this.calls = (this.reply.toolCalls ?? []).map((call) => ({
      call,
      hasBegun: false,
      wait: null,
      answer: undefined,
      edited: undefined,
      inner: [],
      result: null,
    }));
  }

  private get reply(): ChatMessage {
    return this.messages.at(-1) as ChatMessage;
  }

  /** What the model said beside its calls. */
  get text(): string {
    const { content } = this.reply;
    return typeof content === "string" ? content : "";
  }

  get isComplete(): boolean {
    return this.calls.every(({ result }) => result !== null);
  }

  /** Notes what a record says about a call; again without an effect. */
  note(record: CallRecord): void {
    const open = this.calls.find(({ call }) => call.id === record.id);
    if (open === undefined || open.result !== null) return;
    if (record.type === "answer") open.answer = record.answer as Answer;
    else if (record.type === "waiting") {
      open.wait = { reason: record.reason, info: record.info as Value };
      open.answer = undefined;
    } else if (record.type === "call") {
      const { answer } = open;
      if (typeof answer === "object" && "args" in answer) open.edited = answer.args;
      Object.assign(open, { hasBegun: true, wait: null, answer: undefined });
    } else {
      open.edited = record.args ?? open.edited;
      open.result = record.message as ChatMessage;
    }
  }

  /**
   * The calls that wait.
   *
   * @param isRepeatable whether a call of a tool that had begun is made again without a decision.
   * @param within returns the calls that wait in the agent that a tool is, from its records.
   */
  waitingCalls(
    isRepeatable: (tool: string) => boolean,
    within: (tool: string, records: readonly RunRecord[]) => readonly WaitingCall[],
  ): WaitingCall[] {
    return this.calls.flatMap(
      ({ call: { id, name: tool, args }, hasBegun, wait, answer, inner, result }): WaitingCall[] => {
        if (result !== null || answer !== undefined) return [];
        if (inner.length > 0) {
          return within(tool, inner).map((each) => ({ ...each, id: `${id}/${each.id}`, path: [tool, ...each.path] }));
        }
        if (wait === null && (!hasBegun || isRepeatable(tool))) return [];
        const { reason = "interrupted", info = null } = wait ?? {};
        const given = (typeof args === "string" ? parseArguments(args) : (args ?? {})) as Value;
        return reason === "agent" ? [] : [{ id, tool, args: given, reason, info, path: [] }];
      },
    );
  }

  /** The reply and all results; the calls have the arguments with which they were made. */
  closed(): readonly ChatMessage[] {
    const results = this.calls.map(({ result }) => result as ChatMessage);
    if (this.calls.every(({ edited }) => edited === undefined)) return [...this.messages, ...results];
    const toolCalls = this.calls.map(({ call, edited }) => (edited === undefined ? call : { ...call, args: edited }));
    const [reply] = copyMessages([{ ...this.reply, toolCalls }], "reply", true);
    return [...this.messages.slice(0, -1), reply as ChatMessage, ...results];
  }

  /** Gives the calls without a result one that says so. */
  giveUp(at: number): void {
    for (const open of this.calls) {
      if (open.result !== null) continue;
      const { id: toolCallId, name: toolName } = open.call;
      const content = openText(open);
      open.result = markChecked({ role: "tool", toolCallId, toolName, content, isError: true, timestamp: at });
    }
  }

  /** The record of the reply. */
  replyRecord(): RunRecord {
    const { run, at, messages, usage, finishReason } = this;
    return encodeMessage({ type: "reply", at, run, messages, usage, finishReason }) as RunRecord;
  }

  /** The records from which it can be made again, as JSON data. */
  toJSON(): RunRecord[] {
    return [this.replyRecord(), ...this.calls.flatMap(recordsOf)];
  }
}

/** The records from which a call can be made again. */
function recordsOf({ call, hasBegun, wait, answer, edited, inner, result }: OpenCall): RunRecord[] {
  const { id, name: tool, args } = call;
  const records: object[] = [];
  if (edited !== undefined && result === null) records.push({ type: "answer", id, answer: { args: edited } });
  if (hasBegun) records.push({ type: "call", id, tool, args });
  if (wait !== null) records.push({ type: "waiting", id, tool, args, ...wait });
  if (answer !== undefined) records.push({ type: "answer", id, answer });
  if (result !== null) records.push({ type: "result", id, tool, message: result, args: edited, durationMs: 0 });
  const encoded = records.map((record) => encodeMessage(record) as RunRecord);
  // What a finished agent did is in its result.
  return result === null ? [...encoded, ...inner.map((record) => inCall(id, record))] : encoded;
}

/**
 * Notes a record of the agent that a call is.
 *
 * @internal
 */
export function noteInner(round: OpenRound, record: RunRecord & { in: string }): void {
  const { in: within, ...own } = record;
  const open = round.calls.find(({ call: { id } }) => within === id || within.startsWith(`${id}/`));
  if (open === undefined) return;
  const { id } = open.call;
  const inner = (within === id ? own : { in: within.slice(id.length + 1), ...own }) as RunRecord;
  // A checkpoint may have a record that was being stored.
  if (JSON.stringify(open.inner.at(-1)) !== JSON.stringify(inner)) open.inner.push(inner);
}

/** The result of a call that nobody decided about. */
function openText({ hasBegun, wait, inner }: OpenCall): string {
  if (inner.length > 0) return "not decided: it was not finished";
  if (wait?.reason === "approval") return "not decided: it was not run";
  if (wait?.reason === "later") return "not decided: it has no result";
  return `interrupted: ${hasBegun || wait !== null ? "unknown whether it finished" : "it was not run"}`;
}
