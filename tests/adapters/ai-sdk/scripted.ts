// A language model with scripted replies, which keeps the requests that it got.

import { type ModelMessage, simulateReadableStream } from "ai";
import { MockLanguageModelV3 } from "ai/test";

export type Request = Parameters<MockLanguageModelV3["doGenerate"]>[0];
type Result = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;
type Chunk =
  Awaited<ReturnType<MockLanguageModelV3["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;

export interface Reply {
  text?: string;
  reasoning?: string;
  /** Calls of tools: id, name, input. */
  calls?: [string, string, object][];
  /** Settles before the reply begins. */
  until?: Promise<unknown>;
  error?: Error;
}

const usage: Result["usage"] = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** The text of a message of a prompt or of a call. */
export function textOf({ content }: { content: unknown }): string {
  if (typeof content === "string") return content;
  return (content as { text?: string }[]).map(({ text = "" }) => text).join("");
}

export const rolesOf = ({ prompt }: Request) => prompt.map(({ role }) => role).join(" ");

const isSummary = ({ prompt }: Request) =>
  prompt.some((message) => /^(?:You write the memory|Now step out of the conversation)/.test(textOf(message)));

/** @param reply is given the number of the request, from 0; requests for summaries are counted apart. */
export function scripted(
  reply: (request: Request, number: number) => Reply,
  summary: (request: Request, number: number) => Reply = (_, number) => ({ text: `Summary ${number + 1}.` }),
) {
  const requests: Request[] = [];
  const summaries: Request[] = [];
  const answer = async (request: Request): Promise<Result> => {
    const isAside = isSummary(request);
    const list = isAside ? summaries : requests;
    list.push(request);
    const { text, reasoning, calls = [], until, error } = (isAside ? summary : reply)(request, list.length - 1);
    await Promise.race([until, aborted(request.abortSignal)]);
    if (error !== undefined) throw error;
    return {
      content: [
        ...(reasoning === undefined ? [] : [{ type: "reasoning" as const, text: reasoning }]),
        ...(text === undefined ? [] : [{ type: "text" as const, text }]),
        ...calls.map(([toolCallId, toolName, input]) => ({
          type: "tool-call" as const,
          toolCallId,
          toolName,
          input: JSON.stringify(input),
        })),
      ],
      finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined },
      usage,
      warnings: [],
    };
  };
  const model = new MockLanguageModelV3({
    doGenerate: answer,
    doStream: async (request) => ({
      stream: simulateReadableStream<Chunk>({
        chunks: chunksOf(await answer(request)),
        initialDelayInMs: null,
        chunkDelayInMs: null,
      }),
    }),
  });
  return { model, requests, summaries };
}

function aborted(signal: AbortSignal | undefined): Promise<never> | undefined {
  if (signal === undefined) return undefined;
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function chunksOf({ content, finishReason }: Result): Chunk[] {
  const chunks: Chunk[] = [{ type: "stream-start", warnings: [] }];
  for (const [index, part] of content.entries()) {
    const id = String(index);
    if (part.type === "text") {
      chunks.push({ type: "text-start", id }, { type: "text-delta", id, delta: part.text }, { type: "text-end", id });
    } else if (part.type === "reasoning") {
      chunks.push({ type: "reasoning-start", id }, { type: "reasoning-delta", id, delta: part.text });
      chunks.push({ type: "reasoning-end", id });
    } else if (part.type === "tool-call") {
      chunks.push(part);
    }
  }
  return [...chunks, { type: "finish", finishReason, usage }];
}

/** A chat with so many questions and answers, and a last question. */
export function chat(count: number): ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (let number = 1; number <= count; number++) {
    messages.push({ role: "user", content: `Question ${number}: what about lamp number ${number} in the big hall?` });
    messages.push({
      role: "assistant",
      content: `Answer ${number}: that lamp costs ${number * 3} euros at the moment.`,
    });
  }
  return [...messages, { role: "user", content: "And now?" }];
}

/** The ids of the calls and of the results in a prompt. */
export function pairsIn({ prompt }: Request): { calls: string[]; results: string[] } {
  const [calls, results]: [string[], string[]] = [[], []];
  for (const { content } of prompt) {
    if (typeof content === "string") continue;
    for (const part of content) {
      if (part.type === "tool-call") calls.push(part.toolCallId);
      if (part.type === "tool-result") results.push(part.toolCallId);
    }
  }
  return { calls, results };
}
