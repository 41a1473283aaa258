// Message lists in the shapes of the AI SDK's tests, under every strategy: both versions accept what is left, run the same
// approved calls, and get no call or result alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as version6 from "ai";
import { MockLanguageModelV3 } from "ai/test";
import * as version7 from "ai-7";
import { MockLanguageModelV4 } from "ai-7/test";
import { manageHistory } from "../../dist/chat.js";
import { aiSdk } from "../../dist/entries/formats/ai-sdk.js";
import { aloneIn, checkEveryStrategy, llm, unlessUnfit } from "./peers/every-strategy.mjs";

const versions = {
  6: { ...version6, Model: MockLanguageModelV3 },
  7: { ...version7, Model: MockLanguageModelV4 },
};

const next = [
  { role: "user", content: "Which is the smallest?" },
  { role: "assistant", content: [{ type: "text", text: "The desk lamp." }] },
  { role: "user", content: [{ type: "text", text: "And the cheapest?" }] },
];

const nextUI = next.map(({ role, content }, index) => ({
  id: `next-${index}`,
  role,
  parts: typeof content === "string" ? [{ type: "text", text: content }] : content,
}));

/** Gives messages times, which `fromTimestamp` needs. */
const timed = (list) =>
  list.map((message, time) => ({ ...message, [message.parts === undefined ? "timestamp" : "createdAt"]: time }));

async function manage(list, given) {
  const conversation = aiSdk.from(timed(list));
  return unlessUnfit(async () => aiSdk.to((await manageHistory(conversation, given, { llm })).conversation));
}

/** Sends messages to both versions. */
async function send(messages) {
  const results = {};
  for (const version of Object.keys(versions)) results[`AI SDK ${version}`] = await generated(version, messages);
  return results;
}

/** Sends UI messages, and those for models that managing made of them. */
async function sendUI(messages) {
  const isUI = messages.some(({ parts }) => parts !== undefined);
  try {
    const converted = isUI ? await version7.convertToModelMessages(messages) : messages;
    return { "AI SDK 7": await generated(7, converted) };
  } catch (error) {
    return { "AI SDK 7": { fault: error.message, alone: [] } };
  }
}

/** Calls `generateText` with tools that need an approval. */
async function generated(version, messages) {
  const { Model, generateText, jsonSchema, tool } = versions[version];
  let prompt = null;
  const model = new Model({
    supportedUrls: { "*/*": [/./] },
    doGenerate: (options) => {
      prompt = options.prompt;
      return {
        content: [{ type: "text", text: "ok" }],
        finishReason: { unified: "stop", raw: "stop" },
        usage: { inputTokens: {}, outputTokens: {} },
        warnings: [],
      };
    },
  });
  const ran = [];
  const needed = tool({
    inputSchema: jsonSchema({}),
    needsApproval: true,
    execute: (_, { toolCallId }) => {
      ran.push(toolCallId);
      return "done";
    },
  });
  const names = messages.flatMap(({ content }) => (Array.isArray(content) ? content.map((part) => part.toolName) : []));
  const tools = Object.fromEntries(names.filter((name) => typeof name === "string").map((name) => [name, needed]));
  try {
    await generateText({ model, messages, tools, maxRetries: 0, allowSystemInMessages: true });
    return { alone: aloneIn(prompt), ran };
  } catch (error) {
    return { fault: `${error.name}: ${error.message}`, alone: [] };
  }
}

test("generateText accepts what every strategy leaves of messages", async () => {
  const { accepted, problems } = await checkEveryStrategy("ai-sdk", { next, manage, send });
  assert.deepEqual(problems, []);
  assert.ok(accepted > 230, `${accepted} lists were accepted as they are`);
});

test("generateText accepts what every strategy leaves of UI messages", async () => {
  const { accepted, problems } = await checkEveryStrategy("ui-messages", { next: nextUI, manage, send: sendUI });
  assert.deepEqual(problems, []);
  assert.ok(accepted > 140, `${accepted} lists were accepted as they are`);
});
