// Message lists in the shapes of LangChain's tests, under every strategy: strict receivers accept what LangChain's models
// of OpenAI and Anthropic make of what the middleware leaves, and no call or result is alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  coerceMessageLikeToMessage,
  FunctionMessage,
  HumanMessage,
  HumanMessageChunk,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { turnfoldMiddleware } from "../../dist/adapters/langchain.js";
import { frameworks } from "./framework-receivers.mjs";
import { checkEveryStrategy, errorOf, llm, unlessUnfit } from "./peers/every-strategy.mjs";

const classes = {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  HumanMessageChunk,
  SystemMessage,
  ToolMessage,
};

const next = [
  { class: "HumanMessage", content: "Which is the smallest?" },
  { class: "AIMessage", content: [{ type: "text", text: "The desk lamp." }] },
  { role: "user", content: "And the cheapest?" },
];

/** Makes instances of the classes, with times, which `fromTimestamp` needs. */
const read = (list) =>
  list.map(({ class: name, ...fields }, timestamp) => {
    const message = name === undefined ? coerceMessageLikeToMessage(fields) : new classes[name](fields);
    message.additional_kwargs = { ...message.additional_kwargs, turnfold: { timestamp } };
    return message;
  });

async function manage(messages, given) {
  const middleware = turnfoldMiddleware({ ...given, llm });
  const request = { model: null, messages, tools: [], runtime: {} };
  return unlessUnfit(() => middleware.wrapModelCall(request, (managed) => managed.messages));
}

const models = ["langchain", "langchain to the Responses API", "langchain to Anthropic"];

async function send(messages) {
  const alone = aloneMessages(messages);
  const results = {};
  for (const name of models) {
    const isJudged = name !== "langchain to the Responses API" || !messages.some(hasAnthropicCall);
    results[name] = { fault: isJudged ? await errorOf(() => frameworks[name].accept(messages)) : null, alone };
  }
  return results;
}

/** LangChain omits calls in the form of Anthropic's blocks for the Responses API, but not their results. */
const hasAnthropicCall = ({ content }) => Array.isArray(content) && content.some(({ type }) => type === "tool_use");

/** The calls without a result, and the results without a call before them: members of messages, or blocks of content. */
function aloneMessages(messages) {
  const open = new Set();
  const alone = [];
  for (const { content, tool_calls: calls = [], tool_call_id: result, additional_kwargs: kwargs } of messages) {
    const blocks = Array.isArray(content) ? content : [];
    const results = blocks.filter(({ type }) => type === "tool_result").map(({ tool_use_id: id }) => id);
    for (const id of result === undefined ? results : [result]) if (!open.delete(id)) alone.push(`result ${id}`);
    for (const { id } of [...calls, ...blocks.filter(({ type }) => type === "tool_use")]) open.add(id);
    for (const { call_id: id } of kwargs?.tool_outputs ?? []) if (id !== undefined) open.add(id);
  }
  return [...alone, ...[...open].map((id) => `call ${id}`)];
}

test("models accept what the middleware leaves of messages with every strategy", async ({ mock }) => {
  // LangChain advises against parts that older versions need.
  mock.method(console, "warn", () => {});
  const { accepted, problems } = await checkEveryStrategy("langchain", { next, read, manage, send });
  assert.deepEqual(problems, []);
  assert.ok(accepted > 300, `${accepted} lists were accepted as they are`);
});
