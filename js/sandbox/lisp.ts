import { checkSignal, withOwnSignal } from "../boundary/abort.ts";
import { currentTime, Stopwatch } from "../boundary/clock.ts";
import { decode, decodePlain } from "../boundary/decode.ts";
import { encodeRecord } from "../boundary/encode.ts";
import { handleRejection, isThenable } from "../boundary/host.ts";
import {
  anyOption,
  choiceOption,
  flagOption,
  functionOption,
  type OptionChecks,
  plainCopy,
  readOptions,
} from "../boundary/options.ts";
import {
  call,
  generation,
  Instance,
  isRunning,
  type Parts,
  type SandboxHandle,
  send,
  sharedInstance,
} from "../boundary/wasm.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { checkApprove } from "../tools/approval.ts";
import type { AnyTools, Approve, GivenTools, Tools, ToolsOption } from "../tools/tool.ts";
import {
  type AroundTool,
  type CallableTool,
  callableTools,
  callFromProgram,
  type ListedTool,
  listTools,
  type ProgramToolCall,
  requireFittingArguments,
  toolsJson,
  toolWarnings,
} from "../tools/tools.ts";
import type { ToolCall } from "../turns/turn.ts";
import { describe } from "../values/describe.ts";
import { readable } from "../values/readable-json.ts";
import { defineSymbolDispose } from "../values/symbol-dispose.ts";
import { textHash } from "../values/text-hash.ts";
import type { Value } from "../values/values.ts";
import { answersWithin, readAnswers, recordAnswers } from "../waiting/answers.ts";
import { endsRun, Recorder } from "../waiting/recorder.ts";
import { checkRecords, newRunId, type OnRecord, RECORDS_VERSION, type RunRecord } from "../waiting/run-record.ts";
import { type AnswerSource, type Answers, type WaitingCall, Waits } from "../waiting/waiting-call.ts";
import type { ClojureText } from "./clojure.ts";
import { keptCalls, NO_CALLS } from "./kept-calls.ts";
import { attainableLimits, type Limits, maxTextLength, timeoutMs } from "./limits.ts";
import { ProgramRecord, type Request, type ToolReply, type ToolRequest, type WireToolReply } from "./program-record.ts";
import { recordedCall, waitingCalls } from "./recorded-call.ts";
import { decodeMembers, encodeMembers, readSaved, type SavedSandbox, savedJson } from "./saved-sandbox.ts";
import {
  Clock,
  crashHint,
  driveSession,
  errorReply,
  freeInSlices,
  resultReply,
  type Session,
  withoutCause,
} from "./session.ts";

/** A problem of a program, written for the model that has to fix it. */
export interface Diagnostic {
  /** Snake case, such as `parse_error` or `unbound_var`. */
  kind: string;
  message: string;
  /** The place in the source: offsets in UTF-16 units, line and column from 1. Null when it has none. */
  span: { start: number; end: number; line: number; column: number } | null;
  /** A correction: what to write instead. */
  hint: string | null;
}

/** The outcome of a program. `status` tells a value, an error and a program that waits apart; `ok` is true for a value. */
export type LispResult = (
  | {
      ok: true;
      status: "done";
      /** The value of the last form, or the argument of `return` or `fail`. */
      value: Value;
      error: null;
      /** The form that ended the program; then `value` is its argument. */
      signal: "return" | "fail" | null;
      waiting: readonly [];
      records: null;
    }
  | {
      ok: false;
      status: "failed";
      value: null;
      error: Diagnostic;
      signal: null;
      waiting: readonly [];
      records: null;
    }
  | {
      ok: false;
      /** Calls wait, and nothing else is left to do: {@link Lisp.resume} goes on after the answers. */
      status: "waiting";
      value: null;
      /** Says what waits; its kind is `waiting`. */
      error: Diagnostic;
      signal: null;
      waiting: readonly WaitingCall[];
      /** What happened, from which the program goes on; JSON. */
      records: readonly RunRecord[];
    }
) & {
  /** One entry for each `println`, including those before an error. */
  prints: string[];
  /** The tool calls in order, including those before an error. */
  toolCalls: ToolCall[];
  /** All definitions after the program. A program that fails changes none. */
  memory: Record<string, Value>;
  /** Docstrings of its definitions. */
  docs: Record<string, string>;
  /** The names that it defined; for a program that failed, those that it would have defined, none of which is kept. */
  defined: string[];
  /** Coercions of tool arguments to their signatures, `tool/search: limit: string "5" became int 5`. */
  warnings: string[];
  /** The units of fuel that it took. */
  fuelUsed: number;
  /** The value as the language prints it, lossless. */
  readonly text: string;
  /** What `JSON.stringify` writes: as JSON has neither, maps become objects whose keys are texts, and sets lists. */
  toJSON(): Record<string, unknown>;
};

/** Options of {@link Lisp.run}. */
export interface LispRunOptions {
  /** Ends the program: the result has the error `aborted`. */
  signal?: AbortSignal | undefined;
  /** Stores each record of what happens, before it has an effect: enough to {@link Lisp.resume} after a crash. */
  onRecord?: OnRecord | undefined;
  /**
   * Passed to each tool: `context` in the second parameter of its function. Tools of a framework get it as what their
   * framework gives them: the options of the AI SDK, the run context of the Agents SDK, the config of LangChain, the context
   * of Mastra.
   */
  context?: unknown;
  /** @internal */
  around?: AroundTool | undefined;
}

/** Options of {@link Lisp}. */
export interface LispOptions<T extends GivenTools = GivenTools> {
  /** Values that programs read as `data/name`. */
  data?: Record<string, unknown> | undefined;
  /** Functions that programs call as `(tool/name …)`; they may return promises. */
  tools?: ToolsOption<T>;
  /**
   * Asked before each call of a tool that asks for an approval (`needsApproval`, `requireApproval`). A call that is denied
   * fails, with the text in its error. Without it, such a call waits ({@link LispResult}).
   */
  approve?: Approve<T> | undefined;
  /** Earlier definitions. */
  memory?: Record<string, unknown> | undefined;
  limits?: Limits | undefined;
  /** How keywords in results and tool arguments are converted: to their names (`"string"`, the default) or not (`"keep"`). */
  keywords?: "string" | "keep" | undefined;
  /**
   * Runs the programs in a WebAssembly instance of their own, with a memory of its own, which is freed with the sandbox:
   * a program that exhausts the memory, or crashes the instance, disturbs no other sandbox. Default false.
   */
  isolate?: boolean | undefined;
}

/** The outcome of a program from the wasm side; values are JSON texts. */
interface ProgramOutcome {
  ok: boolean;
  value: string;
  error: Diagnostic | null;
  signal: "return" | "fail" | null;
  prints: string[];
  toolCalls: { name: string; args: string; result: string; error: string | null; durationMs: number | null }[];
  /** The definitions that differ from before. */
  changed: { name: string; value: string }[];
  defined: { name: string; doc: string | null }[];
  warnings: string[];
  fuelUsed: number;
}

type SandboxRequest = Request<ProgramOutcome>;

const RUN_CHECKS = {
  signal: checkSignal,
  onRecord: functionOption<OnRecord>(),
  context: anyOption(),
  around: anyOption(),
} satisfies OptionChecks<LispRunOptions>;

/** What the calls of a running program need. */
interface RunningCalls {
  record: ProgramRecord;
  recorder: Recorder;
  answers: Answers;
  signal: AbortSignal | undefined;
  context: unknown;
  around: AroundTool | undefined;
  run: string;
}

defineSymbolDispose();

/**
 * A sandbox for programs of the language. Definitions stay from one program to the next.
 *
 * @example
 * ```ts
 * const lisp = new Lisp({
 *   data: { prices: [3, 4] },
 *   tools: { rate: ["(currency :string) -> :float", async ({ currency }) => (currency === "EUR" ? 1.08 : 1)] },
 * });
 * const { value } = await lisp.run('(def total (reduce + data/prices)) (* total (tool/rate "EUR"))');
 * ```
 */
export class Lisp<const T extends GivenTools = AnyTools> implements Disposable {
  private handle: SandboxHandle | null = null;
  private handleGeneration = -1;
  private isBusy = false;
  /** The running program; null when none runs. */
  private running: { source: string; now: number; record: ProgramRecord } | null = null;
  private readonly instance: Instance;
  private isDisposed = false;
  private saved: SavedSandbox;
  /** The options of every sandbox of this object, which the wasm side checks. */
  private readonly sandboxOptions: { tools: string; limits: unknown };
  /** Wire JSON of the data. */
  private readonly data: string;
  private readonly given: Tools;
  private readonly listed: readonly ListedTool[];
  private readonly tools: ReadonlyMap<string, CallableTool>;
  private readonly approve: Approve | undefined;
  private readonly decodesPlain: boolean;
  private readonly timeout: number;
  private readonly maxText: number;
  private cachedMemory: Record<string, Value> | null = null;
  /**
   * Warnings for tools and data whose bare names are hidden by builtins, so that programs must write `tool/name` or
   * `data/name`; and for tools whose parameters can't be listed for a model.
   */
  readonly warnings: readonly string[];

  /**
   * @throws {TurnfoldError} `invalid_option`, `invalid_tool`, `invalid_signature`; `invalid_value`,
   * `cyclic_value` or `nesting_too_deep` for data and memory, with the path.
   */
  constructor(options: LispOptions<T> = {}) {
    const given = readOptions("the options", options, {
      data: anyOption(),
      tools: anyOption(),
      memory: anyOption(),
      limits: anyOption(),
      keywords: choiceOption(["string", "keep"]),
      isolate: flagOption(undefined),
      approve: checkApprove,
    } satisfies OptionChecks<LispOptions>);
    this.decodesPlain = given.keywords !== "keep";
    const { tools = {}, approve } = given;
    const listed = listTools(tools);
    this.given = { ...tools };
    this.listed = listed;
    this.tools = callableTools(tools, listed);
    this.approve = approve;
    const { limits, warnings } = attainableLimits(plainCopy(given.limits, "limits") as Limits | undefined);
    this.instance = given.isolate === true ? new Instance(sharedInstance("language").wasm) : sharedInstance("language");
    this.sandboxOptions = { tools: toolsJson(listed), limits };
    this.maxText = maxTextLength(limits);
    this.data = encodeRecord(given.data ?? {}, "data", this.maxText);
    this.saved = {
      memory: encodeMembers(given.memory ?? {}, this.maxText),
      recent: ["null", "null", "null"],
      calls: NO_CALLS,
      rolledBack: [],
    };
    const sandbox = this.sandbox();
    const hidden = this.callWasm(() => sandbox.hiddenNames());
    this.warnings = Object.freeze([...hidden, ...toolWarnings(tools, listed), ...warnings]);
    this.timeout = timeoutMs(limits);
  }

  /**
   * Runs a program. A program's own error is a result, not an exception.
   *
   * @throws {TurnfoldError} `busy` while another program runs, `disposed`, `invalid_argument`, `invalid_option`,
   * `record_failed`.
   */
  async run(source: string, options: LispRunOptions = {}): Promise<LispResult> {
    return this.runAs(newRunId(), source, readOptions("the options of run", options, RUN_CHECKS));
  }

  /**
   * Runs a program under the id of its run.
   *
   * @internal
   */
  async runAs(run: string, source: string, { signal, onRecord, context, around }: LispRunOptions): Promise<LispResult> {
    this.beginProgram(source);
    const begun = { version: RECORDS_VERSION, run, at: currentTime(), program: source };
    const recorder = Recorder.for(onRecord);
    return this.drive(begun, new ProgramRecord(), { recorder, answers: {}, signal, context, around }, async () => {
      // The definitions do not change before the program has ended, and are only read where a record is needed.
      await recorder.write(() => ({ type: "start", ...begun, definitions: this.definitions() }));
      return signal?.aborted ? null : this.step((sandbox) => this.begin(sandbox));
    });
  }

  /**
   * Goes on with a program that waits, or that was interrupted: runs it again from its beginning with the recorded results,
   * and calls only what has none. The sandbox has to have the definitions with which the program began.
   *
   * @param program the result of a program that waits, its JSON, or its records.
   * @param options.answers by the ids of `waiting`; what is not answered goes on waiting.
   * @throws {TurnfoldError} `invalid_answer`; `replay_diverged` when the program would now go another way, before anything is called;
   * otherwise as {@link Lisp.run}.
   *
   * @example
   * ```ts
   * const lisp = new Lisp({ tools: { refund: { needsApproval: true, run: ({ order }) => `${order} was refunded` } } });
   * const asked = await lisp.run('(tool/refund {:order 17})');
   * asked.waiting; // [{ id: "0", tool: "refund", args: { order: 17 }, reason: "approval", … }]
   * const { value } = await lisp.resume(asked, { answers: { 0: true } });
   * ```
   */
  async resume(
    program: { readonly records: readonly RunRecord[] | null } | readonly RunRecord[],
    options: LispRunOptions & { answers?: AnswerSource | undefined } = {},
  ): Promise<LispResult> {
    const given = readOptions("the options of resume", options, { ...RUN_CHECKS, answers: anyOption<AnswerSource>() });
    const { signal, onRecord, context, around } = given;
    const { start, records } = readRecords(program);
    const record = ProgramRecord.from(records);
    const waiting = wrapReadErrors("invalid_argument", "the records", () => waitingCalls(record, idOf));
    const answers = await readAnswers(given.answers, waiting, (call, args) =>
      requireFittingArguments(this.listed, this.given, call, args),
    );
    this.beginProgram(start.program);
    if (start.definitions !== this.definitions()) {
      this.isBusy = false;
      throw new TurnfoldError(
        "replay_diverged",
        "the definitions of the sandbox are not those with which the program began",
        {
          hint: "resume in a sandbox that is restored from what toJSON() gave then",
        },
      );
    }
    const recorder = Recorder.for(onRecord);
    recorder.begin([start, ...records]);
    return this.drive(start, record, { recorder, answers, signal, context, around }, async () => {
      await recordAnswers(recorder, answers);
      return signal?.aborted ? null : this.replay(record);
    });
  }

  /** @param begin returns the first request, or null to abort. */
  private async drive(
    { run, at, program }: Pick<ProgramStart, "run" | "at" | "program">,
    record: ProgramRecord,
    { recorder, ...calls }: Omit<RunningCalls, "record" | "run">,
    begin: () => Promise<SandboxRequest | null>,
  ): Promise<LispResult> {
    this.running = { source: program, now: at, record };
    let hasEnded = false;
    const session: Session<ProgramOutcome> = {
      clock: new Clock(this.timeout),
      signal: calls.signal,
      resume: () => this.step((sandbox) => sandbox.resume()),
      answer: (replies) => this.step((sandbox) => sandbox.answer(replies), replies),
      timeOut: () => this.step((sandbox) => sandbox.timeOut(session.clock.message)),
      abort: (replies) => this.step((sandbox) => sandbox.abort("the program was aborted by the host", replies)),
      call: (request) => this.callTool(request, { ...calls, record, recorder, run }),
    };
    try {
      this.sandbox();
      // A program whose signal is aborted already has no effects.
      const first = (await begin()) ?? session.abort([]);
      let done = await driveSession(session, first);
      const waits = done === null;
      const { rounds } = record;
      if (waits) await recorder.write(() => ({ type: "suspended", rounds }));
      else await recorder.send(() => ({ type: "end", outcome: null }));
      // Ending the program tells what it printed and called so far.
      done ??= this.step((sandbox) => sandbox.abort("it waits", [])).done as ProgramOutcome;
      hasEnded = !waits;
      return waits ? this.waitingResult(done, waitingCalls(record, idOf), recorder.current) : this.result(done);
    } finally {
      // A program that waits, or that a fault of the host left in its middle, has changed nothing.
      if (!hasEnded) this.freeHandle();
      this.isBusy = false;
      this.running = null;
      freeInSlices(this.instance);
    }
  }

  /**
   * Runs a program without waiting: a tool that returns a promise is an error of the program.
   *
   * @throws {TurnfoldError} `busy`, `disposed`, `invalid_argument`.
   */
  runSync(source: string): LispResult {
    const clock = new Clock(this.timeout);
    this.beginProgram(source);
    try {
      this.running = { source, now: currentTime(), record: new ProgramRecord() };
      this.sandbox();
      let step = this.step((sandbox) => this.begin(sandbox));
      while (step.done === undefined) {
        if (clock.isOver()) step = this.step((sandbox) => sandbox.timeOut(clock.message));
        else if (step.calls !== undefined) {
          clock.stop();
          const replies = step.calls.map((each) => {
            const tracked = (this.running as NonNullable<Lisp["running"]>).record.track(each);
            tracked.reply = this.callToolSync(each);
            return withoutCause(tracked.reply);
          });
          clock.start();
          step = this.step((sandbox) => sandbox.answer(replies), replies);
        } else step = this.step((sandbox) => sandbox.resume());
      }
      return this.result(step.done);
    } finally {
      this.isBusy = false;
      this.running = null;
      freeInSlices(this.instance);
    }
  }

  /** All definitions, lossless. */
  get memory(): Record<string, Value> {
    this.cachedMemory ??= decodeMembers(this.saved.memory);
    return this.cachedMemory;
  }

  /** Definitions and last results; functions with their source and their captured values. */
  toJSON(): unknown {
    return savedJson(this.saved);
  }

  /**
   * What {@link Lisp.toJSON} saves, without a copy.
   *
   * @internal
   */
  get state(): SavedSandbox {
    return this.saved;
  }

  /** @internal */
  set state(saved: SavedSandbox) {
    if (saved === this.saved) return;
    this.freeHandle();
    this.saved = saved;
    this.cachedMemory = null;
  }

  /**
   * Restores a sandbox from the result of {@link Lisp.toJSON}, also in another process. Data, tools and limits have to be passed
   * again; `options.memory` is added to the saved definitions.
   *
   * @throws {TurnfoldError} `invalid_json`, `unknown_version`, and the errors of the constructor.
   */
  static fromJSON(json: unknown, options: LispOptions = {}): Lisp {
    const saved = wrapReadErrors("invalid_json", "the saved sandbox", () => readSaved(json));
    const lisp = new Lisp(options);
    lisp.freeHandle();
    lisp.saved = { ...saved, memory: new Map([...saved.memory, ...lisp.saved.memory]) };
    lisp.sandbox();
    return lisp;
  }

  /** Frees the memory. Running then throws `disposed`; disposing again has no effect. */
  dispose(): void {
    this.isDisposed = true;
    this.freeHandle();
    if (this.instance !== this.instance.wasm.shared) this.instance.release();
  }

  /** Called by `using`: {@link Lisp.dispose}. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  private freeHandle(): void {
    const { handle } = this;
    if (handle !== null && this.handleGeneration === generation(this.instance)) {
      this.callWasm(() => handle.free());
      freeInSlices(this.instance);
    }
    this.handle = null;
  }

  private callWasm<T>(run: (wasm: Parts["language"]) => T): T {
    return call(this.instance, run);
  }

  private requireOpen(): void {
    if (this.isDisposed) throw new TurnfoldError("disposed", "this sandbox was disposed", { hint: "make a new one" });
  }

  private beginProgram(source: unknown): void {
    this.requireOpen();
    if (this.isBusy) {
      throw new TurnfoldError("busy", "this sandbox is running a program", {
        hint: "await it first, or make a second sandbox",
      });
    }
    if (typeof source !== "string") {
      throw new TurnfoldError("invalid_argument", `a program is a text, got ${describe(source)}`);
    }
    this.isBusy = true;
  }

  /** Returns the sandbox; after a crash, a new one with the state after the last program. */
  private sandbox(): SandboxHandle {
    if (this.isStale()) {
      const memory = Array.from(this.saved.memory, ([name, value]) => ({ name, value }));
      const { recent, calls, rolledBack } = this.saved;
      const options = { ...this.sandboxOptions, memory, recent, calls, rolledBack };
      this.handle = this.callWasm((wasm) => new wasm.SandboxHandle(options, send(this.data)));
      this.handleGeneration = generation(this.instance);
    }
    return this.handle as SandboxHandle;
  }

  private isStale(): boolean {
    return this.handle === null || this.handleGeneration !== generation(this.instance);
  }

  private begin(sandbox: SandboxHandle): unknown {
    const { source, now } = this.running as NonNullable<Lisp["running"]>;
    return sandbox.start(send(source), now);
  }

  /** @param replies the replies that `take` passes on. */
  private step(take: (sandbox: SandboxHandle) => unknown, replies?: readonly WireToolReply[]): SandboxRequest {
    this.requireOpen();
    const { running } = this;
    const generationBefore = generation(this.instance);
    try {
      // Another call crashed the instance: the program is run again to the same point.
      if (running !== null && this.isStale()) this.replay(running.record);
      const sandbox = this.sandbox();
      const request = this.callWasm(() => take(sandbox)) as SandboxRequest;
      running?.record.note(request, replies);
      return request;
    } catch (error) {
      const hasCrashed = generation(this.instance) !== generationBefore || !isRunning(this.instance);
      if (running === null || !hasCrashed || !TurnfoldError.isInstance(error)) throw error;
      return { done: crashed(error, running.record) };
    }
  }

  /** Runs the program again to the point of its record. */
  private replay(record: ProgramRecord): SandboxRequest {
    const sandbox = this.sandbox();
    const ask = (take: () => unknown) => this.callWasm(take) as SandboxRequest;
    return record.replay(
      ask(() => this.begin(sandbox)),
      () => ask(() => sandbox.resume()),
      (replies) => ask(() => sandbox.answer(replies)),
    );
  }

  private callTool(
    request: ToolRequest,
    { record, recorder, answers, signal, run, ...shared }: RunningCalls,
  ): Promise<ToolReply | null> {
    const { id: number, tool } = request;
    const id = String(number);
    const call = record.track(request);
    const { step, wait } = call;
    const within = answersWithin(answers, id);
    const resumed = wait?.reason === "agent" && Object.keys(within).length > 0 ? { step, answers: within } : undefined;
    return recordedCall(request, {
      program: record,
      recorder,
      id,
      answer: answers[id] ?? (resumed === undefined ? undefined : true),
      isIdempotent: this.tools.get(tool)?.isIdempotent === true,
      make: async (args, isApproved, begin) => {
        const time = new Stopwatch();
        try {
          const result = await withOwnSignal(signal, (own) =>
            this.apply(tool, args, {
              ...shared,
              resumes: call.resumes ?? [],
              id,
              callId: `${run}/${id}`,
              signal: own,
              isApproved,
              begin,
              resumed,
            }),
          );
          return result instanceof Waits ? result : resultReply(number, result, time, this.maxText);
        } catch (error) {
          if (endsRun(error)) throw error;
          return errorReply(number, error, time);
        }
      },
    });
  }

  private callToolSync(request: ToolRequest): ToolReply {
    const time = new Stopwatch();
    try {
      const { tool, args } = request;
      const result = this.apply(tool, args, { id: String(request.id), signal: undefined, isSync: true });
      if (isThenable(result)) {
        handleRejection(result);
        throw new Error("it returned a promise, and runSync() can't wait; use run()");
      }
      return resultReply(request.id, result, time, this.maxText);
    } catch (error) {
      return errorReply(request.id, error, time);
    }
  }

  private apply(tool: string, args: string, how: Omit<ProgramToolCall, "name" | "args" | "approve">): unknown {
    const json: unknown = JSON.parse(args);
    return callFromProgram(this.tools.get(tool) as CallableTool, {
      ...how,
      name: tool,
      args: this.decodesPlain ? decodePlain(json) : decode(json),
      approve: this.approve,
    });
  }

  /** What names the definitions of the sandbox. */
  private definitions(): string {
    const { memory, recent, calls } = this.saved;
    return textHash(JSON.stringify([[...memory], recent, calls]));
  }

  private waitingResult(
    done: ProgramOutcome,
    waiting: readonly WaitingCall[],
    records: readonly RunRecord[],
  ): LispResult {
    const message = `it waits for ${waiting.map(({ tool, reason }) => `${tool} (${reason})`).join(", ")}`;
    const error = { kind: "waiting", message, span: null, hint: "give resume() the answers" };
    const made = done.toolCalls.filter(({ error }) => error !== ABANDONED);
    const result = this.resultOf({ ...done, error, changed: [], defined: [], toolCalls: made });
    return Object.assign(result, { status: "waiting", waiting, records }) as LispResult;
  }

  /** The result of a program that has ended, and its effects on the sandbox. */
  private result(done: ProgramOutcome): LispResult {
    const { value } = done;
    if (done.ok) {
      const { memory, recent } = this.saved;
      const changed = { memory: withChanges(memory, done), recent: [value, ...recent.slice(0, 2)] };
      this.saved = { ...this.saved, ...changed, calls: NO_CALLS };
      if (done.changed.length > 0) this.cachedMemory = null;
    } else {
      const names = [...this.saved.rolledBack, ...done.defined.map(({ name }) => name)];
      const calls = keptCalls(this.saved.calls, done.toolCalls.map(keptCall), done.error?.kind);
      this.saved = { ...this.saved, calls, rolledBack: [...new Set(names)] };
    }
    return this.resultOf(done);
  }

  private resultOf(done: ProgramOutcome): LispResult {
    const read = (json: unknown): Value => (this.decodesPlain ? decodePlain(json) : decode(json));
    const now = this.saved.memory;
    let memory = this.cachedMemory;
    const result = {
      ok: done.ok,
      status: done.ok ? "done" : "failed",
      value: read(JSON.parse(done.value)),
      error: done.error,
      signal: done.signal,
      prints: done.prints,
      toolCalls: done.toolCalls.map(toolCall),
      // Decoded on first access.
      get memory(): Record<string, Value> {
        memory ??= decodeMembers(now);
        return memory;
      },
      docs: Object.fromEntries(done.defined.flatMap(({ name, doc }) => (doc === null ? [] : [[name, doc]]))),
      defined: done.defined.map(({ name }) => name),
      warnings: done.warnings,
      fuelUsed: done.fuelUsed,
      waiting: [],
      records: null,
    };
    // Not enumerable: copies of a result have its data.
    Object.defineProperties(result, {
      text: { get: () => (call("language", (wasm) => wasm.toClojure(send(done.value), {})) as ClojureText).text },
      toJSON: { value: () => JSON.parse(JSON.stringify({ ...result }, readable)) as unknown },
    });
    // A program has an error exactly when it is not ok.
    return result as unknown as LispResult;
  }
}

const idOf = ({ id }: ToolRequest): string => String(id);

/** The first record of a program. */
type ProgramStart = RunRecord & { type: "start" } & { program: string; definitions: string };

/** @throws {TurnfoldError} `invalid_argument`, `unknown_version` */
function readRecords(given: unknown): { start: ProgramStart; records: RunRecord[] } {
  const list = Array.isArray(given) ? (given as unknown[]) : (Object(given) as { records?: unknown }).records;
  const [start, ...records] = checkRecords(list);
  if (start?.type !== "start" || start.program === undefined || start.definitions === undefined) {
    throw new TurnfoldError("invalid_argument", "these are not the records of a program", {
      hint: "give the result that waits, as it is or from its JSON, or the list of all its records",
    });
  }
  return { start: start as ProgramStart, records };
}

/** The outcome of a program that crashed the instance, which ends like one that exceeds a limit. */
function crashed({ code: kind, message }: TurnfoldError, { calls }: ProgramRecord): ProgramOutcome {
  const toolCalls = calls.map(({ tool: name, args, reply }) => ({
    name,
    args,
    result: reply?.result ?? "null",
    error: reply === undefined ? ABANDONED : failureOf(name, reply.error),
    durationMs: reply?.durationMs ?? null,
  }));
  const error = { kind, message, span: null, hint: crashHint(kind) };
  const lost = { prints: [], changed: [], defined: [], warnings: [], fuelUsed: 0 };
  return { ok: false, value: "null", error, signal: null, toolCalls, ...lost };
}

/** The error of a call whose program ended before it. */
const ABANDONED = "the program ended before it answered";

function failureOf(tool: string, error: string | undefined): string | null {
  return error === undefined ? null : `\`${tool}\` failed: ${error}`;
}

/** A call as JSON of a member of `*calls`. */
function keptCall({ name, args, result, error }: ProgramOutcome["toolCalls"][number]): string {
  const data = result === "null" ? "" : `,"data":${result}`;
  const outcome = error === null ? `"result":${result}` : `"error":${JSON.stringify(error)}${data}`;
  return `{"tool":${JSON.stringify(name)},"args":${args},${outcome}}`;
}

/** The definitions after a program: a new map when something changed, because earlier results share the old one. */
function withChanges(memory: ReadonlyMap<string, string>, { changed }: ProgramOutcome): ReadonlyMap<string, string> {
  if (changed.length === 0) return memory;
  const now = new Map(memory);
  for (const { name, value } of changed) now.set(name, value);
  return now;
}

function toolCall(made: ProgramOutcome["toolCalls"][number]): ToolCall {
  const { name, args, result, error, durationMs } = made;
  const recorded = { name, args: decode(JSON.parse(args)), result: decode(JSON.parse(result)), error };
  return Object.freeze(durationMs === null ? recorded : { ...recorded, durationMs });
}
