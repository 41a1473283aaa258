// What the page on the AI SDK takes for given: a language model, the pages of a manual, the messages of a chat.

import { type ModelMessage, simulateReadableStream, type UIMessage } from "ai";
import { MockLanguageModelV3 } from "ai/test";

type Request = Parameters<MockLanguageModelV3["doGenerate"]>[0];
type Result = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;
type Chunk =
  Awaited<ReturnType<MockLanguageModelV3["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;

const usage: Result["usage"] = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** Pages of a manual; the last one names the owner. */
export const pages = Array.from({ length: 13 }, (_, number) =>
  number === 12
    ? "The lamp belongs to Ada."
    : `Page ${number}. ${"Turn the screw to the left until the shade is loose, then lift it carefully. ".repeat(12)}`,
);

/** Reads the pages one by one when there is a tool for it; writes summaries; answers in an object where one is asked for. */
function answer({ prompt, tools, responseFormat }: Request): Result["content"] {
  const text = JSON.stringify(prompt);
  const read = (text.match(/Page \d+\. /g) ?? []).length;
  const last = prompt.at(-1);
  if (text.includes("You write the memory"))
    return [{ type: "text", text: "The pages say how to take off the shade." }];
  if (text.includes("belongs to Ada")) return [{ type: "text", text: "Ada owns the lamp." }];
  if (tools?.some(({ name }) => name === "read")) {
    const page = last?.role === "tool" ? Number(/Page (\d+)\./.exec(JSON.stringify(last))?.[1] ?? read) + 1 : 1;
    return [{ type: "tool-call", toolCallId: `c${page}`, toolName: "read", input: JSON.stringify({ page }) }];
  }
  if (responseFormat?.type === "json") return [{ type: "text", text: '{"owner":"Ada"}' }];
  return [{ type: "text", text: `You sent ${prompt.length} messages.` }];
}

async function reply(request: Request): Promise<Result> {
  const content = answer(request);
  const unified = content[0]?.type === "tool-call" ? "tool-calls" : "stop";
  return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
}

function chunksOf({ content, finishReason }: Result): Chunk[] {
  const said = content.flatMap((part): Chunk[] => {
    if (part.type === "tool-call") return [part];
    if (part.type !== "text") return [];
    return [
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: part.text },
      { type: "text-end", id: "1" },
    ];
  });
  return [{ type: "stream-start", warnings: [] }, ...said, { type: "finish", finishReason, usage }];
}

/** Any language model, such as `anthropic("…")` of a provider's package. */
export const model = new MockLanguageModelV3({
  doGenerate: reply,
  doStream: async (request) => ({
    stream: simulateReadableStream({
      chunks: chunksOf(await reply(request)),
      initialDelayInMs: null,
      chunkDelayInMs: null,
    }),
  }),
});

const said = (number: number): [string, string] => [`Question ${number} about the lamp?`, `Answer ${number}.`];

/** A chat of twelve questions with their answers. */
export const history: ModelMessage[] = Array.from({ length: 12 }, (_, number): ModelMessage[] => {
  const [question, reply] = said(number + 1);
  return [
    { role: "user", content: question },
    { role: "assistant", content: reply },
  ];
}).flat();

/** The same chat in a page, with a new question. */
export const uiMessages: UIMessage[] = [...history, { role: "user", content: "Who owns it?" } as const].map(
  ({ role, content }, index) => ({
    id: String(index),
    role: role as "user" | "assistant",
    parts: [{ type: "text", text: String(content) }],
  }),
);

/** A store of texts by keys, such as Redis. */
const texts = new Map<string, string>();
export const redis = {
  get: async (key: string) => texts.get(key) ?? null,
  set: async (key: string, text: string) => {
    texts.set(key, text);
  },
};
