/**
 * `turnfold/adapters/openai-agents`: keeps the input of agents of OpenAI's Agents SDK short, for each request or in a
 * session; and gives them one tool that runs programs.
 *
 * @packageDocumentation
 */

export type { AgentsModelOptions } from "./openai-agents/agents-model.ts";
export { agentsModel } from "./openai-agents/agents-model.ts";
export type {
  AgentsAgent,
  AgentsModel,
  AgentsSession,
  ModelInput,
  ModelInputData,
  TurnfoldInputFilter,
} from "./openai-agents/framework.ts";
export { turnfoldInputFilter } from "./openai-agents/input-filter.ts";
export type { HistoryMutations } from "./openai-agents/memory-session.ts";
export type {
  AgentsCallDetails,
  AgentsProgramOptions,
  AgentsRunContext,
  AgentsToolOptions,
  WithFunctionSpan,
} from "./openai-agents/program-tool-options.ts";
export { programToolOptions } from "./openai-agents/program-tool-options.ts";
export type { SessionOptions, TurnfoldSession } from "./openai-agents/session.ts";
export { turnfoldSession } from "./openai-agents/session.ts";
export type { HistoryOptions } from "./shared/history-options.ts";
