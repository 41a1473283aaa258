/**
 * `turnfold/models/openai`: models by a client of OpenAI, with chat completions or the Responses API.
 *
 * @module turnfold/models/openai
 */

export type { ModelOptions } from "../../models/model-options.ts";
export { type OpenAIClient, type OpenAIModelOptions, openaiModel } from "../../models/openai-model.ts";
export {
  type OpenAIResponsesClient,
  type OpenAIResponsesModelOptions,
  openaiResponsesModel,
} from "../../models/openai-responses-model.ts";
