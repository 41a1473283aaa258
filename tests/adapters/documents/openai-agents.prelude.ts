// What the programs of the page on OpenAI's Agents SDK need: a key in the environment, and a local server in place of the provider.

import { after } from "node:test";
import { setTracingDisabled, tool } from "@openai/agents";
import { z } from "zod";
import { modelServer } from "../../js/model-server.mjs";

interface Asked {
  input: { role?: string; type?: string; content?: unknown; output?: string; call_id?: string }[];
  instructions?: string;
  tools?: { name?: string }[];
}

const textIn = (content: unknown): string =>
  typeof content === "string" ? content : (content as { text?: string }[]).map(({ text = "" }) => text).join("");

/** Writes a program, and says what its last line was. */
function programming(input: Asked["input"]) {
  const last = input.at(-1);
  if (last?.type === "function_call_output") return { text: String(last.output).split("\n").at(-1) };
  const program = "(def seen (pmap #(tool/lookup {:order %}) [17 18]))\n(pmap #(tool/refund {:order %}) [17 18])";
  return { calls: [["call_1", "run_program", { program }]] };
}

/** Refunds an order; asks for an approval if it is expensive. */
export const refund = tool({
  name: "refund",
  description: "Refunds an order",
  parameters: z.object({ order: z.number() }),
  needsApproval: async (_, { order }) => order === 18,
  execute: ({ order }) => `${order} is refunded`,
});

/** A model that looks up the order of the question, repeats the tool's result, and writes summaries. */
const server = await modelServer(({ input, tools = [] }: Asked) => {
  if (tools.some(({ name }) => name === "run_program")) return programming(input);
  const [first] = input;
  const last = input.at(-1);
  const isSummary = textIn(first?.content ?? "").startsWith("You write the memory");
  if (isSummary) return { text: "The customer asked where orders are; all were sent to Leipzig." };
  if (last?.type === "function_call_output") return { text: String(last.output) };
  const [order] = /\d+/.exec(textIn(last?.content ?? "")) ?? [];
  if (order === undefined || tools.length === 0) return { text: "You are welcome." };
  return { calls: [[`call_${order}`, "lookup", { order: Number(order) }]] };
});
const { fetch } = globalThis;

/** Sends requests for the provider to the local server. */
globalThis.fetch = (url, init) => {
  const { pathname } = new URL(url instanceof Request ? url.url : url);
  return fetch(`${server.origin}${pathname}`, init);
};
Object.assign(process.env, { OPENAI_API_KEY: "key" });
setTracingDisabled(true);

/** The function of the agent's tool. */
export const findOrder = async (order: number): Promise<string> => `Order ${order} was sent to Leipzig.`;

after(async () => {
  globalThis.fetch = fetch;
  await server.close();
});
