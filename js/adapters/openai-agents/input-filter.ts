import { readMember } from "../../model/error-chain.ts";
import type { HistoryOptions } from "../shared/history-options.ts";
import { offeredTools } from "../shared/offered-tools.ts";
import { agentsModel, isModel } from "./agents-model.ts";
import type { ModelInput, ModelInputData, TurnfoldInputFilter } from "./framework.ts";
import { manageItems } from "./managed-items.ts";
import { checkOptions } from "./options.ts";

/**
 * Makes a `callModelInputFilter` that manages the input of each request to the model, including those between the tool
 * calls of a run. The history of the run and its session are not changed. Summaries are written by `llm`, or by the
 * model of the agent if it is an object and not a name.
 *
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`; the filter throws the errors of
 * `manageHistory`, which end the run.
 *
 * @example
 * ```ts
 * const filter = turnfoldInputFilter({ compressionStrategy: lastNMessages(20), maxTokens: 50_000, llm });
 * const result = await run(agent, "Where is my order?", { session, callModelInputFilter: filter });
 * ```
 */
export function turnfoldInputFilter(options: HistoryOptions): TurnfoldInputFilter {
  const { manager } = checkOptions(options, {});
  const filter = async <Item extends object>({ modelData, agent }: ModelInput<Item>): Promise<ModelInputData<Item>> => {
    const { input, instructions } = modelData;
    const model = readMember(agent, "model");
    const managed = await manageItems(input, manager, {
      instructions,
      // Tools of OpenAI and of MCP servers are not counted, because their definitions are not available here.
      tools: offeredTools(readMember(agent, "tools")),
      llm: isModel(model) ? agentsModel(model) : undefined,
    });
    return { input: managed, ...(instructions === undefined ? {} : { instructions }) };
  };
  return Object.assign(filter, { preserveInputIdentity: true as const });
}
