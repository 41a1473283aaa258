/**
 * `turnfold/adapters/ai-sdk`: keeps the messages of the AI SDK short, in the steps of a call or in front of a model; and shows
 * calls that wait in its user interfaces.
 *
 * @packageDocumentation
 */

export type { AISDKMessageLike, AISDKRequest, AISDKStep, AISDKWaitingChunk } from "./ai-sdk/framework.ts";
export type { TurnfoldMiddleware } from "./ai-sdk/middleware.ts";
export { turnfoldMiddleware } from "./ai-sdk/middleware.ts";
export type { MiddlewareOptions } from "./ai-sdk/options.ts";
export type { PrepareStepOptions, TurnfoldPrepareStep } from "./ai-sdk/prepare-step.ts";
export { turnfoldPrepareStep } from "./ai-sdk/prepare-step.ts";
export type { WaitingCallOptions } from "./ai-sdk/waiting-calls.ts";
export { answersFromMessages, waitingChunks } from "./ai-sdk/waiting-calls.ts";
export type { HistoryOptions } from "./shared/history-options.ts";
