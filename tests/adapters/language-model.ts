// An AI SDK language model that computes its replies with a function and records its requests.

import { MockLanguageModelV3 } from "ai/test";

export type Request = Parameters<MockLanguageModelV3["doGenerate"]>[0];
export type Prompt = Request["prompt"];
type Result = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;
type Stream = Awaited<ReturnType<MockLanguageModelV3["doStream"]>>["stream"];
type Chunk = Stream extends ReadableStream<infer Part> ? Part : never;

/** A reply: reasoning, then text, then tool calls. */
export interface Reply {
  text?: string;
  reasoning?: string;
  /** Tool calls: id, name, input. */
  calls?: [string, string, object][];
}

const usage: Result["usage"] = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

/** @param reply may return a text in place of a reply with only that text. */
export function languageModel(reply: (request: Request) => Reply | string | Promise<Reply>) {
  const requests: Request[] = [];
  const answer = async (request: Request): Promise<Result> => {
    requests.push(request);
    const given = await reply(request);
    return resultOf(typeof given === "string" ? { text: given } : given);
  };
  const model = new MockLanguageModelV3({
    modelId: "scripted",
    doGenerate: answer,
    doStream: async (request) => ({ stream: streamOf(chunksOf(await answer(request))) }),
  });
  return { model, requests };
}

function resultOf({ text, reasoning, calls = [] }: Reply): Result {
  const unified = calls.length > 0 ? "tool-calls" : "stop";
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
    finishReason: { unified, raw: unified },
    usage,
    warnings: [],
  };
}

function streamOf(chunks: Chunk[]): Stream {
  return new ReadableStream<Chunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
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

/** The texts of a message of a prompt or of a call, and of the results in it. */
export function textOf(message: { content: unknown } | undefined): string {
  const { content = "" } = message ?? {};
  if (typeof content === "string") return content;
  return (content as { text?: string; output?: { value?: unknown } }[])
    .map(({ text, output }) => text ?? (output?.value === undefined ? "" : JSON.stringify(output.value)))
    .join("");
}
