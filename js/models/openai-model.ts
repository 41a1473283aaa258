import { invalidOption } from "../boundary/options.ts";
import type { CacheMarks } from "../formats/cache-marks.ts";
import { readMember } from "../model/error-chain.ts";
import type { LLM, LLMRequest } from "../model/model.ts";
import { chunksOf, completionsBody, replyOf } from "./chat-completions.ts";
import { clientCallback, withCreate } from "./client-callback.ts";
import { checkModelOptions, type ModelOptions } from "./model-options.ts";

/** The members of OpenAI's client that {@link openaiModel} uses. */
export interface OpenAIClient {
  chat: { completions: { create(body: never, options?: never): unknown } };
}

/** Options of {@link openaiModel}. */
export interface OpenAIModelOptions extends ModelOptions {
  /** Marks breakpoints for the provider's cache, for models of OpenAI from GPT-5.6 on. */
  cache?: CacheMarks | undefined;
}

/**
 * Makes a callback that calls a model through OpenAI's client; it uses only `chat.completions.create`. It streams,
 * calls tools, passes the schema of a reply, and reports the tokens of the cache.
 *
 * @param client `new OpenAI()`, or any client with the same method.
 * @throws {TurnfoldError} `invalid_option`
 *
 * @example
 * ```ts
 * const llm = openaiModel(client, { model: "gpt-5.4-mini", temperature: 0 });
 * const agent = new SubAgent({ mission: "Add up 40 and 2", llm });
 * ```
 */
export function openaiModel(client: OpenAIClient, options: OpenAIModelOptions): LLM {
  const completions = readMember(readMember(client, "chat"), "completions");
  if (typeof readMember(completions, "create") !== "function") {
    throw invalidOption("client", "a client of OpenAI", client, "openaiModel(new OpenAI(), { model })");
  }
  const { stream, format, parameters } = checkModelOptions(options);
  const bodyOf = (request: LLMRequest) => completionsBody(request, parameters, stream, format);
  return clientCallback(withCreate(completions, bodyOf), stream, { replyOf, chunksOf });
}
