/**
 * `turnfold/chat`: histories of chats, without the language that programs of agents are written in. Names that
 * `turnfold` exports too behave the same, with a wasm of a third of the size; `readConversation` does not read saved
 * steps.
 *
 * @module turnfold/chat
 */

export { init } from "./boundary/init.ts";
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
export type { ErrorCode } from "./error-codes.ts";
export { TurnfoldError } from "./errors.ts";
export type { AnthropicMessages } from "./formats/anthropic.ts";
export type { CacheMarks } from "./formats/cache-marks.ts";
export { detectFormat } from "./formats/detect.ts";
export type { FormatOptions, MessageFormat, OpenAIFormats } from "./formats/formats.ts";
export { anthropic, gemini, openai, vercel } from "./formats/formats.ts";
export type { GeminiContent, GeminiMessages, GeminiPart } from "./formats/gemini.ts";
export type { OpenAIMessage } from "./formats/openai.ts";
export type { OpenAIResponsesItem, OpenAIResponsesPart } from "./formats/responses.ts";
export type { VercelMessage } from "./formats/vercel.ts";
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
export type { Recording, RecordingFormat } from "./recordings/read-conversation.ts";
export { readConversation } from "./recordings/read-conversation.ts";
export type { Approve } from "./sandbox/approval.ts";
export type { ForeignTool } from "./sandbox/foreign-tools.ts";
export type {
  AgentTool,
  Tool,
  ToolDefinition,
  ToolDescription,
  ToolFunction,
  Tools,
} from "./sandbox/tools.ts";
export type { InputsOf, OutputsOf, SignatureLike } from "./signature/infer.ts";
export type { ObjectAs, ObjectOf } from "./signature/object-schema.ts";
export type { Field, Problem, Signature, SignatureInit, StandardSchema } from "./signature/signature.ts";
export { parseSignature } from "./signature/signature.ts";
export type { UsageSample } from "./tokens/calibrate.ts";
export { calibrate } from "./tokens/calibrate.ts";
export type { TokenCounter } from "./tokens/tokens.ts";
export { estimate, estimateCl100k } from "./tokens/tokens.ts";
export type { Breakpoint, Message, Part, TextMessage } from "./turns/message.ts";
export { version } from "./version.ts";
