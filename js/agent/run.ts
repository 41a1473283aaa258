import { currentTime } from "../boundary/clock.ts";
import { decode, decodePlain, decodeRecord } from "../boundary/decode.ts";
import { encode } from "../boundary/encode.ts";
import { messageOf } from "../boundary/host.ts";
import { call, generation, Instance, type Parts, type RunHandle, send, sharedInstance } from "../boundary/wasm.ts";
import { TurnfoldError } from "../errors.ts";
import { copyMessages, type Message } from "../model/message.ts";
import { addUsage, type Usage } from "../model/usage.ts";
import { keptCalls, NO_CALLS } from "../sandbox/kept-calls.ts";
import { timeoutMs } from "../sandbox/limits.ts";
import {
  DIVERGED,
  ProgramRecord,
  type Request,
  type ToolReply,
  type ToolRequest,
  type TrackedCall,
  type WireToolReply,
} from "../sandbox/program-record.ts";
import { recordedCall, waitingCalls } from "../sandbox/recorded-call.ts";
import { encodeMembers } from "../sandbox/saved-sandbox.ts";
import { Clock, crashHint, driveSession, freeInSlices, type Session, withoutCause } from "../sandbox/session.ts";
import { isAgent, toolsJson } from "../tools/tools.ts";
import type { Compression, RenderOptions } from "../turns/options.ts";
import type { Rendered, RenderStats } from "../turns/rendered.ts";
import { Renderer } from "../turns/renderer.ts";
import { toMessages } from "../turns/to-messages.ts";
import { Turn } from "../turns/turn.ts";
import type { ToolCallInit, TurnInit } from "../turns/turn-init.ts";
import { answersWithin, recordAnswers } from "../waiting/answers.ts";
import { Recorder } from "../waiting/recorder.ts";
import type { RunRecord } from "../waiting/run-record.ts";
import { type Answers, type SavedWaiting, saveWaiting, Waits } from "../waiting/waiting-call.ts";
import type { CheckedAgent } from "./agent.ts";
import type { ReplySource } from "./reply-source.ts";
import type { ResumedAgent, RunCall, RunEvent } from "./run-options.ts";
import { saveTurn } from "./saved-turns.ts";
import { type FinishedStep, type LogEntry, makeStep, partsOf, type Step, type StepParts } from "./step.ts";

/** The result of a run from the wasm side; values are JSON texts. */
export type RunResult = { returned: string } | { reason: string; message: string; details: string };

/** The next request of a run, with the events since the last one. */
type RunResponse = Request<RunResult> & { turns: { json: string; callIds: number[] }[]; warnings: string[] };

/** A reply whose program runs. */
interface RunningProgram {
  content: string;
  at: number;
  /** When its request was sent. */
  sentAt: number | undefined;
  record: ProgramRecord;
}

/** The state from which a run resumes. */
export interface PriorTurns {
  turns: readonly Turn[];
  log: readonly LogEntry[];
  sent: readonly (readonly Message[])[] | null;
  /** The turn that had begun, and the answers to its calls. */
  resumed?: ResumedTurn;
  /** What the last turn ended the run with. */
  end?: RunEnd;
}

/**
 * The end of a run.
 *
 * @internal
 */
export interface RunEnd {
  readonly done: RunResult;
  /** Of the last request. */
  readonly stats: RenderStats | null;
}

/**
 * A turn that goes on.
 *
 * @internal
 */
export interface ResumedTurn {
  /** Its records. */
  readonly records: readonly RunRecord[];
  /** Those of nested agents, by the ids of the calls that they are. */
  readonly nested: ReadonlyMap<string, readonly RunRecord[]>;
  readonly answers: Answers;
}

/** @internal */
export const NO_PRIOR_TURNS: PriorTurns = { turns: [], log: [], sent: null };

/**
 * The parts of a run.
 *
 * @internal
 */
export interface RunParts {
  agent: CheckedAgent;
  request: RenderOptions;
  /** JSON of the inputs. */
  data: string;
  source: ReplySource;
  past?: PriorTurns;
  warnings?: readonly string[];
  signal?: AbortSignal | undefined;
  emit?: (event: RunEvent) => void;
  /** Time limit of a program in milliseconds; by default that of the limits. */
  timeout?: number;
  /** Receives each new turn before it takes effect. */
  onTurn?: (turn: Turn) => void;
  recorder?: Recorder;
  /** Part of the `callId` of tools. */
  run?: string;
}

/**
 * One run: the state machine on the wasm side, and everything that it requests.
 *
 * @internal
 */
export class Run implements Session<RunResult> {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  private readonly parts: RunParts;
  private readonly turns: Turn[];
  private readonly log: LogEntry[];
  private readonly warnings: string[];
  private readonly emit: (event: RunEvent) => void;
  private readonly renderer: Renderer;
  /** The messages of each request, kept when a function of the host contributed to them. */
  private readonly sent: (readonly Message[])[] | null;
  private stats: RenderStats | null = null;
  /** The number of tool calls of the turns. Counted as turns are added: decoding their calls may need the wasm. */
  private calls: number;
  /** True after the end: late results of tools are ignored. */
  private isOver = false;
  private handle: RunHandle;
  private handleGeneration: number;
  private readonly instance: Instance;
  /** The running program with all its replies; null when none runs. */
  private runningProgram: RunningProgram | null = null;
  private readonly recorder: Recorder;

  constructor(parts: RunParts) {
    const { agent, request, past = NO_PRIOR_TURNS, warnings = [], signal, emit = () => {} } = parts;
    this.parts = parts;
    this.recorder = parts.recorder ?? Recorder.for(undefined);
    this.signal = signal;
    this.emit = emit;
    this.clock = new Clock(parts.timeout ?? timeoutMs(agent.limits));
    this.turns = [...past.turns];
    this.calls = past.turns.reduce((sum, { toolCalls }) => sum + toolCalls.length, 0);
    this.log = [...past.log];
    this.warnings = [...warnings];
    this.renderer = new Renderer({ ...request, data: decodeRecord(JSON.parse(parts.data)) }, this.turns);
    this.sent = usesHostFunction(request.compression) ? [...(past.sent ?? this.turns.map(() => []))] : null;
    this.instance = agent.isolate ? new Instance(sharedInstance("language").wasm) : sharedInstance("language");
    this.handle = this.open();
    this.handleGeneration = generation(this.instance);
  }

  /** @param program runs first, instead of a reply of the model. */
  async run(program?: string): Promise<FinishedStep> {
    try {
      for (const message of this.warnings) this.emit({ type: "warning", message });
      const done = this.ended() ?? (await this.runToEnd(program));
      this.isOver = true;
      const step = this.step(done);
      if (done !== null) await this.recordEnd(step);
      this.emit({ type: done === null ? "waiting" : "done", step });
      return step;
    } finally {
      this.freeHandle();
      freeInSlices(this.instance);
      this.renderer.dispose();
    }
  }

  /** The result of a run that had ended, but whose end was not recorded. */
  private ended(): RunResult | null {
    const { end } = this.parts.past ?? NO_PRIOR_TURNS;
    if (end === undefined) return null;
    this.nextRequest((run) => run.start());
    this.stats = end.stats;
    for (const { warnings = [] } of this.log) this.warnings.push(...warnings);
    return end.done;
  }

  /** Runs to the end. An error ends the run and keeps all its turns. Resolves to null when it waits. */
  private async runToEnd(program: string | undefined): Promise<RunResult | null> {
    try {
      let request: Request<RunResult> = this.nextRequest((run) => run.start());
      for (const { warnings = [] } of this.log) this.warnings.push(...warnings);
      const { resumed } = this.parts.past ?? NO_PRIOR_TURNS;
      if (resumed !== undefined && request.ask !== undefined) {
        request = await this.resumeTurn(resumed);
      } else if (program !== undefined && request.ask !== undefined && !this.signal?.aborted) {
        // The program replaces a reply: the step has the request that the reply would answer.
        const { messages, stats } = this.renderer.render();
        this.stats = stats;
        this.sent?.push(copyMessages(messages));
        request = await this.recordReply(request.ask, fencedProgram(program), {}, currentTime());
      }
      const done = await driveSession(this, request);
      if (done === null) {
        const { rounds } = (this.runningProgram as RunningProgram).record;
        await this.recorder.write(() => ({ type: "suspended", rounds }));
      }
      return done;
    } catch (error) {
      const known = TurnfoldError.isInstance(error);
      if (known && error.code === DIVERGED) throw error;
      const reason = known ? error.code : "internal";
      const message = messageOf(error);
      this.addInterruptedTurn(reason, message);
      return { reason, message, details: "null" };
    }
  }

  /** Begins a turn again whose program was interrupted: runs it to the point of its record. */
  private async resumeTurn({ records, answers }: ResumedTurn): Promise<Request<RunResult>> {
    const { recorder } = this;
    recorder.begin(records);
    const [reply] = records as [RunRecord & { type: "reply" }];
    const { content = "", at, sentAt, sent, stats } = reply;
    const usage = reply.usage as Usage;
    this.renderer.setOptions({ at: sentAt } as Partial<RenderOptions>);
    // A function of the host is not called again.
    this.stats = (stats as RenderStats | undefined) ?? this.renderer.render().stats;
    this.sent?.push((sent as Message[] | undefined) ?? []);
    await recordAnswers(recorder, answers);
    const record = ProgramRecord.from(records);
    if (record.calls.length === 0) return this.reply(content, usage, at, sentAt);
    const entry: LogEntry = { at, usage };
    for (const { reply } of record.calls) {
      if (reply?.step !== undefined) addNested(entry, (JSON.parse(reply.step) as Pick<Step, "usage">).usage);
    }
    this.log.push(entry);
    this.clock.reset();
    this.runningProgram = { content, at, sentAt, record };
    return this.startAgain();
  }

  /** Records the end, unless a record could not be stored. */
  private async recordEnd(step: FinishedStep): Promise<void> {
    if (step.fail?.reason === "record_failed") return;
    const { returned, fail, usage, warnings } = partsOf(step);
    const parsed = () =>
      fail === null
        ? { return: JSON.parse(returned) as unknown }
        : { fail: { ...fail, details: JSON.parse(fail.details) as unknown } };
    await this.recorder.send(() => ({ type: "end", outcome: { ...parsed(), usage, warnings } }));
  }

  /** Adds the turn of a program that can't be resumed, because it may have called tools. Needs no wasm. */
  private addInterruptedTurn(reason: string, message: string): void {
    const { runningProgram } = this;
    if (runningProgram === null) return;
    this.runningProgram = null;
    const { content, sentAt, record } = runningProgram;
    (this.log.at(-1) as LogEntry).stopped = true;
    const turn = Turn.failure({
      number: this.turns.length + 1,
      rawResponse: content,
      result: { reason, message, hint: crashHint(reason) },
      toolCalls: record.calls.map(interruptedCall),
      ...this.definitions(),
      ...(sentAt === undefined ? {} : { at: sentAt }),
    });
    this.calls += record.calls.length;
    this.turns.push(turn);
    this.recordTurn();
    this.emit({ type: "turn", turn });
  }

  /**
   * Records the last turn. The next record that is awaited fails if this one could not be stored.
   *
   * @param done what the turn ended the run with.
   */
  private recordTurn(done?: RunResult): void {
    const [turn, before] = [this.turns.at(-1) as Turn, this.turns.at(-2)];
    const end = done === undefined ? {} : { end: { done, stats: this.stats } satisfies RunEnd };
    const log = () => ({ ...this.log.at(-1) });
    void this.recorder.send(() => ({ type: "turn", turn: saveTurn(turn, before), log: log(), ...end }));
  }

  /** The definitions after the last turn; without them if the wasm, which may have to read its calls, can't. */
  private definitions(): Pick<TurnInit, "memory"> {
    try {
      return { memory: this.turns.at(-1)?.memory ?? {} };
    } catch {
      return {};
    }
  }

  resume(): Request<RunResult> {
    return this.nextRequest((run) => run.resume());
  }

  answer(replies: readonly WireToolReply[]): Request<RunResult> {
    return this.nextRequest((run) => run.answer(replies), replies, replies);
  }

  timeOut(): Request<RunResult> {
    this.stop();
    return this.nextRequest((run) => run.timeOut(this.clock.message));
  }

  abort(replies: readonly WireToolReply[]): Request<RunResult> {
    this.stop();
    return this.end("aborted", "the run was aborted by the host", replies);
  }

  private stop(): void {
    if (this.runningProgram !== null) (this.log.at(-1) as LogEntry).stopped = true;
  }

  async ask(turn: number): Promise<Request<RunResult>> {
    const ended = this.parts.source.endBefore(turn, this.stats);
    if (ended !== null) return this.end(ended.reason, ended.message);
    await this.recorder.settled();
    const sentAt = this.parts.source.requestTime(turn);
    const rendered = this.render(turn, sentAt);
    const outcome = await this.parts.source.reply(turn, rendered, (text) => this.emit({ type: "text", turn, text }));
    if (outcome === null) return this.abort([]);
    if ("turn" in outcome) return this.adoptRecordedTurn(outcome.turn, outcome.entry, outcome.end);
    if (!("content" in outcome)) {
      if (outcome.entry !== undefined) this.log.push(outcome.entry);
      return this.end(outcome.reason, outcome.message);
    }
    const { content, usage, at } = outcome;
    this.emit({ type: "reply", turn, content, usage });
    return this.recordReply(turn, content, usage, at, sentAt);
  }

  /** Records a reply before its program runs. */
  private async recordReply(
    turn: number,
    content: string,
    usage: Usage,
    at: number,
    sentAt?: number,
  ): Promise<Request<RunResult>> {
    const sent = this.sent === null ? {} : { sent: this.sent.at(-1), stats: this.stats };
    const time = sentAt === undefined ? {} : { sentAt };
    this.recorder.begin();
    await this.recorder.write(() => ({ type: "reply", turn, at, ...time, content, usage, ...sent }));
    return this.reply(content, usage, at, sentAt);
  }

  async call(request: ToolRequest): Promise<ToolReply | null> {
    const { id: number, tool: name } = request;
    const turn = this.turns.length + 1;
    const id = `${turn}.${number}`;
    const { agent, source, past } = this.parts;
    const { record: program } = this.runningProgram as RunningProgram;
    const known = program.track(request);
    if (known.reply !== undefined) return known.reply;
    // A nested agent gets its inputs in their lossless form, a function as plain JavaScript.
    const isNested = isAgent(agent.tools[name]);
    const decodeArgs = isNested ? decode : decodePlain;
    const resumed = isNested ? this.resumedAgent(id, known) : undefined;
    // The listener has a copy: neither it nor the tool can change the arguments of the other.
    let call: RunCall = { id, name, args: decodeArgs(JSON.parse(request.args)) };
    const reply = await recordedCall(request, {
      program,
      recorder: this.recorder,
      id,
      answer: past?.resumed?.answers[id] ?? (resumed === undefined ? undefined : true),
      isIdempotent: source.isIdempotent(name),
      make: async (json, isApproved, begin) => {
        call = { ...call, args: decodeArgs(JSON.parse(json)) };
        this.emit({ type: "tool-call", turn, call });
        const outcome = await source.call(request, decodeArgs(JSON.parse(json)), turn, { isApproved, begin, resumed });
        if (outcome instanceof Waits) return outcome;
        const { reply, nested, edited } = outcome;
        if (edited !== undefined) known.edited = edited;
        const entry = this.log[turn - 1];
        if (nested !== undefined && entry !== undefined && !this.isOver) addNested(entry, nested);
        return reply;
      },
    });
    if (reply === null) return null;
    const { result, error, durationMs } = reply;
    const about = { type: "tool-result" as const, turn, call, durationMs };
    if (error !== undefined) this.emit({ ...about, error, cause: reply.cause });
    else this.emit({ ...about, result: decodePlain(JSON.parse(result as string)) });
    return reply;
  }

  /** What is known of a nested agent that has begun and goes on; undefined when it begins, and when it goes on waiting. */
  private resumedAgent(id: string, { step, wait, hasBegun }: TrackedCall): ResumedAgent | undefined {
    const { resumed } = this.parts.past ?? NO_PRIOR_TURNS;
    if (resumed === undefined || (wait === undefined && hasBegun !== true)) return undefined;
    const answers = answersWithin(resumed.answers, id);
    const records = resumed.nested.get(id);
    const isWaiting = wait?.reason === "agent" && (records === undefined || records.at(-1)?.type === "suspended");
    return isWaiting && Object.keys(answers).length === 0 ? undefined : { step, records, answers };
  }

  private render(turn: number, at: number | undefined): Rendered {
    this.renderer.setOptions({ at } as Partial<RenderOptions>);
    const rendered = this.renderer.render();
    this.stats = rendered.stats;
    const { messages, stats } = rendered;
    this.sent?.push(copyMessages(messages));
    this.emit({ type: "messages", turn, messages: copyMessages(messages), stats });
    return rendered;
  }

  private reply(content: string, usage: Usage, at: number, sentAt?: number): Request<RunResult> {
    this.log.push({ at, usage });
    this.clock.reset();
    this.runningProgram = null;
    // Reopened before `runningProgram` is set: afterwards `reopen` would run this program.
    if (this.isStale()) this.reopen();
    this.runningProgram = { content, at, sentAt, record: new ProgramRecord() };
    return this.nextRequest((run) => run.reply(send(content), at, sentAt));
  }

  /** Adopts a recorded turn unchanged; the machine starts again after it. */
  private adoptRecordedTurn(
    turn: Turn,
    entry: LogEntry,
    end: { reason: string; message: string } | null,
  ): Request<RunResult> {
    this.log.push(entry);
    this.add(turn, turn.toolCalls.length);
    for (const message of entry.warnings ?? []) this.warn(message);
    const request = this.startAgain();
    return end === null ? request : this.end(end.reason, end.message);
  }

  private end(reason: string, message: string, replies: readonly WireToolReply[] = []): Request<RunResult> {
    return this.nextRequest((run) => run.end(reason, message, replies), replies);
  }

  /**
   * @param replies the replies that `ask` passes on.
   * @param answered the same when the program goes on with them.
   */
  private nextRequest(
    ask: (run: RunHandle) => unknown,
    replies: readonly WireToolReply[] = [],
    answered?: readonly WireToolReply[],
  ): Request<RunResult> {
    if (this.isStale()) this.reopen();
    const calls = this.runningProgram?.record.calls ?? [];
    const response = this.callWithRecovery(ask, replies);
    this.runningProgram?.record.note(response, answered);
    for (const { json, callIds } of response.turns) {
      const turn = Turn.fromJSON(json);
      this.runningProgram = null;
      const entry = this.log.at(-1) as LogEntry;
      if (callIds.some((id, index) => id !== index)) entry.order = callIds;
      const edited = editedCalls(calls);
      if (edited !== null) entry.edited = edited;
      this.add(turn, callIds.length);
    }
    if (response.turns.length > 0 && response.warnings.length > 0) {
      (this.log.at(-1) as LogEntry).warnings = response.warnings;
    }
    if (response.turns.length > 0) this.recordTurn(response.done);
    for (const message of response.warnings) this.warn(message);
    if (response.done === undefined || !this.parts.source.continuesAfter(this.turns.length)) return response;
    return this.startAgain();
  }

  /** Starts the machine again after the turns so far. */
  private startAgain(): Request<RunResult> {
    this.freeHandle();
    return this.reopen();
  }

  private isStale(): boolean {
    return this.handleGeneration !== generation(this.instance);
  }

  private freeHandle(): void {
    if (!this.isStale()) this.callWasm(() => this.handle.free());
  }

  private callWasm<T>(run: (wasm: Parts["language"]) => T): T {
    return call(this.instance, run);
  }

  /** A program that crashes the wasm ends, and the run continues with the next turn. */
  private callWithRecovery(ask: (run: RunHandle) => unknown, replies: readonly WireToolReply[]): RunResponse {
    try {
      return this.callWasm(() => ask(this.handle)) as RunResponse;
    } catch (error) {
      const { runningProgram: program } = this;
      if (program === null || !this.isStale() || !TurnfoldError.isInstance(error)) throw error;
      (this.log.at(-1) as LogEntry).stopped = true;
      const { code, message } = error;
      const hint = crashHint(code);
      try {
        this.reopen();
        return this.callWasm(() => this.handle.endCrashed(replies, code, message, hint)) as RunResponse;
      } catch {
        // The program crashed again before it reached the same point.
        this.runningProgram = null;
        const { content } = program;
        const { calls } = program.record;
        const made = `[${calls.map(({ id, tool, args }) => `[${id},${JSON.stringify(tool)},${args}]`).join()}]`;
        const answered = calls.flatMap(({ reply }) => (reply === undefined ? [] : [withoutCause(reply)]));
        try {
          this.reopen();
          return this.callWasm(() =>
            this.handle.skipCrashed(send(content), made, answered, code, message, hint),
          ) as RunResponse;
        } catch (again) {
          this.runningProgram = program;
          throw again;
        }
      }
    }
  }

  private add(turn: Turn, calls: number): void {
    this.parts.onTurn?.(turn);
    this.calls += calls;
    this.turns.push(turn);
    this.renderer.push(turn);
    this.emit({ type: "turn", turn });
  }

  private warn(message: string): void {
    this.warnings.push(message);
    this.emit({ type: "warning", message });
  }

  /**
   * Creates the machine again after a crash of its instance: with the turns so far, and with the running program at the
   * point of its last reply.
   */
  private reopen(): Request<RunResult> {
    this.handle = this.open();
    this.handleGeneration = generation(this.instance);
    const run = this.handle;
    const ask = (act: () => unknown) => this.callWasm(act) as Request<RunResult>;
    const first = ask(() => run.start());
    if (this.runningProgram === null) return first;
    const { content, at, sentAt, record } = this.runningProgram;
    return record.replay(
      ask(() => run.reply(send(content), at, sentAt)),
      () => ask(() => run.resume()),
      (replies) => ask(() => run.answer(replies)),
    );
  }

  /** A new machine with the turns so far. */
  private open(): RunHandle {
    const { agent, data } = this.parts;
    const definitions = encodeMembers(this.turns.at(-1)?.memory ?? {});
    const results = this.turns.filter(({ success }) => success).slice(-3);
    const failed = this.turns.slice(this.turns.map(({ success }) => success).lastIndexOf(true) + 1);
    const options = {
      sandbox: {
        tools: toolsJson(agent.listed),
        limits: agent.limits,
        memory: Array.from(definitions, ([name, value]) => ({ name, value })),
        recent: results.reverse().map(({ result }) => encode(result)),
        calls: failed.reduce(withCallsOf, NO_CALLS),
        rolledBack: this.turns.flatMap(({ success, defined }) => (success ? [] : defined)),
      },
      signature: agent.signature,
      validation: agent.validation,
      maxTurns: agent.maxTurns,
      turns: this.turns.length,
    };
    return this.callWasm((wasm) => new wasm.RunHandle(options, send(data)));
  }

  private waitingCalls(): SavedWaiting {
    const { record } = this.runningProgram as RunningProgram;
    const turn = this.turns.length + 1;
    return saveWaiting(waitingCalls(record, ({ id }) => `${turn}.${id}`));
  }

  /** @param done null for a run that waits. */
  private step(done: RunResult | null): FinishedStep {
    const { request, data, run = "" } = this.parts;
    const usage: Usage = {};
    let { calls } = this;
    for (const entry of this.log) {
      addUsage(usage, entry.usage);
      if (entry.nested === undefined) continue;
      addUsage(usage, entry.nested);
      calls += entry.nested.toolCalls;
    }
    return stepOf(request, {
      ok: done !== null && "returned" in done,
      returned: done !== null && "returned" in done ? done.returned : "null",
      fail: done === null || "returned" in done ? null : done,
      waiting: done === null ? { run, calls: this.waitingCalls(), records: this.recorder.current } : null,
      turns: this.turns,
      data,
      sent: this.sent,
      warnings: this.warnings,
      usage: {
        ...usage,
        turns: this.turns.length,
        durationMs: this.parts.source.elapsed(),
        toolCalls: calls,
        compression: this.stats ?? unsentStats(request, this.turns),
      },
      log: this.log,
    });
  }
}

/** Adds the usage of a nested agent to a turn's. */
function addNested(entry: LogEntry, usage: Usage & { toolCalls: number }): void {
  const { toolCalls = 0, ...sum } = entry.nested ?? {};
  addUsage(sum, usage);
  entry.nested = { ...sum, toolCalls: toolCalls + usage.toolCalls };
}

/** A call of a program that can't be resumed. */
function interruptedCall({ tool: name, args, reply }: TrackedCall): ToolCallInit {
  const made = { name, args: decode(JSON.parse(args)) };
  if (reply === undefined) return { ...made, error: "the program ended before it answered" };
  const { durationMs, step } = reply;
  // As the saved form of a step, which is encoded to the same text and read when it is accessed.
  const nested = step === undefined ? {} : { step: decode(JSON.parse(step)) as unknown as Step };
  const result = reply.result === undefined ? null : decode(JSON.parse(reply.result));
  const error = reply.error === undefined ? {} : { error: `\`${name}\` failed: ${reply.error}` };
  return { ...made, durationMs, ...nested, result, ...error };
}

/**
 * Returns statistics of messages that were never sent. The host's functions are not called for them, because they may
 * fail.
 *
 * @internal
 */
export function unsentStats(request: RenderOptions, turns: readonly Turn[]): RenderStats {
  return toMessages(turns, null, usesHostFunction(request.compression) ? { ...request, compression: false } : request)
    .stats;
}

/**
 * Makes the step of a request, whose inputs are saved separately, and of its result.
 *
 * @internal
 */
export function stepOf({ data: _, ...options }: RenderOptions, parts: Omit<StepParts, "options">): FinishedStep {
  return makeStep({ ...parts, options: options as StepParts["options"] });
}

/** The arguments of a turn's calls that answers replaced, by the numbers of the calls; null without any. */
function editedCalls(calls: readonly TrackedCall[]): NonNullable<LogEntry["edited"]> | null {
  const edited = calls.filter((call) => call.edited !== undefined);
  if (edited.length === 0) return null;
  const entryOf = ({ id, args, edited: { by } = { args: "" } }: TrackedCall) => [
    id,
    { args: JSON.parse(args) as unknown, ...(by === undefined ? {} : { by }) },
  ];
  return Object.fromEntries(edited.map(entryOf)) as NonNullable<LogEntry["edited"]>;
}

/** `*calls` after a turn that failed; `calls` is that before. */
function withCallsOf(calls: string, { toolCalls, result }: Turn): string {
  const made = toolCalls.map(({ name: tool, args, result, error }) =>
    encode({ tool, args, ...(error === null ? { result } : { error, ...(result === null ? {} : { data: result }) }) }),
  );
  return keptCalls(calls, made, Object(result).reason);
}

/** A reply that contains only the program. */
function fencedProgram(program: string): string {
  const runs = program.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(2, ...runs.map((run) => run.length)) + 1);
  return `${fence}clojure\n${program}\n${fence}`;
}

/**
 * True when a function of the host contributes to the messages.
 *
 * @internal
 */
export function usesHostFunction(compression: Compression | undefined): boolean {
  const [strategy, options] = Array.isArray(compression) ? (compression as [unknown, object]) : [compression, {}];
  return (typeof strategy === "object" && strategy !== null) || "counter" in options;
}
