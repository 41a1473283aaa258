import { copyMembers, flagOption, invalidOption } from "../../boundary/options.ts";
import {
  Conversation,
  type LLM,
  type LLMChunk,
  type LLMReply,
  type LLMRequest,
  type ModelToolCall,
  TurnfoldError,
  type Usage,
} from "../../chat.ts";
import { isPlainObject, type PlainObject } from "../../formats/data.ts";
import { objectsIn } from "../../formats/tool-parts.ts";
import { ASK_AGAIN, readMember } from "../../model/error-chain.ts";
import { describe } from "../../values/describe.ts";
import { jsonOrText } from "../../values/json-or-text.ts";
import { toMessages } from "./messages.ts";

/** The members of a chat model of LangChain that {@link langchainModel} uses. */
export interface LangChainModel {
  invoke(input: never, options?: never): PromiseLike<unknown>;
  stream(input: never, options?: never): PromiseLike<AsyncIterable<unknown>>;
}

/** Options of {@link langchainModel}. */
export interface LangChainModelOptions {
  /** Whether the reply is streamed. Default true. */
  stream?: boolean | undefined;
  /** Further options of each call, in the names of LangChain: `tags`, `metadata`, `callbacks`, and those of the model. */
  [option: string]: unknown;
}

/** The members of a chat model, with their types. */
interface ChatModelMethods {
  invoke(input: unknown, options: PlainObject): Promise<unknown>;
  stream(input: unknown, options: PlainObject): Promise<AsyncIterable<unknown>>;
  bindTools?(tools: PlainObject[], options?: PlainObject): ChatModelMethods;
  withStructuredOutput?(schema: PlainObject, options: PlainObject): ChatModelMethods;
}

/**
 * Makes a callback that calls a chat model of LangChain. It streams, calls tools with `bindTools`, passes the schema of
 * a reply with `withStructuredOutput`, passes the signal on, and reports the tokens of the cache. Reasoning is not
 * kept.
 *
 * @param model `new ChatOpenAI({ model })`, or any other chat model, which may have bound settings.
 * @throws {TurnfoldError} `invalid_option`
 *
 * @example
 * ```ts
 * const llm = langchainModel(new ChatAnthropic({ model: "claude-haiku-4-5" }), { tags: ["summaries"] });
 * ```
 */
export function langchainModel(model: LangChainModel, options: LangChainModelOptions = {}): LLM {
  for (const method of ["invoke", "stream"]) {
    if (typeof readMember(model, method) !== "function")
      throw invalidOption("model", "a chat model of LangChain", model);
  }
  const { stream: streamed, ...settings } = copyMembers(options, "the options");
  const stream = flagOption(true)(streamed, "stream");
  const given = model as unknown as ChatModelMethods;
  const prepareCall = (request: LLMRequest) => ({
    boundModel: withTools(given, request),
    input: toMessages(new Conversation({ messages: request.messages }), {}, []),
    options: { ...settings, ...formatOptions(given, request), ...(request.signal && { signal: request.signal }) },
  });
  const replyAtOnce = async (request: LLMRequest): Promise<LLMReply> => {
    const { boundModel, input, options } = prepareCall(request);
    if (isStructured(given, request)) {
      const { schema } = request as { schema: PlainObject };
      const structured = (given.withStructuredOutput as NonNullable<ChatModelMethods["withStructuredOutput"]>).call(
        given,
        schema,
        {
          name: "answer",
          includeRaw: true,
        },
      );
      return structuredReply(await structured.invoke(input, options));
    }
    return replyOf(await boundModel.invoke(input, options));
  };
  if (!stream) return replyAtOnce;
  return async function* (request) {
    if (isStructured(given, request)) {
      const { content, ...rest } = (await replyAtOnce(request)) as Exclude<LLMReply, string>;
      yield { text: content, ...rest };
      return;
    }
    const { boundModel, input, options } = prepareCall(request);
    yield* chunksOf(await boundModel.stream(input, options));
  };
}

/** True when the schema is passed with `withStructuredOutput`, which can't be combined with tools. */
function isStructured({ withStructuredOutput }: ChatModelMethods, { schema, tools = [] }: LLMRequest): boolean {
  return schema !== undefined && tools.length === 0 && typeof withStructuredOutput === "function";
}

function withTools(model: ChatModelMethods, { tools = [], toolChoice }: LLMRequest): ChatModelMethods {
  if (tools.length === 0) return model;
  if (typeof model.bindTools !== "function") {
    throw new TurnfoldError("invalid_option", "the chat model takes no tools: it has no bindTools", {
      details: { option: "model" },
      hint: "give a chat model that calls tools, without tools bound to it",
    });
  }
  return model.bindTools(
    tools.map(({ name, description = "", schema }) => ({
      type: "function",
      function: { name, description, parameters: schema },
    })),
    ...(toolChoice === undefined ? [] : [{ tool_choice: toolChoice }]),
  );
}

/**
 * Returns options for the schema of a reply that is not passed with `withStructuredOutput`, for the models of OpenAI,
 * Anthropic and Google. Models with bound settings (`withConfig`) have no such method.
 */
function formatOptions(model: ChatModelMethods, request: LLMRequest): PlainObject {
  const { schema } = request;
  if (schema === undefined || isStructured(model, request)) return {};
  return {
    response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
    outputConfig: { format: { type: "json_schema", schema } },
    responseSchema: schema,
  };
}

async function* chunksOf(stream: AsyncIterable<unknown>): AsyncGenerator<LLMChunk> {
  let message: unknown;
  for await (const chunk of stream) {
    const text = textOf(readMember(chunk, "content"));
    message = message === undefined ? chunk : concatChunks(message, chunk);
    if (text !== "") yield { text };
  }
  if (message === undefined) {
    throw new TurnfoldError("invalid_reply", "the stream of the chat model gave nothing", { hint: ASK_AGAIN });
  }
  const { content: _, ...rest } = replyOf(message) as Exclude<LLMReply, string>;
  yield rest;
}

/** Joins chunks with their own method `concat`. */
function concatChunks(message: unknown, chunk: unknown): unknown {
  const { concat } = message as { concat?: (chunk: unknown) => unknown };
  if (typeof concat === "function") return concat.call(message, chunk);
  throw new TurnfoldError(
    "invalid_reply",
    `the stream of a chat model has chunks of messages, got ${describe(message)}`,
  );
}

function replyOf(message: unknown): LLMReply {
  const content = readMember(message, "content");
  if (typeof content !== "string" && !Array.isArray(content)) {
    throw new TurnfoldError("invalid_reply", `a chat model gives an AIMessage, got ${describe(message)}`, {
      hint: "give the chat model itself, without an output parser behind it",
    });
  }
  return {
    content: textOf(content),
    toolCalls: callsIn(message),
    finishReason: reasonOf(objectAt(message, "response_metadata"), objectAt(message, "additional_kwargs")),
    ...usageIn(message),
  };
}

/**
 * Returns the usage in a reply of a chat model, and the model that replied.
 *
 * @internal
 */
export function usageIn(message: unknown): { usage: Usage; model?: string } {
  return { usage: usageOf(readMember(message, "usage_metadata")), ...modelIn(objectAt(message, "response_metadata")) };
}

/** Reads a structured reply: the JSON that the model wrote, or the arguments of the call that it made instead. */
function structuredReply(given: unknown): LLMReply {
  const raw = readMember(given, "raw");
  const reply = replyOf(raw ?? given) as Exclude<LLMReply, string>;
  const [call] = reply.toolCalls ?? [];
  const parsed = readMember(given, "parsed");
  const content =
    call !== undefined
      ? JSON.stringify(call.args)
      : reply.content === "" && parsed !== undefined && parsed !== null
        ? JSON.stringify(parsed)
        : reply.content;
  return { ...reply, content, toolCalls: [], finishReason: call === undefined ? reply.finishReason : "stop" };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsIn(content)
    .map(({ type, text }) => ((type === "text" || type === "output_text") && typeof text === "string" ? text : ""))
    .join("");
}

/** Reads the calls. Arguments that are not JSON stay text, and are refused when they are checked. */
function callsIn(message: unknown): ModelToolCall[] {
  const calls = objectsIn(readMember(message, "tool_calls"));
  const broken = objectsIn(readMember(message, "invalid_tool_calls"));
  return [...calls, ...broken].map(({ id, name, args }, index) => ({
    id: typeof id === "string" && id !== "" ? id : `call_${index}`,
    name: typeof name === "string" ? name : "unknown",
    args: typeof args === "string" ? jsonOrText(args) : (args ?? {}),
  }));
}

function usageOf(usage: unknown): Usage {
  if (!isPlainObject(usage)) return {};
  const { input_tokens, output_tokens, input_token_details: details } = usage;
  const { cache_read, cache_creation } = isPlainObject(details) ? details : {};
  return {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    cacheReadTokens: cache_read,
    cacheWriteTokens: cache_creation,
  } as Usage;
}

/** The names under which the models of LangChain have the provider's finish reason. */
const FINISH_REASON_NAMES = ["finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason"];

function reasonOf(...objects: PlainObject[]): string | null {
  for (const object of objects) {
    for (const name of FINISH_REASON_NAMES)
      if (typeof object[name] === "string" && object[name] !== "") return object[name];
  }
  return null;
}

function modelIn({ model_name, model, model_id }: PlainObject): { model?: string } {
  const name = model_name ?? model ?? model_id;
  return typeof name === "string" && name !== "" ? { model: name } : {};
}

function objectAt(message: unknown, name: string): PlainObject {
  const object = readMember(message, name);
  return isPlainObject(object) ? object : {};
}
