// Streams of an agent of LangChain, and summaries that fail.

import type { BaseMessage } from "@langchain/core/messages";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { createAgent, createMiddleware, tool } from "langchain";
import { langchain, turnfoldMiddleware } from "turnfold/adapters/langchain";
import { type HistoryReport, lastNMessages, type RequestParameters, TurnfoldError } from "turnfold/chat";
import { z } from "zod";
import { ScriptedModel, says } from "./scripted-model.js";

const show = (name: string, value: unknown) => console.log(JSON.stringify([name, value]));
const past = (count: number): BaseMessage[] =>
  Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? new HumanMessage(`Question ${index}`) : new AIMessage(`Answer ${index}`),
  );
const summaryRequest = (messages: BaseMessage[]) => messages[0]?.type === "system" && messages.length === 2;
const compressed: RequestParameters = { compressionStrategy: lastNMessages(4) };
const failing = () => {
  throw new Error("the summarizer is down");
};

// The agent's own model writes the summary, whose tokens are not in the stream of messages.
const model = new ScriptedModel((messages) =>
  summaryRequest(messages) ? says("They ", "talked.") : says("You are", " welcome."),
);
const agent = createAgent({ model, middleware: [turnfoldMiddleware(compressed)] });
const pieces: string[] = [];
for await (const [message] of await agent.stream(
  { messages: [...past(12), new HumanMessage("Thanks.")] },
  { streamMode: "messages" },
)) {
  pieces.push(message.text);
}
show("pieces", pieces);
show(
  "asked",
  model.asked.map(({ messages }) => messages.map(({ type, text }) => `${type}: ${text.split("\n").at(-1)}`)),
);

// The state after a failed summary.
const saver = new MemorySaver();
const config = { configurable: { thread_id: "one" } };
const broken = createAgent({
  model: new ScriptedModel(() => says("never")),
  checkpointer: saver,
  middleware: [turnfoldMiddleware({ ...compressed, llm: failing, persist: true })],
});
try {
  await broken.invoke({ messages: [...past(12), new HumanMessage("Thanks.")] }, config);
} catch (error) {
  const { cause, message } = error as { cause: unknown; message: string };
  show("failed", [TurnfoldError.isInstance(cause) ? cause.code : null, message]);
}
const { values } = await broken.graph.getState(config);
show("state after it", values.messages.length);

for (const limits of [{}, { maxHistorySize: 7 }]) {
  const warnings: string[] = [];
  const reports: HistoryReport[] = [];
  const trimming = new ScriptedModel(() => says("Fine."));
  const careful = createAgent({
    model: trimming,
    middleware: [
      turnfoldMiddleware({
        ...compressed,
        ...limits,
        llm: failing,
        persist: true,
        onSummaryError: "trim",
        onWarning: (text) => warnings.push(text),
        onReport: (report) => reports.push(report),
      }),
    ],
  });
  const { messages } = await careful.invoke({ messages: [...past(12), new HumanMessage("Thanks.")] });
  show("trimmed", [messages.length, trimming.asked[0]?.messages.length, warnings.length, reports[0]?.outcome]);
}

// Messages that another middleware adds to the request do not enter the state.
const adding = createMiddleware({
  name: "Adding",
  wrapModelCall: (request, handler) =>
    handler({ ...request, messages: [new HumanMessage("It is Monday."), ...request.messages] }),
});
const answers = () =>
  new ScriptedModel((messages) => (summaryRequest(messages) ? says("They talked.") : says("Fine.")));
for (const [name, order] of [
  ["outside", (own: ReturnType<typeof turnfoldMiddleware>) => [adding, own] as const],
  ["inside", (own: ReturnType<typeof turnfoldMiddleware>) => [own, adding] as const],
] as const) {
  const scripted = answers();
  const both = createAgent({
    model: scripted,
    middleware: order(turnfoldMiddleware({ ...compressed, persist: true })),
  });
  const { messages } = await both.invoke({ messages: [...past(12), new HumanMessage("Thanks.")] });
  const texts = messages.map(({ text }) => text);
  show(name, [messages.length, texts.includes("It is Monday."), scripted.asked.at(-1)?.messages.length]);
}

// System prompt, tools and schema count towards the limits.
const counts: number[] = [];
const onReport = ({ tokens }: HistoryReport) => {
  counts.push(tokens.before);
};
const note = tool(() => "noted", {
  name: "note",
  description: "Takes a note",
  schema: z.object({ text: z.string().describe("What is to be remembered") }),
});
const question = { messages: [new HumanMessage("Hello")] };
const counted = { model: new ScriptedModel(() => says("Hi.")), middleware: [turnfoldMiddleware({ onReport })] };
await createAgent({ ...counted }).invoke(question);
await createAgent({ ...counted, systemPrompt: "You help customers of a lamp shop." }).invoke(question);
await createAgent({ ...counted, tools: [note] }).invoke(question);
await createAgent({
  ...counted,
  tools: [note],
  systemPrompt: new SystemMessage("You help customers of a lamp shop."),
}).invoke(question);
show("counts", counts);

// The middleware does not change the type of the agent's state.
const state: BaseMessage[] = (await agent.invoke(question)).messages;
const conversation = langchain.from(state);
const made: BaseMessage[] = langchain.to(conversation, {
  classes: { HumanMessage, AIMessage, SystemMessage, ToolMessage },
});
const replied = await model.invoke(langchain.to(conversation));
const again = await agent.invoke({ messages: langchain.to(conversation) });
show("types", [made.length, replied.text, again.messages.length]);

// An aborted run requests no summary.
const controller = new AbortController();
let summaries = 0;
const aborting = createAgent({
  model: answers(),
  middleware: [
    turnfoldMiddleware({
      ...compressed,
      llm: async ({ signal }) => {
        summaries++;
        controller.abort();
        await new Promise((resolve) => setTimeout(resolve, 5));
        return signal?.aborted ? "" : "not aborted";
      },
    }),
  ],
});
try {
  await aborting.invoke({ messages: [...past(12), new HumanMessage("Thanks.")] }, { signal: controller.signal });
  show("aborted", "no error");
} catch (error) {
  show("aborted", [(error as Error).name, summaries]);
}
