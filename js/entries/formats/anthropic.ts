/**
 * `turnfold/formats/anthropic`: messages of Anthropic.
 *
 * @module turnfold/formats/anthropic
 */

export type { AnthropicMessages } from "../../formats/anthropic.ts";
export { anthropic } from "../../formats/anthropic-format.ts";
export type { CacheMarks } from "../../formats/cache-marks.ts";
export type { FormatOptions, MessageFormat } from "../../formats/format.ts";
