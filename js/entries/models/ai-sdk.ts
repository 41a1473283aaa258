/**
 * `turnfold/models/ai-sdk`: models of the AI SDK.
 *
 * @module turnfold/models/ai-sdk
 */

export { type AISDKModel, type AISDKModelOptions, aiSdkModel } from "../../models/ai-sdk-model.ts";
export type { ModelOptions } from "../../models/model-options.ts";
