/**
 * `turnfold/models/anthropic`: models by a client of Anthropic.
 *
 * @module turnfold/models/anthropic
 */

export { type AnthropicClient, type AnthropicModelOptions, anthropicModel } from "../../models/anthropic-model.ts";
export type { ModelOptions } from "../../models/model-options.ts";
