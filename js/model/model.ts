import { messageOf, unlessAborted } from "../boundary/host.ts";
import { checkMembers, invalidOption } from "../boundary/options.ts";
import { reading, TurnfoldError } from "../errors.ts";
import type { Message } from "../turns/message.ts";
import { describe } from "../values/describe.ts";
import { type FinishReason, finishReasonOf } from "./finish-reason.ts";

/** A request to a model. */
export interface LLMRequest {
  messages: Message[];
  /** Purpose of the reply: the program of a turn, a summary, an answer of a chat, extracted facts or objects. */
  purpose: "turn" | "summary" | "answer" | "extraction";
  /** Number of the turn in its run, from 1. */
  turn?: number;
  signal?: AbortSignal;
  /** JSON Schema of the reply. */
  schema?: unknown;
  /** Tools that the model may call; in chats only. */
  tools?: { name: string; description?: string; schema: unknown }[];
}

/** A tool call that a model made. */
export interface ModelToolCall {
  id: string;
  name: string;
  args: unknown;
}

/** Tokens as the provider reports them. */
export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  /** Input tokens that were read from the provider's cache. */
  cachedTokens?: number;
}

/**
 * The reply of a model. `finishReason` is the provider's word in any spelling, such as `stop`, `max_tokens` or `SAFETY`;
 * {@link FinishReason} lists what is distinguished. A summary that was cut off, filtered or refused is not used.
 */
export type LLMReply =
  | string
  | { content: string; usage?: Usage; toolCalls?: ModelToolCall[]; finishReason?: string | null };

/** A piece of a streamed reply. */
export type LLMChunk =
  | string
  | { text?: string; toolCalls?: ModelToolCall[]; usage?: Usage; finishReason?: string | null };

/**
 * A model callback: takes a request and returns a reply, a promise of one, or a stream of pieces.
 *
 * @example
 * ```ts
 * const llm: LLM = async ({ messages, signal }) => {
 *   const { choices, usage } = await client.chat.completions.create({ model, messages }, { signal });
 *   return { content: choices[0]?.message.content ?? "", usage: { inputTokens: usage.prompt_tokens } };
 * };
 * ```
 */
export type LLM = (request: LLMRequest) => LLMReply | Promise<LLMReply> | AsyncIterable<LLMChunk>;

/** Retries of a model callback that throws or rejects. */
export interface Retry {
  /** Maximum number of calls; default 1. */
  attempts?: number;
  /** Milliseconds to wait before the next attempt; default 0. `attempt` is the number of the failed one, from 1. */
  delayMs?: (attempt: number, error: unknown) => number;
}

/**
 * A complete reply.
 *
 * @internal
 */
export interface Answer {
  content: string;
  usage: Usage;
  toolCalls: ModelToolCall[];
  /** Of a reply that names none: `tool-calls` if it has any, else `stop`. */
  finishReason: FinishReason;
}

/**
 * The settings of {@link Retry}, checked.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkRetry(retry: unknown): Retry {
  if (retry === undefined) return {};
  const given = reading("invalid_option", "retry", () =>
    checkMembers("the retry options", retry, ["attempts", "delayMs"]),
  );
  const { attempts, delayMs } = given;
  if (attempts !== undefined && !(Number.isSafeInteger(attempts) && (attempts as number) >= 1)) {
    throw new TurnfoldError("invalid_option", `attempts must be a whole number from 1 up, got ${describe(attempts)}`, {
      details: { option: "retry.attempts" },
    });
  }
  if (delayMs !== undefined && typeof delayMs !== "function") {
    throw new TurnfoldError("invalid_option", `delayMs must be a function, got ${describe(delayMs)}`, {
      details: { option: "retry.delayMs" },
      hint: "delayMs: (attempt) => 500 * 2 ** attempt",
    });
  }
  return given as Retry;
}

/**
 * Returns `llm` if it is a function.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkLLM(llm: unknown): LLM | undefined {
  if (llm === undefined || llm === null || typeof llm === "function") return (llm ?? undefined) as LLM | undefined;
  throw new TurnfoldError("invalid_option", `llm must be a function, got ${describe(llm)}`, {
    details: { option: "llm" },
    hint: "llm: async ({ messages, signal }) => text",
  });
}

/**
 * Returns `signal` if it is an AbortSignal.
 *
 * @throws {TurnfoldError} `invalid_option`
 *
 * @internal
 */
export function checkSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || isSignal(signal)) return signal as AbortSignal | undefined;
  throw invalidOption(
    "signal",
    "an AbortSignal",
    signal,
    "new AbortController().signal, or AbortSignal.timeout(10_000)",
  );
}

/** The members of a signal that are used; signals of other realms and polyfills have them too. */
function isSignal(signal: unknown): boolean {
  const { aborted, addEventListener, removeEventListener } = Object(signal) as Record<keyof AbortSignal, unknown>;
  return (
    typeof aborted === "boolean" && typeof addEventListener === "function" && typeof removeEventListener === "function"
  );
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
export async function askModel(
  llm: LLM,
  request: LLMRequest,
  { attempts = 1, delayMs }: Retry = {},
  onText: (text: string) => void = () => {},
  isFinal: () => boolean = () => false,
): Promise<Answer | null> {
  const { signal } = request;
  for (let attempt = 1; ; attempt++) {
    if (signal?.aborted) return null;
    try {
      const answer = await unlessAborted(answerOf(llm, request, onText), signal);
      return signal?.aborted ? null : answer;
    } catch (error) {
      if (signal?.aborted) return null;
      if (attempt >= attempts || isFinal()) {
        throw new TurnfoldError("llm_error", `the model could not be asked: ${messageOf(error)}`, {
          details: { attempts: attempt },
          hint: attempt > 1 ? null : "retry: { attempts: 3, delayMs: (attempt) => 500 * 2 ** attempt } asks again",
          cause: error,
        });
      }
      const delay = Math.min(delayBefore(delayMs, attempt, error), LONGEST_DELAY);
      if (delay > 0) await pause(delay, signal);
    }
  }
}

/** Waits until the time has passed or the signal aborts, and leaves no timer that keeps the process alive. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await unlessAborted(over, signal);
  clearTimeout(timer);
}

/** The longest delay of a timer; longer ones would fire at once. */
const LONGEST_DELAY = 2 ** 31 - 1;

function delayBefore(delayMs: Retry["delayMs"], attempt: number, error: unknown): number {
  try {
    return Number(delayMs?.(attempt, error) ?? 0);
  } catch (cause) {
    const problem = `${messageOf(error)}; and retry.delayMs threw: ${messageOf(cause)}`;
    throw new TurnfoldError("llm_error", `the model could not be asked: ${problem}`, {
      details: { attempts: attempt },
      cause,
    });
  }
}

async function answerOf(llm: LLM, request: LLMRequest, onText: (text: string) => void): Promise<Answer> {
  const given: unknown = await llm(request);
  if (typeof given === "string") return { content: given, usage: {}, toolCalls: [], finishReason: "stop" };
  const chunks = iterable(given);
  if (chunks !== null) return collect(chunks, request.signal, onText);
  if (typeof given !== "object" || given === null || !("content" in given || "toolCalls" in given)) {
    throw unusable(given);
  }
  const { content, usage, toolCalls, finishReason } = given as Record<keyof Exclude<LLMReply, string>, unknown>;
  // A reply that only calls tools has null content.
  if (content !== undefined && content !== null && typeof content !== "string") throw unusable(content);
  const calls = callsOf(toolCalls);
  return {
    content: content ?? "",
    usage: usageOf(usage),
    toolCalls: calls,
    finishReason: finishReasonOf(finishReason, calls.length > 0),
  };
}

async function collect(
  chunks: AsyncIterable<unknown>,
  signal: AbortSignal | undefined,
  onText: (text: string) => void,
): Promise<Answer> {
  const answer: Answer = { content: "", usage: {}, toolCalls: [], finishReason: "stop" };
  const iterator = chunks[Symbol.asyncIterator]();
  // A stream that is idle has to be ended by the signal.
  const leave = async () => {
    try {
      await iterator.return?.();
    } catch {
      // The result is no longer needed.
    }
  };
  signal?.addEventListener("abort", leave, { once: true });
  try {
    await readInto(answer, { [Symbol.asyncIterator]: () => iterator }, signal, onText);
  } finally {
    signal?.removeEventListener("abort", leave);
  }
  return answer;
}

async function readInto(
  answer: Answer,
  chunks: AsyncIterable<unknown>,
  signal: AbortSignal | undefined,
  onText: (text: string) => void,
): Promise<void> {
  let reason: unknown;
  for await (const chunk of chunks) {
    // Leaving the loop closes the host's stream.
    if (signal?.aborted) break;
    if (typeof chunk !== "string" && (typeof chunk !== "object" || chunk === null)) throw unusable(chunk);
    const { text, usage, toolCalls, finishReason } = (typeof chunk === "string" ? { text: chunk } : chunk) as Partial<
      Record<keyof Exclude<LLMChunk, string>, unknown>
    >;
    if (text !== undefined && typeof text !== "string") throw unusable(text);
    if (text !== undefined && text !== "") {
      answer.content += text;
      onText(text);
    }
    answer.toolCalls.push(...callsOf(toolCalls));
    Object.assign(answer.usage, usageOf(usage));
    // Chunks before the last one may have a null reason.
    if (typeof finishReason === "string" && finishReason !== "") reason = finishReason;
  }
  answer.finishReason = finishReasonOf(reason, answer.toolCalls.length > 0);
}

/** An async iterable of the chunks; streams are not iterable by themselves in Safari. */
function iterable(given: unknown): AsyncIterable<unknown> | null {
  if (typeof given !== "object" || given === null) return null;
  if (typeof (given as Partial<ReadableStream>).getReader === "function") return chunksOf(given as ReadableStream);
  return Symbol.asyncIterator in given ? (given as AsyncIterable<unknown>) : null;
}

/** The chunks of a stream. Unlike the stream's own iterator, this one can be closed while it waits for a chunk. */
function chunksOf(stream: ReadableStream): AsyncIterable<unknown> {
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

const COUNTS = ["inputTokens", "outputTokens", "cachedTokens"] as const;

/** The counts that are numbers; other members of a provider's usage are ignored. */
function usageOf(given: unknown): Usage {
  const usage: Usage = {};
  if (typeof given !== "object" || given === null) return usage;
  for (const name of COUNTS) {
    const count = (given as Usage)[name];
    if (Number.isFinite(count) && (count as number) >= 0) usage[name] = count as number;
  }
  return usage;
}

/**
 * Adds the usage of another reply.
 *
 * @internal
 */
export function addUsage(total: Usage, more: Usage): void {
  for (const name of COUNTS) {
    const count = more[name];
    if (count !== undefined) total[name] = (total[name] ?? 0) + count;
  }
}

function callsOf(given: unknown): ModelToolCall[] {
  if (given === undefined || given === null) return [];
  if (Array.isArray(given)) {
    const calls = given as Partial<ModelToolCall>[];
    if (calls.every((call) => typeof call?.id === "string" && typeof call.name === "string")) {
      return calls.map(({ id, name, args }) => ({ id, name, args }) as ModelToolCall);
    }
  }
  throw new TurnfoldError("invalid_reply", `toolCalls must be a list of { id, name, args }, got ${describe(given)}`);
}

function unusable(given: unknown): TurnfoldError {
  return new TurnfoldError("invalid_reply", `a model gives a text, got ${describe(given)}`, {
    hint: "give a string, { content, usage }, or an async iterable of texts",
  });
}
