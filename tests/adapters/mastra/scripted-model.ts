// A language model of the AI SDK that replies by a function, and records what it was asked.

import { MockLanguageModelV3 } from "ai/test";

type Stream = Awaited<ReturnType<MockLanguageModelV3["doStream"]>>["stream"];
type Part = Stream extends ReadableStream<infer Each> ? Each : never;
export type Prompt = MockLanguageModelV3["doStreamCalls"][number]["prompt"];
type Options = MockLanguageModelV3["doStreamCalls"][number];

/** What the model says: a text, or a call of a tool. */
export type Reply = string | { id: string; name: string; input: object };

export class ScriptedModel extends MockLanguageModelV3 {
  constructor(reply: (prompt: Prompt, options: Options) => Reply | Promise<Reply>) {
    super({
      modelId: "scripted",
      doStream: async (options) => {
        const parts = partsOf(await reply(options.prompt, options));
        const stream: Stream = new ReadableStream<Part>({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        });
        return { stream };
      },
      doGenerate: async (options) => {
        const given = await reply(options.prompt, options);
        const finish = partsOf(given).at(-1);
        if (finish?.type !== "finish") throw new Error("a reply ends with its reason");
        const { usage, finishReason } = finish;
        return { content: [contentOf(given)], usage, finishReason, warnings: [] };
      },
    });
  }
}

function contentOf(reply: Reply) {
  if (typeof reply === "string") return { type: "text" as const, text: reply };
  return {
    type: "tool-call" as const,
    toolCallId: reply.id,
    toolName: reply.name,
    input: JSON.stringify(reply.input),
  };
}

function partsOf(reply: Reply): Part[] {
  const usage = {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 5, text: 5, reasoning: 0 },
  };
  const start: Part = { type: "stream-start", warnings: [] };
  if (typeof reply !== "string") {
    return [
      start,
      contentOf(reply) as Part,
      { type: "finish", usage, finishReason: { unified: "tool-calls", raw: "tool_calls" } },
    ];
  }
  const half = Math.ceil(reply.length / 2);
  return [
    start,
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: reply.slice(0, half) },
    { type: "text-delta", id: "t", delta: reply.slice(half) },
    { type: "text-end", id: "t" },
    { type: "finish", usage, finishReason: { unified: "stop", raw: "stop" } },
  ];
}

/** The texts of a message of a prompt, and of the results in it. */
export function textOf(message: Prompt[number] | undefined): string {
  if (message === undefined) return "";
  if (typeof message.content === "string") return message.content;
  return message.content
    .map((part) => {
      if (part.type === "text") return part.text;
      if (part.type !== "tool-result") return "";
      return "value" in part.output ? String(JSON.stringify(part.output.value)) : "";
    })
    .join("");
}
