import { membersOf } from "../../boundary/options.ts";
import { type AISDKModel, aiSdkModel, type RequestParameters } from "../../chat.ts";
import { isBag } from "../../formats/data.ts";
import type { AISDKRequest } from "./framework.ts";
import { managedMessages } from "./manage.ts";
import { checkOptions, type HistoryOptions } from "./options.ts";
import { offeredTools } from "./tools.ts";

/** A middleware for `wrapLanguageModel` of the AI SDK. */
export interface HistoryMiddleware {
  readonly specificationVersion: "v3";
  transformParams<Request extends AISDKRequest>(call: {
    type: "generate" | "stream";
    params: Request;
    model: AISDKModel;
  }): Promise<Request>;
}

/**
 * A middleware that manages the prompt of every request to a model, by the parameters of {@link manageHistory}: also those of
 * libraries that know nothing of it. Instructions, tools and the schema of the reply count in limits. The model that is wrapped
 * writes the summaries.
 *
 * Each prompt has the whole history, in which stored summaries replace what they cover: wrap the model once, and a conversation
 * pays for a summary once.
 *
 * @example
 * ```ts
 * const middleware = manageHistoryMiddleware({ compressionStrategy: lastNMessages(20), maxTokens: 50_000 });
 * const model = wrapLanguageModel({ model: provider("some-model"), middleware });
 * ```
 * @throws {TurnfoldError} `invalid_option`, `invalid_strategy`, `invalid_counter`. What {@link manageHistory} throws ends the call.
 */
export function manageHistoryMiddleware(
  parameters: RequestParameters,
  options: HistoryOptions = {},
): HistoryMiddleware {
  const { checked } = checkOptions(parameters, options, []);
  return {
    specificationVersion: "v3",
    async transformParams({ params, model }) {
      const { prompt, tools, responseFormat, headers, abortSignal } = membersOf(params, "the request") as typeof params;
      const schema = isBag(responseFormat) ? responseFormat.schema : undefined;
      const managed = await managedMessages(
        {
          messages: prompt,
          system: [],
          isPrompt: true,
          llm: checked.llm ?? ((request) => aiSdkModel(model, headers === undefined ? {} : { headers })(request)),
          signal: abortSignal,
          context: {
            ...(tools === undefined ? {} : { tools: offeredTools(tools) }),
            ...(schema === undefined ? {} : { schema }),
          },
        },
        checked,
      );
      return { ...params, prompt: managed };
    },
  };
}
