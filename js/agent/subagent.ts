import { encodeRecord } from "../boundary/encode.ts";
import { checkMembers } from "../boundary/options.ts";
import { reading, TurnfoldError } from "../errors.ts";
import { mostTextOf } from "../sandbox/limits.ts";
import { type AgentTool, agentKey } from "../sandbox/tools.ts";
import type { Rendered } from "../turns/rendered.ts";
import { toMessages } from "../turns/to-messages.ts";
import type { Turn } from "../turns/turn.ts";
import { type Agent, checkAgent, missionText, requestOf, type SubAgentOptions, withCurrentTools } from "./agent.ts";
import { runAgent } from "./live.ts";
import type { RunOptions } from "./run.ts";
import type { FinishedStep } from "./step.ts";

/** The result of {@link SubAgent.preview}. */
export interface PreviewOptions {
  data?: Record<string, unknown>;
  turns?: readonly Turn[];
}

/** The property that holds the options of an agent. */
const optionsOf = new WeakMap<SubAgent, Agent>();

/** An agent is a tool for others. */
export interface SubAgent extends AgentTool {}

/**
 * An agent that completes a mission in turns: a model writes programs, they run in the sandbox with the host's tools, and the
 * next message shows what they did, until a program returns a result.
 *
 * An agent is immutable: any number of runs can be active at a time.
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
export class SubAgent {
  /**
   * @throws {TurnfoldError} `invalid_option`, `invalid_tool`, `invalid_signature`, `unknown_placeholder` for a name in the
   * mission that is not an input, `unknown_strategy`, `invalid_strategy`, `invalid_counter`.
   */
  constructor(options: SubAgentOptions) {
    const agent = checkAgent(options);
    optionsOf.set(this, agent);
    const tool: AgentTool[typeof agentKey] = {
      signature: agent.signature,
      description: agent.description,
      call: async (args, { signal } = {}) => {
        const data = args as Record<string, unknown>;
        const step = await runAgent(agent, signal === undefined ? { data } : { data, signal });
        if (step.ok) return step.return;
        throw new Error(step.fail.message);
      },
      run: (args, given, context) => runAgent(agent, { ...given, data: args as Record<string, unknown> }, context),
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
  async run(options: RunOptions = {}): Promise<FinishedStep> {
    return runAgent(agentOf(this), options);
  }

  /**
   * The messages of the first request, without calling the model.
   *
   * @throws {TurnfoldError} as {@link SubAgent.run}
   */
  preview(options: PreviewOptions = {}): Rendered {
    const agent = withCurrentTools(agentOf(this));
    const { data = {}, turns = [] } = reading("invalid_option", "the options of preview()", () =>
      checkMembers("the options of preview()", options, ["data", "turns"]),
    ) as PreviewOptions;
    encodeRecord(data, "data", mostTextOf(agent.limits));
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
export function agentOf(agent: SubAgent): Agent {
  const options = optionsOf.get(agent);
  if (options !== undefined) return options;
  throw new TurnfoldError("invalid_argument", "this is no SubAgent of this copy of the package", {
    hint: "make it with new SubAgent({ mission: … })",
  });
}
