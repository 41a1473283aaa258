// The adapter for the AI SDK with messages and prompts of every version; tests/adapters runs it under the AI SDK itself.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { jsonSchema } from "ai";
import { turnfoldMiddleware, turnfoldPrepareStep } from "turnfold/adapters/ai-sdk";
import {
  Conversation,
  clearToolResults,
  lastNMessages,
  SummaryStore,
  TurnfoldError,
  wholeHistory,
} from "turnfold/chat";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { z } from "zod";
import * as turnfold from "./everything.mjs";
import { fixtures } from "./message-fixtures.mjs";
import { seeded } from "./random.mjs";
import { checkPairs, conversationOf } from "./random-messages.mjs";
import { revoked } from "./revoked.mjs";

const llm = () => "They talked about lamps.";
const step = (messages, more = {}) => ({ messages, model: "none", stepNumber: 0, steps: [], ...more });
const managed = async (messages, parameters, options = {}) =>
  (await turnfoldPrepareStep({ ...parameters, llm, onWarning: () => {}, ...options })(step(messages))).messages;
const prompted = async (prompt, parameters, options = {}) => {
  const middleware = turnfoldMiddleware({ ...parameters, llm, onWarning: () => {}, ...options });
  const call = { type: "generate", params: { prompt, temperature: 0.5 }, model: null };
  return (await middleware.transformParams(call)).prompt;
};

/** `count` rounds of a user message, a call with its result, and an answer. */
const rounds = (count, output = (number) => ({ type: "text", value: `Lamp ${number} is on. `.repeat(30) })) =>
  Array.from({ length: count }, (_, number) => [
    { role: "user", content: [{ type: "text", text: `Question ${number}?` }] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "I look.", providerOptions: { anthropic: { signature: `s${number}` } } },
        { type: "tool-call", toolCallId: `c${number}`, toolName: "look", input: { number } },
      ],
    },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: `c${number}`, toolName: "look", output: output(number) }],
    },
    { role: "assistant", content: [{ type: "text", text: `Answer ${number}.` }] },
  ]).flat();

suite("messages that stay are the given objects", () => {
  for (const [title, messages] of Object.entries(fixtures.aiSdk)) {
    test(title, async () => {
      const shown = structuredClone(messages.filter((message) => !JSON.stringify(message).includes("URL")));
      for (const manage of [managed, prompted]) {
        const sent = await manage(messages, { compressionStrategy: lastNMessages(50), maxTokens: 1_000_000 });
        assert.equal(sent.length, messages.length);
        for (const [index, message] of sent.entries()) assert.equal(message, messages[index]);
      }
      assert.deepEqual(shown, structuredClone(messages.filter((message) => !JSON.stringify(message).includes("URL"))));
    });
  }

  test("of random conversations, under any limit, with whole pairs", async () => {
    for (let seed = 1; seed <= 150; seed++) {
      const random = seeded(seed);
      const messages = conversationOf.aiSdk(random);
      const limit = 2 + random.below(8);
      const parameters = random.chance(0.5)
        ? { maxHistorySize: limit, onOverflow: "send" }
        : { compressionStrategy: lastNMessages(random.below(5)), minMessages: 0 };
      for (const manage of [managed, prompted]) {
        const sent = await manage(messages, parameters);
        const others = sent.filter((message) => !messages.includes(message));
        for (const { role, content } of others) {
          assert.equal(role, "user");
          assert.match(typeof content === "string" ? content : content[0].text, /^Summary of/);
        }
        checkPairs.aiSdk(sent);
      }
    }
  });
});

suite("prompts of every version of the specification", () => {
  const files = {
    "v2 and v3": [
      { type: "file", data: "iVBORw0KGgo=", mediaType: "image/png" },
      { type: "file", data: new Uint8Array([1, 2, 3]), mediaType: "application/pdf", filename: "a.pdf" },
      { type: "file", data: new URL("https://example.com/a.png"), mediaType: "image/*" },
    ],
    v4: [
      { type: "file", data: { type: "data", data: "iVBORw0KGgo=" }, mediaType: "image/png" },
      { type: "file", data: { type: "data", data: new Uint8Array([1, 2, 3]) }, mediaType: "application/pdf" },
      { type: "file", data: { type: "url", url: new URL("https://example.com/a.png") }, mediaType: "image" },
      { type: "file", data: { type: "reference", reference: { openai: "file-1" } }, mediaType: "image" },
      { type: "file", data: { type: "text", text: "A letter about lamps." }, mediaType: "text/plain" },
    ],
  };
  for (const [name, parts] of Object.entries(files)) {
    test(`files of ${name} stay, and count as files or as their text`, async () => {
      const reports = [];
      const prompt = [{ role: "user", content: [{ type: "text", text: "See." }, ...parts] }, ...rounds(6)];
      const options = { onReport: (report) => reports.push(report) };
      assert.deepEqual(await prompted(prompt, {}, options), prompt);
      const { tokens } = reports[0].messages[0];
      const media = parts.filter(({ data }) => data.type !== "text").length;
      assert.ok(tokens >= media * 1000 && tokens < media * 1000 + 60, `${tokens} tokens`);
    });
  }

  test("parts that only version 4 has, and approvals of calls that a provider runs, stay", async () => {
    const file = { type: "data", data: "iVBORw0KGgo=".repeat(2000) };
    const reports = [];
    const prompt = [
      ...rounds(1, () => ({
        type: "content",
        value: [
          { type: "text", text: "See." },
          { type: "file", data: file, mediaType: "image/png" },
          { type: "custom", providerOptions: { mine: { kind: 1 } } },
        ],
      })),
      { role: "user", content: [{ type: "text", text: "Go." }] },
      {
        role: "assistant",
        content: [
          { type: "reasoning-file", data: file, mediaType: "image/png" },
          { type: "custom", kind: "openai.other", providerOptions: { openai: { itemId: "i" } } },
          { type: "tool-call", toolCallId: "m1", toolName: "mcp", input: {}, providerExecuted: true },
        ],
      },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: true }] },
    ];
    const sent = await prompted(
      prompt,
      { compressionStrategy: wholeHistory(), minMessages: 0 },
      { onReport: (report) => reports.push(report) },
    );
    assert.equal(sent.length, 4);
    assert.match(sent[0].content[0].text, /^Summary of/);
    for (const place of [-1, -2, -3]) assert.equal(sent.at(place), prompt.at(place));
    // A file counts as 1,000 tokens, whatever the length of its data.
    const sizes = reports[0].messages.map(({ tokens }) => tokens);
    assert.ok(Math.max(...sizes) < 1300, sizes.join());
  });

  test("the data of files is read only with summaryRequest: behind", async () => {
    const image = "iVBORw0KGgoA".repeat(500);
    const forms = [
      { type: "file", data: image, mediaType: "image/png" },
      { type: "file", data: { type: "data", data: image }, mediaType: "image/png" },
      { type: "image", image },
    ];
    for (const part of forms) {
      for (const [summaryRequest, isRead] of [
        ["separate", false],
        ["behind", true],
      ]) {
        const requests = [];
        const options = {
          llm: ({ messages }) => {
            requests.push(JSON.stringify(messages));
            return "About lamps.";
          },
        };
        const messages = [{ role: "user", content: [{ type: "text", text: "See." }, part] }, ...rounds(4)];
        const parameters = { compressionStrategy: wholeHistory(), summaryRequest, keepAtLeast: 1 };
        const [summary] = await managed(messages, parameters, options);
        assert.match(summary.content, /About lamps/);
        assert.deepEqual([requests.length, requests[0].includes(image)], [1, isRead]);
        assert.equal((await managed(messages, { maxTokens: 90_000 }))[0].content[1], part);
      }
    }
  });

  test("other members of a request stay unchanged", async () => {
    const middleware = turnfoldMiddleware({ maxHistorySize: 3 });
    const params = {
      prompt: rounds(5),
      temperature: 0.5,
      providerOptions: { mine: { a: 1 } },
      toolChoice: { type: "auto" },
    };
    const { prompt, ...others } = await middleware.transformParams({ type: "stream", params, model: null });
    assert.ok(prompt.length < 20);
    assert.deepEqual(others, { temperature: 0.5, providerOptions: { mine: { a: 1 } }, toolChoice: { type: "auto" } });
    assert.equal(params.prompt.length, 20);
  });
});

suite("the model writes the summaries", () => {
  const finish = { type: "finish", finishReason: { unified: "stop" }, usage: {} };
  /** A model of a version of the specification that replies with a text. */
  const model = (specificationVersion, asked) => ({
    specificationVersion,
    modelId: "m",
    doStream: async (request) => {
      asked.push(request);
      const parts = [{ type: "text-delta", id: "1", delta: "About lamps." }, finish];
      return { stream: ReadableStream.from(parts) };
    },
  });
  for (const version of ["v2", "v3", "v4"]) {
    test(`of version ${version}`, async () => {
      const requests = [];
      const middleware = turnfoldMiddleware({ compressionStrategy: wholeHistory() });
      const params = { prompt: rounds(5), headers: { a: "b" } };
      const { prompt } = await middleware.transformParams({
        type: "generate",
        params,
        model: model(version, requests),
      });
      assert.match(prompt[0].content[0].text, /About lamps\.$/);
      assert.deepEqual(requests[0].headers, { a: "b" });
      const { messages } = await turnfoldPrepareStep({ compressionStrategy: wholeHistory() })(
        step(rounds(5), { model: model(version, requests) }),
      );
      assert.match(messages[0].content, /About lamps\.$/);
      assert.equal(requests.length, 2);
    });
  }

  test("a model that is given only by name is refused when a summary is needed, not before", async () => {
    const prepareStep = turnfoldPrepareStep({ compressionStrategy: wholeHistory() });
    assert.equal((await prepareStep(step(rounds(1), { model: "openai/gpt-5" }))).messages.length, 4);
    await assert.rejects(prepareStep(step(rounds(5), { model: "openai/gpt-5" })), (error) => {
      assert.equal(error.code, "compression_failed");
      assert.match(error.message, /model must be a language model of the AI SDK, got "openai\/gpt-5"/);
      return true;
    });
  });
});

test("strategies, stores and counters of the main entry are accepted", async () => {
  const summaryStore = new turnfold.SummaryStore();
  const parameters = { compressionStrategy: turnfold.lastNMessages(4), counter: turnfold.estimateCl100k };
  const sent = await managed(rounds(5), parameters, { summaryStore });
  assert.match(sent[0].content, /^Summary of 16 earlier messages/);
  assert.ok(summaryStore.size > 0);
});

suite("cleared results", () => {
  test("keep their part, its id and options, and stay cleared in later steps", async () => {
    const messages = rounds(8);
    messages[2].content[0].providerOptions = { mine: { a: 1 } };
    const parameters = { compressionStrategy: clearToolResults({ keep: 2 }), when: "always", minMessages: 0 };
    const sent = await managed(messages, parameters);
    assert.equal(sent.length, messages.length);
    const cleared = sent.filter((message, index) => message !== messages[index]);
    assert.ok(cleared.length >= 5, `${cleared.length}`);
    assert.deepEqual(
      { ...sent[2].content[0], output: null },
      { type: "tool-result", toolCallId: "c0", toolName: "look", providerOptions: { mine: { a: 1 } }, output: null },
    );
    assert.equal(sent[2].content[0].output.type, "text");
    assert.match(messages[2].content[0].output.value, /Lamp 0 is on/);
    const later = await managed([...messages, ...rounds(1)], parameters);
    assert.deepEqual(later.slice(0, 12), sent.slice(0, 12));
  });

  test("are cleared after messages that a summary replaces or a limit drops", async () => {
    const clears = clearToolResults({ keep: 1 });
    const messages = rounds(12);
    for (const parameters of [
      { compressionStrategy: [clears, lastNMessages(16)], minMessages: 0 },
      { compressionStrategy: clears, when: "always", minMessages: 0, maxHistorySize: 17 },
    ]) {
      const sent = await managed(messages, parameters);
      checkPairs.aiSdk(sent);
      const cleared = sent.filter((message) => message.role === "tool" && !messages.includes(message));
      assert.ok(cleared.length >= 2, `${cleared.length} of ${sent.length}`);
      for (const { content } of cleared) {
        const [{ toolCallId, output }] = content;
        const given = messages.find(
          (message) => message.role === "tool" && message.content[0].toolCallId === toolCallId,
        );
        assert.notEqual(output.value, given.content[0].output.value);
        assert.ok(!output.value.includes("is on. Lamp"));
      }
    }
  });

  // The AI SDK's models drop results of provider's tools that have another form, and providers refuse calls without them.
  test("stay in assistant messages, where the provider ran the tool", async () => {
    const messages = Array.from({ length: 12 }, (_, number) => {
      const part = { toolCallId: `c${number}`, toolName: "search" };
      const output = { type: "text", value: `Lamp ${number} is on. `.repeat(30) };
      const call = { type: "tool-call", ...part, input: {}, providerExecuted: true };
      const content = [call, { type: "tool-result", ...part, output }, { type: "text", text: `Answer ${number}.` }];
      return [
        { role: "user", content: `Question ${number}?` },
        { role: "assistant", content },
      ];
    }).flat();
    const strategies = [clearToolResults({ keep: 1 }), lastNMessages(11)];
    const sent = await managed(messages, { compressionStrategy: strategies, minMessages: 0 });
    assert.match(sent[0].content, /^Summary of 13 earlier messages/);
    assert.deepEqual(sent.slice(1), messages.slice(13));
    checkPairs.aiSdk(sent);
  });

  test("are cleared individually in a message with several results", async () => {
    const calls = ["a", "b"].map((id) => ({ type: "tool-call", toolCallId: id, toolName: "look", input: {} }));
    const results = ["a", "b"].map((id) => ({
      type: "tool-result",
      toolCallId: id,
      toolName: "look",
      output: { type: "text", value: `${id} `.repeat(400) },
    }));
    const messages = [
      { role: "user", content: "Look." },
      { role: "assistant", content: calls },
      { role: "tool", content: results },
      { role: "assistant", content: "Done." },
      { role: "user", content: "And?" },
    ];
    const strategy = clearToolResults({ keep: 1, atLeast: 0 });
    const sent = await managed(messages, {
      compressionStrategy: strategy,
      when: "always",
      minMessages: 0,
      keepAtLeast: 0,
    });
    assert.equal(sent[2].content[1], results[1]);
    assert.equal(sent[2].content[0].toolCallId, "a");
    assert.ok(sent[2].content[0].output.value.length < 200);
    assert.equal(sent[1], messages[1]);
  });
});

suite("cache", () => {
  const marksOf = (messages) => {
    const places = [];
    for (const [index, message] of messages.entries()) {
      const parts = Array.isArray(message.content) ? message.content : [];
      const place = parts.findIndex(({ providerOptions }) => providerOptions?.anthropic?.cacheControl);
      const isWhole = message.providerOptions?.anthropic?.cacheControl !== undefined;
      if (isWhole || place >= 0) places.push([index, isWhole ? Math.max(parts.length - 1, 0) : place]);
    }
    return places;
  };

  test("marks the places that the format marks", async () => {
    const messages = [{ role: "system", content: "You know lamps." }, ...rounds(9)];
    // A reply that ends with thoughts is marked before them.
    messages.push({ role: "user", content: "Go." });
    for (const options of [{}, { breakpoints: 2 }, { breakpoints: 0 }, { ttl: "1h" }]) {
      const expected = aiSdk.to(aiSdk.from(messages), { cache: options });
      const sent = await managed(messages, {}, { cache: options });
      assert.deepEqual(marksOf(sent), marksOf(expected));
      if (options.ttl) assert.ok(JSON.stringify(sent).includes('"ttl":"1h"'));
    }
  });

  test("marks before reasoning, keeps other options, and marks no empty text", async () => {
    const options = { cache: {} };
    const thinking = {
      role: "assistant",
      content: [
        { type: "text", text: "A lamp.", providerOptions: { anthropic: { citations: true }, mine: { a: 1 } } },
        { type: "reasoning", text: "Hm." },
      ],
    };
    const messages = [{ role: "user", content: "Go." }, thinking];
    const [, sent] = await managed(messages, {}, options);
    assert.deepEqual(sent.content[0].providerOptions, {
      anthropic: { citations: true, cacheControl: { type: "ephemeral" } },
      mine: { a: 1 },
    });
    assert.equal(sent.content[1], thinking.content[1]);
    assert.equal(sent.providerOptions, undefined);
    const empty = [
      { role: "user", content: "Go." },
      { role: "assistant", content: [{ type: "reasoning", text: "Hm." }] },
    ];
    assert.equal((await managed(empty, {}, options))[1], empty[1]);
  });
});

suite("the whole history, of which AI SDK 7 carries the managed part from step to step", () => {
  const reported = (parameters, options = {}) => {
    const reports = [];
    const manage = turnfoldPrepareStep({ ...parameters, llm, onReport: (report) => reports.push(report), ...options });
    return { manage, reports };
  };

  test("is restored, also when the host adds messages or cache marks are set", async () => {
    const summaryStore = new SummaryStore();
    const { manage, reports } = reported({ compressionStrategy: lastNMessages(4) }, { cache: {}, summaryStore });
    const history = rounds(4);
    let { messages } = await manage(step(history));
    for (let stepNumber = 1; stepNumber < 4; stepNumber++) {
      const [, call, result] = rounds(stepNumber + 10).slice(-4);
      messages = [...messages, { role: "user", content: `More ${stepNumber}.` }, call, result];
      ({ messages } = await manage(step(messages, { stepNumber })));
    }
    assert.deepEqual(
      reports.map((report) => report.messages.length),
      [16, 19, 22, 25],
    );
    // Every later step finds the summary of the first step in the store, so no other is requested.
    assert.equal(
      reports.reduce((sum, { llmCalls }) => sum + llmCalls, 0),
      1,
    );
  });

  test("is not restored in a new call, nor for messages that are other objects", async () => {
    const { manage, reports } = reported({ maxHistorySize: 6 });
    const { messages } = await manage(step(rounds(4)));
    await manage(step([...messages], { stepNumber: 0 }));
    await manage(step(structuredClone(messages), { stepNumber: 1 }));
    await manage(step(messages.slice(1), { stepNumber: 1 }));
    const [first, ...others] = reports.map((report) => report.messages.length);
    assert.equal(first, 16);
    assert.deepEqual(others, [messages.length, messages.length, messages.length - 1]);
  });
});

test("tools count with their schemas in every form of schema", async () => {
  const sizes = [];
  const onReport = ({ tokens }) => sizes.push(tokens.before);
  const json = {
    type: "object",
    properties: { lamp: { type: "number", description: "Its number in the list of lamps" } },
  };
  const described = z.object({ lamp: z.number().describe("Its number in the list of lamps") });
  const schemas = [json, jsonSchema(json), described, () => jsonSchema(json)];
  for (const inputSchema of schemas) {
    await turnfoldPrepareStep({ tools: { look: { description: "Looks", inputSchema } }, onReport })(step(rounds(1)));
  }
  // A tool with an unreadable schema counts as one without arguments; a provider's own tool does not count.
  const failing = {
    get jsonSchema() {
      throw new Error("no");
    },
  };
  for (const tool of [{ inputSchema: failing }, { type: "provider", id: "a.b", name: "b", args: {} }, null]) {
    await turnfoldPrepareStep({ tools: { look: tool }, onReport })(step(rounds(1)));
  }
  await turnfoldPrepareStep({ onReport })(step(rounds(1)));
  const [first, ...others] = sizes.splice(0, schemas.length);
  const [unread, ofProvider, missing, none] = sizes;
  for (const size of others) assert.ok(Math.abs(size - first) < 30 && size > unread + 10, `${size} of ${first}`);
  assert.ok(unread > none);
  assert.deepEqual([ofProvider, missing], [none, none]);
});

test("the time since the previous step decides whether the provider's cache is still valid", async () => {
  const reports = [];
  const manage = turnfoldPrepareStep({ prices: { lifetime: 300 }, onReport: (report) => reports.push(report) });
  const since = (seconds) => [{ response: { timestamp: new Date(Date.now() - seconds * 1000) } }];
  for (const steps of [[], since(2), since(3600), since(-60), [{}], [null]]) await manage(step(rounds(20), { steps }));
  const [unknown, soon, late, ...others] = reports.map(({ cache }) => cache.read);
  assert.ok(soon > 0);
  assert.equal(late, 0);
  assert.equal(unknown, soon);
  assert.deepEqual(others, [soon, soon, soon]);
});

suite("providerOptions.turnfold of a message", () => {
  const own = (turnfold) => [{ role: "user", content: "Hi", providerOptions: { turnfold } }];
  for (const [given, path] of [
    [{ pin: true }, "messages[0].providerOptions.turnfold.pin"],
    [5, "messages[0].providerOptions.turnfold"],
    [{ pinned: "yes" }, "messages[0].pinned"],
    [{ timestamp: "soon" }, "messages[0].timestamp"],
  ]) {
    test(`${JSON.stringify(given)} is refused`, async () => {
      for (const manage of [managed, prompted]) {
        await assert.rejects(manage(own(given), {}), (error) => {
          assert.equal(error.code, "invalid_message");
          assert.equal(error.details.path, path);
          return true;
        });
      }
    });
  }
});

suite("invalid input", () => {
  test("gives a TurnfoldError", async () => {
    const cyclic = { role: "user", content: [{ type: "text", text: "a" }] };
    cyclic.content.push(cyclic);
    const deep = { role: "tool", content: [] };
    let nested = {};
    for (let level = 0; level < 3000; level++) nested = { nested };
    deep.content.push({ type: "tool-result", toolCallId: "a", toolName: "b", output: { type: "json", value: nested } });
    const bad = [
      [cyclic],
      [deep],
      [{ role: "user", content: [{ type: "text" }] }],
      [{ role: "user", content: [{ type: "text", text: () => {} }] }],
      [{ role: "assistant", content: [{ type: "tool-call", toolCallId: 1, toolName: "a" }] }],
      [
        new Proxy(
          {},
          {
            get: () => {
              throw new Error("no");
            },
          },
        ),
      ],
      revoked({}),
    ];
    for (const messages of bad) {
      for (const manage of [managed, prompted]) {
        await assert.rejects(manage(messages, {}), (error) => {
          assert.ok(TurnfoldError.isInstance(error), String(error));
          return true;
        });
      }
    }
  });

  test("tool values that JSON can express are read as that JSON and sent unchanged", async () => {
    class Money {
      toJSON() {
        return { euros: 12 };
      }
    }
    const messages = rounds(1, () => ({ type: "json", value: { price: new Money(), count: 5n, none: undefined } }));
    assert.equal((await managed(messages, { maxTokens: 900 }))[2], messages[2]);
  });

  test("managing a conversation does not change it", async () => {
    const messages = rounds(6);
    const before = structuredClone(messages);
    await managed(messages, { compressionStrategy: wholeHistory() }, { cache: {} });
    assert.deepEqual(messages, before);
    assert.ok(new Conversation({ messages: aiSdk.from(messages).messages }).lint().length === 0);
  });
});
