import { copyMembers, invalidOption } from "../boundary/options.ts";
import { validToolName } from "../chat/content-rules.ts";
import { Conversation } from "../chat/conversation.ts";
import { aiSdk } from "../formats/ai-sdk-format.ts";
import type { CacheMarks } from "../formats/cache-marks.ts";
import { isPlainObject, type PlainObject } from "../formats/data.ts";
import type { FormatOptions } from "../formats/format.ts";
import { isApproval } from "../formats/tool-parts.ts";
import { readMember } from "../model/error-chain.ts";
import type { LLM, LLMChunk, LLMRequest, ModelToolCall } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import { jsonOrText } from "../values/json-or-text.ts";
import { streamEndedError } from "./client-callback.ts";
import { checkFormatOptions, formatOptions } from "./model-options.ts";

/** The members of a language model of the AI SDK (versions 5, 6 and 7) that {@link aiSdkModel} uses. */
export interface AISDKModel {
  readonly specificationVersion: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{ stream: ReadableStream<unknown> }>;
}

/** Options of {@link aiSdkModel}. */
export interface AISDKModelOptions {
  /** Marks breakpoints for Anthropic's cache. */
  cache?: CacheMarks | undefined;
  /** Names of members of messages and parts that the model gets although the AI SDK does not have them. */
  members?: readonly string[] | undefined;
  /**
   * Further settings of each call, in the names of the AI SDK: `temperature`, `maxOutputTokens`, `providerOptions`. `toolChoice` is
   * for requests with tools.
   */
  [setting: string]: unknown;
}

/**
 * Makes a callback that calls a model of the AI SDK: any that a provider's package makes, or one with middleware. It
 * streams every reply, calls tools, passes the schema of a reply, and reports the tokens of the cache. Reasoning and
 * calls are sent back with the provider's data, such as signatures.
 *
 * @param model `anthropic("…")` of a provider's package; a name for the gateway is refused, because only the AI SDK
 * itself resolves it.
 * @throws {TurnfoldError} `invalid_option`
 *
 * @example
 * ```ts
 * const llm = aiSdkModel(provider("mistral-large-latest"), { temperature: 0 });
 * ```
 */
export function aiSdkModel(model: AISDKModel, options: AISDKModelOptions = {}): LLM {
  const version = readMember(model, "specificationVersion");
  if (typeof readMember(model, "doStream") !== "function" || !["v2", "v3", "v4"].includes(version as string)) {
    const hint = typeof model === "string" ? `gateway(${JSON.stringify(model)}) of the package ai makes one` : null;
    throw invalidOption("model", "a language model of the AI SDK", model, hint);
  }
  const { cache, members, stream, ...settings } = copyMembers(options, "the options");
  if (stream !== undefined && stream !== true) {
    const hint = "the package ai has simulateStreamingMiddleware() for a model that does not stream";
    throw invalidOption("stream", "true or left out: every reply is read as a stream", stream, hint);
  }
  const format = checkFormatOptions(cache, members);
  return async function* (request) {
    const { stream } = await model.doStream(callOptions(request, settings, format, version === "v4") as never);
    yield* chunksOf(stream);
  };
}

function callOptions(
  request: LLMRequest,
  settings: PlainObject,
  format: FormatOptions,
  isTagged: boolean,
): PlainObject {
  const { messages, tools, schema, signal } = request;
  const { toolChoice: given = { type: "auto" }, ...others } = settings;
  const toolChoice = request.toolChoice === "none" ? { type: "none" } : given;
  const converted = aiSdk.to(
    new Conversation({ messages }),
    formatOptions(format, request),
  ) as unknown as PlainObject[];
  return {
    ...others,
    prompt: converted.flatMap((message) => toPromptMessages(withValidNames(message, tools), isTagged)),
    ...(tools === undefined || tools.length === 0 ? {} : { tools: tools.map(toolOf), toolChoice }),
    ...(schema === undefined ? {} : { responseFormat: { type: "json", schema, name: "answer" } }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
  };
}

function toolOf({ name, description, schema }: NonNullable<LLMRequest["tools"]>[number]): PlainObject {
  return { type: "function", name, ...(description === undefined ? {} : { description }), inputSchema: schema };
}

/** Maximum length of the name of a tool, which is the shortest of all providers'. */
const MAX_NAME_LENGTH = 64;

/** Corrects the names in calls of tools that are not offered, which providers may refuse. */
function withValidNames(message: PlainObject, tools: LLMRequest["tools"]): PlainObject {
  if (!Array.isArray(message.content)) return message;
  const content = (message.content as PlainObject[]).map((part) => {
    const { toolName: name } = part;
    if (typeof name !== "string" || tools?.some((tool) => tool.name === name)) return part;
    return { ...part, toolName: validToolName(name, MAX_NAME_LENGTH) };
  });
  return { ...message, content };
}

/**
 * Converts a message for models: the content of users and assistants becomes a list, and images become files. As in the
 * AI SDK, approvals of calls and empty texts are omitted, and a message with approvals only.
 */
function toPromptMessages(message: PlainObject, isTagged: boolean): PlainObject[] {
  const { role, content } = message;
  if (role === "system") return [message];
  if (typeof content === "string") return [{ ...message, content: [{ type: "text", text: content }] }];
  const given = (content as PlainObject[]).filter((part) => !isOmitted(part));
  if (given.length === 0 && role === "tool") return [];
  const spoken = given.filter((part) => !isEmptyText(part));
  const parts = spoken.length > 0 ? spoken : given;
  return [{ ...message, content: parts.map((part) => toPromptPart(part, isTagged)) }];
}

/** True for an approval of a call, except an answer about a call that the provider runs, which is sent to it. */
const isOmitted = (part: PlainObject): boolean =>
  isApproval(part) && !(part.type === "tool-approval-response" && part.providerExecuted === true);

const isEmptyText = ({ type, text, providerOptions }: PlainObject): boolean =>
  type === "text" && text === "" && providerOptions === undefined;

function toPromptPart(part: PlainObject, isTagged: boolean): PlainObject {
  if (part.type === "tool-result") return isTagged ? withFileKinds(part) : part;
  if (part.type !== "image" && part.type !== "file") return part;
  const { image, data = image, mediaType = "image/*", ...rest } = part;
  return { ...rest, type: "file", mediaType, data: isTagged ? withDataKind(data) : withoutDataKind(data) };
}

/** Returns the data of a file with its kind, in the form of version 4 of the specification. */
function withDataKind(data: unknown): PlainObject {
  if (isPlainObject(data)) return data;
  const source = withoutDataKind(data);
  return source instanceof URL ? { type: "url", url: source } : { type: "data", data: source };
}

/** Returns the data of a file in the form of earlier versions. */
function withoutDataKind(data: unknown): unknown {
  if (isPlainObject(data)) return data.data ?? data.url ?? data;
  return typeof data === "string" && /^https?:\/\//.test(data) ? new URL(data) : data;
}

/** Converts images and files in a result to their form in version 4 of the specification. */
function withFileKinds(part: PlainObject): PlainObject {
  const { output } = part;
  if (!isPlainObject(output) || output.type !== "content" || !Array.isArray(output.value)) return part;
  const value = output.value.map((item) => {
    const [, kind] = /^(image|file)-(?:data|url)$/.exec(isPlainObject(item) ? String(item.type) : "") ?? [];
    if (kind === undefined) return item;
    const { data, url = data, mediaType = kind === "image" ? "image" : "application/octet-stream", ...rest } = item;
    return { ...rest, type: "file", mediaType, data: withDataKind(url) };
  });
  return { ...part, output: { ...output, value } };
}

async function* chunksOf(stream: ReadableStream<unknown>): AsyncGenerator<LLMChunk> {
  const reader = stream.getReader();
  const parts = new ReplyParts();
  let [length, hasEnded] = [0, false];
  try {
    for (;;) {
      const { done, value: part } = await reader.read();
      if (done) break;
      if (!isPlainObject(part)) continue;
      parts.add(part);
      if (part.type === "text-delta" && typeof part.delta === "string") {
        length += part.delta.length;
        yield { text: part.delta };
      } else if (part.type === "tool-call" && part.providerExecuted !== true) {
        yield { toolCalls: [callOf(part)] };
      } else if (part.type === "response-metadata" && typeof part.modelId === "string") {
        yield { model: part.modelId };
      } else if (part.type === "error") {
        throw part.error instanceof Error ? part.error : new Error("the reply failed", { cause: part.error });
      } else if (part.type === "finish") {
        hasEnded = true;
        yield { usage: usageOf(part.usage), finishReason: reasonOf(part.finishReason), ...parts.original() };
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
  if (!hasEnded) throw streamEndedError(length);
}

/** The parts of a reply, with the provider's data, such as signatures, that is sent back with them. */
class ReplyParts {
  private readonly parts: PlainObject[] = [];
  /** The texts and thoughts by their ids. */
  private readonly open = new Map<string, PlainObject>();
  private isComplete = true;

  add(part: PlainObject): void {
    const { type, id, delta, providerMetadata: providerOptions } = part;
    const [, kind, stage] = /^(text|reasoning)-(start|delta|end)$/.exec(String(type)) ?? [];
    const key = `${kind} ${id}`;
    if (type === "tool-call") {
      const { id: toolCallId, name: toolName, args: input } = callOf(part);
      this.parts.push({
        type,
        toolCallId,
        toolName,
        input,
        ...(isPlainObject(providerOptions) && { providerOptions }),
      });
    }
    // What the provider ran is not kept, and thoughts are not accepted without it.
    if (part.providerExecuted === true) this.isComplete = false;
    if (kind === undefined) return;
    const own = this.open.get(key) ?? { type: kind, text: "" };
    if (!this.open.has(key)) {
      this.open.set(key, own);
      this.parts.push(own);
    }
    if (typeof delta === "string") own.text += delta;
    if (isPlainObject(providerOptions)) own.providerOptions = providerOptions;
    if (stage === "end") this.open.delete(key);
  }

  original(): { original?: object } {
    const hasData = this.parts.some(({ providerOptions }) => providerOptions !== undefined);
    const content = this.parts.filter(({ text, providerOptions }) => text !== "" || providerOptions !== undefined);
    return hasData && this.isComplete ? { original: { format: "vercel", members: { content } } } : {};
  }
}

/** Reads a call. Input that is not JSON stays text, and is refused when the arguments are checked. */
function callOf({ toolCallId: id, toolName: name, input }: PlainObject): ModelToolCall {
  const args = typeof input !== "string" ? input : input.trim() === "" ? {} : jsonOrText(input);
  return { id, name, args } as ModelToolCall;
}

function reasonOf(reason: unknown): string | null {
  const unified = isPlainObject(reason) ? reason.unified : reason;
  return typeof unified === "string" ? unified : null;
}

/** Reads usage of version 2 of the specification, in which counts are numbers, and of later ones. */
function usageOf(usage: unknown): Usage {
  if (!isPlainObject(usage)) return {};
  const { inputTokens: input, outputTokens: output } = usage;
  return {
    inputTokens: isPlainObject(input) ? input.total : input,
    outputTokens: isPlainObject(output) ? output.total : output,
    cacheReadTokens: isPlainObject(input) ? input.cacheRead : usage.cachedInputTokens,
    cacheWriteTokens: isPlainObject(input) ? input.cacheWrite : undefined,
  } as Usage;
}
