/**
 * `turnfold/gateway`: manages the histories in bodies of requests to models, for gateways, proxies and Workers in front
 * of apps. What `turnfold` exports by the same names is the same.
 *
 * @module turnfold/gateway
 */

export { init } from "./boundary/wasms/chat.ts";
export type { Calibration } from "./chat/calibration.ts";
export type { ChatMessage } from "./chat/chat-message.ts";
export type { TokenChange } from "./chat/history-report.ts";
export type { RequestParameters, TokenLimit } from "./chat/parameters.ts";
export type { CustomHistoryStrategy, CustomPlan, HistoryStrategy } from "./chat/strategies.ts";
export {
  type ClearingOptions,
  chunked,
  clearToolResults,
  type DigestOptions,
  digest,
  lastNMessages,
  wholeHistory,
} from "./chat/strategies.ts";
export type { SummaryStorage } from "./chat/summary-store.ts";
export { SummaryStore } from "./chat/summary-store.ts";
export type { ErrorCode } from "./error-codes.ts";
export { TurnfoldError } from "./errors.ts";
export { detectFormat } from "./formats/detect.ts";
export type { ManagedRequest, ManageRequestOptions, RequestReport } from "./gateway/manage-request.ts";
export { manageRequest } from "./gateway/manage-request.ts";
export type { RequestFormat } from "./gateway/request-body.ts";
export type { RequestState } from "./gateway/request-state.ts";
export type { LLM, LLMReply, LLMRequest } from "./model/model.ts";
export type { Mechanism, PriceList, Prices } from "./model/prices.ts";
export type { Retry } from "./model/retry.ts";
export type { Usage } from "./model/usage.ts";
export type { TokenCounter } from "./tokens/tokens.ts";
export { estimate, estimateCl100k } from "./tokens/tokens.ts";
export type { RequestCost } from "./turns/rendered.ts";
export { version } from "./version.ts";
