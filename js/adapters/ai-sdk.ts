/**
 * `turnfold/adapters/ai-sdk`: keeps the messages of the AI SDK short, in the steps of a call or in front of a model.
 *
 * @packageDocumentation
 */

export type { AISDKMessage, AISDKRequest, AISDKStep } from "./ai-sdk/framework.ts";
export type { HistoryMiddleware } from "./ai-sdk/middleware.ts";
export { manageHistoryMiddleware } from "./ai-sdk/middleware.ts";
export type { HistoryMiddlewareOptions } from "./ai-sdk/options.ts";
export type { ManageStepsOptions, PrepareStep } from "./ai-sdk/steps.ts";
export { manageSteps } from "./ai-sdk/steps.ts";
export type { HistoryOptions } from "./shared/history-options.ts";
