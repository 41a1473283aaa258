// The model callbacks with the official clients and a local server.

import assert from "node:assert/strict";
import { after, afterEach, before, suite, test } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { wrapLanguageModel } from "ai";
import { createOpenAICompatible as createOfVersion7 } from "ai-sdk-7-openai-compatible";
import OpenAI from "openai";
import { Agent, Conversation, lastNMessages, SubAgent } from "turnfold";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { aiSdkModel } from "turnfold/models/ai-sdk";
import { anthropicModel } from "turnfold/models/anthropic";
import { fetchModel } from "turnfold/models/fetch";
import { geminiModel } from "turnfold/models/gemini";
import { openaiModel, openaiResponsesModel } from "turnfold/models/openai";
import { modelServer } from "./model-server.mjs";

let server;

before(async () => {
  server = await modelServer();
});

after(() => server.close());

afterEach(() => {
  assert.deepEqual(server.script, [], "every scripted reply was asked for");
  Object.assign(server, { requests: [], closed: 0 });
});

const openaiClient = () => new OpenAI({ baseURL: server.baseURL, apiKey: "key", maxRetries: 0 });
const anthropicClient = () => new Anthropic({ baseURL: server.origin, apiKey: "key", maxRetries: 0 });
const geminiClient = () => new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: server.origin } });
const compatible = (create = createOpenAICompatible) => {
  const given = {
    name: "mine",
    baseURL: server.baseURL,
    apiKey: "key",
    includeUsage: true,
    supportsStructuredOutputs: true,
  };
  return create(given)("some-model");
};

/** The callbacks, the members of their requests for tools and schema, and the usage that they report. */
const MODELS = [
  {
    name: "openaiModel",
    make: (options) => openaiModel(openaiClient(), { model: "some-model", ...options }),
    toolNames: ({ tools }) => tools.map((tool) => tool.function.name),
    schemaOf: ({ response_format }) => response_format.json_schema.schema,
    written: undefined,
    limits: { max_completion_tokens: 77 },
  },
  {
    name: "openaiResponsesModel",
    make: (options) => openaiResponsesModel(openaiClient(), { model: "some-model", ...options }),
    toolNames: ({ tools }) => tools.map(({ name }) => name),
    schemaOf: ({ text }) => text.format.schema,
    written: 6,
    limits: { max_output_tokens: 77 },
    cutOff: "max_output_tokens",
  },
  {
    name: "fetchModel",
    make: (options) => fetchModel(server.baseURL, { model: "some-model", apiKey: "key", ...options }),
    toolNames: ({ tools }) => tools.map((tool) => tool.function.name),
    schemaOf: ({ response_format }) => response_format.json_schema.schema,
    written: undefined,
    limits: { max_completion_tokens: 77 },
  },
  {
    name: "anthropicModel",
    make: (options) => anthropicModel(anthropicClient(), { model: "some-model", ...options }),
    toolNames: ({ tools }) => tools.map(({ name }) => name),
    schemaOf: ({ output_config }) => output_config.format.schema,
    written: 6,
    limits: { max_tokens: 77 },
    choice: { tool_choice: { type: "any" } },
  },
  {
    name: "geminiModel",
    make: (options) => geminiModel(geminiClient(), { model: "some-model", ...options }),
    toolNames: ({ tools }) => tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name)),
    schemaOf: ({ generationConfig }) => generationConfig.responseJsonSchema,
    written: undefined,
    limits: { maxOutputTokens: 77 },
    cutOff: "MAX_TOKENS",
    choice: { toolConfig: { functionCallingConfig: { mode: "ANY" } } },
  },
  {
    name: "aiSdkModel with version 6",
    make: (options = {}) => aiSdkModel(compatible(), options),
    toolNames: ({ tools }) => tools.map((tool) => tool.function.name),
    schemaOf: ({ response_format }) => response_format.json_schema.schema,
    written: undefined,
    limits: { maxOutputTokens: 77 },
    choice: { toolChoice: { type: "required" } },
    streamsOnly: true,
  },
  {
    name: "aiSdkModel with version 7",
    make: (options = {}) => aiSdkModel(compatible(createOfVersion7), options),
    toolNames: ({ tools }) => tools.map((tool) => tool.function.name),
    schemaOf: ({ response_format }) => response_format.json_schema.schema,
    written: undefined,
    limits: { maxOutputTokens: 77 },
    choice: { toolChoice: { type: "required" } },
    streamsOnly: true,
  },
];

const PROGRAM = "I add them up.\n\n```clojure\n(return (+ data/a 2))\n```";

const adder = (llm, options) => new SubAgent({ mission: "Add up", signature: "(a :int) -> :int", llm, ...options });

for (const { name, make, toolNames, schemaOf, written, limits, cutOff, choice, streamsOnly = false } of MODELS) {
  suite(name, () => {
    for (const stream of streamsOnly ? [true] : [true, false]) {
      test(stream ? "streams a turn of an agent" : "answers a turn with a whole text", async () => {
        server.script = [{ text: PROGRAM }];
        const pieces = [];
        const onEvent = (event) => event.type === "text" && pieces.push(event.text);
        const step = await adder(make(stream ? {} : { stream })).run({ data: { a: 40 }, onEvent });
        assert.equal(step.return, 42);
        assert.equal(pieces.length > 1, stream);
        if (stream) assert.equal(pieces.join(""), PROGRAM);
        const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = step.usage;
        assert.deepEqual([inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens], [100, 20, 64, written]);
        const [{ body, headers }] = server.requests;
        assert.equal(body.model, "some-model");
        assert.match(headers.authorization ?? headers["x-api-key"] ?? headers["x-goog-api-key"], /key$/);
        const sent = step.messagesAt(1).map(({ content }) => content);
        assert.deepEqual(textsOf(body), sent);
      });
    }

    test("calls tools, also two at once, and sends their results", async () => {
      const llm = make();
      const calls = [
        ["call_1", "order", { id: 17 }],
        ["call_2", "order", { id: 18 }],
      ];
      server.script = [{ text: "Let me see.", calls }, { text: "Both were sent." }];
      const order = ["(id :int) -> {state :string}", ({ id }) => ({ state: `order ${id} was sent` })];
      const agent = new Agent({ tools: { order }, llm });
      assert.equal((await agent.chat("Where are 17 and 18?")).text, "Both were sent.");
      const [first, second] = server.requests.map(({ body }) => body);
      assert.deepEqual(toolNames(first), ["order"]);
      const results = JSON.stringify(listOf(second));
      assert.match(results, /order 17 was sent/);
      assert.match(results, /order 18 was sent/);
      assert.match(results, /Let me see\./);
      assert.match(results, /call_2/);
    });

    test("sends the tools that a search found after the others", async () => {
      const calls = [["call_1", "tool_search", { query: "refunds" }]];
      server.script = [{ calls }, { text: "Which one?" }];
      const tools = Object.fromEntries(
        ["order", "refund", "archive"].map((name) => [name, { signature: "() -> :any", run: () => 1 }]),
      );
      await new Agent({ tools, toolBudget: 40, llm: make() }).chat("Refund it.");
      const [first, second] = server.requests.map(({ body }) => toolNames(body));
      assert.deepEqual(first, ["order", "tool_search"]);
      assert.deepEqual(second, ["order", "tool_search", "refund"]);
    });

    test("sends the schema of a reply", async () => {
      server.script = [{ text: '{"city":"Oslo"}' }];
      const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
      const { object } = await new Agent({ llm: make() }).generateObject("Where?", schema);
      assert.deepEqual(object, { city: "Oslo" });
      assert.deepEqual(schemaOf(server.requests[0].body).properties, schema.properties);
    });

    test("sends further parameters with each request", async () => {
      server.script = [{ text: "Hello." }];
      await new Agent({ llm: make(limits) }).chat("Hello");
      const { body } = server.requests[0];
      const sent = body.generationConfig?.maxOutputTokens ?? body.max_completion_tokens ?? body.max_tokens;
      assert.equal(sent ?? body.max_output_tokens, 77);
    });

    test("sends members of messages that the format does not have only when `members` names them", async () => {
      // Providers of the AI SDK and Gemini's client send what they know; that they get the members is tested below.
      if (name.startsWith("aiSdkModel") || name === "geminiModel") return;
      const messages = [
        { role: "user", content: "Hello", vendor: 7 },
        { role: "assistant", content: "Hello." },
      ];
      for (const [options, expected] of [
        [{}, undefined],
        [{ members: ["vendor"] }, 7],
      ]) {
        server.requests.length = 0;
        server.script = [{ text: "Hello." }];
        await new Agent({ llm: make(options), conversation: new Conversation({ messages }) }).chat("Again");
        const { body } = server.requests[0];
        assert.equal((body.messages ?? body.input)[0].vendor, expected);
        assert.ok(!("members" in body));
      }
    });

    test("returns the finish reason and the model of a reply", async () => {
      const reason = cutOff ?? (name === "anthropicModel" ? "max_tokens" : "length");
      server.script = [{ text: "Once upon a time", reason }];
      const chunks = [];
      for await (const chunk of make()({ messages: [{ role: "user", content: "Tell" }], purpose: "answer" })) {
        chunks.push(chunk);
      }
      assert.equal(chunks.map(({ text = "" }) => text).join(""), "Once upon a time");
      assert.match(
        chunks.map(({ finishReason }) => finishReason ?? "").join(""),
        /^(length|max_tokens|max_output_tokens)$/i,
      );
      assert.equal(chunks.findLast(({ model }) => model !== undefined).model, "some-model-0815");
    });

    test("sends parameters for tools only with requests that have tools", async () => {
      const given = choice ?? { tool_choice: "required", parallel_tool_calls: false };
      const llm = make(given);
      server.script = [{ text: "Hello." }, { text: "Hello." }];
      await new Agent({ llm }).chat("Hello");
      await new Agent({ llm, tools: { now: ["() -> :string", () => "noon"] } }).chat("Hello");
      const [without, having] = server.requests.map(({ body }) => body);
      for (const name of ["tools", "tool_choice", "toolConfig", "parallel_tool_calls"]) {
        assert.ok(!(name in without), name);
      }
      assert.ok(having.tools.length === 1 && choiceOf(having) !== undefined);
    });

    test("a summary behind the conversation offers its tools, and after a call none may be called", async () => {
      const order = ["(id :int) -> {state :string}", () => ({ state: "sent" })];
      const messages = Array.from({ length: 12 }, (_, index) => ({
        role: index % 2 === 0 ? "user" : "assistant",
        content: `Message ${index}.`,
      }));
      const parameters = { compressionStrategy: lastNMessages(4), summaryRequest: "behind", minMessages: 0 };
      const none = {
        anthropicModel: { tool_choice: { type: "none" } },
        geminiModel: { toolConfig: { functionCallingConfig: { mode: "NONE" } } },
      };
      for (const given of [{}, choice ?? { tool_choice: "required" }]) {
        server.requests.length = 0;
        server.script = [{ calls: [["call_1", "order", { id: 7 }]] }, { text: "They talked." }, { text: "Hello." }];
        const agent = new Agent({ tools: { order }, llm: make(given), conversation: new Conversation({ messages }) });
        const { report } = await agent.chat("Hello", parameters);
        const [first, again, answer] = server.requests.map(({ body }) => body);
        assert.match(JSON.stringify(listOf(first)), /Message 0\..*Message 7\./);
        assert.deepEqual(choiceOf(first), choiceOf(answer), "the cache compares it");
        assert.deepEqual(again, { ...first, ...(none[name] ?? { tool_choice: "none" }) });
        assert.equal(report.llmCalls, 2);
      }
    });

    test("ends the request when it is aborted in the middle of a reply", async () => {
      server.script = [{ text: PROGRAM, after: "hang" }];
      const stop = new AbortController();
      const onEvent = ({ type }) => type === "text" && stop.abort();
      const step = await adder(make()).run({ data: { a: 40 }, signal: stop.signal, onEvent });
      assert.equal(step.fail.reason, "aborted");
      await until(() => server.closed === 1);
    });

    for (const after of ["cut", "end", "error"]) {
      test(`repeats the request after a stream that broke off: ${after}`, async () => {
        server.script = [{ text: PROGRAM, after }, { text: PROGRAM }];
        const step = await adder(make(), { retry: { attempts: 2 } }).run({ data: { a: 40 } });
        assert.equal(step.return, 42, JSON.stringify(step.fail));
        assert.equal(server.requests.length, 2);
      });
    }

    test("repeats the request when the server is busy, after its Retry-After", async () => {
      // Google gives the time in the body.
      const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "0.03s" }];
      const refuse = { error: { message: "slow down", type: "rate_limit", details } };
      server.script = [{ status: 429, headers: { "retry-after-ms": "30" }, refuse }, { text: PROGRAM }];
      const began = performance.now();
      const step = await adder(make(), { retry: { attempts: 2 } }).run({ data: { a: 40 } });
      assert.equal(step.return, 42, JSON.stringify(step.fail));
      assert.ok(performance.now() - began >= 30);
    });

    test("does not repeat a request that is too long for the model, and says so", async () => {
      const message = "This model's maximum context length is 4096 tokens, but the request has 5000 input tokens.";
      server.script = [{ status: 400, refuse: { error: { message, code: "context_length_exceeded" } } }];
      const { fail } = await adder(make(), { retry: { attempts: 3 } }).run({ data: { a: 40 } });
      assert.equal(fail.reason, "llm_error");
      assert.match(fail.message, /maximum context length is 4096/);
      assert.equal(server.requests.length, 1);
    });

    test("does not repeat a request with an invalid key", async () => {
      server.script = [{ status: 401, refuse: { error: { message: "no such key" } } }];
      const { fail } = await adder(make(), { retry: { attempts: 3 } }).run({ data: { a: 40 } });
      assert.match(fail.message, /401|no such key/);
      assert.equal(server.requests.length, 1);
    });
  });
}

/** The messages of a request. */
const listOf = ({ messages, input, contents }) => messages ?? input ?? contents;

const choiceOf = ({ tool_choice, toolConfig }) => tool_choice ?? toolConfig;

/** The texts of a request's messages, the system prompt first. */
function textsOf({ system, systemInstruction, ...request }) {
  const first = system === undefined ? systemInstruction : { content: system };
  const all = [...(first === undefined ? [] : [first]), ...listOf(request)];
  const text = (content) => (typeof content === "string" ? content : content.map((part) => part.text).join(""));
  return all.map(({ content, parts = content }) => text(parts));
}

async function until(holds) {
  while (!holds()) await new Promise((wait) => setTimeout(wait, 5));
}

suite("openaiResponsesModel", () => {
  const user = (content) => ({ messages: [{ role: "user", content }], purpose: "answer" });
  const make = (options) => openaiResponsesModel(openaiClient(), { model: "some-model", ...options });
  const allOf = async (llm) => {
    const chunks = [];
    for await (const chunk of llm(user("Go"))) chunks.push(chunk);
    return chunks;
  };

  test("sends store: false by default, and keeps other settings of text beside a schema", async () => {
    server.script = [{ text: "Hi." }, { text: "Hi." }, { text: "{}" }];
    await new Agent({ llm: make() }).chat("Hello");
    await new Agent({ llm: make({ store: true }) }).chat("Hello");
    await new Agent({ llm: make({ text: { verbosity: "low" } }) }).generateObject("Go", { type: "object" });
    const [first, second, third] = server.requests.map(({ body }) => body);
    assert.deepEqual([first.store, second.store], [false, true]);
    assert.equal(first.input.at(-1).content, "Hello");
    assert.deepEqual(
      [third.text.verbosity, third.text.format.type, third.text.format.name],
      ["low", "json_schema", "answer"],
    );
  });

  test("sends tools that are not strict, and their calls and results as items", async () => {
    server.script = [{ calls: [["call_1", "order", { id: 17 }]] }, { text: "Sent." }];
    const order = ["(id :int) -> :string", () => "sent"];
    assert.equal((await new Agent({ llm: make(), tools: { order } }).chat("Where is 17?")).text, "Sent.");
    const [first, second] = server.requests.map(({ body }) => body);
    assert.equal(first.tools[0].strict, false);
    assert.deepEqual(second.input.slice(-2), [
      { type: "function_call", call_id: "call_1", name: "order", arguments: '{"id":17}' },
      { type: "function_call_output", call_id: "call_1", output: "sent" },
    ]);
  });

  for (const stream of [true, false]) {
    const how = stream ? "streamed" : "whole";
    const replyOf = async (options) => {
      const chunks = stream ? await allOf(make(options)) : [await make({ ...options, stream })(user("Go"))];
      return {
        text: chunks.map(({ text, content }) => text ?? content ?? "").join(""),
        reason: chunks.findLast(({ finishReason }) => finishReason !== undefined).finishReason,
      };
    };

    test(`a refusal, ${how}`, async () => {
      server.script = [{ refusal: "I can't do that." }];
      assert.deepEqual(await replyOf(), { text: "I can't do that.", reason: "refusal" });
    });

    test(`a filtered reply, ${how}`, async () => {
      server.script = [{ text: "Once", reason: "content_filter" }];
      assert.deepEqual(await replyOf(), { text: "Once", reason: "content_filter" });
    });

    for (const [code, asked] of [
      ["server_error", 2],
      ["rate_limit_exceeded", 2],
      ["invalid_prompt", 1],
      ["image_too_large", 1],
    ]) {
      test(`a response that failed with ${code}, ${how}`, async () => {
        const failed = { code, message: "it went wrong" };
        server.script = [{ failed }, ...(asked === 2 ? [{ text: PROGRAM }] : [])];
        const step = await adder(make({ stream }), { retry: { attempts: 2 } }).run({ data: { a: 40 } });
        assert.equal(server.requests.length, asked);
        if (asked === 2) assert.equal(step.return, 42);
        else assert.match(step.fail.message, /it went wrong/);
      });
    }
  }

  test("refuses a reply that is not a response", async () => {
    const client = (reply) => ({ responses: { create: async () => reply } });
    const asked = (reply) => openaiResponsesModel(client(reply), { model: "m", stream: false })(user("Go"));
    await assert.rejects(asked({ choices: [] }), /the reply must be a response, got/);
    await assert.rejects(asked({ status: "queued", output: [] }), /the response is queued, and has no answer/);
    const given = async function* () {
      yield { type: "response.created" };
    };
    const llm = openaiResponsesModel(client(given()), { model: "m" });
    await assert.rejects(allOf(llm), /the stream ended before the reply did, after 0 characters/);
  });
});

suite("geminiModel", () => {
  const make = (options) => geminiModel(geminiClient(), { model: "gemini-3.5-flash", ...options });
  const user = (content) => ({ messages: [{ role: "user", content }], purpose: "answer" });
  const order = ["(id :int) -> {state :string}", ({ id }) => ({ state: `order ${id} was sent` })];
  const contents = () => server.requests.map(({ body }) => body.contents);
  const text = (all) => ({ role: "user", parts: [{ text: all }] });

  for (const stream of [true, false]) {
    const how = stream ? "streamed" : "whole";

    test(`thought signatures of calls and texts return byte for byte, also after a checkpoint, ${how}`, async () => {
      const parts = [
        { text: "Let me see." },
        { functionCall: { id: "a1", name: "order", args: { id: 17 } }, thoughtSignature: "EvQBCvEB+/9-_w==" },
        { functionCall: { id: "a2", name: "order", args: { id: 18 } } },
      ];
      const more = [{ functionCall: { name: "order", args: { id: 19 } }, thoughtSignature: "c2Vjb25k" }];
      const answer = [{ text: "All were sent." }, { text: "", thoughtSignature: "dGhpcmQ=" }];
      server.script = [{ parts }, { parts: more }, { parts: answer }, { text: "You are welcome." }];
      const agent = new Agent({ tools: { order }, llm: make({ stream }) });
      assert.equal((await agent.chat("Where are they?")).text, "All were sent.");
      const response = (id, number) => ({
        functionResponse: {
          ...(id !== null && { id }),
          name: "order",
          response: { output: JSON.stringify({ state: `order ${number} was sent` }) },
        },
      });
      const loop = [
        text("Where are they?"),
        { role: "model", parts },
        { role: "user", parts: [response("a1", 17), response("a2", 18)] },
        { role: "model", parts: more },
        { role: "user", parts: [response(null, 19)] },
      ];
      assert.deepEqual(contents().at(-1), loop);
      const saved = JSON.parse(JSON.stringify(agent.checkpoint()));
      const later = new Agent({ tools: { order }, llm: make({ stream }) });
      later.restore(saved);
      await later.chat("Thanks.");
      assert.deepEqual(contents().at(-1), [...loop, { role: "model", parts: answer }, text("Thanks.")]);
    });

    test(`a request that a filter blocks, and a reply of which a filter cut the rest, ${how}`, async () => {
      const client = (response) => {
        const generateContent = async () => response;
        const generateContentStream = async () => ReadableStream.from([response]);
        return { models: { generateContent, generateContentStream } };
      };
      const parts = [{ text: "Once" }];
      for (const [response, content] of [
        [{ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }, ""],
        [{ candidates: [{ content: { parts }, finishReason: "SAFETY" }] }, "Once"],
      ]) {
        const reply = await new Agent({ llm: geminiModel(client(response), { model: "m", stream }) }).chat("Go");
        assert.deepEqual([reply.text, reply.finishReason], [content, "content-filter"]);
      }
    });
  }

  test("the first call of another provider's message gets the signature that Google documents, from Gemini 3 on", async () => {
    const calls = ["c1", "c2"].map((id) => ({ id, name: "order", args: { id: 1 } }));
    const conversation = new Conversation({
      messages: [
        { role: "user", content: "Where are they?" },
        { role: "assistant", content: null, toolCalls: calls },
        ...calls.map(({ id }) => ({ role: "tool", toolCallId: id, content: "sent" })),
      ],
    });
    const signatures = [];
    for (const model of ["gemini-3.5-flash", "gemini-2.5-flash"]) {
      server.script = [{ text: "Sent." }];
      await new Agent({ llm: make({ model }), conversation }).chat("And now?");
      signatures.push(
        contents()
          .at(-1)[1]
          .parts.map(({ thoughtSignature = null }) => thoughtSignature),
      );
    }
    assert.deepEqual(signatures, [
      ["skip_thought_signature_validator", null],
      [null, null],
    ]);
  });

  test("`members` names members that the client gets besides those of the format", async () => {
    const messages = [{ role: "user", content: "Hello", vendor: 7 }];
    for (const [options, vendor] of [
      [{}, undefined],
      [{ members: ["vendor"] }, 7],
    ]) {
      let sent;
      const generateContentStream = async ({ contents }) => {
        sent = contents;
        return ReadableStream.from([{ candidates: [{ finishReason: "STOP" }] }]);
      };
      const client = { models: { generateContent() {}, generateContentStream } };
      const llm = geminiModel(client, { model: "m", ...options });
      for await (const _ of llm({ messages, purpose: "answer" }));
      assert.equal(sent[0].vendor, vendor);
    }
  });

  test("a conversation that begins with an answer gets a message of the user before it", async () => {
    server.script = [{ text: "Fine." }];
    const messages = [{ role: "assistant", content: "Hello. How are you?" }];
    await new Agent({ llm: make(), conversation: new Conversation({ messages }) }).chat("And you?");
    assert.deepEqual(
      contents()[0].map(({ role }) => role),
      ["user", "model", "user"],
    );
  });

  test("a schema beside tools is sent from Gemini 3 on, because earlier models refuse it", async () => {
    const schema = { type: "object", properties: { city: { type: "string" } } };
    for (const [model, isSent] of [
      ["gemini-3.5-flash", true],
      ["models/gemini-2.5-pro", false],
    ]) {
      server.script = [{ text: '{"city":"Oslo"}' }];
      await new Agent({ tools: { order }, llm: make({ model }) }).generateObject("Where?", schema);
      const { generationConfig = {} } = server.requests.at(-1).body;
      assert.equal(generationConfig.responseMimeType === "application/json", isSent, model);
      assert.equal(generationConfig.responseJsonSchema !== undefined, isSent, model);
    }
  });

  test("a request that is too long is recognized", async () => {
    const message = "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).";
    server.script = [{ status: 400, refuse: { error: { code: 400, message, status: "INVALID_ARGUMENT" } } }];
    await assert.rejects(new Agent({ llm: make(), retry: { attempts: 3 } }).chat("Go"), {
      hint: /too long for the model/,
    });
    assert.equal(server.requests.length, 1);
  });

  test("refuses a reply that is not a response, and a stream that ends early", async () => {
    const client = (reply) => ({
      models: { generateContent: async () => reply, generateContentStream: async () => reply },
    });
    await assert.rejects(async () => geminiModel(client({ choices: [] }), { model: "m", stream: false })(user("Go")), {
      code: "invalid_reply",
    });
    const stream = ReadableStream.from([{ candidates: [{ content: { parts: [{ text: "Once" }] } }] }]);
    const read = async () => {
      for await (const _ of geminiModel(client(stream), { model: "m" })(user("Go")));
    };
    await assert.rejects(read, /the stream ended before the reply did, after 4 characters/);
  });
});

suite("fetchModel in front of other servers", () => {
  test("accepts JSON in place of a stream", async () => {
    server.script = [{ text: PROGRAM, json: true }];
    const llm = fetchModel(`${server.baseURL}/chat/completions/`, { model: "m" });
    assert.equal((await adder(llm).run({ data: { a: 40 } })).return, 42);
    assert.equal(server.requests[0].path, "/v1/chat/completions");
    assert.equal(server.requests[0].headers.authorization, undefined);
  });

  test("streams without usage when a server rejects stream_options", async () => {
    const refuse = { detail: "Extra inputs are not permitted: stream_options" };
    server.script = [{ status: 422, refuse }, { text: PROGRAM }];
    const step = await adder(fetchModel(server.baseURL, { model: "m" })).run({ data: { a: 40 } });
    assert.equal(step.return, 42);
    assert.deepEqual(
      server.requests.map(({ body }) => body.stream_options),
      [{ include_usage: true }, undefined],
    );
  });

  test("sends its headers through the given fetch", async () => {
    server.script = [{ text: PROGRAM }];
    const sentRequests = [];
    const own = (url, init) => {
      sentRequests.push(url.href);
      return fetch(url, init);
    };
    const llm = fetchModel(new URL(server.baseURL), { model: "m", headers: { "x-title": "mine" }, fetch: own });
    assert.equal((await adder(llm).run({ data: { a: 40 } })).return, 42);
    assert.deepEqual(sentRequests, [`${server.baseURL}/chat/completions`]);
    assert.equal(server.requests[0].headers["x-title"], "mine");
  });

  test("reports the answer of an endpoint with another protocol", async () => {
    const own = async () => new Response("<html>Welcome</html>", { headers: { "content-type": "text/html" } });
    const { fail } = await adder(fetchModel("http://localhost/v1", { model: "m", fetch: own })).run({ data: { a: 1 } });
    assert.match(fail.message, /the endpoint gave text\/html, which is no reply of a model/);
  });

  test("accepts an event without an empty line after it, and a stream that ends without a finish reason", async () => {
    for (const text of [
      'data:{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}',
      'data: {"choices":[{"delta":{"content":"Hi"}}]}\r\n\r\ndata: [DONE]\r\n\r\n',
    ]) {
      const own = async () => new Response(text, { headers: { "content-type": "text/event-stream" } });
      assert.equal(
        (await new Agent({ llm: fetchModel("http://localhost", { model: "m", fetch: own }) }).chat("Hi")).text,
        "Hi",
      );
    }
  });

  test("reports the problem of an invalid stream", async () => {
    for (const [text, problem] of [
      ["data: {oops\n\n", /the endpoint sent JSON that can't be read: \{oops/],
      ['data: {"text":"Hi"}\n\n', /the stream ended before the reply did, after 0 characters/],
      ['data: {"error":{"message":"overloaded"}}\n\n', /overloaded/],
      ["data: 5\n\n", /the reply must be a chat completion, got 5/],
    ]) {
      const own = async () => new Response(text, { headers: { "content-type": "text/event-stream" } });
      const llm = fetchModel("http://localhost/v1", { model: "m", fetch: own });
      await assert.rejects(new Agent({ llm }).chat("Hi"), problem);
    }
  });

  test("reports the status of an HTML error page", async () => {
    const own = async () => new Response("<html>Bad gateway</html>", { status: 502 });
    const { fail } = await adder(fetchModel("http://localhost/v1", { model: "m", fetch: own })).run({ data: { a: 1 } });
    assert.match(fail.message, /502: the endpoint refused the request/);
  });
});

suite("anthropicModel and the cache", () => {
  test("marks the shared prefix of a run's requests, unless cache is off", async () => {
    for (const [options, isMarked] of [
      [{}, true],
      [{ cache: { ttl: "1h" } }, true],
      [{ cache: null }, false],
    ]) {
      server.requests.length = 0;
      server.script = [{ text: PROGRAM }];
      await adder(anthropicModel(anthropicClient(), { model: "m", ...options })).run({ data: { a: 40 } });
      const marks = JSON.stringify(server.requests[0].body).match(/"cache_control":\{[^}]*\}/g) ?? [];
      assert.equal(marks.length > 0, isMarked);
      if (options.cache?.ttl) assert.ok(marks.every((mark) => mark.includes('"ttl":"1h"')));
    }
  });
});

suite("aiSdkModel", () => {
  test("uses the middleware of a model", async () => {
    server.script = [{ text: PROGRAM }];
    const seen = [];
    const middleware = {
      specificationVersion: "v3",
      transformParams: async ({ params }) => {
        seen.push(params.prompt.length);
        return params;
      },
    };
    const model = wrapLanguageModel({ model: compatible(), middleware });
    assert.equal((await adder(aiSdkModel(model)).run({ data: { a: 40 } })).return, 42);
    assert.deepEqual(seen, [2]);
  });

  for (const [version, create] of [
    [6, createOpenAICompatible],
    [7, createOfVersion7],
  ]) {
    test(`sends images with version ${version}`, async () => {
      server.script = [{ text: "A lamp." }];
      const image = { type: "file", data: "iVBORw0KGgo=", mediaType: "image/png" };
      const address = { type: "image", image: "https://example.com/lamp.png" };
      const agent = new Agent({ llm: aiSdkModel(compatible(create)) });
      await agent.chat([{ role: "user", content: [{ type: "text", text: "What is it?" }, image, address] }]);
      const [, ...sent] = server.requests[0].body.messages.at(-1).content;
      assert.deepEqual(
        sent.map(({ image_url }) => image_url.url),
        ["data:image/png;base64,iVBORw0KGgo=", "https://example.com/lamp.png"],
      );
    });
  }
});

suite("aiSdkModel and the versions of the specification", () => {
  /** The parts that a model of a version gets for messages of the AI SDK. */
  const sentParts = async (specificationVersion, messages, options) => {
    let sent;
    const doStream = async ({ prompt }) => {
      sent = prompt;
      return { stream: ReadableStream.from([{ type: "finish", finishReason: "stop", usage: {} }]) };
    };
    const llm = aiSdkModel({ specificationVersion, modelId: "m", doStream }, options);
    for await (const _ of llm({ messages: aiSdk.from(messages).messages, purpose: "answer" }));
    return sent.flatMap(({ content }) => content);
  };
  const url = new URL("https://example.com/lamp.png");

  test("members of parts that `members` names are given to the model", async () => {
    const content = [{ type: "text", text: "Hello", vendor: 7 }];
    const [part] = await sentParts("v3", [{ role: "user", content }], { members: ["vendor"] });
    assert.equal(part.vendor, 7);
  });

  test("files are sent in the form of the version, from any form", async () => {
    const files = [
      { type: "file", data: "aGk=", mediaType: "text/plain" },
      { type: "file", data: { type: "data", data: "aGk=" }, mediaType: "text/plain" },
      { type: "file", data: "https://example.com/lamp.png", mediaType: "image/png" },
      { type: "file", data: { type: "url", url }, mediaType: "image/png" },
    ];
    const dataOf = async (version) =>
      (await sentParts(version, [{ role: "user", content: files }])).map(({ data }) => data);
    assert.deepEqual(await dataOf("v3"), ["aGk=", "aGk=", url, url]);
    const data = { type: "data", data: "aGk=" };
    assert.deepEqual(await dataOf("v4"), [data, data, { type: "url", url }, { type: "url", url }]);
    const reference = { type: "reference", reference: { openai: "file-1" } };
    const content = [{ type: "file", data: reference, mediaType: "image" }];
    assert.deepEqual((await sentParts("v4", [{ role: "user", content }]))[0].data, reference);
  });

  test("images and files in results are sent in the form of the version", async () => {
    const value = [
      { type: "text", text: "See." },
      { type: "image-data", data: "aGk=", mediaType: "image/png" },
      { type: "file-data", data: "aGk=", mediaType: "text/plain", filename: "a.txt" },
      { type: "image-url", url: String(url) },
    ];
    const result = { type: "tool-result", toolCallId: "c", toolName: "look", output: { type: "content", value } };
    const messages = [
      { role: "user", content: "Look." },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "look", input: {} }] },
      { role: "tool", content: [result] },
    ];
    const outputFor = async (version) => (await sentParts(version, messages)).at(-1).output.value;
    assert.deepEqual(await outputFor("v3"), value);
    const data = { type: "data", data: "aGk=" };
    assert.deepEqual(await outputFor("v4"), [
      { type: "text", text: "See." },
      { type: "file", mediaType: "image/png", data },
      { type: "file", mediaType: "text/plain", filename: "a.txt", data },
      { type: "file", mediaType: "image", data: { type: "url", url } },
    ]);
  });
});

suite("aiSdkModel and the data of providers", () => {
  const signed = (thoughtSignature) => ({ providerMetadata: { google: { thoughtSignature } } });
  const optionsOf = (thoughtSignature) => ({ providerOptions: { google: { thoughtSignature } } });
  const piece = (kind, id, text, last = {}) => [
    { type: `${kind}-start`, id },
    { type: `${kind}-delta`, id, delta: text },
    { type: `${kind}-end`, id, ...last },
  ];
  const callOf = (toolCallId, more) => ({
    type: "tool-call",
    toolCallId,
    toolName: "look",
    input: '{"at":1}',
    ...more,
  });
  const thinking = [
    ...piece("reasoning", "0", "Hm.", signed("a")),
    ...piece("text", "0", "I "),
    ...piece("text", "1", "look."),
  ];
  const kept = [
    { type: "reasoning", text: "Hm.", ...optionsOf("a") },
    { type: "text", text: "I " },
    { type: "text", text: "look." },
    { type: "tool-call", toolCallId: "c", toolName: "look", input: { at: 1 }, ...optionsOf("b") },
    { type: "tool-call", toolCallId: "d", toolName: "look", input: { at: 1 } },
  ];

  /** The parts of the answers in the last prompt, after the model replied with these lists of parts. */
  const answersSent = async (replies) => {
    const prompts = [];
    const doStream = async ({ prompt }) => {
      prompts.push(prompt);
      const parts = replies[prompts.length - 1] ?? piece("text", "0", "Lit.");
      return { stream: ReadableStream.from([...parts, { type: "finish", finishReason: "stop", usage: {} }]) };
    };
    const llm = aiSdkModel({ specificationVersion: "v3", modelId: "m", doStream });
    const tools = { look: { description: "looks", inputSchema: { type: "object" }, execute: () => "lit" } };
    const agent = new Agent({ llm, tools });
    await agent.chat("Look.");
    const restored = new Agent({ llm, tools });
    restored.restore(JSON.parse(JSON.stringify(agent.checkpoint())));
    await restored.chat("Again.");
    return prompts
      .at(-1)
      .filter(({ role }) => role === "assistant")
      .map(({ content }) => content);
  };

  test("reasoning, texts and calls are sent back with their data, also after a checkpoint", async () => {
    const replies = [[...thinking, callOf("c", signed("b")), callOf("d")], piece("text", "0", "Lit.", signed("e"))];
    const [calls, answer] = await answersSent(replies);
    assert.deepEqual(calls, kept);
    assert.deepEqual(answer, [{ type: "text", text: "Lit.", ...optionsOf("e") }]);
  });

  test("calls that got ids of their own keep their data", async () => {
    const [first, second] = await answersSent([[callOf("c", signed("a"))], [callOf("c", signed("b"))]]);
    assert.deepEqual(first, [{ ...kept[3], ...optionsOf("a") }]);
    assert.notEqual(second[0].toolCallId, "c");
    assert.deepEqual(second, [{ ...kept[3], toolCallId: second[0].toolCallId }]);
  });

  test("an edited reply is written without the data of what it was", () => {
    const original = { format: "vercel", members: { content: kept } };
    const calls = kept.slice(3).map(({ toolCallId: id, toolName: name, input: args }) => ({ id, name, args }));
    const message = { role: "assistant", content: "I look.", toolCalls: calls, original };
    const written = (edit) => aiSdk.to(new Conversation({ messages: [{ ...message, ...edit }] }))[0].content;
    assert.deepEqual(written({}), kept);
    for (const edit of [
      { content: "I" },
      { toolCalls: [calls[0], { ...calls[1], args: {} }] },
      { toolCalls: [calls[0]] },
    ]) {
      assert.ok(
        written(edit).every(({ type, providerOptions }) => type !== "reasoning" && providerOptions === undefined),
      );
    }
    // Data of another form is no reply.
    for (const content of [[{ type: "unknown" }], "text", [1], []]) {
      const other = { original: { format: "vercel", members: { content } } };
      assert.deepEqual(written(other), [
        { type: "text", text: "I look." },
        ...kept.slice(3).map(({ providerOptions: _, ...part }) => part),
      ]);
    }
  });

  test("replies without data, and those with tools that the provider ran, are sent as text and calls", async () => {
    const plain = [...piece("reasoning", "0", "Hm."), ...piece("text", "0", "I look."), callOf("c")];
    const remote = callOf("s", { toolName: "search", providerExecuted: true });
    for (const reply of [plain, [...plain.slice(0, -1), remote, callOf("c", signed("b"))]]) {
      const [calls] = await answersSent([reply]);
      assert.deepEqual(
        calls.map(({ type, providerOptions }) => [type, providerOptions]),
        [
          ["text", undefined],
          ["tool-call", undefined],
        ],
      );
    }
  });
});

suite("aiSdkModel and messages that the AI SDK does not send", () => {
  const promptOf = async (messages) => {
    let sent;
    const doStream = async ({ prompt }) => {
      sent = prompt;
      return { stream: ReadableStream.from([{ type: "finish", finishReason: "stop", usage: {} }]) };
    };
    const llm = aiSdkModel({ specificationVersion: "v3", modelId: "m", doStream });
    for await (const _ of llm({ messages: aiSdk.from(messages).messages, purpose: "answer" }));
    return sent;
  };
  const call = { type: "tool-call", toolCallId: "c", toolName: "look", input: {} };
  const result = { type: "tool-result", toolCallId: "c", toolName: "look", output: { type: "text", value: "lit" } };

  test("approvals of calls are omitted, except the answer about a call that the provider runs", async () => {
    const request = { type: "tool-approval-request", approvalId: "a", toolCallId: "c" };
    const response = { type: "tool-approval-response", approvalId: "a", approved: true };
    const question = { role: "user", content: [{ type: "text", text: "Look." }] };
    const prompt = await promptOf([
      question,
      { role: "assistant", content: [call, request] },
      { role: "tool", content: [response] },
      { role: "tool", content: [result] },
    ]);
    assert.deepEqual(prompt, [question, { role: "assistant", content: [call] }, { role: "tool", content: [result] }]);
    const remote = { ...response, providerExecuted: true };
    const [, , answer] = await promptOf([
      question,
      { role: "assistant", content: [{ ...call, providerExecuted: true }, request] },
      { role: "tool", content: [remote] },
    ]);
    assert.deepEqual(answer.content, [remote]);
  });

  test("empty texts next to other parts are omitted, unless they have options", async () => {
    const signed = { type: "text", text: "", providerOptions: { google: { thoughtSignature: "s" } } };
    const prompt = await promptOf([
      { role: "user", content: [{ type: "text", text: "" }] },
      { role: "assistant", content: [{ type: "text", text: "" }, signed, call] },
      { role: "tool", content: [result] },
    ]);
    assert.deepEqual(
      prompt.map(({ content }) => content),
      [[{ type: "text", text: "" }], [signed, call], [result]],
    );
  });
});

suite("arguments of the callbacks are checked", () => {
  const refused = (make, message, hint) =>
    assert.throws(make, (error) => {
      assert.equal(error.code, "invalid_option");
      assert.match(error.message, message);
      if (hint !== undefined) assert.match(error.hint, hint);
      return true;
    });

  test("clients, addresses, models", () => {
    refused(() => openaiModel({}, { model: "m" }), /client must be a client of OpenAI/, /openaiModel\(new OpenAI/);
    refused(() => openaiModel(null, { model: "m" }), /client must be a client of OpenAI, got null/);
    refused(() => anthropicModel(openaiClient(), { model: "m" }), /client must be a client of Anthropic/);
    refused(() => openaiModel(openaiClient(), {}), /model must be the name of a model, got undefined/);
    refused(() => openaiModel(openaiClient()), /the options must be an object, got undefined/);
    refused(() => openaiModel(openaiClient(), { model: "m", stream: 1 }), /stream must be true or false, got 1/);
    refused(() => openaiModel(openaiClient(), { model: "m", messages: [] }), /messages must be left to each request/);
    refused(() => openaiResponsesModel({}, { model: "m" }), /client of OpenAI with the Responses API/, /new OpenAI/);
    refused(() => openaiResponsesModel(openaiClient(), { model: "m", input: "x" }), /input must be left to each/);
    refused(
      () => openaiResponsesModel(openaiClient(), { model: "m", previous_response_id: "r" }),
      /previous_response_id must be left out/,
      /the whole history/,
    );
    refused(() => fetchModel("localhost:11434", { model: "m" }), /url must be an address that begins with https/);
    refused(() => fetchModel("http://x", { model: "m", apiKey: 5 }), /apiKey must be a text, got 5/);
    refused(() => fetchModel("http://x", { model: "m", fetch: {} }), /fetch must be a function/);
    refused(
      () => aiSdkModel("openai/gpt-5"),
      /model must be a language model of the AI SDK/,
      /gateway\("openai\/gpt-5"\)/,
    );
    refused(
      () => geminiModel(openaiClient(), { model: "m" }),
      /client must be a client of @google\/genai/,
      /GoogleGenAI/,
    );
    refused(() => geminiModel(geminiClient(), { model: "m", cache: {} }), /cache must be left out/);
    refused(
      () => geminiModel(geminiClient(), { model: "m", config: { topK: 1 } }),
      /config must be left out/,
      /options/,
    );
    refused(
      () => geminiModel(geminiClient(), { model: "m", systemInstruction: "x" }),
      /systemInstruction must be left/,
    );
    refused(() => geminiModel(geminiClient(), { model: "m", tools: [] }), /tools must be left to each request/);
    refused(() => aiSdkModel({ specificationVersion: "v1", doStream() {} }), /language model of the AI SDK/);
    const streaming = { specificationVersion: "v2", doStream() {} };
    refused(() => aiSdkModel(streaming, { stream: false }), /stream must be true or left out/, /simulateStreaming/);
    aiSdkModel(streaming, { stream: true });
  });
});

suite("mistakes and failures of callbacks", () => {
  const call = (llm) => new Agent({ llm }).chat("Hello");
  const answering = (body, init) => async () =>
    new Response(typeof body === "string" ? body : JSON.stringify(body), init);
  const json = { headers: { "content-type": "application/json" } };
  const modelAt = (fetch, options) => fetchModel("http://127.0.0.1:9/v1?key=secret", { model: "m", fetch, ...options });

  test("marks of a cache and names of members are checked before any request", () => {
    const makers = [
      (options) => openaiModel(openaiClient(), { model: "m", ...options }),
      (options) => openaiResponsesModel(openaiClient(), { model: "m", ...options }),
      (options) => anthropicModel(anthropicClient(), { model: "m", ...options }),
      (options) => fetchModel(server.baseURL, { model: "m", ...options }),
      (options) => aiSdkModel(compatible(), options),
    ];
    for (const make of makers) {
      for (const cache of [5, { breakpoints: 9 }, { ttl: "2h" }, { time: 1 }]) {
        assert.throws(() => make({ cache }), { code: "invalid_option", message: /^cache/ });
      }
      for (const members of ["vendor", [5], {}]) {
        assert.throws(() => make({ members }), { code: "invalid_option", message: /^members must be a list of names/ });
      }
      make({ cache: { ttl: "1h", breakpoints: 2 }, members: ["vendor"] });
    }
  });

  test("a client that does not stream gives its whole reply", async () => {
    const completion = {
      choices: [{ message: { content: "Hi." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 3 },
    };
    const openaiLike = { chat: { completions: { create: async () => completion } } };
    const message = { content: [{ type: "text", text: "Hi." }], stop_reason: "end_turn", usage: { input_tokens: 3 } };
    const anthropicLike = { messages: { create: async () => message } };
    for (const llm of [openaiModel(openaiLike, { model: "m" }), anthropicModel(anthropicLike, { model: "m" })]) {
      const { text, usage, finishReason } = await call(llm);
      assert.deepEqual([text, usage.inputTokens, finishReason], ["Hi.", 3, "stop"]);
    }
  });

  test("an error in a reply of status 200 is shown", async () => {
    const reply = { error: { message: "Model qwen3 is not loaded" } };
    await assert.rejects(call(modelAt(answering(reply, json))), { message: /: Model qwen3 is not loaded$/ });
    const text = { error: 'model "qwen3" not found, try pulling it first, or choose another one' };
    await assert.rejects(call(modelAt(answering(text, json))), { message: /: model "qwen3" not found, try pulling/ });
    const client = { chat: { completions: { create: async () => reply } } };
    const whole = openaiModel(client, { model: "m", stream: false });
    await assert.rejects(call(whole), { message: /: Model qwen3 is not loaded$/ });
  });

  test("JSON that is cut off is not blamed on the address", async () => {
    const cut = modelAt(answering('{"choices":[{"mess', json));
    await assert.rejects(call(cut), { message: /the endpoint sent JSON that can't be read: {"choices":\[{"mess$/ });
    await assert.rejects(call(modelAt(answering("<p>Welcome"))), { hint: /the address/ });
  });

  test("an address that can't be reached is named, without its query", async () => {
    await assert.rejects(call(modelAt(undefined)), (error) => {
      assert.match(error.message, /fetch failed: http:\/\/127\.0\.0\.1:9\/v1\/chat\/completions( \(\w+\))?$/);
      assert.match(error.hint, /^retry: /);
      return true;
    });
  });

  test("a password in the address is not shown", async () => {
    const llm = fetchModel("http://user:secret@127.0.0.1:9/v1?key=secret", { model: "m" });
    await assert.rejects(call(llm), ({ message }) => {
      assert.match(message, /http:\/\/127\.0\.0\.1:9\/v1/);
      assert.doesNotMatch(message, /secret/);
      return true;
    });
  });

  test("no part of an error shows the key, the headers, the password or the query, which servers and fetch repeat", async () => {
    const secrets = ["key-123456", "p@ss-word", "p%40ss-word", "header-654321", "query-13579"];
    const address = "http://user:p%40ss-word@127.0.0.1:9/v1?token=query-13579";
    const repeated = secrets.join(" and ");
    const failures = {
      "a refusal": async () => new Response(`You sent ${repeated}`, { status: 401 }),
      "no JSON": answering(`<p>${repeated}`),
      "a redirection": async () =>
        new Response(null, { status: 307, headers: { location: "http://other.example/header-654321?a=key-123456" } }),
      "an error of fetch": async () => {
        throw new TypeError(`failed: ${address} ${repeated}`, {
          cause: Object.assign(new Error(`refused ${repeated}`), { code: "ECONNREFUSED" }),
        });
      },
    };
    for (const [what, fetch] of Object.entries(failures)) {
      const headers = { "x-tenant": "header-654321" };
      const llm = fetchModel(address, { model: "m", apiKey: "key-123456", headers, fetch, maxRetries: 0 });
      await assert.rejects(call(llm), (error) => {
        for (let inner = error; inner !== undefined && inner !== null; inner = inner.cause) {
          const shown = [
            inner.message,
            inner.hint,
            inner.said,
            inner.stack,
            JSON.stringify(inner.details ?? null),
          ].join(" ");
          for (const secret of secrets) assert.ok(!shown.includes(secret), `${what} shows ${secret}: ${shown}`);
        }
        return true;
      });
    }
  });

  test("headers of fetchModel replace its own, in any case and form", async () => {
    const sent = async (options) => {
      let headers;
      const fetch = async (_, init) => {
        headers = init.headers;
        return answering({ choices: [{ message: { content: "Hi." } }] }, json)();
      };
      await call(modelAt(fetch, options));
      return headers;
    };
    const basic = { "content-type": "application/json", authorization: "Basic x" };
    assert.deepEqual(await sent({ apiKey: "k", headers: { Authorization: "Basic x" } }), basic);
    assert.deepEqual(await sent({ headers: new Headers({ authorization: "Basic x" }) }), basic);
    assert.equal((await sent({ apiKey: "k" })).authorization, "Bearer k");
    for (const headers of [5, { "a b": "c" }, () => ({ authorization: "Bearer k" })]) {
      assert.throws(() => modelAt(undefined, { headers }), { code: "invalid_option", details: { option: "headers" } });
    }
  });
});
