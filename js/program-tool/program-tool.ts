import { currentTime } from "../boundary/clock.ts";
import { decode, decodePlain } from "../boundary/decode.ts";
import {
  anyOption,
  countOption,
  functionOption,
  type OptionChecks,
  readOptions,
  textOption,
} from "../boundary/options.ts";
import { Queues } from "../boundary/queues.ts";
import { call } from "../boundary/wasm.ts";
import { TurnfoldError } from "../errors.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { LispOptions, LispResult } from "../sandbox/lisp.ts";
import type { SavedSandbox } from "../sandbox/saved-sandbox.ts";
import type { AnyTools, Approve, GivenTools, Tools, ToolsOption } from "../tools/tool.ts";
import { type AroundTool, asksSometimes, mayAsk } from "../tools/tools.ts";
import { toMessages } from "../turns/to-messages.ts";
import { describe } from "../values/describe.ts";
import type { Value } from "../values/values.ts";
import { checkAnswers } from "../waiting/answers.ts";
import { newRunId, type OnRecord, type RunRecord } from "../waiting/run-record.ts";
import type { Answers, WaitingCall } from "../waiting/waiting-call.ts";
import { answeredCalls, hasAsked, type Place, placeOf } from "./conversation-place.ts";
import type { AroundToolCall, InnerToolCall, InnerToolResult } from "./inner-calls.ts";
import { ProgramLog } from "./program-log.ts";
import {
  type ConversationState,
  type EndedProgram,
  type OpenProgram,
  ProgramStates,
  type ProgramStore,
} from "./program-store.ts";
import { programText, RESUME, waitingText, withoutFence } from "./program-text.ts";
import { SandboxPool } from "./sandbox-pool.ts";
import { inSpans, type ProgramTelemetry } from "./telemetry.ts";

/** Options of {@link programTool}. */
export interface ProgramToolOptions<T extends GivenTools = GivenTools> {
  /** The name of the tool. Default `run_program`. */
  name?: string | undefined;
  /** Replaces the first sentence of the description; the language and the tools follow it. */
  description?: string | undefined;
  /** Values that programs read as `data/name`. */
  data?: Record<string, unknown> | undefined;
  /** Maximum tokens of the list of tools ({@link RenderOptions.toolBudget}): programs find the others. Default none. */
  toolBudget?: number | undefined;
  /** Limits of each program. */
  limits?: Limits | undefined;
  /** Asked before each call of a tool that asks for an approval. Without it, such a call waits. */
  approve?: Approve<T> | undefined;
  /**
   * The id of the conversation, by what the framework gives its tools. Without it, definitions are found by the calls in the
   * messages, whose ids then have to be unique among all conversations.
   */
  conversation?: ((context: Readonly<Record<string, unknown>>) => string | undefined) | undefined;
  /** Where definitions and programs that wait are kept. Default the memory of the process, for the last 1,000 calls. */
  store?: ProgramStore | undefined;
  /** Runs the programs in a WebAssembly instance of their own. */
  isolate?: boolean | undefined;
  /** Called before each tool. */
  onToolCall?: ((call: InnerToolCall) => unknown) | undefined;
  /** Called after each tool. */
  onToolResult?: ((result: InnerToolResult) => unknown) | undefined;
  /** Makes spans of the calls of programs: settings of the AI SDK, with a tracer of OpenTelemetry. */
  telemetry?: ProgramTelemetry | undefined;
  /** Called when a program begins to wait, with the id of its call. */
  onWaiting?:
    | ((waiting: { readonly toolCallId: string; readonly waiting: readonly WaitingCall[] }) => unknown)
    | undefined;
}

/** What is known of a call of the tool. What frameworks give their tools is one. */
export interface ProgramContext {
  /** The id of the call: the beginning of the ids of the calls that the program makes. Made when absent. */
  readonly toolCallId?: string | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  /**
   * The messages before the call, by which definitions are found: those of the newest programs in them. Not needed with
   * `conversation`; without both, all calls of this object are one conversation.
   */
  readonly messages?: readonly unknown[] | undefined;
  /** The id of the conversation; or an object that its framework has for as long as it goes on. */
  readonly conversation?: string | object | undefined;
  /** The calls of the tool in the conversation that were approved or denied, for frameworks that do not note it in messages. */
  readonly decisions?: ReadonlyMap<string, boolean> | undefined;
  /** True when every call that asks for an approval has it. */
  readonly approvesAll?: boolean | undefined;
  /**
   * True where a call may be made again with its id, by a graph that runs a node again or after a crash: its outcome is kept until a
   * later call's messages have it.
   */
  readonly mayRepeat?: boolean | undefined;
  /** How often the framework has asked for answers in this call, these included. Default one more than before. */
  readonly rounds?: number | undefined;
  /** What the tools get as `context`. Default this object. */
  readonly forTools?: unknown;
  /** Runs each call that the program makes; `run` calls the tool. For spans that are not those of OpenTelemetry. */
  readonly aroundCall?: AroundToolCall | undefined;
}

/** The outcome of a program: what a model reads, and what the host does. */
export interface ProgramOutcome {
  readonly status: LispResult["status"];
  /** What it defined, called, printed and returned; its error; or what it waits for. */
  readonly text: string;
  /** The calls that wait; empty unless `status` is `waiting`. */
  readonly waiting: readonly WaitingCall[];
  /** How often calls that waited were answered since the call began. */
  readonly rounds: number;
}

/** The input of the tool, as JSON Schema that is also a Standard Schema. */
export interface ProgramInputSchema {
  readonly type: "object";
  readonly properties: { readonly program: { readonly type: "string"; readonly description: string } };
  readonly required: ["program"];
  readonly additionalProperties: false;
  readonly "~standard": StandardProgramSchema;
}

interface StandardProgramSchema {
  readonly version: 1;
  readonly vendor: "turnfold";
  readonly validate: (
    value: unknown,
  ) => { readonly value: ProgramInput } | { readonly issues: readonly { readonly message: string }[] };
  readonly jsonSchema: {
    readonly input: () => Record<string, unknown>;
    readonly output: () => Record<string, unknown>;
  };
  readonly types?: { readonly input: ProgramInput; readonly output: ProgramInput } | undefined;
}

/** The input of the tool. */
export interface ProgramInput {
  program: string;
}

/**
 * One tool that runs programs which call many. Made by {@link programTool}; a tool of the AI SDK as it is.
 *
 * @example
 * ```ts
 * const refund = { signature: "(order :int) -> :string", needsApproval: true, run: ({ order }: { order: number }) => `${order}!` };
 * const run_program = programTool({ refund });
 * const program = "(tool/refund 17)";
 * await run_program.execute({ program }, { toolCallId: "call_1" }); // The program waits for: …
 * const [call] = await run_program.waiting("call_1");
 * await run_program.answer("call_1", { [call?.id ?? ""]: true });
 * await run_program.execute({ program: "(resume)" }, { toolCallId: "call_2" }); // … "17!"
 * ```
 */
export class ProgramTool {
  /** By which models call it. */
  readonly name: string;
  /** The language and the tools. It stays the same bytes. */
  readonly description: string;
  /** A text, `program`: JSON Schema that is also a Standard Schema. */
  readonly inputSchema: ProgramInputSchema;
  /** Warnings about the tools, such as those of a sandbox. */
  readonly warnings: readonly string[];
  /**
   * Runs a program that may call a tool which asks for approvals until it ends or waits, for frameworks that ask before they run
   * a tool: true when a call of it waits. `execute` goes on with it. Present when a tool asks and nobody else decides.
   */
  readonly needsApproval?: (input: ProgramInput, context: ProgramContext) => Promise<boolean>;
  private readonly options: ProgramToolOptions;
  private readonly inSpans: AroundToolCall | undefined;
  private readonly pool: SandboxPool;
  private readonly tools: Tools;
  private readonly states: ProgramStates;
  /** The names of tools that ask for approvals. */
  private readonly asking: readonly string[];
  /** Programs that need no approval and that their framework has not run yet, by the ids of their calls. */
  private readonly deferred = new Map<string, BegunCall>();
  /** Programs of one place run one after the other. */
  private readonly queues = new Queues<string | object>();
  /** States after programs whose conversations are known by this list of messages. */
  private readonly heads = new WeakMap<object, ConversationState>();
  private time = 0;

  /** @internal */
  constructor(tools: Tools, options: ProgramToolOptions) {
    const { name = "run_program", description = ROLE, data = {}, limits, approve, store, isolate } = options;
    this.options = options;
    this.tools = tools;
    this.inSpans = inSpans(options.telemetry ?? {});
    this.name = name;
    this.inputSchema = inputSchema();
    this.pool = new SandboxPool({ tools, data, limits, approve, isolate } as LispOptions);
    this.warnings = this.pool.warnings;
    this.states = new ProgramStates(store);
    const language = call("language", (wasm) => wasm.toolLanguage());
    this.description = [description, language, catalogue(tools, data, options.toolBudget)]
      .filter((part) => part !== "")
      .join("\n\n");
    this.asking = Object.keys(tools).filter((each) => asksSometimes(tools[each]));
    if (approve === undefined && this.asking.length > 0) {
      this.needsApproval = (input, context) => this.settle(input, context);
    }
    this.execute = this.execute.bind(this);
  }

  /**
   * Runs a program; or goes on with that of the call, whose approval its framework has.
   *
   * @returns what the model reads.
   * @throws {TurnfoldError} `program_failed`, whose message is what the model reads of a program that failed;
   * `program_lost`; `record_failed`; `invalid_argument`.
   */
  async execute(input: ProgramInput, context: ProgramContext = {}): Promise<string> {
    const { status, text } = await this.call(input, context, this.needsApproval !== undefined);
    if (status !== "failed") return text;
    // The AI SDK 7 gives a model the text of an error, which begins with its name.
    const error = new TurnfoldError("program_failed", text);
    throw Object.defineProperty(error, "toString", { value: () => text });
  }

  /**
   * Runs a program, or goes on with that of the same call. A program that fails is an outcome.
   *
   * @param answers to the calls that wait in the program of the call; what is not answered goes on waiting.
   * @throws {TurnfoldError} `invalid_answer`, `program_lost`, `record_failed`, `invalid_argument`.
   */
  async run(input: ProgramInput, context: ProgramContext = {}, answers: Answers = {}): Promise<ProgramOutcome> {
    return this.call(input, context, false, answers);
  }

  /**
   * The same tool with the store of a call, unless it has one.
   *
   * @internal
   */
  withStore(store: ProgramStore): ProgramTool {
    if (this.options.store !== undefined) return this;
    return Object.assign(Object.create(this) as ProgramTool, { states: new ProgramStates(store) });
  }

  /**
   * The calls that wait in the program of a call; empty when none does.
   *
   * @param conversation its id, if the host has one.
   */
  async waiting(toolCallId: string, conversation?: string): Promise<readonly WaitingCall[]> {
    const known = await this.states.program(keyOf(toolCallId, conversation));
    return known !== undefined && "before" in known ? known.waiting : [];
  }

  /**
   * Gives answers to calls that wait, with which the program goes on when its framework, or the model with the program `(resume)`,
   * runs it again. Calls that wait for an approval and have no answer are approved by the approval of the program.
   *
   * @param conversation the id of the conversation, if the host has one.
   * @throws {TurnfoldError} `program_lost`
   */
  async answer(toolCallId: string, answers: Answers, conversation?: string): Promise<void> {
    const key = keyOf(toolCallId, conversation);
    const known = await this.states.program(key);
    if (known === undefined || !("before" in known)) throw lost(toolCallId);
    const checked = checkAnswers(answers, known.waiting);
    await this.states.setProgram(key, { ...known, answers: { ...known.answers, ...checked } });
  }

  private async call(
    input: ProgramInput,
    context: ProgramContext,
    isApproved: boolean,
    given: Answers = {},
  ): Promise<ProgramOutcome> {
    const begun = this.begin(input, context);
    const { id, key, place } = begun;
    return this.queues.run(place.queue, async () => {
      this.deferred.delete(id);
      const known = await this.known(begun);
      if (known === undefined) return this.approveAll(begun, await this.runNew(begun));
      if (!("before" in known)) {
        if (context.mayRepeat !== true) await this.states.deleteProgram(key);
        return ended(known);
      }
      if (known.isInterrupted) return this.approveAll(begun, await this.goOn(known, begun, {}));
      const isFirst = isApproved && !known.isTold;
      const answers = { ...(isFirst ? approvals(known) : {}), ...known.answers, ...given };
      if (Object.keys(answers).length === 0) return this.approveAll(begun, waits(known));
      return this.approveAll(begun, await this.goOn(known, begun, answers));
    });
  }

  /** Goes on while nothing but approvals is missing, which the call has for all. */
  private async approveAll(begun: BegunCall, outcome: ProgramOutcome): Promise<ProgramOutcome> {
    if (begun.context.approvesAll !== true || outcome.status !== "waiting") return outcome;
    const known = await this.knownProgram(begun.key);
    const answers = known !== undefined && "before" in known ? approvals(known) : {};
    if (known === undefined || !("before" in known) || Object.keys(answers).length === 0) return outcome;
    return this.approveAll(begun, await this.goOn(known, begun, answers));
  }

  /** Runs a program that may have to wait, whose result is asked for later, and returns whether it waits. */
  private async settle(input: ProgramInput, context: ProgramContext): Promise<boolean> {
    const begun = this.begin(input, context, true);
    return this.queues.run(begun.place.queue, async () => {
      if (!(await this.mayAsk(begun))) {
        this.deferred.set(begun.id, begun);
        const [oldest = ""] = this.deferred.size > MOST_DEFERRED ? this.deferred.keys() : [];
        this.deferred.delete(oldest);
        return false;
      }
      // Programs of a reply run in its order.
      for (const each of this.deferred.values()) {
        if (context.messages === undefined || each.context.messages !== context.messages) continue;
        this.deferred.delete(each.id);
        await this.settleOne(each);
      }
      return this.settleOne(begun);
    });
  }

  private async settleOne(begun: BegunCall): Promise<boolean> {
    const { key, program } = begun;
    const known = await this.known(begun);
    if (known !== undefined) return "before" in known;
    const { status, text, rounds } = await this.runNew(begun);
    if (status !== "waiting") await this.states.setProgram(key, { program, text, ok: status === "done", rounds });
    return status === "waiting";
  }

  /** What is known of the program of a call. */
  private async known({ key, program }: BegunCall): Promise<KnownProgram | EndedProgram | undefined> {
    const known = await this.knownProgram(key);
    // Some models use an id again.
    const isOther = known !== undefined && known.program !== program && program.trim() !== RESUME;
    return isOther ? undefined : known;
  }

  private async knownProgram(key: string): Promise<KnownProgram | EndedProgram | undefined> {
    const known = await this.states.program(key);
    if (known === undefined || !("before" in known)) return known;
    const added = await this.states.addedRecords(key, known.next);
    const records = [...known.records, ...added];
    const isInterrupted = added.length > 0 || records.at(-1)?.type !== "suspended";
    return { ...known, records, next: known.next + added.length, isInterrupted, firstAdded: known.next };
  }

  /** True unless a program can't call a tool that asks for approvals: neither it nor a definition names one. */
  private async mayAsk({ program, place }: BegunCall): Promise<boolean> {
    if (program.trim() === RESUME) return true;
    const { sandbox } = await this.state(place);
    const texts = [program, ...sandbox.memory.values()];
    const named = this.asking.filter((name) => texts.some((text) => text.includes(name)));
    return (await Promise.all(named.map((name) => mayAsk(this.tools[name])))).includes(true);
  }

  private begin(input: ProgramInput, context: ProgramContext, isAsked = false): BegunCall {
    const { program } = Object(input) as Partial<ProgramInput>;
    if (typeof program !== "string") {
      throw new TurnfoldError("invalid_argument", `the program must be a text, got ${describe(program)}`);
    }
    const { toolCallId: id = newRunId(), messages } = context;
    const { forTools = context } = context;
    const conversation =
      this.options.conversation?.(forTools as Readonly<Record<string, unknown>>) ?? context.conversation;
    if (conversation === undefined && COUNTED.test(id)) {
      throw new TurnfoldError("invalid_argument", `the id of the call, ${id}, is not unique among conversations`, {
        hint: "the model counts its calls: give programTool the option `conversation`",
      });
    }
    const decided = [...(context.decisions?.keys() ?? [])];
    const place = placeOf(this.name, id, { conversation, messages, decided });
    const key = keyOf(id, typeof conversation === "string" ? conversation : undefined);
    return { id, key, program: withoutFence(program), place, context, isAsked };
  }

  private async runNew(begun: BegunCall): Promise<ProgramOutcome> {
    const { id, program, place, context } = begun;
    const { messages = [], decisions, approvesAll } = context;
    if (hasAsked(id, messages) || (decisions?.get(id) === true && approvesAll !== true)) throw lost(id);
    const state = await this.state(place);
    const answered = answeredCalls(messages);
    const notes: string[] = [];
    const stillOpen: string[] = [];
    for (const open of state.open) {
      const call = callOf(open);
      const isOver = answered.has(call) || decisions?.get(call) === false;
      const note = isOver ? await this.deny(open, begun) : null;
      if (note === null) stillOpen.push(open);
      else notes.push(note);
    }
    const outcome =
      program.trim() === RESUME
        ? await this.resumeLast(stillOpen, begun)
        : await this.runFrom((await this.state(place)).sandbox, begun);
    return notes.length === 0 ? outcome : { ...outcome, text: [...notes, outcome.text].join("\n\n") };
  }

  /** Goes on with the newest program that waits. */
  private async resumeLast(open: readonly string[], begun: BegunCall): Promise<ProgramOutcome> {
    const programs = await Promise.all(open.map(async (key) => ({ key, known: await this.knownProgram(key) })));
    const last = programs.filter(({ known }) => known !== undefined && "before" in known).at(-1);
    if (last === undefined) return { status: "failed", text: "Error: no program waits", waiting: [], rounds: 0 };
    const { key } = last;
    const { isInterrupted, firstAdded: _, ...known } = last.known as KnownProgram;
    const { answers } = known;
    if (isInterrupted || Object.keys(answers).length > 0) {
      const own = { ...begun, key, id: callOf(key) };
      return this.goOn(last.known as KnownProgram, own, isInterrupted ? {} : answers);
    }
    // The call that goes on stands for it from here on: its framework asks for its approval.
    await this.states.deleteProgram(key);
    const moved = { ...known, rounds: 0, isTold: !begun.isAsked };
    await this.states.setProgram(begun.key, moved);
    await this.write(begun.place, ({ open: all, ...state }) => {
      return { ...state, open: [...all.filter((each) => each !== key), begun.key] };
    });
    return waits(moved);
  }

  /** Ends a program whose call was answered without it: its calls are denied. Forgets one that does not wait. */
  private async deny(key: string, begun: BegunCall): Promise<string | null> {
    const known = await this.knownProgram(key);
    if (known === undefined) return null;
    if (!("before" in known) || known.isInterrupted) {
      await this.states.deleteProgram(key);
      if ("before" in known) await this.states.deleteRecords(key, known.firstAdded, known.next);
      await this.write(begun.place, ({ open, ...state }) => ({ ...state, open: open.filter((each) => each !== key) }));
      return null;
    }
    if (known.isTold) return null;
    const answers = Object.fromEntries(known.waiting.map((call) => [call.id, false] as const));
    const { text } = await this.goOn(known, { ...begun, key, id: callOf(key) }, answers);
    return `The program before was not approved:\n${text}`;
  }

  private async runFrom(before: SavedSandbox, begun: BegunCall): Promise<ProgramOutcome> {
    const { id, program } = begun;
    const open = { program, before, records: [], waiting: [], answers: {}, rounds: 0, next: 0, isTold: false };
    const log = new ProgramLog(this.states, begun.key, open, begun.context);
    return this.pool.run(before, async (lisp) => {
      const result = await lisp.runAs(id, program, this.runOptions(begun, log));
      return this.finish(begun, { open, log, result, after: lisp.state });
    });
  }

  private async goOn(known: KnownProgram, begun: BegunCall, answers: Answers): Promise<ProgramOutcome> {
    const { isInterrupted, firstAdded, ...before } = known;
    const { records, waiting } = known;
    if (!isInterrupted) checkAnswers(answers, waiting);
    const isAnswered = Object.keys(answers).length > 0;
    const open = isAnswered ? { ...before, rounds: begun.context.rounds ?? known.rounds + 1 } : before;
    // A framework that is asked again gives the answers that it has in their order.
    if (isAnswered) await this.states.setProgram(begun.key, open);
    const log = new ProgramLog(this.states, begun.key, open, begun.context, firstAdded);
    return this.pool.run(known.before, async (lisp) => {
      const result = await lisp.resume(records, { ...this.runOptions(begun, log), answers });
      return this.finish(begun, { open, log, result, after: lisp.state });
    });
  }

  /** Keeps what a program left. */
  private async finish(
    { id, key, place, isAsked, context }: BegunCall,
    { open, log, result, after }: { open: OpenProgram; log: ProgramLog; result: LispResult; after: SavedSandbox },
  ): Promise<ProgramOutcome> {
    const { waiting } = result;
    const { program, before, rounds } = open;
    const status = result.signal === "fail" ? "failed" : result.status;
    const [json = "null"] = after.recent;
    const name = result.defined.find((each) => after.memory.get(each) === json);
    const text = programText(program, result, { value: decode(JSON.parse(json)), name });
    const isKept = status === "waiting" || (context.mayRepeat === true && context.messages !== undefined);
    await this.write(place, ({ sandbox, open: all, ...state }) => ({
      ...state,
      sandbox: status === "waiting" ? sandbox : withChanges(sandbox, before, after),
      open: [...all.filter((each) => each !== key), ...(isKept ? [key] : [])],
    }));
    if (result.status === "waiting") {
      const { records } = result;
      const state = { program, before, records, waiting, answers: {}, rounds, next: log.next, isTold: !isAsked };
      await this.states.setProgram(key, state);
      await this.options.onWaiting?.({ toolCallId: id, waiting });
    } else if (isKept && context.abortSignal?.aborted) {
      // Its call may be made again, and must not make its calls again.
      await this.states.setProgram(key, { ...open, records: log.records, next: log.next });
    } else if (isKept) await this.states.setProgram(key, { program, text, ok: status === "done", rounds });
    else await this.states.deleteProgram(key);
    await log.forget();
    return { status, text, waiting, rounds };
  }

  private runOptions(
    { id, context }: BegunCall,
    log: ProgramLog,
  ): {
    signal: AbortSignal | undefined;
    context: unknown;
    onRecord: OnRecord | undefined;
    around: AroundTool | undefined;
  } {
    const { onToolCall, onToolResult } = this.options;
    const tell = onToolCall === undefined && onToolResult === undefined ? undefined : this.events(id);
    const onRecord = async (record: RunRecord) => {
      await log.add(record);
      await tell?.(record);
    };
    const { abortSignal: signal, forTools = context, aroundCall = this.inSpans } = context;
    const around: AroundTool | undefined =
      aroundCall && ((call, run) => aroundCall({ ...call, parentId: id, args: call.args as Value }, run));
    return { signal, context: forTools, onRecord: log.isNeeded ? onRecord : tell, around };
  }

  private events(parentId: string): OnRecord {
    const { onToolCall, onToolResult } = this.options;
    return async (record: RunRecord) => {
      if (record.type !== "call" && record.type !== "result") return;
      const within = record.in === undefined ? parentId : `${parentId}/${record.in}`;
      const about = { id: `${within}/${record.id}`, parentId: within, name: record.tool };
      if (record.type === "call") await onToolCall?.({ ...about, args: decodePlain(structuredClone(record.args)) });
      else {
        const { value = null, error = null, durationMs } = record;
        await onToolResult?.({ ...about, result: decodePlain(structuredClone(value)), error, durationMs });
      }
    };
  }

  /** The state with which a program at this place begins. */
  private async state({ queue, reads }: Place): Promise<ConversationState> {
    const head = typeof queue === "object" ? this.heads.get(queue) : undefined;
    if (head !== undefined) return head;
    for (const keys of reads) {
      const states = await Promise.all(keys.map((key) => this.states.conversation(key)));
      const known = states.filter((each) => each !== undefined);
      const [newest] = known.sort((left, right) => right.time - left.time);
      if (newest !== undefined) return newest;
    }
    return { time: 0, sandbox: this.pool.empty, open: [] };
  }

  private async write(place: Place, change: (state: ConversationState) => ConversationState): Promise<void> {
    const before = await this.state(place);
    this.time = Math.max(this.time, before.time, currentTime()) + 1;
    const state = { ...change(before), time: this.time };
    if (typeof place.queue === "object") this.heads.set(place.queue, state);
    const open = place.writeOpen === undefined ? [] : state.open.map(callOf).map(place.writeOpen);
    for (const key of new Set([place.write, ...open])) await this.states.setConversation(key, state);
  }
}

/** A call of the tool. */
interface BegunCall {
  readonly id: string;
  readonly key: string;
  readonly program: string;
  readonly place: Place;
  readonly context: ProgramContext;
  /** True while its framework asks whether it needs an approval. */
  readonly isAsked: boolean;
}

/** A program that is open, with all its records. */
interface KnownProgram extends OpenProgram {
  /** True when its process ended, or it was aborted, before it came to its end or to nothing but to wait. */
  readonly isInterrupted: boolean;
  /** The number of the first record that was added to those that the program in the store has itself. */
  readonly firstAdded: number;
}

/** Programs whose framework did not run them, because it was aborted, are forgotten. */
const MOST_DEFERRED = 100;

/** Ids that a model makes by counting its calls, as those of Kimi: other conversations have the same. */
const COUNTED = /^functions\.[^:]+:\d+$/;

/** The first sentence of the description. */
const ROLE =
  "Runs a program that calls tools, in a sandbox. Write one program with all calls, loops and conditions that belong together; \
values stay in the sandbox, and you get what it defined, called, printed and returned.";

/** The tools and the data as they are listed for a model. */
function catalogue(tools: Tools, data: Record<string, unknown>, toolBudget: number | undefined): string {
  const { messages, sections } = toMessages([], null, { mission: "", systemPrompt: "", tools, data, toolBudget });
  const last = messages.length - 1;
  const shown = sections.filter(({ message, kind }) => message === last && (kind === "tool" || kind === "data"));
  return shown.map(({ start, end }) => messages[last]?.content.slice(start, end).trim()).join("\n\n");
}

function inputSchema(): ProgramInputSchema {
  const json = {
    type: "object",
    properties: { program: { type: "string", description: "The program, without a code fence." } },
    required: ["program"],
    additionalProperties: false,
  };
  const validate: StandardProgramSchema["validate"] = (value) =>
    typeof (Object(value) as { program?: unknown }).program === "string"
      ? { value: value as ProgramInput }
      : { issues: [{ message: "expected an object with a text `program`" }] };
  const jsonSchema = { input: () => ({ ...json }), output: () => ({ ...json }) };
  // Not enumerable, so that it is plain JSON Schema where that is read.
  return Object.defineProperty(json, "~standard", {
    value: { version: 1, vendor: "turnfold", validate, jsonSchema },
  }) as unknown as ProgramInputSchema;
}

/** The definitions of a conversation with those that a program changed which began before some of them. */
function withChanges(now: SavedSandbox, before: SavedSandbox, after: SavedSandbox): SavedSandbox {
  if (now === before) return after;
  const memory = new Map(now.memory);
  for (const [name, value] of after.memory) if (before.memory.get(name) !== value) memory.set(name, value);
  return { ...after, memory };
}

/** The key of the program of a call. Some models use an id again in another conversation. */
const keyOf = (id: string, conversation = ""): string => `${encodeURIComponent(conversation)}/${id}`;

/** The id of the call of a program, from its key. */
const callOf = (key: string): string => key.slice(key.indexOf("/") + 1);

const ended = ({ text, ok, rounds }: EndedProgram): ProgramOutcome => ({
  status: ok ? "done" : "failed",
  text,
  waiting: [],
  rounds,
});

/** The answers of a framework that has approved the call of a program. */
const approvals = ({ waiting }: OpenProgram): Answers =>
  Object.fromEntries(waiting.filter(({ reason }) => reason === "approval").map(({ id }) => [id, true] as const));

const waits = ({ waiting, isTold, rounds }: OpenProgram): ProgramOutcome => ({
  status: "waiting",
  text: waitingText(waiting, isTold),
  waiting,
  rounds,
});

function lost(id: string): TurnfoldError {
  return new TurnfoldError("program_lost", `the program of the call ${id} is not in the store`, {
    details: { toolCallId: id },
    hint: "give programTool a store that all processes share and that outlives them; and no other policy of approvals for this tool, such as toolApproval of the AI SDK",
  });
}

/**
 * Makes one tool of many: a model writes programs that call them, instead of one call after the other. Definitions stay from one
 * program to the next of a conversation.
 *
 * @param tools the tools, of any kind that a sandbox takes: those of the AI SDK, Mastra, LangChain, OpenAI's Agents SDK and MCP unchanged.
 * @example
 * ```ts
 * const run_program = programTool({ search: ["(query :string) -> [:string]", ({ query }) => searchArchive(query)] });
 * await run_program.execute({ program: '(count (tool/search "lamp"))' }); // what a model reads
 * // With the AI SDK: generateText({ model, prompt, tools: { run_program }, stopWhen })
 * ```
 * @throws {TurnfoldError} `invalid_option`, `invalid_tool`, `invalid_signature`, `invalid_value`.
 */
export function programTool<const T extends GivenTools = AnyTools>(
  tools: ToolsOption<T>,
  options: ProgramToolOptions<T> = {},
): ProgramTool {
  const given = readOptions("the options", options, {
    name: textOption,
    description: textOption,
    data: anyOption(),
    toolBudget: countOption(undefined, 0),
    limits: anyOption(),
    approve: anyOption(),
    conversation: functionOption(),
    store: anyOption(),
    telemetry: anyOption(),
    isolate: anyOption(),
    onToolCall: functionOption(),
    onToolResult: functionOption(),
    onWaiting: functionOption(),
  } satisfies OptionChecks<ProgramToolOptions>);
  return new ProgramTool(tools as Tools, given as ProgramToolOptions);
}
