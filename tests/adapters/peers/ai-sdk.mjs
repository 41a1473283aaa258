// Sends messages through the AI SDK, version 6 or 7.

import * as version6 from "ai";
import { MockLanguageModelV3 } from "ai/test";
import * as version7 from "ai-7";
import { MockLanguageModelV4 } from "ai-7/test";
import { manageHistory, vercel } from "../../../dist/chat.js";
import { llm, unlessUnfit } from "./every-strategy.mjs";

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
  const conversation = vercel.from(timed(list));
  return unlessUnfit(async () => vercel.to((await manageHistory(conversation, given, { llm })).conversation));
}

/** Messages for models, sent by `generateText` of a version. */
export const aiSDK = (version) => ({ next, manage, send: (messages) => generated(version, messages) });

/** UI messages, sent by `generateText` of version 7. */
export const uiMessages = {
  next: nextUI,
  manage,
  async send(messages) {
    if (messages.every(({ parts }) => parts === undefined)) return generated(7, messages);
    try {
      return await generated(7, await version7.convertToModelMessages(messages));
    } catch (error) {
      return { refusal: error.message };
    }
  },
};

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
    return { refusal: `${error.name}: ${error.message}` };
  }
}

/** The calls without a result, and the results without a call before them. */
export function aloneIn(messages) {
  const open = new Set();
  const alone = [];
  for (const { content } of messages) {
    for (const { type, toolCallId: id } of Array.isArray(content) ? content : []) {
      if (type === "tool-call") open.add(id);
      if (type === "tool-result" && !open.delete(id)) alone.push(`result ${id}`);
    }
  }
  return [...alone, ...[...open].map((id) => `call ${id}`)];
}
