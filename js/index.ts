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
export type { ChatMessage } from "./chat-message.ts";
export type { Completion, KnownNames } from "./check.ts";
export { check, complete } from "./check.ts";
export type { CoalescedOptions, Compression, CustomStrategy, StrategyName, StrategyOptions } from "./compression.ts";
export { normalizeCompression } from "./compression.ts";
export { TurnfoldError } from "./errors.ts";
export { init } from "./init.ts";
export type { Limits } from "./limits.ts";
export type { Diagnostic, LispOptions, LispResult } from "./lisp.ts";
export { Lisp } from "./lisp.ts";
export type { Message, Part, TextMessage } from "./message.ts";
export type { LLM, LLMChunk, LLMReply, LLMRequest, ModelToolCall, Retry, Usage } from "./model.ts";
export type { RenderOptions } from "./options.ts";
export type { Budget, Dropped, Rendered, RenderStats, Section, SectionKind } from "./rendered.ts";
export { Renderer } from "./renderer.ts";
export { fork, replay } from "./replay.ts";
export type { RunEvent, RunOptions } from "./run.ts";
export type { Failure, FinishedStep, StepUsage } from "./step.ts";
export { Step } from "./step.ts";
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
