import { encodeRecord } from "../boundary/encode.ts";
import { checkMembers } from "../boundary/options.ts";
import { TurnfoldError, wrapReadErrors } from "../errors.ts";
import { maxTextLength } from "../sandbox/limits.ts";
import type { InputsOf, ResultOf } from "../signature/infer.ts";
import { type AgentTool, type AnyTools, agentKey, type GivenTools } from "../tools/tool.ts";
import { requireFittingArguments } from "../tools/tools.ts";
import type { Rendered } from "../turns/rendered.ts";
import { toMessages } from "../turns/to-messages.ts";
import type { Turn } from "../turns/turn.ts";
import type { Value } from "../values/values.ts";
import type { RunRecord } from "../waiting/run-record.ts";
import type { Answers } from "../waiting/waiting-call.ts";
import {
  type CheckedAgent,
  checkAgent,
  missionText,
  requestOf,
  type SubAgentOptions,
  type Validation,
  withCurrentTools,
} from "./agent.ts";
import { answersToRun, resumeAgent, resumeNested, rootContext, runAgent } from "./run-agent.ts";
import type { NestedAgent, ResumeOptions, RunOptions } from "./run-options.ts";
import { runStateOf } from "./run-state.ts";
import type { FinishedStep, Step } from "./step.ts";

/** Options of {@link SubAgent.preview}. `I` is the type of the inputs. */
export interface PreviewOptions<I = Record<string, unknown>> {
  data?: I | undefined;
  turns?: readonly Turn[] | undefined;
}

/** The type of the result of an agent with this signature and validation. Without validation it may be any value. */
export type StepResult<S, V extends Validation = "enabled"> = V extends "warn" | "disabled" ? Value : ResultOf<S>;

/** The arguments of {@link SubAgent.run}: required inputs of the signature must be given. */
export type RunArguments<S, T extends GivenTools = AnyTools> =
  Record<never, never> extends InputsOf<S>
    ? [options?: RunOptions<InputsOf<S>, T>]
    : [options: RunOptions<InputsOf<S>, T> & { data: InputsOf<S> | Step<unknown> }];

/**
 * An agent with any signature.
 *
 * @internal
 */
// biome-ignore lint/suspicious/noExplicitAny: methods of different signatures have different parameters.
export type AnyAgent = SubAgent<any, any, any>;

/** The checked options of each agent. */
const optionsOf = new WeakMap<AnyAgent, CheckedAgent>();

/** An agent is a tool for others. */
// biome-ignore lint/correctness/noUnusedVariables: the parameters of the class, which a merged declaration repeats.
export interface SubAgent<S extends string = string, V extends Validation = "enabled", T extends GivenTools = AnyTools>
  extends AgentTool {}

/**
 * An agent that completes a mission in turns: a model writes programs, they run in the sandbox with the host's tools,
 * and the next message shows their results, until a program returns a result.
 *
 * An agent is immutable: any number of runs can be active at a time. The types of its inputs and of its result are inferred from
 * the text of the signature.
 *
 * @example
 * ```ts
 * const agent = new SubAgent({
 *   mission: T`Find the three best {{category}} products`,
 *   signature: "(category :string) -> [{name :string, rating :float}]",
 *   tools: { search: ["(category :string) -> [{name :string, rating :float}]", searchCatalog] },
 *   compression: true,
 *   llm: async ({ messages }) => askMyModel(messages),
 * });
 * const step = await agent.run({ data: { category: "lamps" } });
 * if (step.ok) console.log(step.return);
 * else console.error(step.fail.reason, step.fail.message);
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: declarations can't name a computed member in a class.
export class SubAgent<
  S extends string = string,
  V extends Validation = "enabled",
  const T extends GivenTools = AnyTools,
> {
  /**
   * @throws {TurnfoldError} `invalid_option`, `invalid_tool`, `invalid_signature`, `unknown_placeholder` for a name in the
   * mission that is not an input, `unknown_strategy`, `invalid_strategy`, `invalid_counter`.
   */
  constructor(options: SubAgentOptions<S, V, T>) {
    const agent = checkAgent(options);
    optionsOf.set(this, agent);
    const tool: NestedAgent = {
      signature: agent.signature,
      description: agent.description,
      start: async (args, { signal, onUsage, llm, retry, approve, run, onRecord, resume }) => {
        const inherited = rootContext(agent, { llm, retry });
        const context = { ...inherited, approve, run: run ?? inherited.run };
        const options = { ...(signal && { signal }), ...(onRecord && { onRecord }) };
        const step = await tool.run(args, options, context, resume);
        onUsage?.(step.usage);
        return step;
      },
      waiting: (records) => runStateOf(records, agent.tools).waiting,
      checkArguments: (call, given) => requireFittingArguments(agent.listed, agent.tools, call, given),
      needsApproval: agent.needsApproval,
      run: (args, given, context, resumed) => {
        const options = { ...given, data: args as Record<string, unknown> };
        return resumed === undefined
          ? runAgent(agent, options, context)
          : resumeNested(agent, resumed, options, context);
      },
    };
    Object.defineProperty(this, agentKey, { value: tool });
    Object.freeze(this);
  }

  /**
   * Runs the agent to its end. A run that fails does not throw: the step has the reason and the turns so far.
   *
   * @throws {TurnfoldError} `missing_llm`, `invalid_option`, `missing_placeholder`; `invalid_value`, `cyclic_value` or
   * `nesting_too_deep` for the data, with the path.
   */
  async run(...[options = {}]: RunArguments<S, T>): Promise<FinishedStep<StepResult<S, V>>> {
    return (await runAgent(agentOf(this), options as RunOptions)) as FinishedStep<StepResult<S, V>>;
  }

  /**
   * Goes on with a run that waits ({@link Step.status}), or that was interrupted: in another process, after an upgrade, days later. The
   * program of its last turn runs again from its beginning with the recorded results: no model is asked and no tool that
   * answered is called again.
   *
   * @param run the step that waits, its JSON, or the list of all records that `onRecord` got. Records of a run that had ended
   * give its step; without any, the run begins.
   * @param options as those of {@link SubAgent.run}, and `answers` to calls that wait; what is not answered goes on waiting.
   * @throws {TurnfoldError} `invalid_answer`, `nothing_to_resume`; `replay_diverged` when the program would now go another way, before
   * anything is called; the errors of {@link Step.fromJSON} and {@link SubAgent.run}.
   *
   * @example
   * ```ts
   * const step = await agent.run({ data: { category: "lamps" } });
   * if (step.status === "waiting") {
   *   const saved = JSON.stringify(step);
   *   const answers = Object.fromEntries(step.waiting.map(({ id }) => [id, true]));
   *   const done = await agent.resume(Step.fromJSON(saved), { answers });
   * }
   * ```
   */
  async resume(
    run: Step<unknown> | readonly RunRecord[] | string | object,
    options: ResumeOptions<T, InputsOf<S>> = {},
  ): Promise<FinishedStep<StepResult<S, V>>> {
    return (await resumeAgent(agentOf(this), run, options as ResumeOptions)) as FinishedStep<StepResult<S, V>>;
  }

  /**
   * Returns the records of answers, for whoever stores them with the others: {@link SubAgent.resume} goes on with them, in another
   * process too, and nothing runs before. A call that has an answer takes no other one until it waits again.
   *
   * @param records all records of the run; nobody else may be adding to them.
   * @throws {TurnfoldError} `invalid_answer`; `invalid_argument` with the path, `unknown_version`, `invalid_turn` for the records.
   *
   * @example
   * ```ts
   * const records: RunRecord[] = [];
   * const step = await agent.run({ data: { category: "lamps" }, onRecord: (record) => records.push(record) });
   * for (const { id } of step.waiting) records.push(...(await agent.answer(records, { [id]: true })));
   * const done = await agent.resume(records);
   * ```
   */
  answer(records: readonly RunRecord[], answers: Answers): Promise<RunRecord[]> {
    return answersToRun(agentOf(this), records, answers);
  }

  /**
   * Renders the messages of the first request, without calling the model.
   *
   * @throws {TurnfoldError} as {@link SubAgent.run}
   */
  preview(options: PreviewOptions<InputsOf<S>> = {}): Rendered {
    const agent = withCurrentTools(agentOf(this));
    const { data = {}, turns = [] } = wrapReadErrors("invalid_option", "the options of preview()", () =>
      checkMembers("the options of preview()", options, ["data", "turns"]),
    ) as PreviewOptions;
    encodeRecord(data, "data", maxTextLength(agent.limits));
    const { mission } = missionText(agent, data);
    return toMessages(turns, null, { ...requestOf(agent, mission, undefined), data });
  }
}

/**
 * The options of an agent.
 *
 * @throws {TurnfoldError} `invalid_argument`
 *
 * @internal
 */
export function agentOf(agent: AnyAgent): CheckedAgent {
  const options = optionsOf.get(agent);
  if (options !== undefined) return options;
  throw new TurnfoldError("invalid_argument", "this is no SubAgent of this copy of the package", {
    hint: "make it with new SubAgent({ mission: … })",
  });
}
