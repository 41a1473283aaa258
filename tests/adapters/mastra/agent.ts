// An agent of Mastra with memory, whose requests are managed.

import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { MockMemory } from "@mastra/core/memory";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { turnfoldProcessor } from "turnfold/adapters/mastra";
import { type HistoryReport, lastNMessages } from "turnfold/chat";
import { z } from "zod";
import { languageModel, textOf } from "../language-model.js";
import { nextOrder, orderText } from "../orders.js";

const lookup = createTool({
  id: "lookup",
  description: "Looks an order up",
  inputSchema: z.object({ order: z.number() }),
  execute: async ({ order }) => ({ text: orderText(order) }),
});

let summaries = 0;
const { model, requests } = languageModel(({ prompt }) => {
  const last = prompt.at(-1);
  if (last?.role === "user" && !textOf(last).startsWith("Where")) return "You are welcome.";
  const order = nextOrder(textOf(last));
  if (order !== null) return { calls: [[`call_${order}`, "lookup", { order }]] };
  return `All are in Leipzig; I saw ${prompt.filter(({ role }) => role === "tool").length} results.`;
});
const reports: HistoryReport[] = [];
const storage = new InMemoryStore();
const memory = new MockMemory({ storage });
const agent = new Agent({
  id: "support",
  name: "Support",
  instructions: "You help customers of a lamp shop.",
  model,
  tools: { lookup },
  memory,
  inputProcessors: [
    turnfoldProcessor({
      compressionStrategy: lastNMessages(4),
      maxTokens: 1500,
      minMessages: 0,
      llm: async ({ purpose }) => {
        summaries++;
        return `${purpose} ${summaries}: the orders were looked up.`;
      },
      onReport: (report) => reports.push(report),
    }),
  ],
});
new Mastra({ agents: { agent }, storage, logger: false });

const thread = { memory: { thread: "one", resource: "user" }, maxSteps: 50 };
const answer = await agent.generate("Where are my orders?", thread);
const streamed = await agent.stream("Thanks.", thread);
let text = "";
for await (const piece of streamed.textStream) text += piece;
const { messages } = await memory.recall({ threadId: "one" });
console.log(
  JSON.stringify({
    answer: answer.text,
    text,
    asked: requests.length,
    summaries,
    outcomes: reports.map(({ outcome }) => outcome),
    max: Math.max(...reports.map(({ tokens }) => tokens.after)),
    counted: reports[0]?.tokens.before,
    roles: requests.at(-1)?.prompt.map(({ role }) => role),
    first: requests.at(-2)?.prompt.slice(0, 3),
    stored: messages.map(({ role, content }) => [role, content.parts.map(({ type }) => type)]),
  }),
);
