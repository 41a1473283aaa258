/**
 * `turnfold/formats/ai-sdk`: messages of the AI SDK.
 *
 * @module turnfold/formats/ai-sdk
 */

export type { CacheMarks } from "../../formats/cache-marks.ts";
export type { FormatOptions, MessageFormat } from "../../formats/format.ts";
export type { VercelMessage } from "../../formats/vercel.ts";
export { vercel } from "../../formats/vercel-format.ts";
