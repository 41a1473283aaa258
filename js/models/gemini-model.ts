import { currentTime } from "../boundary/clock.ts";
import { invalidOption } from "../boundary/options.ts";
import { numberedId } from "../chat/call-ids.ts";
import { Conversation } from "../chat/conversation.ts";
import { NO_BEGINNING } from "../chat/repair.ts";
import { TurnfoldError } from "../errors.ts";
import { isPlainObject, type PlainObject } from "../formats/data.ts";
import type { FormatOptions } from "../formats/format.ts";
import type { GeminiContent, GeminiPart } from "../formats/gemini.ts";
import { gemini } from "../formats/gemini-format.ts";
import { UNSIGNED_CALL } from "../formats/gemini-parts.ts";
import { objectsIn } from "../formats/tool-parts.ts";
import { readMember } from "../model/error-chain.ts";
import type { LLM, LLMChunk, LLMReply, LLMRequest, ModelToolCall } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";
import { describe } from "../values/describe.ts";
import { clientCallback, streamEndedError } from "./client-callback.ts";
import { checkModelOptions, type ModelOptions } from "./model-options.ts";

/** The members of the client of `@google/genai` that {@link geminiModel} uses. */
export interface GeminiClient {
  models: { generateContent(params: never): unknown; generateContentStream(params: never): unknown };
}

/**
 * Options of {@link geminiModel}. Further options are members of `config` in each request, such as `temperature` and
 * `thinkingConfig`.
 */
export type GeminiModelOptions = ModelOptions;

/** Members of requests that are those of the agent. */
const REQUEST_MEMBERS = ["contents", "systemInstruction", "abortSignal", "responseJsonSchema"];

/**
 * Makes a callback that calls a model through the client of `@google/genai`, for the Gemini API or Vertex AI. It streams,
 * calls tools, passes the schema of a reply, and reports the tokens of the cache. Calls keep their thought signatures,
 * which Gemini 3 requires back; thoughts themselves are not kept.
 *
 * @param client `new GoogleGenAI()`, or any client with the same methods.
 * @throws {TurnfoldError} `invalid_option`
 *
 * @example
 * ```ts
 * const llm = geminiModel(client, { model: "gemini-3.5-flash", temperature: 0 });
 * const agent = new SubAgent({ mission: "Add up 40 and 2", llm });
 * ```
 */
export function geminiModel(client: GeminiClient, options: GeminiModelOptions): LLM {
  const models = readMember(client, "models");
  for (const method of ["generateContent", "generateContentStream"]) {
    if (typeof readMember(models, method) === "function") continue;
    throw invalidOption("client", "a client of @google/genai", client, "geminiModel(new GoogleGenAI({}), { model })");
  }
  const { stream, format, parameters } = checkModelOptions(options);
  if (format.cache !== undefined) {
    throw invalidOption("cache", "left out", format.cache, "Gemini's cache needs no marks");
  }
  if (parameters.config !== undefined) {
    throw invalidOption("config", "left out", parameters.config, "its members are options: { model, temperature }");
  }
  for (const name of REQUEST_MEMBERS) {
    if (parameters[name] === undefined) continue;
    throw invalidOption(name, "left to each request", parameters[name], "messages and schemas are those of the agent");
  }
  const ask = (request: LLMRequest) => {
    const { generateContent, generateContentStream } = models as Record<string, (params: PlainObject) => unknown>;
    const method = (stream ? generateContentStream : generateContent) as (params: PlainObject) => unknown;
    return method.call(models, paramsOf(request, parameters, format));
  };
  return clientCallback(ask, stream, { replyOf, chunksOf });
}

/**
 * True for a model before Gemini 3. It does not use the signature of a call that the model did not make, and refuses a
 * schema of the reply in requests with tools.
 */
const isEarlier = (model: unknown): boolean => /\bgemini-[12]\b/.test(String(model));

function paramsOf(request: LLMRequest, { model, ...config }: PlainObject, format: FormatOptions): PlainObject {
  const { messages, schema, signal, tools = [], toolChoice } = request;
  const { systemInstruction, contents } = gemini.to(new Conversation({ messages }), format);
  const { toolConfig, ...others } = config;
  const isCalling = tools.length > 0;
  const hasSchema = schema !== undefined && !(isCalling && isEarlier(model));
  const none = { functionCallingConfig: { mode: "NONE" } };
  const choice = toolChoice === "none" ? none : toolConfig;
  return {
    model,
    contents: withFirstUser(isEarlier(model) ? contents.map(withoutUnsigned) : contents),
    config: {
      ...others,
      ...(systemInstruction === undefined ? {} : { systemInstruction }),
      ...(isCalling ? { tools: [{ functionDeclarations: tools.map(declarationOf) }] } : {}),
      // Without tools, such as in requests for summaries, a choice is refused.
      ...(isCalling && choice !== undefined ? { toolConfig: choice } : {}),
      ...(hasSchema ? { responseMimeType: "application/json", responseJsonSchema: schema } : {}),
      ...(signal === undefined ? {} : { abortSignal: signal }),
    },
  };
}

/** Returns contents of which the first is of the user, as Gemini requires. */
function withFirstUser(contents: GeminiContent[]): GeminiContent[] {
  return contents[0]?.role === "model" ? [{ role: "user", parts: [{ text: NO_BEGINNING }] }, ...contents] : contents;
}

function withoutUnsigned({ parts, ...content }: GeminiContent): GeminiContent {
  const withoutSignature = ({ thoughtSignature, ...part }: GeminiPart) => part;
  return {
    ...content,
    parts: parts.map((part) => (part.thoughtSignature === UNSIGNED_CALL ? withoutSignature(part) : part)),
  };
}

function declarationOf({ name, description, schema }: NonNullable<LLMRequest["tools"]>[number]): PlainObject {
  return { name, ...(description === undefined ? {} : { description }), parametersJsonSchema: schema };
}

function replyOf(given: unknown): LLMReply {
  const response = responseOf(given);
  const parts = partsOf(response);
  return {
    content: parts.map(textOf).join(""),
    toolCalls: callsIn(parts),
    finishReason: reasonOf(response),
    usage: usageOf(response),
    ...modelOf(response),
    ...signaturesIn(parts),
  };
}

async function* chunksOf(stream: AsyncIterable<unknown>): AsyncGenerator<LLMChunk> {
  let [length, hasEnded] = [0, false];
  const all: PlainObject[] = [];
  for await (const chunk of stream) {
    const response = responseOf(chunk);
    const parts = partsOf(response);
    const text = parts.map(textOf).join("");
    const toolCalls = callsIn(parts);
    const finishReason = reasonOf(response);
    length += text.length;
    hasEnded ||= finishReason !== null;
    for (const part of parts) all.push(part);
    yield {
      ...(text === "" ? {} : { text }),
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
      usage: usageOf(response),
      finishReason,
      ...modelOf(response),
    };
  }
  if (!hasEnded) throw streamEndedError(length);
  yield signaturesIn(all);
}

/** Returns the texts of a reply with signatures, for the format to write them back. Texts without are joined. */
function signaturesIn(parts: readonly PlainObject[]): { original?: object } {
  const texts: PlainObject[] = [];
  for (const { text, thought, thoughtSignature } of parts) {
    if (typeof text !== "string" || thought === true) continue;
    const before = texts.at(-1);
    if (typeof thoughtSignature === "string") texts.push({ text, thoughtSignature });
    else if (before !== undefined && before.thoughtSignature === undefined) before.text += text;
    else texts.push({ text });
  }
  const isSigned = texts.some(({ thoughtSignature }) => thoughtSignature !== undefined);
  return isSigned ? { original: { format: "gemini", members: { parts: texts } } } : {};
}

/** Returns the members of a response, which is an instance of a class of the client. */
function responseOf(given: unknown): PlainObject {
  const response = { ...Object(given) } as PlainObject;
  const { candidates, promptFeedback, usageMetadata } = response;
  if (candidates !== undefined || promptFeedback !== undefined || usageMetadata !== undefined) return response;
  throw new TurnfoldError("invalid_reply", `the reply must be a response of Gemini, got ${describe(given)}`);
}

const candidateOf = ({ candidates }: PlainObject): PlainObject => objectsIn(candidates)[0] ?? {};

function partsOf(response: PlainObject): PlainObject[] {
  const { content } = candidateOf(response);
  return isPlainObject(content) ? objectsIn(content.parts) : [];
}

/** Returns the text of a part that is no thought. */
function textOf({ text, thought }: PlainObject): string {
  return typeof text === "string" && thought !== true ? text : "";
}

/** The number of ids that were made. */
let made = 0;

/** Reads the calls, as the format reads them. Those without an id get one that no other reply has. */
function callsIn(parts: readonly PlainObject[]): ModelToolCall[] {
  return parts.flatMap((part) => {
    const { functionCall: call } = part;
    if (!isPlainObject(call)) return [];
    const [message] = gemini.from([{ role: "model", parts: [part] }]).messages;
    return objectsIn(message?.content).map(({ toolCallId, toolName: name, input: args, original }) => {
      const id = call.id === toolCallId ? toolCallId : numberedId(currentTime() * 1000 + (made++ % 1000));
      return { id, name, args, original } as ModelToolCall;
    });
  });
}

/** Returns the provider's word for the finish reason; `blocked` for a request that a filter refused. */
function reasonOf(response: PlainObject): string | null {
  const { finishReason } = candidateOf(response);
  if (typeof finishReason === "string" && finishReason !== "") return finishReason;
  const { promptFeedback } = response;
  return isPlainObject(promptFeedback) && promptFeedback.blockReason !== undefined ? "blocked" : null;
}

/** Reads usage. Thoughts are added to the output, because `candidatesTokenCount` omits them. */
function usageOf({ usageMetadata: usage }: PlainObject): Usage {
  if (!isPlainObject(usage)) return {};
  const sum = (...names: string[]): number | undefined => {
    const counts = names.map((name) => usage[name]).filter((count) => typeof count === "number");
    return counts.length === 0 ? undefined : counts.reduce((total, count) => total + count, 0);
  };
  return {
    inputTokens: sum("promptTokenCount", "toolUsePromptTokenCount"),
    outputTokens: sum("candidatesTokenCount", "thoughtsTokenCount"),
    cacheReadTokens: sum("cachedContentTokenCount"),
  };
}

function modelOf({ modelVersion }: PlainObject): { model?: string } {
  return typeof modelVersion === "string" ? { model: modelVersion } : {};
}
