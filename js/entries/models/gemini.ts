/**
 * `turnfold/models/gemini`: models by a client of Gemini.
 *
 * @module turnfold/models/gemini
 */

export { type GeminiClient, type GeminiModelOptions, geminiModel } from "../../models/gemini-model.ts";
export type { ModelOptions } from "../../models/model-options.ts";
