/**
 * Turnfold keeps an LLM agent's conversation short without losing what the agent learned.
 *
 * The wasm is inside this entry and starts with the first call that needs it; nothing has to be awaited or configured.
 *
 * @packageDocumentation
 */

export type { SubAgentOptions, SystemPrompt } from "./agent.ts";
export type { UsageSample } from "./calibrate.ts";
export { calibrate } from "./calibrate.ts";
export type { CallOptions, ChatAgentOptions, ChatReply } from "./chat-agent.ts";
export { Agent } from "./chat-agent.ts";
export type { ChatMessage } from "./chat-message.ts";
export type { Completion, KnownNames } from "./check.ts";
export { check, complete } from "./check.ts";
export type { CoalescedOptions, Compression, CustomStrategy, StrategyName, StrategyOptions } from "./compression.ts";
export { normalizeCompression } from "./compression.ts";
export type { HistoryProblem } from "./conversation.ts";
export { Conversation } from "./conversation.ts";
export type { MessageCountOptions, MessageCounts } from "./count-messages.ts";
export { countMessages } from "./count-messages.ts";
export { TurnfoldError } from "./errors.ts";
export type { AnthropicMessages } from "./formats/anthropic.ts";
export { detectFormat } from "./formats/detect.ts";
export type { OpenAIMessage } from "./formats/openai.ts";
export type { VercelMessage } from "./formats/vercel.ts";
export type { MessageFormat } from "./formats.ts";
export { anthropic, openai, vercel } from "./formats.ts";
export type { HistoryTurn } from "./history.ts";
export { History } from "./history.ts";
export type { InputsOf, OutputsOf, SignatureLike } from "./infer.ts";
export { init } from "./init.ts";
export type { Limits } from "./limits.ts";
export type { Diagnostic, LispOptions, LispResult } from "./lisp.ts";
export { Lisp } from "./lisp.ts";
export type { Managed, ManageOptions, Plan } from "./manage-history.ts";
export { applyPlan, manageHistory, planHistory } from "./manage-history.ts";
export type { Message, Part, TextMessage } from "./message.ts";
export type { LLM, LLMChunk, LLMReply, LLMRequest, ModelToolCall, Retry, Usage } from "./model.ts";
export type { RenderOptions } from "./options.ts";
export type { Provider, RequestParameters } from "./parameters.ts";
export type { Fate, HistoryContext, HistoryReport, TokenChange } from "./planning.ts";
export { ChainOfThought, Predict } from "./predict.ts";
export type { PredictCallOptions, Prediction, PredictionUsage, PredictOptions } from "./program.ts";
export type { ReActOptions, ReActPrediction, ReActStep } from "./react.ts";
export { ReAct } from "./react.ts";
export type { Budget, Dropped, Rendered, RenderStats, Section, SectionKind } from "./rendered.ts";
export { Renderer } from "./renderer.ts";
export { fork, replay } from "./replay.ts";
export type { RunEvent, RunOptions } from "./run.ts";
export type { Field, Problem, Signature, SignatureInit, StandardSchema } from "./signature.ts";
export { parseSignature } from "./signature.ts";
export type { Failure, FinishedStep, StepUsage } from "./step.ts";
export { Step } from "./step.ts";
export type { Concept, CustomHistoryStrategy, CustomPlan, HistoryStrategy } from "./strategies.ts";
export {
  chunked,
  clearToolResults,
  fromTimestamp,
  lastNMessages,
  retrieveFacts,
  wholeHistory,
  wholeHistoryMultipleSystemMessages,
} from "./strategies.ts";
export type { PreviewOptions } from "./subagent.ts";
export { SubAgent } from "./subagent.ts";
export { T, Template } from "./template.ts";
export type { ClojureOptions, ClojureText } from "./text.ts";
export { readClojure, toClojure, typeOf } from "./text.ts";
export { toMessages } from "./to-messages.ts";
export type { TokenCounter } from "./tokens.ts";
export { estimate, estimateCl100k } from "./tokens.ts";
export type { AgentTool, ForeignTool, Tool, ToolDefinition, ToolDescription, ToolFunction, Tools } from "./tools.ts";
export type { TraceOptions } from "./trace.ts";
export { formatTrace, printTrace } from "./trace.ts";
export type { ToolCall, ToolCallInit, TurnInit } from "./turn.ts";
export { Turn } from "./turn.ts";
export type { FnInit, Value } from "./values.ts";
export { Float, Fn, float, fn, Keyword, keyword, Ref } from "./values.ts";
export { version } from "./version.ts";
