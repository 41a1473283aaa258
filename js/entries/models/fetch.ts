/**
 * `turnfold/models/fetch`: models of servers with the protocol of OpenAI, without a client.
 *
 * @module turnfold/models/fetch
 */

export { type FetchModelOptions, fetchModel } from "../../models/fetch-model.ts";
export type { ModelOptions } from "../../models/model-options.ts";
