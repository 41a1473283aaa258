// Names that the programs of the page on the AI SDK use without declaring them: a model, pages of a manual, messages of a chat.

import { type ModelMessage, tool, type UIMessage } from "ai";
import { z } from "zod";
import { languageModel, type Reply, type Request } from "../language-model.ts";

/** Pages of a manual; the last one names the owner. */
export const pages = Array.from({ length: 13 }, (_, number) =>
  number === 12
    ? "The lamp belongs to Ada."
    : `Page ${number}. ${"Turn the screw to the left until the shade is loose, then lift it carefully. ".repeat(12)}`,
);

/** Reads the pages one by one if there is a tool for it; writes summaries; answers with an object if the request has a schema. */
function answer({ prompt, tools, responseFormat }: Request): Reply | string {
  const text = JSON.stringify(prompt);
  const read = (text.match(/Page \d+\. /g) ?? []).length;
  const last = prompt.at(-1);
  if (text.includes("You write the memory")) return "The pages say how to take off the shade.";
  if (text.includes("belongs to Ada")) return "Ada owns the lamp.";
  if (tools?.some(({ name }) => name === "run_program")) return programming(prompt);
  if (tools?.some(({ name }) => name === "read")) {
    const page = last?.role === "tool" ? Number(/Page (\d+)\./.exec(JSON.stringify(last))?.[1] ?? read) + 1 : 1;
    return { calls: [[`c${page}`, "read", { page }]] };
  }
  if (responseFormat?.type === "json") return '{"owner":"Ada"}';
  return `You sent ${prompt.length} messages.`;
}

const BROKEN = "(def broken (filter :broken (tool/orders {:year 2026})))";
const REFUND =
  "(pmap (fn [o] (tool/refund (select-keys o [:order :euros]))) (filter :broken (tool/orders {:year 2026})))";

/** Writes a program for the question, and says what its last line was. */
function programming(prompt: Request["prompt"]): Reply {
  const last = prompt.at(-1);
  if (last?.role !== "tool") {
    const program = JSON.stringify(last).includes("Refund") ? REFUND : `${BROKEN}\n(sum-by :euros broken)`;
    return { calls: [[`call_${prompt.length}`, "run_program", { program }]] };
  }
  const [part] = last.content;
  const output = part?.type === "tool-result" && part.output.type === "text" ? part.output.value : "nothing";
  return { text: `It is done: ${output.split("\n").at(-1)}` };
}

/** Tools of a shop. */
export const shop = {
  orders: tool({
    description: "Lists the orders of a year",
    inputSchema: z.object({ year: z.number() }),
    execute: async () => [20, 900, 30, 45].map((euros, index) => ({ order: 17 + index, euros, broken: index < 2 })),
  }),
  refund: tool({
    description: "Refunds an order",
    inputSchema: z.object({ order: z.number(), euros: z.number() }),
    needsApproval: ({ euros }) => euros > 50,
    execute: async ({ order }) => `refunded ${order}`,
  }),
};

/** Any language model, such as `anthropic("…")` of a provider's package. */
export const { model } = languageModel(answer);

const said = (number: number): [string, string] => [`Question ${number} about the lamp?`, `Answer ${number}.`];

/** A chat of twelve questions with their answers. */
export const history: ModelMessage[] = Array.from({ length: 12 }, (_, number): ModelMessage[] => {
  const [question, reply] = said(number + 1);
  return [
    { role: "user", content: question },
    { role: "assistant", content: reply },
  ];
}).flat();

/** The same chat as UI messages, with a new question. */
export const uiMessages: UIMessage[] = [...history, { role: "user", content: "Who owns it?" } as const].map(
  ({ role, content }, index) => ({
    id: String(index),
    role: role as "user" | "assistant",
    parts: [{ type: "text", text: String(content) }],
  }),
);

/** A key-value store of texts, such as Redis. */
const texts = new Map<string, string>();
export const redis = {
  get: async (key: string) => texts.get(key) ?? null,
  set: async (key: string, text: string) => {
    texts.set(key, text);
  },
};
