import { copyMembers } from "../../boundary/options.ts";
import { readMember } from "../../model/error-chain.ts";
import { type AISDKModel, aiSdkModel } from "../../models/ai-sdk-model.ts";
import { thinkingIn } from "../shared/history-manager.ts";
import { offeredTools, schemaOf } from "../shared/offered-tools.ts";
import type { AISDKRequest } from "./framework.ts";
import { manageMessages } from "./manage-messages.ts";
import { checkOptions, type MiddlewareOptions } from "./options.ts";

/** A middleware for `wrapLanguageModel` of the AI SDK. */
export interface TurnfoldMiddleware {
  readonly specificationVersion: "v3";
  transformParams<Request extends AISDKRequest>(call: {
    type: "generate" | "stream";
    params: Request;
    model: AISDKModel;
  }): Promise<Request>;
}

/**
 * Makes a middleware that manages the prompt of every request to a model with the parameters of {@link manageHistory},
 * including requests of libraries that use the model. Instructions, tools and the schema of the reply count in limits.
 * By default the wrapped model writes the summaries.
 *
 * Each prompt has the whole history, in which stored summaries replace the messages they cover: if the model is wrapped
 * once, a conversation pays for each summary once.
 *
 * @example
 * ```ts
 * const middleware = turnfoldMiddleware({ compressionStrategy: lastNMessages(20), maxTokens: 50_000 });
 * const model = wrapLanguageModel({ model: provider("some-model"), middleware });
 * ```
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`. The errors of {@link manageHistory}
 * end the call.
 */
export function turnfoldMiddleware(options: MiddlewareOptions): TurnfoldMiddleware {
  const checked = checkOptions(options, {});
  return {
    specificationVersion: "v3",
    async transformParams({ params, model }) {
      const { prompt, tools, responseFormat, providerOptions, headers, abortSignal } = copyMembers(
        params,
        "the request",
      ) as typeof params;
      const managed = await manageMessages(
        {
          messages: prompt,
          system: [],
          isPrompt: true,
          llm: (request) => aiSdkModel(model, headers === undefined ? {} : { headers })(request),
          signal: abortSignal,
          context: {
            tools: offeredTools(tools),
            schema: schemaOf(readMember(responseFormat, "schema")),
            thinking: thinkingIn(readMember(providerOptions, "anthropic")),
          },
        },
        checked,
      );
      return { ...params, prompt: managed };
    },
  };
}
