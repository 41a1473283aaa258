// Agents with the official clients and a local server for the protocol of OpenAI.

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText, tool } from "ai";
import OpenAI from "openai";
import { SubAgent, T } from "turnfold";
import { modelServer } from "./model-server.mjs";

const replies = [
  "I look for them first.\n\n```clojure\n(def found (tool/search {:query data/what}))\n(println (count found))\n```",
  "```clojure\n(return {:names (mapv :name fuond)})\n```",
  "```clojure\n(return {:names (mapv :name found)})\n```",
];

/** The number of assistant messages in a request is the number of turns before it. */
const replyTo = ({ messages }) => ({ text: replies[messages.filter(({ role }) => role === "assistant").length] });

let server;
let baseURL;

before(async () => {
  server = await modelServer(replyTo);
  ({ baseURL } = server);
});

after(() => server.close());

/** A reply of a busy server. */
const busy = () => ({ status: 503, refuse: { error: { message: "the server is busy", type: "overloaded" } } });

const search = [
  "(query :string) -> [{name :string}]",
  async ({ query }) => [{ name: `${query} A` }, { name: `${query} B` }],
];

function agent(llm, options) {
  return new SubAgent({
    mission: T`Find {{what}}`,
    signature: "(what :string) -> {names [:string]}",
    tools: { search },
    llm,
    ...options,
  });
}

async function completes(llm, options) {
  server.requests.length = 0;
  const chunks = [];
  const onEvent = (event) => event.type === "text" && chunks.push(event.text);
  const step = await agent(llm, options).run({ data: { what: "lamp" }, onEvent });
  assert.deepEqual(step.return, { names: ["lamp A", "lamp B"] });
  assert.deepEqual(
    step.turns.map(({ success }) => success),
    [true, false, true],
  );
  assert.deepEqual([step.usage.inputTokens, step.usage.outputTokens], [300, 60]);
  // The messages of the step are those that the server got.
  const asked = server.requests.map(({ body }) => body).filter(({ messages }) => messages !== undefined);
  assert.equal(asked.length, 3);
  for (const [index, { messages }] of asked.entries()) {
    const texts = messages.map(({ role, content }) => [role, typeof content === "string" ? content : content[0].text]);
    assert.deepEqual(
      texts,
      step.messagesAt(index + 1).map(({ role, content }) => [role, content]),
    );
  }
  return { step, chunks };
}

suite("the official client of OpenAI", () => {
  const client = () => new OpenAI({ baseURL, apiKey: "key", maxRetries: 0 });

  test("answers with a whole text", async () => {
    await completes(async ({ messages, signal }) => {
      const { choices, usage } = await client().chat.completions.create({ model: "m", messages }, { signal });
      const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = usage;
      return { content: choices[0].message.content, usage: { inputTokens, outputTokens } };
    });
    assert.equal(server.requests[0].headers.authorization, "Bearer key");
  });

  test("streams", async () => {
    const { chunks } = await completes(async function* ({ messages, signal }) {
      const options = { model: "m", messages, stream: true, stream_options: { include_usage: true } };
      for await (const { choices, usage } of await client().chat.completions.create(options, { signal })) {
        yield { text: choices[0]?.delta.content ?? "" };
        if (usage) yield { usage: { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens } };
      }
    });
    assert.equal(chunks.join(""), replies.join(""));
    assert.ok(chunks.length > 20);
  });

  test("repeats the request when the server is busy, and the run ends when it stays busy", async () => {
    const llm = async ({ messages }) => {
      const { choices } = await client().chat.completions.create({ model: "m", messages });
      return choices[0].message.content;
    };
    server.script = [busy()];
    const { ok } = await agent(llm, { retry: { attempts: 2 } }).run({ data: { what: "lamp" } });
    assert.equal(ok, true);
    server.script = [busy(), busy()];
    const { fail } = await agent(llm, { retry: { attempts: 2 } }).run({ data: { what: "lamp" } });
    assert.equal(fail.reason, "llm_error");
    assert.match(fail.message, /503 the server is busy/);
  });

  test("aborts its request with the run", async () => {
    const stop = new AbortController();
    const llm = async function* ({ messages, signal }) {
      const stream = await client().chat.completions.create({ model: "m", messages, stream: true }, { signal });
      for await (const { choices } of stream) yield choices[0]?.delta.content ?? "";
    };
    const onEvent = ({ type }) => type === "text" && stop.abort();
    const step = await agent(llm).run({ data: { what: "lamp" }, signal: stop.signal, onEvent });
    assert.deepEqual([step.fail.reason, step.turns.length], ["aborted", 0]);
  });
});

suite("the AI SDK", () => {
  const model = () => createOpenAICompatible({ name: "local", baseURL, apiKey: "key", includeUsage: true })("m");

  test("answers with a whole text", async () => {
    await completes(async ({ messages, signal }) => {
      const { text, usage } = await generateText({ model: model(), ...prompt(messages), abortSignal: signal });
      return { content: text, usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens } };
    });
  });

  test("streams", async () => {
    const { chunks } = await completes(async function* ({ messages, signal }) {
      const result = streamText({ model: model(), ...prompt(messages), abortSignal: signal });
      yield* result.textStream;
      const { inputTokens, outputTokens } = await result.usage;
      yield { usage: { inputTokens, outputTokens } };
    });
    assert.equal(chunks.join(""), replies.join(""));
  });

  test("has tools that a SubAgent accepts", async () => {
    const inputSchema = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value) => ({ value }),
        jsonSchema: {
          input: () => ({ type: "object", properties: { query: { type: "string" } }, required: ["query"] }),
        },
      },
    };
    const tools = {
      search: tool({ description: "Searches", inputSchema, execute: async ({ query }) => search[1]({ query }) }),
    };
    const llm = async ({ messages }) => (await generateText({ model: model(), ...prompt(messages) })).text;
    const step = await agent(llm, { tools }).run({ data: { what: "lamp" } });
    assert.deepEqual(step.return, { names: ["lamp A", "lamp B"] });
    assert.match(step.messagesAt(1)[1].content, /tool\/search\(query :string\) -> :any {2}; Searches/);
  });
});

/** The AI SDK takes the SYSTEM message separately from the others. */
function prompt([system, ...messages]) {
  return { system: system.content, messages };
}
