// Calls of a LangChain chat model through turnfold's model callback.

import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import type { initChatModel } from "langchain";
import { langchainModel } from "turnfold/adapters/langchain";
import { Agent, type LLM, type LLMChunk, type LLMReply } from "turnfold/chat";
import { calls, ScriptedModel, says } from "./scripted-model.js";

const show = (name: string, value: unknown) => console.log(JSON.stringify([name, value]));
const failing = async (name: string, act: () => unknown) => {
  try {
    await act();
    show(name, "no error");
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    show(name, [code, message]);
  }
};
const question = { messages: [{ role: "user" as const, content: "Hello" }], purpose: "answer" as const };

async function chunksOf(llm: LLM, request: Parameters<LLM>[0]): Promise<LLMChunk[]> {
  const chunks: LLMChunk[] = [];
  for await (const chunk of llm(request) as AsyncIterable<LLMChunk>) chunks.push(chunk);
  return chunks;
}

// Text, usage with cached tokens, finish reason and model.
const usage = {
  input_tokens: 10,
  output_tokens: 2,
  total_tokens: 12,
  input_token_details: { cache_read: 4, cache_creation: 3 },
};
const said = new ScriptedModel(() => [
  ...says("Hel", "lo."),
  Object.assign(
    new AIMessageChunk({
      content: [{ type: "text", text: " Bye." }],
      response_metadata: { finish_reason: "length", model_name: "some-model" },
    }),
    { usage_metadata: usage },
  ),
]);
show("streamed", await chunksOf(langchainModel(said), question));
let tagged: string[] | undefined;
const callbacks = [
  {
    handleChatModelStart(_: unknown, __: unknown, ___: string, ____?: string, _____?: unknown, tags?: string[]) {
      tagged = tags;
    },
  },
];
show("whole", await langchainModel(said, { stream: false, tags: ["mine"], callbacks })(question));
show("tags", tagged);
show(
  "messages",
  said.asked[0]?.messages.map((message) => [message.constructor.name, message.content]),
);

// Calls, including those with invalid JSON as arguments.
const tools = [{ name: "add", description: "Adds", schema: { type: "object" as const, properties: {} } }];
const calling = new ScriptedModel(() => calls("c1", "add", { a: 40, b: 2 }));
show("calls", await chunksOf(langchainModel(calling), { ...question, tools }));
show("tools", calling.asked[0]?.options.tools);
await chunksOf(langchainModel(calling), { ...question, tools, toolChoice: "none" });
show(
  "choices",
  calling.asked.map(({ options }) => options.tool_choice ?? null),
);
const broken = new ScriptedModel(() => [
  new AIMessageChunk({
    content: "",
    tool_call_chunks: [{ type: "tool_call_chunk", index: 0, id: "c", name: "add", args: "nonsense" }],
  }),
]);
show("broken", ((await langchainModel(broken, { stream: false })(question)) as Exclude<LLMReply, string>).toolCalls);

// A schema, alone and beside tools.
const schema = { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] };
const structured = new ScriptedModel(() => calls("c1", "answer", { sum: 42 }));
show("schema", await chunksOf(langchainModel(structured), { ...question, schema }));
await chunksOf(langchainModel(structured), { ...question, schema, tools });
show("schema beside tools", structured.asked[1]?.options.response_format);

await chunksOf(langchainModel(structured.withConfig({ tags: ["bound"] })), { ...question, schema });
show("schema of a bound model", structured.asked[2]?.options.response_format);

// A chat agent with tools and a LangChain model.
const chatting = new ScriptedModel((messages) => {
  const last = messages.at(-1);
  return last?.type === "tool" ? says(`It is ${last.text}.`) : calls("c1", "add", { a: 40, b: 2 });
});
const agent = new Agent({
  llm: langchainModel(chatting),
  tools: { add: ["(a :int, b :int) -> :int", ({ a, b }) => a + b] },
});
show("agent", await agent.invoke("Add up 40 and 2"));
show(
  "sent back",
  chatting.asked[1]?.messages.map((message) => [message.type, message.text]),
);

// The signal ends the request.
const controller = new AbortController();
const waiting = new ScriptedModel(async () => {
  controller.abort(new Error("enough"));
  return says("too late");
});
await failing("signal", () => chunksOf(langchainModel(waiting), { ...question, signal: controller.signal }));

// Any chat model is accepted, also one with bound settings.
show("list", (await chunksOf(langchainModel(new FakeListChatModel({ responses: ["Hi."] })), question)).length > 0);
const bound = said.withConfig({ tags: ["bound"] });
show("bound", (await chunksOf(langchainModel(bound), question)).length);
export const configured = (model: Awaited<ReturnType<typeof initChatModel>>) => langchainModel(model);

await failing("no model", () => langchainModel({} as ScriptedModel));
await failing("stream", () => langchainModel(said, { stream: "yes" as never }));
await failing("no tools", () => chunksOf(langchainModel(bound), { ...question, tools }));
const parsed = RunnableLambda.from(async () => new AIMessage("x").text);
await failing("parser", async () => langchainModel(parsed, { stream: false })(question));
