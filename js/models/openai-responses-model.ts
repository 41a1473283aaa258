import { invalidOption } from "../boundary/options.ts";
import type { CacheMarks } from "../formats/cache-marks.ts";
import { readMember } from "../model/error-chain.ts";
import type { LLM, LLMRequest } from "../model/model.ts";
import { clientCallback, withCreate } from "./client-callback.ts";
import { checkModelOptions, type ModelOptions } from "./model-options.ts";
import { chunksOfResponse, replyOfResponse, responsesBody } from "./responses-protocol.ts";

/** The members of OpenAI's client that {@link openaiResponsesModel} uses. */
export interface OpenAIResponsesClient {
  responses: { create(body: never, options?: never): unknown };
}

/** Options of {@link openaiResponsesModel}. */
export interface OpenAIResponsesModelOptions extends ModelOptions {
  /** Marks breakpoints for the provider's cache, for models of OpenAI from GPT-5.6 on. */
  cache?: CacheMarks | undefined;
  /** Whether OpenAI stores the responses. Turnfold does not read them again. Default false. */
  store?: boolean | undefined;
}

/** Parameters with which the server adds its own history, or replies later. */
const UNSUPPORTED_PARAMETERS = ["previous_response_id", "conversation", "background"];

/**
 * Makes a callback that calls a model through OpenAI's client; it uses only `responses.create`. It streams, calls
 * tools, passes the schema of a reply, and reports the tokens of the cache. Each request has the whole history, so that
 * nothing has to be stored. Reasoning is not kept; compactions of a conversation are.
 *
 * @param client `new OpenAI()`, or any client with the same method.
 * @throws {TurnfoldError} `invalid_option`
 *
 * @example
 * ```ts
 * const llm = openaiResponsesModel(client, { model: "gpt-5.4-mini", reasoning: { effort: "low" } });
 * const agent = new SubAgent({ mission: "Add up 40 and 2", llm });
 * ```
 */
export function openaiResponsesModel(client: OpenAIResponsesClient, options: OpenAIResponsesModelOptions): LLM {
  const responses = readMember(client, "responses");
  if (typeof readMember(responses, "create") !== "function") {
    const hint = "openaiResponsesModel(new OpenAI(), { model })";
    throw invalidOption("client", "a client of OpenAI with the Responses API", client, hint);
  }
  const { stream, format, parameters } = checkModelOptions(options);
  for (const name of UNSUPPORTED_PARAMETERS) {
    if ((parameters[name] ?? false) === false) continue;
    const hint = "each request has the whole history, and its answer is waited for";
    throw invalidOption(name, "left out", parameters[name], hint);
  }
  const bodyOf = (request: LLMRequest) => responsesBody(request, parameters, stream, format);
  return clientCallback(withCreate(responses, bodyOf), stream, {
    replyOf: replyOfResponse,
    chunksOf: chunksOfResponse,
  });
}
