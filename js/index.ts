/**
 * Turnfold keeps an LLM agent's conversation short without losing what the agent learned.
 *
 * The wasm is inside this entry and starts with the first call that needs it; nothing has to be awaited or configured.
 * This entry has what most apps need, and the types of all entries that it contains. More of each part is in
 * `turnfold/turns`, `turnfold/chat`, `turnfold/predict` and `turnfold/lisp`, with the same classes. An app that imports
 * this entry imports their slim forms (`turnfold/chat/slim`), which use the wasm of this one.
 *
 * @module turnfold
 */

export type { SubAgentOptions, SystemPrompt, Validation } from "./agent/agent.ts";
export { fork, replay } from "./agent/replay.ts";
export type { ResumeOptions, RunEvent, RunOptions } from "./agent/run-options.ts";
export type { Failure, FinishedStep, StepUsage } from "./agent/step.ts";
export { Step } from "./agent/step.ts";
export type { PreviewOptions, RunArguments, StepResult } from "./agent/subagent.ts";
export { SubAgent } from "./agent/subagent.ts";
export type { Template } from "./agent/template.ts";
export { T } from "./agent/template.ts";
export type { TraceOptions } from "./agent/trace.ts";
export { formatTrace, printTrace } from "./agent/trace.ts";
export { init } from "./boundary/wasms/turnfold.ts";
export { Agent } from "./chat/chat-agent.ts";
export { Conversation } from "./chat/conversation.ts";
export { manageHistory } from "./chat/manage-history.ts";
export {
  chunked,
  clearToolResults,
  digest,
  lastNMessages,
  wholeHistory,
} from "./chat/strategies.ts";
export type * from "./chat.ts";
export { TurnfoldError } from "./errors.ts";
export type * from "./lisp.ts";
export { mcpTools } from "./mcp/mcp-tools.ts";
export { Predict } from "./predict/predict.ts";
export type * from "./predict.ts";
export { programTool } from "./program-tool/program-tool.ts";
export { Lisp } from "./sandbox/lisp.ts";
export { History } from "./signature/history.ts";
export { Renderer } from "./turns/renderer.ts";
export { toMessages } from "./turns/to-messages.ts";
export { Turn } from "./turns/turn.ts";
export type * from "./turns.ts";
export { later } from "./waiting/waiting-call.ts";
