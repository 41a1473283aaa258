/**
 * `turnfold/audit`: what recorded conversations cost, what they would have cost with each strategy, and what later
 * requests needed. What `turnfold` exports by the same names is the same.
 *
 * @module turnfold/audit
 */

export type { Failure, FinishedStep, StepUsage } from "./agent/step.ts";
export { Step } from "./agent/step.ts";
export type { AuditedRecording, AuditOptions } from "./audit/audit.ts";
export { audit, auditRecording } from "./audit/audit.ts";
export type {
  ArrivalKind,
  Audit,
  AuditedChat,
  AuditedLoss,
  AuditedRequest,
  AuditFit,
  BilledTotals,
  ModelBill,
  ProxySaving,
  Recommendation,
  RequestParts,
  StrategyAudit,
  WindowShare,
} from "./audit/audit-result.ts";
export type { ChatMessage } from "./chat/chat-message.ts";
export { Conversation } from "./chat/conversation.ts";
export type { MessageCountOptions, MessageCounts } from "./chat/count-messages.ts";
export { countMessages } from "./chat/count-messages.ts";
export type { RequestParameters } from "./chat/parameters.ts";
export type { CustomHistoryStrategy, CustomPlan, HistoryStrategy } from "./chat/strategies.ts";
export {
  type ClearingOptions,
  chunked,
  clearToolResults,
  type DigestOptions,
  digest,
  fromTimestamp,
  lastNMessages,
  wholeHistory,
  wholeHistoryMultipleSystemMessages,
} from "./chat/strategies.ts";
export type { Bill, BilledRequest, BillOptions, BillParts } from "./costs/bill.ts";
export { bill } from "./costs/bill.ts";
export type { CompareCostsOptions, CostComparison, StrategyCost } from "./costs/compare-costs.ts";
export { compareCosts } from "./costs/compare-costs.ts";
export type { ErrorCode } from "./error-codes.ts";
export { TurnfoldError } from "./errors.ts";
export { detectFormat } from "./formats/detect.ts";
export type { MessageFormat } from "./formats/format.ts";
export type { Message } from "./model/message.ts";
export type { ModelPrice } from "./model/model-prices.ts";
export { modelPrice } from "./model/model-prices.ts";
export type { Mechanism, PriceList, Prices, PriceTier } from "./model/prices.ts";
export type { NeedLoss, NeedRecall, NeedRecallOptions, RequestNeed, SharesByDistance } from "./recall/need-recall.ts";
export { needRecall } from "./recall/need-recall.ts";
export type { Share } from "./recall/shares.ts";
export type { Recording } from "./recordings/read-conversation.ts";
export { readConversation } from "./recordings/read-conversation.ts";
export type { ArrivingRecording } from "./recordings/read-recording.ts";
export { readRecording } from "./recordings/read-recording.ts";
export { type RecordingFormat, recordingFormats } from "./recordings/reading/formats.ts";
export type { RecordedChat, RecordedRequest, RecordedUsage } from "./recordings/reading/recorded-chat.ts";
export type { TokenCounter } from "./tokens/tokens.ts";
export { estimate, estimateCl100k } from "./tokens/tokens.ts";
export type { Compression } from "./turns/options.ts";
export { Turn } from "./turns/turn.ts";
export { version } from "./version.ts";
