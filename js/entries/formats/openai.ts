/**
 * `turnfold/formats/openai`: messages of chat completions, and items of the Responses API.
 *
 * @module turnfold/formats/openai
 */

export type { CacheMarks } from "../../formats/cache-marks.ts";
export type { FormatOptions, MessageFormat } from "../../formats/format.ts";
export type { OpenAIMessage } from "../../formats/openai.ts";
export { type OpenAIFormats, openai } from "../../formats/openai-format.ts";
export type { OpenAIResponsesItem, OpenAIResponsesPart } from "../../formats/responses.ts";
