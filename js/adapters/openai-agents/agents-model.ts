import { checkMembers, copyMembers, invalidOption } from "../../boundary/options.ts";
import type { LLMReply, LLMRequest, Usage } from "../../chat.ts";
import { TurnfoldError } from "../../errors.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { readMember } from "../../model/error-chain.ts";
import { jsonOrText } from "../../values/json-or-text.ts";
import type { AgentsModel } from "./framework.ts";
import { plainText } from "./items.ts";
import { requestItems } from "./request-items.ts";

/** Options of {@link agentsModel}. */
export interface AgentsModelOptions {
  /** Settings of each request, in the names of the SDK: `temperature`, `maxTokens`, `store`. By default nothing is stored. */
  modelSettings?: object | undefined;
  /**
   * The SDK's function `withTrace`. OpenAI's own models work only within a trace; outside of a run, such as when a
   * session is read, only this function provides one.
   */
  withTrace?: (<Result>(name: string, ask: () => Promise<Result>) => Promise<Result>) | undefined;
}

/**
 * Makes a callback that calls a model of the SDK with `getResponse`, for instance to write summaries. Replies are not
 * streamed; images, files, tools and the schema of a reply are passed on. Reasoning is not kept.
 *
 * @param model the model of an agent, or of a provider: `await new OpenAIProvider().getModel("gpt-5.4-mini")`.
 * @throws {TurnfoldError} `invalid_option`
 *
 * @example
 * ```ts
 * const llm = agentsModel(model, { withTrace, modelSettings: { temperature: 0 } });
 * const session = turnfoldSession({ compressionStrategy: lastNMessages(20), maxTokens: 50_000, llm });
 * ```
 */
export function agentsModel(
  model: AgentsModel,
  options: AgentsModelOptions = {},
): (request: LLMRequest) => Promise<LLMReply> {
  if (!isModel(model)) {
    const hint = typeof model === "string" ? "await modelProvider.getModel(name) gives the model" : null;
    throw invalidOption("model", "a model of the SDK, with getResponse", model, hint);
  }
  const known = ["modelSettings", "withTrace"];
  const { modelSettings = {}, withTrace } = checkMembers("the options", copyMembers(options, "the options"), known);
  if (withTrace !== undefined && typeof withTrace !== "function") {
    throw invalidOption("withTrace", "the function of that name of the SDK", withTrace);
  }
  const settings = { store: false, ...copyMembers(modelSettings, "modelSettings") };
  const ask = async (request: LLMRequest) => replyOf(await model.getResponse(requestOf(request, settings) as never));
  if (withTrace === undefined) return ask;
  const within = withTrace as NonNullable<AgentsModelOptions["withTrace"]>;
  return (request) => within(`turnfold: ${request.purpose}`, () => ask(request));
}

/**
 * True for a model of the SDK. An agent may have only the name of a model, which its runner resolves.
 *
 * @internal
 */
export function isModel(given: unknown): given is AgentsModel {
  return typeof readMember(given, "getResponse") === "function";
}

function requestOf(
  { messages, tools = [], toolChoice, schema, signal }: LLMRequest,
  settings: PlainObject,
): PlainObject {
  const leading = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const count = leading < 0 ? messages.length : leading;
  const instructions = messages.slice(0, count).map(({ content }) => plainText(content));
  return {
    ...(count === 0 ? {} : { systemInstructions: instructions.join("\n\n") }),
    input: messages.slice(count).flatMap((message, index) => requestItems(message, count + index)),
    modelSettings: toolChoice === undefined ? settings : { ...settings, toolChoice },
    tools: tools.map(({ name, description = "", schema: parameters }) => ({
      type: "function",
      name,
      description,
      parameters,
      strict: false,
    })),
    toolsExplicitlyProvided: true,
    outputType: schema === undefined ? "text" : { type: "json_schema", name: "answer", strict: false, schema },
    handoffs: [],
    tracing: false,
    ...(signal === undefined ? {} : { signal }),
  };
}

function replyOf(response: unknown): LLMReply {
  const output = isPlainObject(response) || typeof response === "object" ? readMember(response, "output") : undefined;
  if (!Array.isArray(output)) {
    throw new TurnfoldError("invalid_reply", "the model of the SDK gave no response with an output");
  }
  const items = output.filter(isPlainObject);
  const outputs = items.filter(({ type = "message" }) => type === "message");
  const parts = outputs.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isPlainObject) : []));
  const calls = items.filter(({ type }) => type === "function_call");
  return {
    content: parts.map(({ text, refusal }) => (typeof text === "string" ? text : (refusal ?? ""))).join(""),
    toolCalls: calls.map(({ callId, name, arguments: args }) => ({
      id: String(callId),
      name: String(name),
      args: typeof args !== "string" || args.trim() === "" ? {} : jsonOrText(args),
    })),
    finishReason: reasonOf(response, outputs, parts),
    usage: usageOf(readMember(response, "usage")),
  };
}

function reasonOf(response: unknown, outputs: readonly PlainObject[], parts: readonly PlainObject[]): string | null {
  if (parts.some(({ type }) => type === "refusal")) return "refusal";
  const reason = providerReason(readMember(response, "providerData"));
  if (reason !== null) return reason;
  return outputs.some(({ status }) => status === "incomplete") ? "incomplete" : null;
}

/**
 * Returns the finish reason in the provider's own response: of the Responses API when it is incomplete, of Chat
 * Completions, or of a model of the AI SDK. The items of the last two always have the status `completed`.
 */
function providerReason(response: unknown): string | null {
  const choices = readMember(response, "choices");
  const finishReason = readMember(response, "finishReason");
  const reasons = [
    readMember(readMember(response, "incomplete_details"), "reason"),
    Array.isArray(choices) ? readMember(choices[0], "finish_reason") : undefined,
    readMember(finishReason, "unified") ?? finishReason,
  ];
  return reasons.find((reason) => typeof reason === "string") ?? null;
}

/** Reads usage of the SDK, whose details are one object or a list with one for each request. */
function usageOf(usage: unknown): Usage {
  const details = readMember(usage, "inputTokensDetails");
  const cached = [details].flat().map((one) => readMember(one, "cached_tokens"));
  const sum = cached.reduce((all: number, count) => all + (typeof count === "number" ? count : 0), 0);
  return {
    inputTokens: readMember(usage, "inputTokens"),
    outputTokens: readMember(usage, "outputTokens"),
    cacheReadTokens: details === undefined ? undefined : sum,
  } as Usage;
}
