// Sends converted messages through the official clients to a real server and checks what arrives.

import assert from "node:assert/strict";
import { after, before, beforeEach, suite, test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { generateText, jsonSchema, tool } from "ai";
import OpenAI from "openai";
import { accepted, formats } from "./formats-module.mjs";
import { send, serve } from "./loopback.mjs";
import { fixtures } from "./message-fixtures.mjs";
import { seeded } from "./random.mjs";
import { callsOf, checkPairs, conversationOf, factsOf } from "./random-messages.mjs";

const { openai, anthropic, gemini, aiSdk } = formats;

/** The bodies of the requests to the server, in order. */
const requests = [];
let server;

/** The model calls two tools until it has their results. */
function answer(request, asked, response) {
  requests.push(asked);
  const id = `r${requests.length}`;
  const done = JSON.stringify(asked.messages ?? asked.contents).includes("of lamp");
  const queries = ["lamp", "desk"].map((query) => [`${id}-${query}`, { query }]);
  if (request.url === "/v1/messages") {
    const content = done
      ? [{ type: "text", text: "Two.", citations: null }]
      : [
          { type: "thinking", thinking: "I need both.", signature: "signed" },
          { type: "text", text: "I look." },
          ...queries.map(([id, input]) => ({ type: "tool_use", id, name: "search", input })),
        ];
    const usage = { input_tokens: 1, output_tokens: 1 };
    send(response, { id, type: "message", role: "assistant", model: "m", content, stop_reason: "end_turn", usage });
    return;
  }
  if (asked.contents !== undefined) {
    const calls = queries.map(([id, args], index) => ({
      functionCall: { id, name: "search", args },
      ...(index === 0 && { thoughtSignature: "c2lnbmVk" }),
    }));
    const parts = done ? [{ text: "Two." }] : [{ text: "I need both.", thought: true }, { text: "I look." }, ...calls];
    send(response, { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] });
    return;
  }
  const message = done
    ? { role: "assistant", content: "Two.", refusal: null, annotations: [] }
    : {
        role: "assistant",
        content: "I look.",
        refusal: null,
        tool_calls: queries.map(([id, input]) => ({
          id,
          type: "function",
          function: { name: "search", arguments: JSON.stringify(input) },
        })),
      };
  const choices = [{ index: 0, finish_reason: done ? "stop" : "tool_calls", message }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  send(response, { id, object: "chat.completion", created: 0, model: "m", choices, usage });
}

before(async () => {
  server = await serve(answer);
});

beforeEach(() => {
  requests.length = 0;
});

after(() => server.close());

const overWire = (value) => JSON.parse(JSON.stringify(value));
const found = (query) => `2 of ${query}`;

/** Sends a request with each client; returns the model's message in the provider's format. */
const ask = {
  async openai(neutral) {
    const client = new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "key", maxRetries: 0 });
    const { choices } = await client.chat.completions.create({ model: "m", messages: openai.to(neutral) });
    return openai.from([choices[0].message]);
  },
  async anthropic(neutral) {
    const client = new Anthropic({ baseURL: server.origin, apiKey: "key", maxRetries: 0 });
    const { role, content } = await client.messages.create({ model: "m", max_tokens: 9, ...anthropic.to(neutral) });
    return anthropic.from([{ role, content }]);
  },
  async gemini(neutral) {
    const client = new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: server.origin } });
    const { systemInstruction, contents } = gemini.to(neutral);
    const config = systemInstruction === undefined ? {} : { systemInstruction };
    const { candidates } = await client.models.generateContent({ model: "m", contents, config });
    return gemini.from(candidates.map(({ content }) => content));
  },
  async aiSdk(neutral) {
    const model = createOpenAICompatible({ name: "local", baseURL: `${server.origin}/v1`, apiKey: "key" })("m");
    const inputSchema = jsonSchema({ type: "object", properties: { query: { type: "string" } } });
    const tools = { search: tool({ inputSchema }) };
    const options = { model, tools, messages: aiSdk.to(neutral), allowSystemInMessages: true };
    return aiSdk.from((await generateText(options)).response.messages);
  },
};

/** Results of calls as a host writes them. */
function answersTo(neutral) {
  return callsOf(neutral).map(([toolCallId, , { query }]) => ({ role: "tool", toolCallId, content: found(query) }));
}

/** The calls and results that arrived, in the format of the protocol. */
function pairs({ messages = [], contents = [] }) {
  const facts = [];
  for (const { functionCall: called, functionResponse: answer } of contents.flatMap(({ parts }) => parts)) {
    if (called !== undefined) facts.push(["call", called.id, called.name, called.args]);
    if (answer !== undefined) facts.push(["answer", answer.id, answer.response.output]);
  }
  for (const { content, tool_calls: calls = [], tool_call_id: id } of messages) {
    if (id !== undefined) facts.push(["answer", id, content]);
    for (const { id, function: called } of calls) facts.push(["call", id, called.name, JSON.parse(called.arguments)]);
    for (const block of Array.isArray(content) ? content : []) {
      if (block.type === "tool_use") facts.push(["call", block.id, block.name, block.input]);
      if (block.type === "tool_result") facts.push(["answer", block.tool_use_id, block.content]);
    }
  }
  return facts;
}

for (const first of Object.keys(ask)) {
  for (const second of Object.keys(ask)) {
    test(`a conversation that began with ${first} continues with ${second}`, async () => {
      const asked = [
        { role: "system", content: "Be brief." },
        { role: "user", content: "How many lamps and desks?", timestamp: 1, pinned: true },
      ];
      const said = await ask[first](asked);
      const [lamp, desk] = ["r1-lamp", "r1-desk"];
      assert.deepEqual(callsOf(said), [
        [lamp, "search", { query: "lamp" }],
        [desk, "search", { query: "desk" }],
      ]);
      const last = await ask[second]([...asked, ...said, ...answersTo(said)]);
      assert.deepEqual(factsOf(last).texts, ["assistant: Two."]);
      assert.deepEqual(pairs(requests[1]), [
        ["call", lamp, "search", { query: "lamp" }],
        ["call", desk, "search", { query: "desk" }],
        ["answer", lamp, "2 of lamp"],
        ["answer", desk, "2 of desk"],
      ]);
      const wire = JSON.stringify(requests);
      for (const own of ["timestamp", "pinned", "original", "toolCallId"]) assert.ok(!wire.includes(own), own);
      assert.match(wire, /Be brief\./);
      // Thinking that Anthropic signed is sent to Anthropic only.
      assert.equal(JSON.stringify(requests[1]).includes("signed"), first === "anthropic" && second === "anthropic");
      // So are signatures of Gemini; its first call needs one.
      const signature = first === "gemini" ? "c2lnbmVk" : "skip_thought_signature_validator";
      assert.equal(JSON.stringify(requests[1]).includes(signature), second === "gemini");
    });
  }
}

suite("messages in a provider's own format arrive unchanged", () => {
  test("at OpenAI", async () => {
    for (const messages of Object.values(fixtures.openai)) {
      await ask.openai(openai.from(messages));
      assert.deepEqual(requests.at(-1).messages, overWire(accepted.openai(messages)));
    }
  });

  test("at Anthropic", async () => {
    for (const messages of Object.values(fixtures.anthropic)) {
      await ask.anthropic(anthropic.from(messages));
      const { system, messages: arrived } = requests.at(-1);
      assert.deepEqual(
        system === undefined ? { messages: arrived } : { system, messages: arrived },
        overWire(accepted.anthropic(messages)),
      );
    }
  });

  test("at Gemini", async () => {
    for (const [title, messages] of Object.entries(fixtures.gemini)) {
      // Gemini's client needs contents, and omits members that it does not know.
      if (title.includes("unknown") || messages.contents.length === 0) continue;
      await ask.gemini(gemini.from(messages));
      const { contents, systemInstruction } = requests.at(-1);
      const expected = overWire(accepted.gemini(messages));
      assert.deepEqual(contents, expected.contents, title);
      assert.deepEqual(systemInstruction?.parts, expected.systemInstruction?.parts, title);
    }
  });

  test("through the AI SDK, the same as without a conversion", async () => {
    const model = createOpenAICompatible({ name: "local", baseURL: `${server.origin}/v1`, apiKey: "key" })("m");
    for (let seed = 1; seed <= 40; seed++) {
      const messages = conversationOf.aiSdk(seeded(seed));
      if (!messages.some(({ role }) => role === "user")) continue;
      const options = { model, allowSystemInMessages: true };
      await generateText({ ...options, messages });
      await generateText({ ...options, messages: aiSdk.to(aiSdk.from(messages)) });
      assert.deepEqual(requests.at(-1), requests.at(-2));
    }
  });
});

test("messages of OpenAI arrive through the AI SDK as through OpenAI's own client", async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const messages = conversationOf.openai(seeded(seed));
    if (!messages.some(({ role }) => role === "user")) continue;
    await ask.aiSdk(openai.from(messages));
    const arrived = requests.at(-1).messages;
    checkPairs.openai(arrived);
    assert.deepEqual(factsOf(openai.from(arrived)), factsOf(openai.from(messages)));
  }
});
