import { decodePlain } from "../boundary/decode.ts";
import { encode } from "../boundary/encode.ts";
import { messageOf } from "../boundary/host.ts";
import { checkCount } from "../boundary/options.ts";
import { quote } from "../boundary/plain-json.ts";
import { call, send } from "../boundary/wasm.ts";
import { TurnfoldError } from "../errors.ts";
import {
  type AgentTool,
  agentKey,
  isAgent,
  listTools,
  type ToolFunction,
  type Tools,
  toolFunction,
} from "../sandbox/tools.ts";
import type { InputsOf, OutputsOf, SignatureLike } from "../signature/infer.ts";
import { type Field, fitOf, type OwnSignature, readSignature, wireOf } from "../signature/signature.ts";
import type { TextMessage } from "../turns/message.ts";
import type { Value } from "../values/values.ts";
import { Predict } from "./predict.ts";
import {
  Asking,
  checkSettings,
  type GivenInputs,
  givenInputs,
  layoutOf,
  messagesOf,
  type PredictCallOptions,
  type Prediction,
  type PredictOptions,
  type Program,
  programOf,
} from "./program.ts";

/** What a {@link ReAct} is made of. */
export interface ReActOptions extends PredictOptions {
  /** What the model can call. An agent among them runs as a tool. */
  tools: Tools;
  /** How many steps there are at most before the model has to answer; 10. */
  maxSteps?: number;
}

/** A step on the way to the outputs. */
export interface ReActStep {
  readonly thought: string;
  /** The tool that the model named; `finish` when it had seen enough. */
  readonly tool: string;
  readonly args: Value;
  /** What the tool gave; null when it failed. */
  readonly result: Value;
  /** Why there is no result. */
  readonly error: string | null;
}

/** What a call of a {@link ReAct} came to. */
export interface ReActPrediction<O = Record<string, Value>> extends Prediction<O> {
  readonly steps: readonly ReActStep[];
}

/** What the model says in a step. */
interface Said {
  next_thought: string;
  next_tool_name: string;
  next_tool_args: Record<string, Value> | null;
}

interface HostTool {
  readonly name: string;
  readonly run: ToolFunction;
  readonly agent: AgentTool | undefined;
  readonly signature: OwnSignature | undefined;
  readonly description: string | undefined;
}

/** What the steps are made of. */
interface Way {
  readonly step: Program;
  readonly extraction: Program;
  readonly tools: ReadonlyMap<string, HostTool>;
  readonly names: readonly string[];
  readonly maxSteps: number;
}

const MAX_STEPS = 10;

/** What the model names in place of a tool when it has seen enough. */
const FINISH = "finish";

/** Where the steps so far stand among the inputs. */
const TRAJECTORY: Field = { name: "trajectory", type: "list[dict]", description: "the steps so far" };

/** Of agents that are tools: how deep others may run inside them, and the turns that all of one call have together. */
const MAX_DEPTH = 3;
const TURN_BUDGET = 20;

/**
 * A {@link Predict} that calls tools on its way: in each step the model says what it thinks, names a tool and its arguments,
 * and sees what the tool gave; once it has seen enough, or after `maxSteps`, it is asked for the outputs. A tool that throws
 * tells the model so. A history stands before every request, the steps are no part of it.
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
// biome-ignore lint/suspicious/noExplicitAny: without a type argument it is any program.
export class ReAct<const S extends SignatureLike = any> extends Predict<S> {
  /** @internal */
  declare protected readonly way: Way;

  /** @throws {TurnfoldError} as {@link Predict}, and `invalid_tool`. */
  constructor(signature: S, options: ReActOptions) {
    super(signature, options);
  }

  /** The request of the first step, as {@link Predict.messages}. */
  override messages(inputs: InputsOf<S>): TextMessage[] {
    const { step } = this.way;
    return messagesOf(layoutOf(step, givenInputs(step, inputs), trajectoryOf([])));
  }

  /**
   * The same, with an account of it: the steps, the messages, the reply, and what it took.
   *
   * @throws {TurnfoldError} as {@link Predict.call}
   */
  override async run(inputs: InputsOf<S>, options: PredictCallOptions = {}): Promise<ReActPrediction<OutputsOf<S>>> {
    const { step, extraction, tools, names, maxSteps } = this.way;
    const given = givenInputs(step, inputs);
    // Everything that can be wrong with the inputs is told before the model is asked for anything.
    let layout = layoutOf(step, given, trajectoryOf([]));
    const asking = new Asking(step.settings, options);
    const steps: ReActStep[] = [];
    const trajectory: string[] = [];
    while (steps.length < maxSteps) {
      const { outputs } = await asking.ask<Said>(step, layout, "answer", steps.length + 1);
      const { next_thought: thought, next_tool_name: name, next_tool_args: args } = outputs;
      const tool = name.trim();
      if (tool === FINISH) {
        steps.push({ thought, tool, args, result: null, error: null });
        trajectory.push(`{"thought":${quote(thought)},"tool":${quote(tool)}}`);
        break;
      }
      const known = tools.get(tool);
      const observed =
        known === undefined
          ? failedWith(`there is no tool ${JSON.stringify(tool)}; the tools are ${names.join(", ")}`)
          : await observe(known, args ?? {}, asking);
      const { json, result, error } = observed;
      steps.push({ thought, tool, args, result, error });
      const seen = error === null ? `"observation":${json}` : `"error":${quote(error)}`;
      trajectory.push(`{"thought":${quote(thought)},"tool":${quote(tool)},"args":${encode(args)},${seen}}`);
      layout = layoutOf(step, given, trajectoryOf(trajectory));
    }
    return { ...(await this.extract(extraction, given, trajectory, asking)), steps };
  }

  private extract(
    program: Program,
    given: GivenInputs,
    trajectory: readonly string[],
    asking: Asking,
  ): Promise<Prediction<OutputsOf<S>>> {
    return asking.ask(program, layoutOf(program, given, trajectoryOf(trajectory)), "extraction");
  }

  /** @internal */
  protected override prepare(signature: OwnSignature, options: unknown): Program {
    const { more, ...settings } = checkSettings(options, ["tools", "maxSteps"]);
    const tools = hostTools(more.tools);
    const { inputs, outputs } = signature;
    if ([...inputs, ...outputs].some(({ name }) => name === TRAJECTORY.name)) {
      throw new TurnfoldError("invalid_signature", `\`${TRAJECTORY.name}\` is what the steps so far are called`, {
        details: { path: "" },
        hint: "give the field another name",
      });
    }
    const names = [...tools.keys(), FINISH];
    const task = settings.instructions ?? signature.instructions;
    const steps = readSignature({ inputs: [...inputs, TRAJECTORY], outputs: saidFields(names) });
    const whole = readSignature({ inputs: [...inputs, TRAJECTORY], outputs });
    const instructions = `${task ?? `Work out ${ticked(outputs)}.`}\n\n${stepText(outputs, tools)}`;
    const way: Way = {
      // Demos show outputs, and steps have others.
      step: programOf(steps, { ...settings, instructions, demos: "[]" }, signature),
      extraction: programOf(whole, { ...settings, instructions: task }, signature),
      tools,
      names,
      maxSteps: checkCount("maxSteps", more.maxSteps, MAX_STEPS, 1),
    };
    Object.defineProperty(this, "way", { value: way });
    return way.step;
  }
}

/** What the model writes in a step. */
function saidFields(names: readonly string[]): readonly Field[] {
  return [
    { name: "next_thought", type: "str", description: "what you think about what is known so far" },
    { name: "next_tool_name", type: "str", description: `one of ${names.join(", ")}` },
    { name: "next_tool_args", type: "dict", optional: true, description: "the arguments by their names" },
  ];
}

function stepText(outputs: readonly Field[], tools: ReadonlyMap<string, HostTool>): string {
  const lines = Array.from(tools.values(), ({ name, signature, description }) => {
    const call = `- ${name}${signature === undefined ? "(...) -> :any" : signature[wireOf].visible}`;
    return description === undefined ? call : `${call}: ${description.replaceAll(/\s*[\r\n]\s*/g, " ")}`;
  });
  return [
    "You get there in steps. In each step, say what you think and name one tool with its arguments.",
    "The trajectory holds the steps so far, each with what its tool gave. The tools are:",
    ...lines,
    `- ${FINISH}(): when nothing more is needed; you are then asked for ${ticked(outputs)}`,
  ].join("\n");
}

function ticked(fields: readonly Field[]): string {
  return fields.map(({ name }) => `\`${name}\``).join(", ");
}

/** Further inputs of a request, as wire JSON. */
function trajectoryOf(steps: readonly string[]): string {
  return `{"${TRAJECTORY.name}":[${steps.join()}]}`;
}

/** @throws {TurnfoldError} `invalid_tool`, `invalid_option`; `invalid_signature` with the tool among the details. */
function hostTools(tools: unknown): ReadonlyMap<string, HostTool> {
  const found = new Map<string, HostTool>();
  for (const { name, signature, description } of listTools(tools)) {
    if (name === FINISH) {
      throw new TurnfoldError("invalid_tool", `no tool may be called "${FINISH}", which ends the steps`, {
        details: { tool: name },
      });
    }
    const given = (tools as Tools)[name];
    found.set(name, {
      name,
      run: isAgent(given) ? () => {} : toolFunction(name, given),
      agent: isAgent(given) ? given : undefined,
      signature: signature === undefined ? undefined : readSignature(signature),
      description,
    });
  }
  return found;
}

/** What came of a step: wire JSON of the result and the result, or an error. */
interface Observed {
  readonly json: string;
  readonly result: Value;
  readonly error: string | null;
}

function failedWith(error: string): Observed {
  return { json: "null", result: null, error };
}

/** Calls a tool. What goes wrong is told to the model; only an abort is not. */
async function observe(tool: HostTool, args: Record<string, Value>, asking: Asking): Promise<Observed> {
  let given: unknown = args;
  if (tool.signature !== undefined) {
    const json = `[${tool.signature[wireOf].json},${encode(args)}]`;
    const fit = fitOf(call((wasm) => wasm.toolArguments(send(json))));
    if (fit.problems !== undefined) {
      const told = fit.problems.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
      return failedWith(`the arguments do not fit: ${told.join("; ")}`);
    }
    given = fit.value;
  }
  const { signal } = asking;
  const extra = signal === undefined ? {} : { signal };
  try {
    const promise = (async () =>
      tool.agent === undefined ? tool.run(given, extra) : runAgent(tool.agent, tool.name, given, asking))();
    const json = encode(await asking.wait(promise), "result");
    return { json, result: decodePlain(JSON.parse(json)), error: null };
  } catch (error) {
    if (signal?.aborted) throw asking.aborted();
    return failedWith(messageOf(error));
  }
}

/** Runs an agent with the model of the call, where it has none of its own. */
async function runAgent({ [agentKey]: agent }: AgentTool, name: string, args: unknown, asking: Asking): Promise<Value> {
  const { signal, llm } = asking;
  const step = await agent.run(args, signal === undefined ? {} : { signal }, {
    depth: 1,
    maxDepth: MAX_DEPTH,
    budget: { left: TURN_BUDGET, of: TURN_BUDGET },
    llm,
    compression: undefined,
    limits: undefined,
    systemPrompt: undefined,
    path: [name],
  });
  if (step.ok) return step.return;
  throw new Error(step.fail?.message ?? "it failed");
}
