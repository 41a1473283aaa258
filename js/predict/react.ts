import type { NestedAgent } from "../agent/run-options.ts";
import { withOwnSignal } from "../boundary/abort.ts";
import { decodePlain } from "../boundary/decode.ts";
import { encode } from "../boundary/encode.ts";
import { messageOf, unlessAborted } from "../boundary/host.ts";
import { countOption } from "../boundary/options.ts";
import { TurnfoldError } from "../errors.ts";
import type { TextMessage } from "../model/message.ts";
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
import { approvalWarning, checkApprove } from "../tools/approval.ts";
import { type AgentTool, type AnyTools, type Approve, agentKey, type Tools, type ToolsOption } from "../tools/tool.ts";
import { type CallableTool, callableTool, callFromProgram, isAgent, listTools } from "../tools/tools.ts";
import type { Value } from "../values/values.ts";
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
   * run as tools. Without it, such tools are not run, and `onWarning` gets their names.
   */
  approve?: Approve<T> | undefined;
  /** The maximum number of steps before the model is asked for the outputs; 10 by default. */
  maxSteps?: number | undefined;
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
export interface ReActPrediction<O = Record<string, Value>> extends Prediction<O> {
  /** The steps in order, at most `maxSteps`. */
  readonly steps: readonly ReActStep[];
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
  readonly maxSteps: number;
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
  override async run(inputs: InputsOf<S>, options: PredictCallOptions = {}): Promise<ReActPrediction<OutputsOf<S>>> {
    const { step, extraction, tools, names, approve, maxSteps } = this.parts;
    const encoded = encodeInputs(step, inputs);
    // Throws for invalid inputs before the model is called.
    let parts = requestParts(step, encoded, []);
    const running = new RunningCall(step.settings, options);
    const steps: ReActStep[] = [];
    const run = async () => {
      const trajectory: TrajectoryStep[] = [];
      while (steps.length < maxSteps) {
        const { outputs } = await running.ask<StepOutputs>(step, parts, "answer", steps.length + 1);
        const { next_thought: thought, next_tool_name: name, next_tool_args: args } = outputs;
        const tool = name.trim();
        if (tool === FINISH) {
          steps.push({ thought, tool, args, result: null, error: null });
          trajectory.push({ thought, tool });
          break;
        }
        const known = tools.get(tool);
        const observation =
          known === undefined
            ? failedObservation(`there is no tool ${JSON.stringify(tool)}; the tools are ${names.join(", ")}`)
            : await callTool(known, args ?? {}, { id: String(steps.length + 1), approve, running });
        const { json, result, error } = observation;
        steps.push({ thought, tool, args, result, error });
        if (running.signal?.aborted) throw running.abortedError();
        trajectory.push({ thought, tool, args: encode(args), ...(error === null ? { observation: json } : { error }) });
        parts = requestParts(step, encoded, trajectory);
      }
      return { ...(await this.extract(extraction, encoded, trajectory, running)), steps };
    };
    return running.withUsageInErrors(run, () => ({ steps }));
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
    const more = { tools: hostTools, approve: checkApprove, maxSteps: countOption(MAX_STEPS, 1) };
    const { tools, approve, maxSteps, ...settings } = checkSettings(options, more);
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

/** The result of a tool call, or the message of its error. */
interface Observation {
  /** JSON of the result. */
  readonly json: string;
  readonly result: Value;
  readonly error: string | null;
}

function failedObservation(error: string): Observation {
  return { json: "null", result: null, error };
}

/** What a tool is called with in addition to its arguments. */
interface StepContext {
  readonly id: string;
  readonly approve: Approve | undefined;
  readonly running: RunningCall;
}

/** Calls a tool. An error becomes part of the next request; a call that an abort interrupts has an error too. */
async function callTool(tool: HostTool, args: Record<string, Value>, context: StepContext): Promise<Observation> {
  const { id, approve, running } = context;
  let given: unknown = args;
  if (tool.signature !== undefined && !tool.hostChecks) {
    const fit = coerceArguments(tool.signature, args);
    if ("problems" in fit) return failedObservation(`the arguments do not fit: ${problemsText(fit.problems)}`);
    given = fit.value;
  }
  const { signal } = running;
  const onUnapproved = (name: string) => running.warn(approvalWarning(name));
  const observe = async (): Promise<Observation> => {
    try {
      const returned = await withOwnSignal(signal, (own) =>
        tool.agent === undefined
          ? callFromProgram(tool.callable, { name: tool.name, id, args: given, signal: own, approve, onUnapproved })
          : runAgent(tool.agent, tool.name, given, context),
      );
      const json = encode(returned, "result");
      return { json, result: decodePlain(JSON.parse(json)), error: null };
    } catch (error) {
      return failedObservation(messageOf(error));
    }
  };
  return (await unlessAborted(observe(), signal)) ?? failedObservation("interrupted: unknown whether it finished");
}

/** Runs an agent, with the model and the retries of the call when the agent has none. */
async function runAgent(
  agent: AgentTool,
  name: string,
  args: unknown,
  { approve, running }: StepContext,
): Promise<Value> {
  const { signal, llm, retry } = running;
  const step = await (agent[agentKey] as NestedAgent).run(args, signal === undefined ? {} : { signal }, {
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
    onUnapproved: (tool) => running.warn(approvalWarning(tool)),
    path: [name],
  });
  running.addNested(step.usage);
  if (step.ok) return step.return;
  throw new Error(step.fail?.message ?? "it failed");
}
