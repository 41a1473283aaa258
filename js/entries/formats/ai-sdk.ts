/**
 * `turnfold/formats/ai-sdk`: messages of the AI SDK.
 *
 * @module turnfold/formats/ai-sdk
 */

export type { AISDKMessage } from "../../formats/ai-sdk.ts";
export { aiSdk } from "../../formats/ai-sdk-format.ts";
export type { CacheMarks } from "../../formats/cache-marks.ts";
export type { FormatOptions, MessageFormat } from "../../formats/format.ts";
