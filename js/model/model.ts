import { onAbort, withOwnSignal } from "../boundary/abort.ts";
import { functionOption } from "../boundary/options.ts";
import { TurnfoldError } from "../errors.ts";
import { describe } from "../values/describe.ts";
import { jsonOrText } from "../values/json-or-text.ts";
import { type FinishReason, finishReasonOf } from "./finish-reason.ts";
import type { Breakpoint, Message } from "./message.ts";
import { type Retry, withRetry } from "./retry.ts";
import { type Usage, usageOf } from "./usage.ts";

/** JSON Schema of a tool's arguments, in the form that clients of providers accept. */
export interface InputSchema {
  type: "object";
  [keyword: string]: unknown;
}

/** A request to a model. */
export interface LLMRequest {
  messages: Message[];
  /** Purpose of the reply: the program of a turn, a summary, an answer of a chat, extracted facts or objects. */
  purpose: "turn" | "summary" | "answer" | "extraction";
  /** Number of the turn in its run, from 1. */
  turn?: number;
  signal?: AbortSignal;
  /** JSON Schema of the reply. */
  schema?: Record<string, unknown>;
  /** Tools that the model may call; in chats only. */
  tools?: { name: string; description?: string; schema: InputSchema }[];
  /**
   * `none`: the model must not call the tools. They are in the request because the provider's cache compares them too.
   * Set when a summary behind a conversation is requested again because the model called a tool instead; send it as the
   * provider's `tool_choice`.
   */
  toolChoice?: "none";
  /**
   * The number of times that this request is sent at most, by `retry`. Set if it is more than one. A callback that
   * repeats requests by itself should then send this one once, because the attempts multiply.
   */
  attempts?: number;
  /** The places at which to mark the provider's cache, for {@link MessageFormat.to}. Set for the turns of an agent. */
  breakpoints?: Breakpoint[];
}

/** A tool call that a model made. */
export interface ModelToolCall {
  id: string;
  name: string;
  args: unknown;
  /** Data of the provider's format that its `to` writes back with the call, such as the thought signature of Gemini. */
  original?: object | undefined;
}

/**
 * The reply of a model. `finishReason` is the provider's word in any spelling, such as `stop`, `max_tokens` or
 * `SAFETY`; {@link FinishReason} lists the reasons that are distinguished. A summary that was cut off, filtered or
 * refused is not used. `model` names the model that answered, for a callback that calls several: {@link Agent}
 * calibrates its counter for each. `original` is data of the provider's format that its `to` writes back with the text.
 * `compaction` is a message of a conversation with the summary that the provider made of everything before the reply;
 * {@link Agent} puts it before the reply, and sends it back instead of what it covers.
 */
export type LLMReply =
  | string
  | {
      content: string;
      usage?: Usage | undefined;
      toolCalls?: ModelToolCall[] | undefined;
      finishReason?: string | null | undefined;
      model?: string | undefined;
      original?: object | undefined;
      compaction?: object | undefined;
    };

/** A piece of a streamed reply. */
export type LLMChunk =
  | string
  | {
      text?: string | undefined;
      toolCalls?: ModelToolCall[] | undefined;
      usage?: Usage | undefined;
      finishReason?: string | null | undefined;
      model?: string | undefined;
      original?: object | undefined;
      compaction?: object | undefined;
    };

/**
 * A model callback: receives a request and returns a reply, a promise of one, or a stream of pieces.
 *
 * @example
 * ```ts
 * const llm: LLM = async ({ messages, signal }) => {
 *   const { choices, usage } = await client.chat.completions.create({ model, messages }, { signal });
 *   return { content: choices[0]?.message.content ?? "", usage: { inputTokens: usage.prompt_tokens } };
 * };
 * ```
 */
export type LLM = (request: LLMRequest) => LLMReply | LLMStream | Promise<LLMReply | LLMStream>;

/** A reply in pieces. */
export type LLMStream = AsyncIterable<LLMChunk> | ReadableStream<LLMChunk>;

/**
 * A complete reply.
 *
 * @internal
 */
export interface Answer {
  content: string;
  usage: Usage;
  toolCalls: ModelToolCall[];
  /** For a reply without a reason: `tool-calls` if it has tool calls, otherwise `stop`. */
  finishReason: FinishReason;
  /** The model that answered; undefined if the reply does not name it. */
  model?: string;
  /** Data of the provider's format that is written back with the text. */
  original?: object;
  /** The message with the provider's summary of what is before the reply. */
  compaction?: object;
}

/**
 * A model, and how often it is called again.
 *
 * @internal
 */
export interface ModelSettings {
  readonly llm: LLM | undefined;
  readonly retry: Retry | undefined;
}

/**
 * Returns `llm` if it is a function.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkLLM(llm: unknown): LLM | undefined {
  return functionOption<LLM>("llm: async ({ messages, signal }) => text")(llm ?? undefined, "llm");
}

/**
 * Calls a model, with retries.
 *
 * @param onText receives each piece of streamed text.
 * @param isFinal true for a failure that must not be retried.
 * @returns null when the signal aborted.
 * @throws {TurnfoldError} `llm_error`, with the last failure as its cause.
 *
 * @internal
 */
export function callModel(
  llm: LLM,
  request: LLMRequest,
  retry: Retry = {},
  onText: (text: string) => void = () => {},
  isFinal: () => boolean = () => false,
): Promise<Answer | null> {
  const { signal } = request;
  return withOwnSignal(signal, (own) => {
    const ownRequest = { ...request };
    if (own !== undefined) ownRequest.signal = own;
    if ((retry.attempts ?? 1) > 1) ownRequest.attempts = retry.attempts as number;
    return withRetry(() => requestAnswer(llm, ownRequest, onText), retry, signal, isFinal);
  });
}

async function requestAnswer(llm: LLM, request: LLMRequest, onText: (text: string) => void): Promise<Answer> {
  const given: unknown = await llm(request);
  if (typeof given === "string") return { content: given, usage: {}, toolCalls: [], finishReason: "stop" };
  const chunks = chunkIterable(given);
  if (chunks !== null) return collectChunks(chunks, request.signal, onText);
  if (typeof given !== "object" || given === null || !("content" in given || "toolCalls" in given)) {
    throw invalidReply(given);
  }
  const { content, usage, toolCalls, finishReason, model, original, compaction } = given as Record<
    keyof Exclude<LLMReply, string>,
    unknown
  >;
  // A reply that only calls tools has null content.
  if (content !== undefined && content !== null && typeof content !== "string") throw invalidReply(content);
  const calls = checkToolCalls(toolCalls);
  return {
    content: content ?? "",
    usage: usageOf(usage),
    toolCalls: calls,
    finishReason: finishReasonOf(finishReason, calls.length > 0),
    ...(isName(model) ? { model } : {}),
    ...(isObject(original) ? { original } : {}),
    ...(isObject(compaction) ? { compaction } : {}),
  };
}

const CHUNK_MEMBERS: Record<keyof Exclude<LLMChunk, string>, true> = {
  text: true,
  toolCalls: true,
  usage: true,
  finishReason: true,
  model: true,
  original: true,
  compaction: true,
};

const hasForeignMember = (chunk: object): boolean =>
  Object.keys(chunk).some((name) => !Object.hasOwn(CHUNK_MEMBERS, name));

function foreignStream(chunk: object): TurnfoldError {
  const names = Object.keys(chunk);
  return new TurnfoldError("invalid_reply", `no piece of the stream has a text; they have ${names.join(", ")}`, {
    details: { option: "llm", members: names },
    hint: "yield the texts, or { text, usage, finishReason }: an async generator can convert the pieces of a client",
  });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isName(model: unknown): model is string {
  return typeof model === "string" && model !== "";
}

async function collectChunks(
  chunks: AsyncIterable<unknown>,
  signal: AbortSignal | undefined,
  onText: (text: string) => void,
): Promise<Answer> {
  const answer: Answer = { content: "", usage: {}, toolCalls: [], finishReason: "stop" };
  const iterator = chunks[Symbol.asyncIterator]();
  // The signal must also end an idle stream.
  const leave = async () => {
    try {
      await iterator.return?.();
    } catch {
      // The result is no longer needed.
    }
  };
  const release = signal === undefined || signal.aborted ? () => {} : onAbort(signal, leave);
  try {
    await readChunks(answer, { [Symbol.asyncIterator]: () => iterator }, signal, onText);
  } finally {
    release();
  }
  return answer;
}

async function readChunks(
  answer: Answer,
  chunks: AsyncIterable<unknown>,
  signal: AbortSignal | undefined,
  onText: (text: string) => void,
): Promise<void> {
  let reason: unknown;
  let hasContent = false;
  let foreign: object | undefined;
  for await (const chunk of chunks) {
    // Leaving the loop closes the host's stream.
    if (signal?.aborted) break;
    if (typeof chunk !== "string" && (typeof chunk !== "object" || chunk === null)) throw invalidReply(chunk);
    const { text, usage, toolCalls, finishReason, model, original, compaction } = (
      typeof chunk === "string" ? { text: chunk } : chunk
    ) as Partial<Record<keyof Exclude<LLMChunk, string>, unknown>>;
    if (text !== undefined && typeof text !== "string") throw invalidReply(text);
    hasContent ||= [text, toolCalls, finishReason].some((member) => member !== undefined);
    if (typeof chunk !== "string" && (usage ?? null) === null && hasForeignMember(chunk)) foreign = chunk;
    if (text !== undefined && text !== "") {
      answer.content += text;
      onText(text);
    }
    answer.toolCalls.push(...checkToolCalls(toolCalls));
    Object.assign(answer.usage, usageOf(usage));
    if (isName(model)) answer.model = model;
    if (isObject(original)) answer.original = original;
    if (isObject(compaction)) answer.compaction = compaction;
    // Chunks before the last one may have a null reason.
    if (typeof finishReason === "string" && finishReason !== "") reason = finishReason;
  }
  // The stream of a provider's client: without its texts, the reply would look empty.
  if (!hasContent && foreign !== undefined) throw foreignStream(foreign);
  answer.finishReason = finishReasonOf(reason, answer.toolCalls.length > 0);
}

/** Returns an async iterable of the chunks, or null. Streams themselves are not iterable in Safari. */
function chunkIterable(given: unknown): AsyncIterable<unknown> | null {
  if (typeof given !== "object" || given === null) return null;
  if (typeof (given as Partial<ReadableStream>).getReader === "function") return streamChunks(given as ReadableStream);
  return Symbol.asyncIterator in given ? (given as AsyncIterable<unknown>) : null;
}

/** The chunks of a stream. Unlike the stream's own iterator, this one can be closed while it waits for a chunk. */
function streamChunks(stream: ReadableStream): AsyncIterable<unknown> {
  const reader = stream.getReader();
  const iterator = {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    async return(): Promise<IteratorResult<unknown>> {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

function checkToolCalls(given: unknown): ModelToolCall[] {
  if (given === undefined || given === null) return [];
  if (Array.isArray(given)) {
    const calls = given as Partial<ModelToolCall>[];
    if (calls.every((call) => typeof call?.id === "string" && typeof call.name === "string")) {
      return calls.map(({ id, name, args, original }) => {
        const call = { id, name, args: parsedArguments(args) } as ModelToolCall;
        return isObject(original) ? { ...call, original } : call;
      });
    }
  }
  throw new TurnfoldError("invalid_reply", `toolCalls must be a list of { id, name, args }, got ${describe(given)}`, {
    details: { option: "llm" },
  });
}

/** Providers return arguments as text, and not every callback parses them. A text that is not JSON stays text. */
function parsedArguments(args: unknown): unknown {
  return typeof args !== "string" || args.trim() === "" ? args : jsonOrText(args);
}

function invalidReply(given: unknown): TurnfoldError {
  return new TurnfoldError("invalid_reply", `a model gives a text, got ${describe(given)}`, {
    details: { option: "llm" },
    hint: "give a string, { content, usage }, or an async iterable of texts",
  });
}
