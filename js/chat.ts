/**
 * `turnfold/chat`: histories of chats, without the language that programs of agents are written in. What `turnfold`
 * exports by the same names is the same. The formats of providers are in `turnfold/formats/*`, their clients in
 * `turnfold/models/*`.
 *
 * @module turnfold/chat
 */

export { init } from "./boundary/wasms/chat.ts";
export type { Calibration } from "./chat/calibration.ts";
export type { CallOptions, ChatAgentOptions, CheckpointOptions, ObjectReply } from "./chat/chat-agent.ts";
export { Agent } from "./chat/chat-agent.ts";
export type { ChatMessage } from "./chat/chat-message.ts";
export type { HistoryProblem, Repair } from "./chat/conversation.ts";
export { Conversation } from "./chat/conversation.ts";
export type { MessageCountOptions, MessageCounts } from "./chat/count-messages.ts";
export { countMessages } from "./chat/count-messages.ts";
export type { ChatEvent, ChatReply, ChatReplyParts, ChatStep, FinishedReply, WaitingReply } from "./chat/exchange.ts";
export type { FoldAdvice, FoldAdviceOptions } from "./chat/fold-advice.ts";
export { foldAdvice } from "./chat/fold-advice.ts";
export type { HistoryContext } from "./chat/history-context.ts";
export type { Fate, HistoryReport, TokenChange } from "./chat/history-report.ts";
export type { ManageOptions, Plan } from "./chat/manage-history.ts";
export { applyPlan, manageHistory, planHistory } from "./chat/manage-history.ts";
export { mergeRoles } from "./chat/merge-roles.ts";
export type { Provider, RequestParameters, TokenLimit } from "./chat/parameters.ts";
export type { SummaryRequest } from "./chat/planning.ts";
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
export type { Managed } from "./chat/summarize.ts";
export type { SummaryStorage } from "./chat/summary-store.ts";
export { SummaryStore } from "./chat/summary-store.ts";
export type { ErrorCode } from "./error-codes.ts";
export { TurnfoldError } from "./errors.ts";
export type { CacheMarks } from "./formats/cache-marks.ts";
export type { FormatOptions, MessageFormat } from "./formats/format.ts";
export type { MCPClient, MCPTool } from "./mcp/mcp-client.ts";
export type { MCPToolsOptions } from "./mcp/mcp-tools.ts";
export { mcpTools } from "./mcp/mcp-tools.ts";
export type { FinishReason } from "./model/finish-reason.ts";
export type { Breakpoint, Message, Part, TextMessage } from "./model/message.ts";
export type { InputSchema, LLM, LLMChunk, LLMReply, LLMRequest, LLMStream, ModelToolCall } from "./model/model.ts";
export type { Mechanism, PriceList, Prices, PriceTier } from "./model/prices.ts";
export type { Retry } from "./model/retry.ts";
export type { Usage } from "./model/usage.ts";
export type { InputsOf, OutputsOf, SignatureLike } from "./signature/infer.ts";
export type { ObjectAs, ObjectOf } from "./signature/object-schema.ts";
export type { Field, Problem, Signature, SignatureInit, StandardSchema } from "./signature/types.ts";
export type { UsageSample } from "./tokens/calibrate.ts";
export { calibrate } from "./tokens/calibrate.ts";
export type { TokenCounter } from "./tokens/tokens.ts";
export { estimate, estimateCl100k } from "./tokens/tokens.ts";
export type * from "./tools/public.ts";
export { version } from "./version.ts";
export { later } from "./waiting/waiting-call.ts";
