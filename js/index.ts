/**
 * Turnfold keeps an LLM agent's conversation short without losing what the agent learned.
 *
 * The wasm is inside this entry and starts with the first call that needs it; nothing has to be awaited or configured.
 *
 * @module turnfold
 */

export type { SubAgentOptions, SystemPrompt, Validation } from "./agent/agent.ts";
export { fork, replay } from "./agent/replay.ts";
export type { RunEvent, RunOptions } from "./agent/run.ts";
export type { Failure, FinishedStep, StepUsage } from "./agent/step.ts";
export { Step } from "./agent/step.ts";
export type { PreviewOptions, RunArguments, StepResult } from "./agent/subagent.ts";
export { SubAgent } from "./agent/subagent.ts";
export { T, Template } from "./agent/template.ts";
export type { TraceOptions } from "./agent/trace.ts";
export { formatTrace, printTrace } from "./agent/trace.ts";
export { init } from "./boundary/wasms/turnfold.ts";
export type { Calibration } from "./chat/calibration.ts";
export type { CallOptions, ChatAgentOptions, CheckpointOptions } from "./chat/chat-agent.ts";
export { Agent } from "./chat/chat-agent.ts";
export type { ChatMessage } from "./chat/chat-message.ts";
export type { HistoryProblem, Repair } from "./chat/conversation.ts";
export { Conversation } from "./chat/conversation.ts";
export type { MessageCountOptions, MessageCounts } from "./chat/count-messages.ts";
export { countMessages } from "./chat/count-messages.ts";
export type { ChatEvent, ChatReply, ChatStep } from "./chat/exchange.ts";
export type { FoldAdvice, FoldAdviceOptions } from "./chat/fold-advice.ts";
export { foldAdvice } from "./chat/fold-advice.ts";
export type { Managed, ManageOptions, Plan } from "./chat/manage-history.ts";
export { applyPlan, manageHistory, planHistory } from "./chat/manage-history.ts";
export { mergeRoles } from "./chat/merge-roles.ts";
export type { Provider, RequestParameters, TokenLimit } from "./chat/parameters.ts";
export type { Fate, HistoryContext, HistoryReport, SummaryRequest, TokenChange } from "./chat/planning.ts";
export type { ProviderOptions } from "./chat/provider-rules.ts";
export type { RepairChange } from "./chat/repair.ts";
export type { ReplyStream } from "./chat/reply-stream.ts";
export type { ResultTool } from "./chat/result-tool.ts";
export { resultTool } from "./chat/result-tool.ts";
export type { Concept, CustomHistoryStrategy, CustomPlan, HistoryStrategy } from "./chat/strategies.ts";
export {
  type ClearingOptions,
  chunked,
  clearToolResults,
  type DigestOptions,
  digest,
  fromTimestamp,
  lastNMessages,
  retrieveFacts,
  wholeHistory,
  wholeHistoryMultipleSystemMessages,
} from "./chat/strategies.ts";
export type { SummaryStorage } from "./chat/summary-store.ts";
export { SummaryStore } from "./chat/summary-store.ts";
export type { Bill, BilledRequest, BillOptions, BillParts } from "./costs/bill.ts";
export { bill } from "./costs/bill.ts";
export type { CompareCostsOptions, CostComparison, StrategyCost } from "./costs/compare-costs.ts";
export { compareCosts } from "./costs/compare-costs.ts";
export type { ErrorCode } from "./error-codes.ts";
export { TurnfoldError } from "./errors.ts";
export type { AISDKMessage } from "./formats/ai-sdk.ts";
export { aiSdk } from "./formats/ai-sdk-format.ts";
export type { AnthropicMessages } from "./formats/anthropic.ts";
export { anthropic } from "./formats/anthropic-format.ts";
export type { CacheMarks } from "./formats/cache-marks.ts";
export { detectFormat } from "./formats/detect.ts";
export type { FormatOptions, MessageFormat } from "./formats/format.ts";
export type { GeminiContent, GeminiMessages, GeminiPart } from "./formats/gemini.ts";
export { gemini } from "./formats/gemini-format.ts";
export type { OpenAIMessage } from "./formats/openai.ts";
export type { OpenAIFormats } from "./formats/openai-format.ts";
export { openai } from "./formats/openai-format.ts";
export type { OpenAIResponsesItem, OpenAIResponsesPart } from "./formats/responses.ts";
export type { MCPClient, MCPTool } from "./mcp/mcp-client.ts";
export type { MCPToolsOptions } from "./mcp/mcp-tools.ts";
export { mcpTools } from "./mcp/mcp-tools.ts";
export type { FinishReason } from "./model/finish-reason.ts";
export type { InputSchema, LLM, LLMChunk, LLMReply, LLMRequest, LLMStream, ModelToolCall } from "./model/model.ts";
export type { Mechanism, PriceList, Prices, PriceTier } from "./model/prices.ts";
export type { Retry } from "./model/retry.ts";
export type { Usage } from "./model/usage.ts";
export type { AISDKModel, AISDKModelOptions } from "./models/ai-sdk-model.ts";
export { aiSdkModel } from "./models/ai-sdk-model.ts";
export type { AnthropicClient, AnthropicModelOptions } from "./models/anthropic-model.ts";
export { anthropicModel } from "./models/anthropic-model.ts";
export type { FetchModelOptions } from "./models/fetch-model.ts";
export { fetchModel } from "./models/fetch-model.ts";
export type { GeminiClient, GeminiModelOptions } from "./models/gemini-model.ts";
export { geminiModel } from "./models/gemini-model.ts";
export type { ModelOptions } from "./models/model-options.ts";
export type { OpenAIClient, OpenAIModelOptions } from "./models/openai-model.ts";
export { openaiModel } from "./models/openai-model.ts";
export type { OpenAIResponsesClient, OpenAIResponsesModelOptions } from "./models/openai-responses-model.ts";
export { openaiResponsesModel } from "./models/openai-responses-model.ts";
export { ChainOfThought, Predict } from "./predict/predict.ts";
export type { ReActOptions, ReActPrediction, ReActStep } from "./predict/react.ts";
export { ReAct } from "./predict/react.ts";
export type { PredictCallOptions, Prediction, PredictionUsage, PredictOptions } from "./predict/typed-call.ts";
export type { NeedLoss, NeedRecall, NeedRecallOptions, SharesByDistance } from "./recall/need-recall.ts";
export { needRecall } from "./recall/need-recall.ts";
export type { Share } from "./recall/shares.ts";
export type { Recording, RecordingFormat } from "./recordings/read-conversation.ts";
export { readConversation } from "./recordings/read-conversation.ts";
export type { Approve } from "./sandbox/approval.ts";
export type { Completion, KnownNames } from "./sandbox/check.ts";
export { check, complete } from "./sandbox/check.ts";
export type { ClojureOptions, ClojureText } from "./sandbox/clojure.ts";
export { readClojure, toClojure, typeOf } from "./sandbox/clojure.ts";
export type { ForeignTool } from "./sandbox/foreign-tools.ts";
export type { Limits } from "./sandbox/limits.ts";
export type { Diagnostic, LispOptions, LispResult } from "./sandbox/lisp.ts";
export { Lisp } from "./sandbox/lisp.ts";
export type {
  AgentTool,
  Tool,
  ToolDefinition,
  ToolDescription,
  ToolFunction,
  Tools,
} from "./sandbox/tools.ts";
export type { HistoryTurn } from "./signature/history.ts";
export { History } from "./signature/history.ts";
export type { InputsOf, OutputsOf, ResultOf, SignatureLike } from "./signature/infer.ts";
export type { ObjectAs, ObjectOf } from "./signature/object-schema.ts";
export type { Field, Problem, Signature, SignatureInit, StandardSchema } from "./signature/signature.ts";
export { parseSignature } from "./signature/signature.ts";
export type { UsageSample } from "./tokens/calibrate.ts";
export { calibrate } from "./tokens/calibrate.ts";
export type { TokenCounter } from "./tokens/tokens.ts";
export { estimate, estimateCl100k } from "./tokens/tokens.ts";
export type {
  CoalescedOptions,
  Compression,
  CustomStrategy,
  JournalOptions,
  StrategyName,
  StrategyOptions,
} from "./turns/compression.ts";
export { normalizeCompression } from "./turns/compression.ts";
export type { Breakpoint, Message, Part, TextMessage } from "./turns/message.ts";
export type { RenderOptions } from "./turns/options.ts";
export type {
  Budget,
  Dropped,
  FoldReason,
  Rendered,
  RenderStats,
  RequestCost,
  Section,
  SectionKind,
} from "./turns/rendered.ts";
export { Renderer } from "./turns/renderer.ts";
export { toMessages } from "./turns/to-messages.ts";
export type { ToolCall, ToolCallInit, TurnInit } from "./turns/turn.ts";
export { Turn } from "./turns/turn.ts";
export type { FnInit, Value } from "./values/values.ts";
export { Float, Fn, float, fn, Keyword, keyword, Ref } from "./values/values.ts";
export { version } from "./version.ts";
