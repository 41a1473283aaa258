import { checkSignal, withOwnSignal } from "../boundary/abort.ts";
import { currentTime, Stopwatch } from "../boundary/clock.ts";
import { decodeData, decodePlain, decodeRecord } from "../boundary/decode.ts";
import { encode, encodeRecord } from "../boundary/encode.ts";
import { handleRejection, messageOf, unlessAborted } from "../boundary/host.ts";
import { anyOption, functionOption, type OptionChecks, readOptions } from "../boundary/options.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { callModel, checkLLM, type LLM, type ModelSettings } from "../model/model.ts";
import { type Limits, maxTextLength } from "../sandbox/limits.ts";
import type { ToolRequest } from "../sandbox/program-record.ts";
import { errorReply, resultReply } from "../sandbox/session.ts";
import { checkApprove, runApproved } from "../tools/approval.ts";
import { agentKey, refreshKey } from "../tools/tool.ts";
import { type CallableTool, callFromProgram, isAgent, requireFittingArguments } from "../tools/tools.ts";
import type { Rendered } from "../turns/rendered.ts";
import type { Turn } from "../turns/turn.ts";
import { describe } from "../values/describe.ts";
import type { Value } from "../values/values.ts";
import { answerRecords, readAnswers } from "../waiting/answers.ts";
import { endsRun, Recorder } from "../waiting/recorder.ts";
import { checkRecords, newRunId, type OnRecord, RECORDS_VERSION, type RunRecord } from "../waiting/run-record.ts";
import { type Answers, type WaitingCall, Waits, waitingAgent } from "../waiting/waiting-call.ts";
import { type CheckedAgent, missionText, requestOf, withCurrentTools } from "./agent.ts";
import type { HowToCall, ReplyOutcome, ReplySource, ToolOutcome } from "./reply-source.ts";
import {
  NO_PRIOR_TURNS,
  type PriorTurns,
  type ResumedTurn,
  Run,
  type RunParts,
  stepOf,
  unsentStats,
  usesHostFunction,
} from "./run.ts";
import type { Context, NestedAgent, ResumedAgent, ResumeOptions, RunEvent, RunOptions } from "./run-options.ts";
import { type RunState, runStateOf } from "./run-state.ts";
import { saveTurns } from "./saved-turns.ts";
import { type FinishedStep, isStep, partsOf, Step, type StepParts } from "./step.ts";

/** Counts the turns, including those of nested agents. */
function totalTurns(turns: readonly Turn[]): number {
  const nested = turns.flatMap(({ toolCalls }) => toolCalls.map(({ step }) => (step ? totalTurns(step.turns) : 0)));
  return nested.reduce((sum, each) => sum + each, turns.length);
}

/** Counts the turns of the agents that have ended in a turn that goes on. Those that go on too count their own. */
function turnsWithin({ records }: ResumedTurn): number {
  let sum = 0;
  for (const record of records) {
    if (record.type === "result" && record.step !== undefined)
      sum += totalTurns(Step.fromJSON(JSON.stringify(record.step)).turns);
  }
  return sum;
}

/**
 * Wraps a listener: an error that it throws or rejects with is written to the console once and does not end the run.
 * After `close` it receives nothing.
 */
function eventListener(onEvent: RunOptions["onEvent"]): { notify: (event: RunEvent) => void; close: () => void } {
  let open = onEvent !== undefined;
  let hasReported = false;
  const report = (error: unknown) => {
    if (!hasReported) console.error("turnfold: onEvent failed, and the run goes on:", error);
    hasReported = true;
  };
  const notify = (event: RunEvent): void => {
    if (!open) return;
    try {
      handleRejection((onEvent as (event: RunEvent) => unknown)(event), report);
    } catch (error) {
      report(error);
    }
  };
  return {
    notify,
    close: () => {
      open = false;
    },
  };
}

/** What happened before a run goes on. */
interface RunPast extends PriorTurns {
  /** Runs first, instead of a reply of the model. */
  readonly program?: string | undefined;
  /** True when its records are stored already. */
  readonly isRecorded?: boolean | undefined;
  readonly durationMs?: number | undefined;
}

/**
 * Runs an agent.
 *
 * @throws {TurnfoldError} `missing_llm`, `invalid_option`, `missing_placeholder`; `invalid_value`, `cyclic_value` or
 * `nesting_too_deep` for the data, with the path.
 *
 * @internal
 */
export async function runAgent(
  own: CheckedAgent,
  options: RunOptions,
  context: Context = rootContext(own),
  past: RunPast = NO_PRIOR_TURNS,
): Promise<FinishedStep> {
  const given = checkRunOptions(options);
  if (own.live !== undefined) await unlessAborted(own.live[refreshKey](), given.signal);
  const agent: CheckedAgent = {
    ...withCurrentTools(own),
    compression: own.compression ?? context.compression,
    limits: own.limits ?? context.limits,
    isolate: own.isolate ?? context.isolate,
    llm: given.llm ?? own.llm ?? context.llm,
    retry: own.retry ?? context.retry,
    approve: given.approve ?? own.approve ?? context.approve,
  };
  const { notify, close } = eventListener(given.onEvent);
  const emit = (event: RunEvent): void => {
    notify(context.path.length === 0 ? event : { agent: context.path, ...event });
  };
  context.budget.left -= totalTurns(past.turns) + (past.resumed === undefined ? 0 : 1 + turnsWithin(past.resumed));
  const recorder = given.onRecord === undefined ? context.recorder : Recorder.for(given.onRecord);
  const { llm } = agent;
  if (llm === undefined) {
    throw new TurnfoldError("missing_llm", "there is no model to ask", {
      hint: "give llm to the agent or to run(): llm: async ({ messages }) => text",
    });
  }
  const source = new LiveSource(
    agent,
    llm,
    { ...given, onEvent: notify },
    {
      ...context,
      llm,
      retry: agent.retry,
      approve: agent.approve,
      compression: agent.compression,
      limits: agent.limits,
      isolate: agent.isolate,
      recorder,
    },
    past.durationMs,
  );
  const inputs = encodeRunInputs(given.data, agent.limits);
  const runParts = { agent, source, past, signal: given.signal, emit, recorder, run: context.run };
  if (typeof inputs === "object") {
    const failed = failedBeforeStart(
      { ...runParts, request: requestOf(agent, String(agent.mission), context.systemPrompt) },
      inputs,
    );
    emit({ type: "done", step: failed });
    close();
    return failed;
  }
  const { mission, warnings } = missionText(agent, decodeData(inputs));
  const request = requestOf(agent, mission, context.systemPrompt);
  if (past.isRecorded !== true) await recordPast(recorder, inputs, context.run, past);
  try {
    return await new Run({ ...runParts, request, data: inputs, warnings }).run(past.program);
  } finally {
    // Tools of an aborted run may still be running.
    close();
  }
}

/** Records the beginning of a run, and what happened before it, so that its records are complete. */
async function recordPast(recorder: Recorder, data: string, run: string, past: RunPast): Promise<void> {
  const at = currentTime();
  const start = () => ({
    type: "start" as const,
    version: RECORDS_VERSION,
    run,
    at,
    data: JSON.parse(data) as unknown,
  });
  void recorder.send(start);
  if (past.turns.length > 0) {
    for (const [index, turn] of saveTurns(past.turns).entries()) {
      void recorder.send(() => ({ type: "turn", turn, log: past.log[index] ?? {} }));
    }
  }
  for (const record of past.resumed?.records ?? []) void recorder.send(() => record);
  await recorder.settled();
}

/**
 * Goes on with a run that waits, or that was interrupted.
 *
 * @param from its step or its records.
 *
 * @internal
 */
export async function resumeAgent(
  own: CheckedAgent,
  from: unknown,
  { answers: given, ...options }: ResumeOptions,
): Promise<FinishedStep> {
  const fit = fitOf(own);
  if (Array.isArray(from)) {
    if (from.length === 0) {
      await readAnswers(given, []);
      return runAgent(own, options);
    }
    const state = runStateOf(from, own.tools);
    const answers = await readAnswers(given, state.waiting, fit);
    return resumeState(own, state, answers, options, { ...rootContext(own), run: state.start.run });
  }
  const step = isStep(from) ? from : Step.fromJSON(from);
  const answers = await readAnswers(given, step.waiting, fit);
  return resumeStep(own, step, answers, options, rootContext(own));
}

/**
 * The records that answer calls of a run.
 *
 * @throws {TurnfoldError} `invalid_answer`, and the errors of {@link runStateOf}
 *
 * @internal
 */
export async function answersToRun(own: CheckedAgent, records: unknown, answers: unknown): Promise<RunRecord[]> {
  const waiting = Array.isArray(records) && records.length === 0 ? [] : runStateOf(records, own.tools).waiting;
  return answerRecords(await readAnswers(answers, waiting, fitOf(own)));
}

const fitOf = (own: CheckedAgent) => (call: WaitingCall, args: unknown) =>
  requireFittingArguments(own.listed, own.tools, call, args);

/**
 * Goes on with a nested agent.
 *
 * @internal
 */
export function resumeNested(
  own: CheckedAgent,
  { step, records, answers }: ResumedAgent,
  options: RunOptions,
  context: Context,
): Promise<FinishedStep> {
  if (step !== undefined && records === undefined)
    return resumeStep(own, Step.fromJSON(step), answers, options, context);
  const begun = records?.some(({ type, in: within }) => type === "start" && within === undefined) === true;
  return begun
    ? resumeState(own, runStateOf(records, own.tools), answers, options, context)
    : runAgent(own, options, context);
}

async function resumeStep(
  own: CheckedAgent,
  step: Step,
  answers: Answers,
  options: RunOptions,
  context: Context,
): Promise<FinishedStep> {
  const { turns, log, sent, data, waiting, usage } = partsOf(step);
  if (waiting === null) {
    throw new TurnfoldError("nothing_to_resume", "the run has ended, and nothing waits", {
      hint: "step.status says whether there is something; fork() runs from an earlier turn",
    });
  }
  const { run } = waiting;
  const records = checkRecords(waiting.records);
  if (records[0]?.type !== "reply") {
    throw new TurnfoldError("invalid_argument", "the records of the step do not begin with a reply of the model");
  }
  const past: RunPast = {
    turns,
    log: log.slice(0, turns.length),
    sent: sent?.slice(0, turns.length) ?? null,
    resumed: { records, nested: new Map(), answers },
    durationMs: usage.durationMs,
  };
  return runAgent(own, { ...options, data: decodeRecord(JSON.parse(data)) }, { ...context, run }, past);
}

function resumeState(
  own: CheckedAgent,
  { start, turns, log, sent, current, nested, end, outcome }: RunState,
  answers: Answers,
  options: RunOptions,
  context: Context,
): Promise<FinishedStep> {
  // Decoding changes the data.
  const data = wrapReadErrors("invalid_argument", "the inputs in the records", () =>
    decodeRecord(structuredClone(start.data ?? {})),
  );
  const hasSent = usesHostFunction(own.compression ?? context.compression);
  const past: RunPast = {
    turns,
    log,
    sent: hasSent ? sent.slice(0, turns.length) : null,
    isRecorded: true,
    ...(current[0]?.type === "reply" ? { resumed: { records: current, nested, answers } } : {}),
    ...(end === undefined ? {} : { end }),
  };
  if (outcome === undefined) return runAgent(own, { ...options, data }, { ...context, run: start.run }, past);
  const { return: returned = null, fail = null, usage, warnings } = outcome as EndOutcome;
  const { mission } = missionText(own, data);
  const request = requestOf(own, mission, context.systemPrompt);
  return Promise.resolve(
    stepOf(request, {
      ok: fail === null,
      returned: JSON.stringify(returned),
      fail: fail && { ...fail, details: JSON.stringify(fail.details) },
      waiting: null,
      turns,
      data: JSON.stringify(start.data ?? {}),
      sent: hasSent ? sent : null,
      warnings,
      usage,
      log,
    }),
  );
}

/**
 * Returns the initial context of a run, which its nested agents inherit.
 *
 * @param inherited the settings of a chat that has the agent as a tool.
 *
 * @internal
 */
export function rootContext(agent: CheckedAgent, inherited: Partial<ModelSettings> = {}): Context {
  return {
    depth: 0,
    maxDepth: agent.maxDepth,
    budget: { left: agent.turnBudget, of: agent.turnBudget },
    llm: inherited.llm,
    retry: inherited.retry,
    compression: undefined,
    limits: undefined,
    isolate: undefined,
    systemPrompt: undefined,
    approve: undefined,
    recorder: Recorder.for(undefined),
    run: newRunId(),
    path: [],
  };
}

/** Names of these options in other libraries. */
const RENAMED = { context: "data", inputs: "data", debug: "onEvent", trace: "onEvent", input: "data" };

/** @throws {TurnfoldError} `invalid_option` */
export function checkRunOptions(options: unknown): RunOptions {
  const checks = {
    llm: checkLLM,
    data: anyOption(),
    onEvent: functionOption(),
    signal: checkSignal,
    approve: checkApprove,
    onRecord: functionOption<OnRecord>(),
  } satisfies OptionChecks<RunOptions>;
  return readOptions("the options of run()", options, checks, RENAMED);
}

/** Returns JSON of the inputs, or the failure of the step that should provide them. */
function encodeRunInputs(
  data: RunOptions["data"],
  limits: Limits | undefined,
): string | { reason: string; message: string } {
  if (!isStep(data)) return encodeRecord(data ?? {}, "data", maxTextLength(limits));
  const { ok, fail, returned } = partsOf(data);
  if (!ok) {
    return { reason: "chained_failure", message: `the step before failed: ${fail?.message ?? "for no known reason"}` };
  }
  const value = decodePlain(JSON.parse(returned));
  if (
    typeof value === "object" &&
    value !== null &&
    (value instanceof Map || Object.getPrototypeOf(value) === Object.prototype)
  ) {
    return returned;
  }
  const message = `the step before returned ${describe(value)}, and inputs are a map of names`;
  return { reason: "chained_failure", message };
}

/** The step of a run that can't start. */
function failedBeforeStart(
  { agent, request, source }: Pick<RunParts, "agent" | "request" | "source">,
  { reason, message }: { reason: string; message: string },
): FinishedStep {
  const compression = unsentStats(request, []);
  return stepOf(request, {
    ok: false,
    returned: "null",
    fail: { reason, message, details: "null" },
    waiting: null,
    turns: [],
    data: "{}",
    sent: usesHostFunction(agent.compression) ? [] : null,
    warnings: [],
    usage: { turns: 0, durationMs: source.elapsed(), toolCalls: 0, compression },
    log: [],
  });
}

/** The outcome of a run that has ended, as recorded. */
interface EndOutcome {
  readonly return?: unknown;
  readonly fail?: { reason: string; message: string; details: unknown } | null;
  readonly usage: StepParts["usage"];
  readonly warnings: string[];
}

/** Replies from the model and the tools. */
class LiveSource implements ReplySource {
  private readonly time = new Stopwatch();
  /** Of the run before it went on. */
  private readonly durationBefore: number;
  private readonly agent: CheckedAgent;
  private readonly llm: LLM;
  private readonly options: RunOptions;
  private readonly context: Context;

  constructor(agent: CheckedAgent, llm: LLM, options: RunOptions, context: Context, durationBefore: number = 0) {
    this.durationBefore = durationBefore;
    this.agent = agent;
    this.llm = llm;
    this.options = options;
    this.context = context;
  }

  requestTime(): number {
    return currentTime();
  }

  endBefore(): null {
    return null;
  }

  continuesAfter(): boolean {
    return false;
  }

  async reply(
    turn: number,
    { messages, breakpoints }: Rendered,
    onText: (text: string) => void,
  ): Promise<ReplyOutcome | null> {
    const { budget } = this.context;
    if (budget.left <= 0) {
      const message = `the ${budget.of} turns that all agents of this run had together are spent`;
      return { reason: "turn_budget_exhausted", message };
    }
    budget.left--;
    const { signal } = this.options;
    try {
      const request = {
        messages,
        breakpoints,
        purpose: "turn" as const,
        turn,
        ...(signal === undefined ? {} : { signal }),
      };
      const answer = await callModel(this.llm, request, this.agent.retry, onText);
      return answer && { content: answer.content, usage: answer.usage, at: currentTime() };
    } catch (error) {
      return { reason: "llm_error", message: messageOf(error) };
    }
  }

  async call(
    { id: number, tool }: ToolRequest,
    args: Value,
    turn: number,
    { isApproved, begin, resumed }: HowToCall,
  ): Promise<ToolOutcome | Waits> {
    const time = new Stopwatch();
    const { signal } = this.options;
    const { approve, run } = this.context;
    const id = `${turn}.${number}`;
    try {
      const nested = this.agent.tools[tool];
      if (isAgent(nested)) {
        const agent = nested[agentKey] as NestedAgent;
        const { asks } = this.agent.callable.get(tool) as CallableTool;
        const runs = () => this.runNested(number, id, tool, agent, args, time, resumed);
        const call = { id, name: tool, args };
        const context = { id, messages: [], approve, signal, isApproved, begin };
        return (await runApproved(call, context, () => asks(args, context), runs)) as ToolOutcome | Waits;
      }
      const result = await withOwnSignal(signal, (own) =>
        callFromProgram(this.agent.callable.get(tool) as CallableTool, {
          name: tool,
          id,
          callId: `${run}/${id}`,
          args,
          signal: own,
          approve,
          isApproved,
          begin,
        }),
      );
      if (result instanceof Waits) return result;
      return { reply: resultReply(number, result, time, maxTextLength(this.agent.limits)) };
    } catch (error) {
      if (endsRun(error)) throw error;
      return { reply: errorReply(number, error, time) };
    }
  }

  elapsed(): number {
    return this.durationBefore + this.time.elapsed;
  }

  isIdempotent(tool: string): boolean {
    // An agent that had begun goes on.
    return isAgent(this.agent.tools[tool]) || this.agent.callable.get(tool)?.isIdempotent === true;
  }

  private async runNested(
    number: number,
    id: string,
    name: string,
    agent: NestedAgent,
    args: Value,
    time: Stopwatch,
    resumed: ResumedAgent | undefined,
  ): Promise<ToolOutcome | Waits> {
    const { context, options } = this;
    if (context.depth >= context.maxDepth) {
      throw new Error(`agents may run ${context.maxDepth} deep inside each other, and this one would be deeper`);
    }
    if (Array.isArray(args)) throw new Error("an agent takes its inputs by their names");
    const { data: _, llm: __, approve: ___, onRecord: ____, ...others } = options;
    const nestedContext: Context = {
      ...context,
      systemPrompt: this.agent.systemPrompt ?? context.systemPrompt,
      depth: context.depth + 1,
      path: [...context.path, name],
      recorder: context.recorder.inCall(id),
      run: `${context.run}/${id}`,
    };
    const step = await agent.run(args, others, nestedContext, resumed);
    const json = encode(step);
    if (step.status === "waiting") return waitingAgent(step.waiting, json);
    const { returned, fail } = partsOf(step);
    const outcome = step.ok ? { result: returned } : { error: fail?.message ?? "it failed" };
    const reply = { id: number, ...outcome, durationMs: time.elapsed, step: json };
    return { reply, nested: step.usage };
  }
}
