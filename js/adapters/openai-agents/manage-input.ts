import type { RequestParameters } from "../../chat.ts";
import { type Bag, isBag } from "../../formats/data.ts";
import { member } from "../../model/error-chain.ts";
import { agentsModel } from "./agents-model.ts";
import type { AgentsAgent, InputFilter, ModelInput, ModelInputData } from "./framework.ts";
import { managedItems } from "./managed-items.ts";
import { checkOptions, type HistoryOptions, isModel } from "./options.ts";

/**
 * A `callModelInputFilter`: manages what each request to the model has, also between the tool calls of a run. What the run and
 * its session keep is not changed. Summaries are written by `llm`, or by the model of the agent when it is an object and not a
 * name.
 *
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`; the filter throws as `manageHistory`, which ends
 * the run.
 *
 * @example
 * ```ts
 * const filter = manageInput({ compressionStrategy: lastNMessages(20), maxTokens: 50_000 }, { llm });
 * const result = await run(agent, "Where is my order?", { session, callModelInputFilter: filter });
 * ```
 */
export function manageInput(parameters: RequestParameters, options: HistoryOptions = {}): InputFilter {
  const { checked } = checkOptions(parameters, options);
  const filter = async <Item extends object>({ modelData, agent }: ModelInput<Item>): Promise<ModelInputData<Item>> => {
    const { input, instructions } = modelData;
    const model = member(agent, "model");
    const llm = checked.llm ?? (isModel(model) ? agentsModel(model) : undefined);
    const managed = await managedItems(input, { instructions, tools: toolsOf(agent), llm }, checked);
    return { input: managed, ...(instructions === undefined ? {} : { instructions }) };
  };
  return Object.assign(filter, { preserveInputIdentity: true as const });
}

/** What the model is told of an agent's functions; tools of OpenAI and of MCP servers are not known here. */
function toolsOf(agent: AgentsAgent): Bag[] | undefined {
  const tools = member(agent, "tools");
  const functions = (Array.isArray(tools) ? tools : []).filter((tool) => isBag(tool) && tool.type === "function");
  if (functions.length === 0) return undefined;
  return functions.map(({ name, description, parameters }) => ({ name, description, parameters }));
}
