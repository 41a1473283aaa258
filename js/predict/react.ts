import type { NestedAgent } from "../agent/run-options.ts";
import { withOwnSignal } from "../boundary/abort.ts";
import { currentTime, Stopwatch } from "../boundary/clock.ts";
import { decodePlain } from "../boundary/decode.ts";
import { encode } from "../boundary/encode.ts";
import { messageOf, unlessAborted } from "../boundary/host.ts";
import { copyMembers, countOption, functionOption } from "../boundary/options.ts";
import { TurnfoldError } from "../errors.ts";
import type { TextMessage } from "../model/message.ts";
import { usageWithout } from "../model/usage.ts";
import { ProgramRecord, type ToolReply, type ToolRequest } from "../sandbox/program-record.ts";
import { recordedCall, waitingCalls } from "../sandbox/recorded-call.ts";
import type { InputsOf, OutputsOf, SignatureLike } from "../signature/infer.ts";
import {
  coerceArguments,
  describedSchema,
  type OwnSignature,
  problemsText,
  readSignature,
  readToolSignature,
  signatureKey,
} from "../signature/signature.ts";
import type { Field } from "../signature/types.ts";
import { checkApprove, runApproved } from "../tools/approval.ts";
import { type AgentTool, type AnyTools, type Approve, agentKey, type Tools, type ToolsOption } from "../tools/tool.ts";
import { type CallableTool, callableTool, callFromProgram, isAgent, listTools } from "../tools/tools.ts";
import { describe } from "../values/describe.ts";
import type { Value } from "../values/values.ts";
import { answersWithin, readAnswers, recordAnswers } from "../waiting/answers.ts";
import { endsRun, Recorder } from "../waiting/recorder.ts";
import {
  addInner,
  checkRecords,
  inCall,
  newRunId,
  type OnRecord,
  RECORDS_VERSION,
  type RunRecord,
} from "../waiting/run-record.ts";
import { type AnswerSource, type Answers, type WaitingCall, Waits, waitingAgent } from "../waiting/waiting-call.ts";
import { Predict } from "./predict.ts";
import {
  checkSettings,
  type EncodedInputs,
  encodeInputs,
  messagesOf,
  type PredictCallOptions,
  type Prediction,
  type PredictOptions,
  RunningCall,
  requestParts,
  type TrajectoryStep,
  type TypedCall,
  typedCallOf,
} from "./typed-call.ts";

/** The options of a {@link ReAct}. */
export interface ReActOptions<T extends Tools = Tools> extends PredictOptions {
  /** The tools that the model can call, by their names. An agent among them runs as a tool. */
  tools: ToolsOption<T>;
  /**
   * Asked before each call of a tool that asks for an approval (`needsApproval`, `requireApproval`), also by agents that
   * run as tools. Without it, such calls wait for an answer.
   */
  approve?: Approve<T> | undefined;
  /** As that of a call, which may replace it. */
  onRecord?: OnRecord | undefined;
  /** The maximum number of steps before the model is asked for the outputs; 10 by default. */
  maxSteps?: number | undefined;
}

/** The options of {@link ReAct.run}. */
export interface ReActRunOptions extends PredictCallOptions {
  /**
   * Stores each record of what happens, in order, before it has an effect that can't be taken back: enough for
   * {@link ReAct.resume} after a crash at any point. The call waits for it.
   */
  onRecord?: OnRecord | undefined;
}

/** The options of {@link ReAct.resume}. */
export interface ReActResumeOptions extends ReActRunOptions {
  /** By the ids of the calls that wait. What is not answered goes on waiting. */
  answers?: AnswerSource | undefined;
}

/** A step before the outputs: the model calls a tool. */
export interface ReActStep {
  /** The model's reasoning. */
  readonly thought: string;
  /** The name of the tool; `finish` when the model needs no more steps. */
  readonly tool: string;
  /** The arguments by their names. */
  readonly args: Value;
  /** The result of the tool; null when it failed. */
  readonly result: Value;
  /** The message of the tool's error; null when it succeeded. */
  readonly error: string | null;
}

/** The result of a call of a {@link ReAct}. */
export type ReActPrediction<O = Record<string, Value>> = FinishedPrediction<O> | WaitingPrediction;

/** The result of a call of a {@link ReAct} that has its outputs. */
export interface FinishedPrediction<O = Record<string, Value>> extends Prediction<O> {
  readonly status: "done";
  readonly waiting: readonly [];
  /** The steps in order, at most `maxSteps`. */
  readonly steps: readonly ReActStep[];
}

/** The result of a call of a {@link ReAct} whose tool call waits. Reading its `outputs` throws `calls_waiting`. */
export interface WaitingPrediction extends Prediction<never> {
  readonly status: "waiting";
  /** The calls that wait: that of the step, or those of the agent that its tool is. */
  readonly waiting: readonly WaitingCall[];
  /** The steps before the one that waits. */
  readonly steps: readonly ReActStep[];
  /** The records of the call, from which {@link ReAct.resume} goes on. */
  toJSON(): readonly RunRecord[];
}

/** The outputs of the call of a step. */
interface StepOutputs {
  next_thought: string;
  next_tool_name: string;
  next_tool_args: Record<string, Value> | null;
}

interface HostTool {
  readonly name: string;
  readonly callable: CallableTool;
  readonly agent: AgentTool | undefined;
  readonly signature: OwnSignature | undefined;
  /** True when the tool has a schema, by which its function checks the arguments. */
  readonly hostChecks: boolean;
  readonly description: string | undefined;
  readonly fieldDescriptions: Readonly<Record<string, string>>;
}

/** The typed calls and tools of a {@link ReAct}. */
interface ReActParts {
  readonly step: TypedCall;
  /** Asks for the outputs after the steps. */
  readonly extraction: TypedCall;
  readonly tools: ReadonlyMap<string, HostTool>;
  readonly names: readonly string[];
  readonly approve: Approve | undefined;
  readonly onRecord: OnRecord | undefined;
  readonly maxSteps: number;
}

/** What the model chose in a step. */
interface StepChoice {
  readonly thought: string;
  readonly tool: string;
  /** JSON of the arguments. */
  readonly args: string;
}

/** What has happened in a call. */
interface CallState {
  readonly encoded: EncodedInputs;
  /** Part of the `callId` of tools. */
  readonly run: string;
  readonly recorder: Recorder;
  readonly choices: readonly StepChoice[];
  readonly program: ProgramRecord;
  /** The records of agents, by the ids of their calls. */
  readonly inner: Map<string, RunRecord[]>;
  readonly answers: Answers;
}

const MAX_STEPS = 10;

/** The name that the model writes instead of a tool when it needs no more steps. */
const FINISH = "finish";

/** The input with the steps so far. */
const TRAJECTORY: Field = { name: "trajectory", type: "list[dict]", description: "the steps so far" };

/** The limits of agents that run as tools: the nesting depth, and the turns of all nested runs of one call. */
const MAX_DEPTH = 3;
const TURN_BUDGET = 20;

/**
 * A {@link Predict} that calls tools before it gives the outputs. In each step the model writes a thought and names a
 * tool with its arguments; the next request shows the tool's result, or the message of its error. When the model names
 * `finish`, or after `maxSteps`, it is asked for the outputs. Every request begins with the history, which does not
 * contain the steps.
 *
 * @example
 * ```ts
 * const ask = new ReAct("question, history: History -> answer", {
 *   tools: { search: ["(query :string) -> [:string]", ({ query }) => searchArchive(query)] },
 *   llm,
 * });
 * const { answer } = await ask.call({ question: "Who repaired the bridge?" });
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type argument it is any typed call.
export class ReAct<const S extends SignatureLike = any, const T extends Tools = AnyTools> extends Predict<S> {
  /** @internal */
  declare protected readonly parts: ReActParts;

  /** @throws {TurnfoldError} as {@link Predict}, and `invalid_tool`. */
  constructor(signature: S, options: ReActOptions<T>) {
    super(signature, options);
  }

  /** Returns the messages of the first step, like {@link Predict.messages}. */
  override messages(inputs: InputsOf<S>): TextMessage[] {
    const { step } = this.parts;
    return messagesOf(requestParts(step, encodeInputs(step, inputs), []));
  }

  /**
   * Like {@link Predict.call}, and also returns the steps, the messages, the reply and the usage.
   *
   * @throws {TurnfoldError} as {@link Predict.call}; once the model was called, the details have `steps`, those so far.
   */
  override async run(inputs: InputsOf<S>, options: ReActRunOptions = {}): Promise<ReActPrediction<OutputsOf<S>>> {
    const { step } = this.parts;
    const encoded = encodeInputs(step, inputs);
    // Throws for invalid inputs before the model is called.
    requestParts(step, encoded, []);
    const { running, recorder } = this.begin(options);
    const run = newRunId();
    const data = { inputs: JSON.parse(encoded.inputs), history: encoded.history.map((turn) => JSON.parse(turn)) };
    const start = { type: "start" as const, version: RECORDS_VERSION, run, at: currentTime(), data };
    await recorder.write(() => start);
    return this.play(running, {
      encoded,
      run,
      recorder,
      choices: [],
      program: new ProgramRecord(),
      inner: new Map(),
      answers: {},
    });
  }

  /**
   * Goes on with a call that waits, or that was interrupted: in another process, days later. No model is asked again for
   * what it said, and no tool that answered is called again.
   *
   * @param saved the prediction that waits, its JSON, or the list of all records that `onRecord` got.
   * @throws {TurnfoldError} `invalid_answer` before anything is called; `nothing_to_resume`, `invalid_argument`,
   * `unknown_version`; otherwise as {@link ReAct.run}.
   *
   * @example
   * ```ts
   * const react = new ReAct("question -> answer", {
   *   tools: { refund: { needsApproval: true, run: async ({ order }: { order: number }) => `${order} was refunded` } },
   *   llm,
   * });
   * const asked = await react.run({ question: "Refund order 17." });
   * if (asked.status === "waiting") {
   *   const saved = JSON.stringify(asked);
   *   const answers = Object.fromEntries(asked.waiting.map(({ id }) => [id, true]));
   *   const { outputs } = await react.resume(saved, { answers });
   * }
   * ```
   */
  async resume(
    saved: WaitingPrediction | readonly RunRecord[] | string,
    options: ReActResumeOptions = {},
  ): Promise<ReActPrediction<OutputsOf<S>>> {
    const { answers: given, ...others } = copyMembers(options, "the options of resume()");
    const { running, recorder } = this.begin(others);
    const records = checkRecords(recordsIn(saved));
    const { start, choices, program, inner } = stateIn(records);
    const answers = await readAnswers(given, this.waiting(program, inner), (call, args) =>
      this.checkArguments(call, args),
    );
    recorder.begin(records);
    await recordAnswers(recorder, answers);
    const { inputs, history } = Object(start.data) as { inputs: unknown; history: unknown[] };
    const encoded = { inputs: JSON.stringify(inputs), history: history.map((turn) => JSON.stringify(turn)) };
    return this.play(running, { encoded, run: start.run, recorder, choices, program, inner, answers });
  }

  private begin(options: unknown): { running: RunningCall; recorder: Recorder } {
    const { onRecord, ...others } = copyMembers(options, "the options of call()");
    const check = functionOption<OnRecord>();
    const running = new RunningCall(this.parts.step.settings, others);
    return { running, recorder: Recorder.for(check(onRecord, "onRecord") ?? this.parts.onRecord) };
  }

  private waiting(program: ProgramRecord, inner: CallState["inner"]): WaitingCall[] {
    return waitingCalls(
      program,
      ({ id }) => String(id),
      ({ tool }, id) => {
        const records = inner.get(id);
        return records === undefined ? null : (this.parts.tools.get(tool)?.agent?.[agentKey].waiting(records) ?? []);
      },
    );
  }

  /** @throws {TurnfoldError} `validation_error` */
  private checkArguments(call: WaitingCall, args: unknown): void {
    const [root = call.tool, ...path] = call.path;
    const tool = this.parts.tools.get(root);
    if (call.path.length > 0) tool?.agent?.[agentKey].checkArguments({ ...call, path }, args);
    else if (tool?.signature !== undefined && !tool.hostChecks) {
      const fit = coerceArguments(tool.signature, args);
      if ("problems" in fit) throw new TurnfoldError("validation_error", problemsText(fit.problems));
    }
  }

  /** Goes on from what has happened so far. */
  private play(running: RunningCall, state: CallState): Promise<ReActPrediction<OutputsOf<S>>> {
    const { extraction, maxSteps } = this.parts;
    const { encoded, recorder, choices, program } = state;
    const steps: ReActStep[] = [];
    const run = async (): Promise<ReActPrediction<OutputsOf<S>>> => {
      const trajectory: TrajectoryStep[] = [];
      while (steps.length < maxSteps) {
        const number = steps.length + 1;
        const choice = choices[steps.length] ?? (await this.choose(running, state, trajectory, number));
        const { thought, tool } = choice;
        if (tool === FINISH) {
          steps.push({ thought, tool, args: decodePlain(JSON.parse(choice.args)), result: null, error: null });
          trajectory.push({ thought, tool });
          break;
        }
        const reply = await this.callTool(running, state, { id: number, tool, args: choice.args });
        if (reply === null) {
          await recorder.write(() => ({ type: "suspended", rounds: 0 }));
          const waiting = Object.freeze(this.waiting(program, state.inner));
          return waitingPrediction(running, steps, waiting, recorder);
        }
        const { args = choice.args, result = "null", error = null } = reply;
        const json = error === null ? result : "null";
        steps.push({
          thought,
          tool,
          args: decodePlain(JSON.parse(args)),
          result: decodePlain(JSON.parse(json)),
          error,
        });
        if (running.signal?.aborted) throw running.abortedError();
        trajectory.push({ thought, tool, args, ...(error === null ? { observation: json } : { error }) });
      }
      const prediction = await this.extract(extraction, encoded, trajectory, running);
      await recorder.write(() => ({ type: "end", outcome: JSON.parse(encode(prediction.outputs)) as unknown }));
      return { status: "done", waiting: [], ...prediction, steps };
    };
    return running.withUsageInErrors(run, () => ({ steps }));
  }

  /** Asks the model for the next step. */
  private async choose(
    running: RunningCall,
    { encoded, recorder }: CallState,
    trajectory: readonly TrajectoryStep[],
    turn: number,
  ): Promise<StepChoice> {
    const { step } = this.parts;
    const parts = requestParts(step, encoded, trajectory);
    const before = running.usage();
    const { outputs, reply: content, usage: after } = await running.ask<StepOutputs>(step, parts, "answer", turn);
    const { next_thought: thought, next_tool_name: name, next_tool_args: args } = outputs;
    const choice = { thought, tool: name.trim(), args: encode(args) };
    const record = {
      type: "reply" as const,
      at: currentTime(),
      turn,
      content,
      usage: usageWithout(after, before),
      step: choice,
    };
    await recorder.write(() => record);
    return choice;
  }

  /** Makes a call. Resolves to null when it waits. */
  private async callTool(running: RunningCall, state: CallState, request: ToolRequest): Promise<ToolReply | null> {
    const { tools, names, approve } = this.parts;
    const { program, recorder, inner, answers, run } = state;
    const { id: number, tool: name } = request;
    const id = String(number);
    const tool = tools.get(name);
    const { signal } = running;
    const within = answersWithin(answers, id);
    const goesOn = inner.has(id) && (Object.keys(within).length > 0 || program.track(request).wait === undefined);
    const make = async (args: string, isApproved: boolean, begin: () => Promise<void>): Promise<ToolReply | Waits> => {
      const time = new Stopwatch();
      try {
        if (tool === undefined) {
          throw new Error(`there is no tool ${JSON.stringify(name)}; the tools are ${names.join(", ")}`);
        }
        const given = fittingArguments(tool, decodePlain(JSON.parse(args)) ?? {});
        const returned = await withOwnSignal(signal, (own) => {
          const call = { name, id, callId: `${run}/${id}`, args: given, signal: own, approve, isApproved, begin };
          if (tool.agent === undefined) return callFromProgram(tool.callable, call);
          return runApproved(
            call,
            call,
            () => tool.callable.asks(given, { ...call, messages: [] }),
            () => runAgent(tool.agent as AgentTool, call, running, state, goesOn ? within : undefined),
          );
        });
        if (returned instanceof Waits) return returned;
        return { id: number, result: encode(returned, "result"), durationMs: time.elapsed };
      } catch (error) {
        if (endsRun(error)) throw error;
        return { id: number, error: messageOf(error), durationMs: time.elapsed };
      }
    };
    const made = recordedCall(request, {
      program,
      recorder,
      id,
      answer: answers[id] ?? (goesOn ? true : undefined),
      isIdempotent: tool !== undefined && (tool.agent !== undefined || tool.callable.isIdempotent),
      make,
    });
    const reply = await unlessAborted(made, signal);
    if (reply !== null || !signal?.aborted) return reply;
    return { id: number, error: "interrupted: unknown whether it finished", durationMs: 0 };
  }

  private extract(
    typed: TypedCall,
    encoded: EncodedInputs,
    trajectory: readonly TrajectoryStep[],
    running: RunningCall,
  ): Promise<Prediction<OutputsOf<S>>> {
    return running.ask(typed, requestParts(typed, encoded, trajectory), "extraction");
  }

  /** @internal */
  protected override prepare(signature: OwnSignature, options: unknown): TypedCall {
    const more = {
      tools: hostTools,
      approve: checkApprove,
      onRecord: functionOption<OnRecord>(),
      maxSteps: countOption(MAX_STEPS, 1),
    };
    const { tools, approve, onRecord, maxSteps, ...settings } = checkSettings(options, more);
    const { inputs, outputs } = signature;
    if ([...inputs, ...outputs].some(({ name }) => name === TRAJECTORY.name)) {
      throw new TurnfoldError("invalid_signature", `\`${TRAJECTORY.name}\` is what the steps so far are called`, {
        details: { path: "" },
        hint: "give the field another name",
      });
    }
    const names = [...tools.keys(), FINISH];
    const task = settings.instructions ?? signature.instructions;
    const stepSignature = readSignature({ inputs: [...inputs, TRAJECTORY], outputs: stepFields(names) });
    const finalSignature = readSignature({ inputs: [...inputs, TRAJECTORY], outputs });
    const instructions = `${task ?? `Work out ${backticked(outputs)}.`}\n\n${stepText(outputs, tools)}`;
    const parts: ReActParts = {
      // A demo has the outputs of the signature, which a step does not have.
      step: typedCallOf(stepSignature, { ...settings, instructions, demos: "[]" }, signature),
      extraction: typedCallOf(finalSignature, { ...settings, instructions: task }, signature),
      tools,
      names,
      approve,
      onRecord,
      maxSteps,
    };
    Object.defineProperty(this, "parts", { value: parts });
    return parts.step;
  }
}

/** The outputs of a step. */
function stepFields(names: readonly string[]): readonly Field[] {
  return [
    { name: "next_thought", type: "str", description: "what you think about what is known so far" },
    { name: "next_tool_name", type: "str", description: `one of ${names.join(", ")}` },
    { name: "next_tool_args", type: "dict", optional: true, description: "the arguments by their names" },
  ];
}

function stepText(outputs: readonly Field[], tools: ReadonlyMap<string, HostTool>): string {
  const oneLine = (text: string) => text.replaceAll(/\s*[\r\n]\s*/g, " ");
  const lines = Array.from(tools.values()).flatMap(({ name, signature, description, fieldDescriptions }) => {
    const call = `- ${name}${signature === undefined ? "(...) -> :any" : signature[signatureKey].visible}`;
    return [
      description === undefined ? call : `${call}: ${oneLine(description)}`,
      ...Object.entries(fieldDescriptions).map(([path, text]) => `  - ${path}: ${oneLine(text)}`),
    ];
  });
  return [
    "You get there in steps. In each step, say what you think and name one tool with its arguments.",
    "The trajectory holds the steps so far, each with what its tool gave. The tools are:",
    ...lines,
    `- ${FINISH}(): when nothing more is needed; you are then asked for ${backticked(outputs)}`,
  ].join("\n");
}

function backticked(fields: readonly Field[]): string {
  return fields.map(({ name }) => `\`${name}\``).join(", ");
}

/** @throws {TurnfoldError} `invalid_tool`, `invalid_option`; `invalid_signature` with the tool in its details. */
function hostTools(tools: unknown): ReadonlyMap<string, HostTool> {
  const found = new Map<string, HostTool>();
  for (const { name, signature: text, description, fieldDescriptions = {}, hostChecks = false } of listTools(tools)) {
    if (name === FINISH) {
      throw new TurnfoldError("invalid_tool", `no tool may be called "${FINISH}", which ends the steps`, {
        details: { tool: name },
      });
    }
    const given = (tools as Tools)[name];
    const signature = text === undefined ? undefined : readToolSignature(name, text);
    if (signature !== undefined) describedSchema(signature, fieldDescriptions, name);
    found.set(name, {
      name,
      callable: callableTool(name, given),
      agent: isAgent(given) ? given : undefined,
      signature,
      hostChecks,
      description,
      fieldDescriptions,
    });
  }
  return found;
}

/** @throws when they do not fit. */
function fittingArguments({ signature, hostChecks }: HostTool, args: Value): unknown {
  if (signature === undefined || hostChecks) return args;
  const fit = coerceArguments(signature, args);
  if ("value" in fit) return fit.value;
  throw new Error(`the arguments do not fit: ${problemsText(fit.problems)}`);
}

/** A call of a tool that is an agent. */
interface AgentCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly signal: AbortSignal | undefined;
  readonly approve: Approve | undefined;
}

/**
 * Runs an agent, with the model and the retries of the call when the agent has none.
 *
 * @param answers of a run that goes on.
 */
async function runAgent(
  agent: AgentTool,
  { id, name, args, signal, approve }: AgentCall,
  running: RunningCall,
  { inner, recorder, run }: CallState,
  answers: Answers | undefined,
): Promise<Value | Waits> {
  const { llm, retry } = running;
  const records = inner.get(id) ?? [];
  inner.set(id, records);
  const context = {
    depth: 1,
    maxDepth: MAX_DEPTH,
    budget: { left: TURN_BUDGET, of: TURN_BUDGET },
    llm,
    retry,
    compression: undefined,
    limits: undefined,
    isolate: undefined,
    systemPrompt: undefined,
    approve,
    recorder: Recorder.for((record) => {
      records.push(record);
      return recorder.write(() => inCall(id, record));
    }),
    run: `${run}/${id}`,
    path: [name],
  };
  const options = signal === undefined ? {} : { signal };
  const resumed = answers === undefined ? undefined : { records: [...records], answers };
  const step = await (agent[agentKey] as NestedAgent).run(args, options, context, resumed);
  running.addNested(step.usage);
  if (step.ok) return step.return;
  if (step.status === "waiting") return waitingAgent(step.waiting);
  throw new Error(step.fail?.message ?? "it failed");
}

/** The result of a call that waits. */
function waitingPrediction(
  running: RunningCall,
  steps: readonly ReActStep[],
  waiting: readonly WaitingCall[],
  recorder: Recorder,
): WaitingPrediction {
  const records = recorder.current;
  const prediction: Omit<WaitingPrediction, "outputs"> = {
    status: "waiting",
    waiting,
    steps: [...steps],
    reply: "",
    messages: [],
    warnings: [],
    report: null,
    usage: running.usage(),
    toJSON: () => records,
  };
  const outputs = {
    get(): never {
      throw new TurnfoldError(
        "calls_waiting",
        `there are no outputs yet: ${waiting.map(({ tool }) => tool).join(", ")} waits`,
        {
          details: { waiting },
          hint: "resume(prediction, { answers }) continues; run() resolves to a prediction with the calls that wait",
        },
      );
    },
  };
  return Object.defineProperty(prediction, "outputs", outputs) as WaitingPrediction;
}

function recordsIn(saved: unknown): unknown {
  if (typeof saved === "string") return parseJson(saved);
  const { toJSON } = Object(saved) as Partial<WaitingPrediction>;
  return Array.isArray(saved) || typeof toJSON !== "function" ? saved : toJSON.call(saved);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TurnfoldError("invalid_argument", "the text of the records is not JSON", { cause });
  }
}

/** @throws {TurnfoldError} `invalid_argument`, `nothing_to_resume` */
function stateIn(records: readonly RunRecord[]) {
  const own = records.filter((record) => record.in === undefined);
  const [start] = own;
  if (
    start?.type !== "start" ||
    !Array.isArray((start.data as Partial<Record<string, unknown>> | undefined)?.history)
  ) {
    throw new TurnfoldError("invalid_argument", "the records lack the first one, with the type start", {
      details: { path: "records[0]" },
      hint: "give all records of the call, in their order",
    });
  }
  if (own.some(({ type }) => type === "end")) {
    throw new TurnfoldError("nothing_to_resume", "the call has ended, and nothing waits", {
      hint: "run() begins another one",
    });
  }
  const inner: CallState["inner"] = new Map();
  for (const record of records) {
    if (record.in !== undefined) addInner(inner, record);
  }
  const choices = own.flatMap((record) => (record.type === "reply" ? [choiceOf(record.step)] : []));
  return { start, choices, program: ProgramRecord.from(own), inner };
}

function choiceOf(given: unknown): StepChoice {
  const { thought, tool, args } = Object(given) as Partial<StepChoice>;
  if (typeof thought === "string" && typeof tool === "string" && typeof args === "string")
    return { thought, tool, args };
  throw new TurnfoldError("invalid_argument", `the records have no step of a ReAct, but ${describe(given)}`);
}
