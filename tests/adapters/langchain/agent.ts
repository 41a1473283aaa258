// An agent of LangChain whose history is managed: only its requests, or its state too.

import { MemorySaver } from "@langchain/langgraph";
import { createAgent, tool } from "langchain";
import { turnfoldMiddleware } from "turnfold/adapters/langchain";
import { type HistoryReport, lastNMessages, SummaryStore } from "turnfold/chat";
import { z } from "zod";
import { nextOrder, orderText } from "../orders.js";
import { calls, ScriptedModel, says } from "./scripted-model.js";

const lookup = tool(({ order }) => orderText(order), {
  name: "lookup",
  description: "Looks an order up",
  schema: z.object({ order: z.number() }),
});

for (const persist of [false, true]) {
  let summaries = 0;
  const model = new ScriptedModel((messages) => {
    const last = messages.at(-1);
    const results = messages.filter((message) => message.type === "tool");
    const text = last?.text ?? "";
    if (last?.type === "human" && !text.startsWith("Where")) return says("You are", " welcome.");
    const order = nextOrder(text);
    if (order !== null) return calls(`call_${order}`, "lookup", { order });
    return says(`All are in Leipzig; I saw ${results.length} results.`);
  });
  const reports: HistoryReport[] = [];
  const agent = createAgent({
    model,
    tools: [lookup],
    systemPrompt: "You help customers of a lamp shop.",
    checkpointer: new MemorySaver(),
    middleware: [
      turnfoldMiddleware({
        compressionStrategy: lastNMessages(4),
        maxTokens: 1500,
        minMessages: 0,
        persist,
        summaryStore: new SummaryStore(),
        llm: async ({ purpose }) => {
          summaries++;
          return `${purpose} ${summaries}: the orders were looked up.`;
        },
        onReport: (report) => reports.push(report),
      }),
    ],
  });
  const config = { configurable: { thread_id: "one" }, recursionLimit: 100 };
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: "Where are my orders?" }] }, config);
  const { values } = await agent.graph.getState(config);
  const next = await agent.invoke({ messages: [{ role: "user", content: "Thanks." }] }, config);
  const state = next.messages.map((message) => message.type);
  console.log(
    JSON.stringify({
      persist,
      answer: messages.at(-1)?.text,
      asked: model.asked.length,
      summaries,
      applied: reports.filter(({ outcome }) => outcome === "applied").length,
      max: Math.max(...reports.map(({ tokens }) => tokens.after)),
      counted: reports[0]?.tokens.before,
      inState: values.messages.length,
      classes: [...new Set(model.asked.flatMap((asked) => asked.messages.map((message) => message.constructor.name)))],
      firstTypes: model.asked.at(-1)?.messages.map(({ type }) => type),
      systems: model.asked.map((asked) => asked.messages.filter(({ type }) => type === "system").length),
      last: next.messages.at(-1)?.text,
      state: state.length,
      summary: next.messages.find(({ additional_kwargs }) => additional_kwargs.lc_source === "summarization"),
      paired: model.asked.every(({ messages }) => isPaired(messages)),
    }),
  );
}

function isPaired(messages: { type: string; tool_calls?: { id?: string }[]; tool_call_id?: string }[]) {
  const called = messages.flatMap(({ tool_calls }) => (tool_calls ?? []).map(({ id }) => id));
  const answered = messages.flatMap(({ tool_call_id }) => (tool_call_id === undefined ? [] : [tool_call_id]));
  return JSON.stringify(called) === JSON.stringify(answered);
}
