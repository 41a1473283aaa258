/**
 * `turnfold/formats/gemini`: contents of Gemini.
 *
 * @module turnfold/formats/gemini
 */

export type { CacheMarks } from "../../formats/cache-marks.ts";
export type { FormatOptions, MessageFormat } from "../../formats/format.ts";
export type { GeminiContent, GeminiMessages, GeminiPart } from "../../formats/gemini.ts";
export { gemini } from "../../formats/gemini-format.ts";
