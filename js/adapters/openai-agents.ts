/**
 * `turnfold/adapters/openai-agents`: keeps the input of agents of OpenAI's Agents SDK short, for each request or in a
 * session.
 *
 * @packageDocumentation
 */

export type { AgentsModelOptions } from "./openai-agents/agents-model.ts";
export { agentsModel } from "./openai-agents/agents-model.ts";
export type {
  AgentsAgent,
  AgentsModel,
  AgentsSession,
  InputFilter,
  ModelInput,
  ModelInputData,
} from "./openai-agents/framework.ts";
export { manageInput } from "./openai-agents/manage-input.ts";
export type { ManagedSessionOptions } from "./openai-agents/managed-session.ts";
export { ManagedSession } from "./openai-agents/managed-session.ts";
export type { HistoryMutations } from "./openai-agents/memory-session.ts";
export type { HistoryOptions } from "./shared/history-options.ts";
