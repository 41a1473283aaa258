// node ai-sdk.mjs VERSION PROVIDER ORIGIN: the AI SDK of a version streams the chat, with its telemetry as OTLP in traces.jsonl, as the console
// exporter gives it in spans.json; the messages of the user interface are stored in chat.json, and those for models in model-messages.json.

import { appendFileSync, writeFileSync } from "node:fs";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { z } from "zod";
import { lookup, questions, system } from "./orders.mjs";

const [version, provider, origin] = process.argv.slice(2);
const ai = await import(`ai${version}`);
const client = await import(`${provider}${version}`);
const exporter = {
  export(spans, done) {
    appendFileSync("traces.jsonl", `${new TextDecoder().decode(JsonTraceSerializer.serializeRequest(spans))}\n`);
    done({ code: 0 });
  },
  shutdown: async () => {},
};
const tracing = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
tracing.register();
if (Number(version) >= 7) {
  const { OpenTelemetry } = await import("@ai-sdk/otel");
  ai.registerTelemetry(new OpenTelemetry());
}

const base = { baseURL: `${origin}/v1`, apiKey: "nobody" };
const model =
  provider === "anthropic"
    ? client.createAnthropic(base)("claude-sonnet-4-5")
    : version === "4"
      ? client.createOpenAI({ ...base, compatibility: "strict" })("gpt-4.1")
      : process.argv[5] === "chat"
        ? client.createOpenAI(base).chat("gpt-4.1")
        : client.createOpenAI(base)("gpt-5.1");
const input = z.object({ order: z.number() });
const tool = ai.tool({
  description: "Looks up an order",
  parameters: input,
  inputSchema: input,
  execute: async (args) => lookup(args),
});
const telemetry = { isEnabled: true, functionId: "orders", metadata: { sessionId: "chat-1" } };
const settings = (messages) => ({
  model,
  ...(Number(version) >= 7 ? { instructions: system } : { system }),
  tools: { lookup: tool },
  messages,
  maxSteps: 5,
  // A server that stores replies is sent their ids.
  ...(process.argv[5] === undefined && { providerOptions: { openai: { store: false } } }),
  ...(version === "4" ? {} : { stopWhen: (ai.stepCountIs ?? ai.isStepCount)(5) }),
  ...(Number(version) >= 7 ? { telemetry } : { experimental_telemetry: telemetry }),
  onError: ({ error }) => console.error(error),
});

let stored = [];
let modelMessages = [];
for (const [index, question] of questions.entries()) {
  if (version === "4") {
    const { callChatApi } = await import("@ai-sdk/ui-utils");
    const message = { id: `user-${index}`, role: "user", content: question, parts: [{ type: "text", text: question }] };
    stored = [...stored, { ...message, createdAt: new Date() }];
    const result = ai.streamText(settings(ai.convertToCoreMessages(stored)));
    const fetch = async () => result.toDataStreamResponse({ sendReasoning: true, sendUsage: true });
    let last;
    await callChatApi({
      api: "/",
      body: {},
      streamProtocol: "data",
      fetch,
      onUpdate: ({ message }) => (last = message),
      onFinish: (message) => (last = message),
      generateId: ai.generateId,
      lastMessage: undefined,
      onToolCall: undefined,
      restoreMessagesOnFailure: () => {},
    });
    stored = [...stored, last];
    modelMessages = [...ai.convertToCoreMessages(stored)];
    continue;
  }
  stored = [...stored, { id: `user-${index}`, role: "user", parts: [{ type: "text", text: question }] }];
  const history = await ai.convertToModelMessages(stored);
  const result = ai.streamText(settings(history));
  const begun = Date.now();
  const response = result.toUIMessageStreamResponse({
    originalMessages: stored,
    generateMessageId: ai.generateId,
    messageMetadata: ({ part }) => {
      if (part.type === "start") return { createdAt: begun };
      if (part.type === "finish") return { totalUsage: part.totalUsage, model: model.modelId };
      return undefined;
    },
    onFinish: ({ messages }) => (stored = messages),
    onEnd: ({ messages }) => (stored = messages),
  });
  await response.text();
  modelMessages = [...history, ...(await result.response).messages];
}
writeFileSync("chat.json", JSON.stringify({ id: "chat-1", messages: stored }, null, 1));
writeFileSync("model-messages.json", JSON.stringify(modelMessages, null, 1));
await tracing.shutdown();
