// Converters repair what providers refuse: ids of calls, blank texts, empty content, integers beyond 2^53.

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { Conversation } from "turnfold";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";
import { openai } from "turnfold/formats/openai";
import { send, serve } from "./loopback.mjs";
import { seeded } from "./random.mjs";

const formats = { openai, anthropic, aiSdk };

const call = (id, args = {}) => ({ role: "assistant", content: null, toolCalls: [{ id, name: "f", args }] });
const result = (id) => ({ role: "tool", toolCallId: id, toolName: "f", content: "found" });
const chat = (...messages) => new Conversation({ messages: [{ role: "user", content: "Hello" }, ...messages] });

const idsIn = {
  openai: (messages) => messages.flatMap((message) => message.tool_calls?.[0].id ?? message.tool_call_id ?? []),
  anthropic: ({ messages }) =>
    messages.flatMap(({ content }) =>
      Array.isArray(content) ? content.flatMap(({ id, tool_use_id }) => id ?? tool_use_id ?? []) : [],
    ),
  aiSdk: (messages) =>
    messages.flatMap(({ content }) => (Array.isArray(content) ? content.flatMap((part) => part.toolCallId ?? []) : [])),
};

const neutralIds = (conversation) =>
  conversation.messages.flatMap(({ content, toolCalls = [], toolCallId }) => [
    ...(Array.isArray(content) ? content.flatMap((part) => part.toolCallId ?? []) : []),
    ...toolCalls.map(({ id }) => id),
    ...(toolCallId === undefined ? [] : [toolCallId]),
  ]);

suite("ids of calls", () => {
  const odd = [
    "functions.search:0",
    "a|b",
    "tfx-a-3a-b",
    "tfx--0",
    "tfx-",
    "é😀",
    " ",
    "-",
    "__proto__",
    "x".repeat(90),
  ];

  test("anthropic.to encodes them in Anthropic's alphabet, the same for call and result, and anthropic.from decodes them", () => {
    const seen = new Set();
    for (const id of odd) {
      const there = anthropic.to(chat(call(id), result(id)));
      const [asked, answered] = idsIn.anthropic(there);
      assert.equal(asked, answered);
      assert.match(asked, /^[a-zA-Z0-9_-]+$/);
      seen.add(asked);
      assert.deepEqual(neutralIds(anthropic.from(there)), [id, id]);
      assert.deepEqual(anthropic.to(anthropic.from(there)), there);
    }
    assert.equal(seen.size, odd.length);
    assert.equal(
      idsIn.anthropic(anthropic.to(chat(call("functions.f:0"), result("functions.f:0"))))[0],
      "tfx-functions-2e-f-3a-0",
    );
  });

  test("random ids are encoded reversibly and uniquely", () => {
    const { pick, below } = seeded(7);
    const ids = new Set();
    for (let count = 0; count < 2000; count++) {
      const id = Array.from({ length: 1 + below(9) }, () =>
        pick(["tfx-", "-", "2d", "a", "_", ".", "é", "-2e-", "0"]),
      ).join("");
      ids.add(id);
    }
    const written = new Set();
    for (const id of ids) {
      const there = anthropic.to(chat(call(id), result(id)));
      written.add(idsIn.anthropic(there)[0]);
      assert.deepEqual(neutralIds(anthropic.from(there)), [id, id]);
    }
    assert.equal(written.size, ids.size);
  });

  test("valid ids are not changed, and the conversation keeps its own", () => {
    const conversation = chat(call("toolu_01-A"), result("toolu_01-A"));
    for (const [name, format] of Object.entries(formats)) {
      assert.deepEqual(idsIn[name](format.to(conversation)), ["toolu_01-A", "toolu_01-A"]);
    }
    const odd = chat(call("a:b"), result("a:b"));
    anthropic.to(odd);
    assert.deepEqual(neutralIds(odd), ["a:b", "a:b"]);
    assert.deepEqual(idsIn.openai(openai.to(odd)), ["a:b", "a:b"]);
  });

  test("messages of Anthropic with ids that Anthropic refuses are written with valid ids", () => {
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: [{ type: "tool_use", id: "f:0", name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "f:0", content: "found" }] },
    ];
    assert.deepEqual(idsIn.anthropic(anthropic.to(anthropic.from(messages))), ["tfx-f-3a-0", "tfx-f-3a-0"]);
  });

  test("missing ids are generated for each call, and its result gets the same id", () => {
    const calls = {
      role: "assistant",
      content: null,
      toolCalls: ["f", "g", "f"].map((name) => ({ id: "", name, args: {} })),
    };
    const results = ["g", "f", "f"].map((toolName, index) => ({
      role: "tool",
      toolCallId: "",
      toolName,
      content: `${index}`,
    }));
    const conversation = chat(calls, ...results);
    const pairs = openai.to(conversation);
    assert.deepEqual(
      pairs[1].tool_calls.map(({ id }) => id),
      ["tfx--0", "tfx--1", "tfx--2"],
    );
    assert.deepEqual(
      pairs.slice(2).map(({ tool_call_id: id }) => id),
      ["tfx--1", "tfx--0", "tfx--2"],
    );
    for (const format of Object.values(formats)) {
      const there = format.to(conversation);
      assert.deepEqual(format.to(format.from(there)), there);
    }
    // After reading them back, they are ordinary ids, and calls without ids get other ones.
    const more = openai
      .from(pairs)
      .append({ role: "assistant", content: null, toolCalls: [{ id: "", name: "f", args: {} }] });
    assert.equal(openai.to(more).at(-1).tool_calls[0].id, "tfx--3");
  });

  test("openai.to shortens ids of more than 40 characters, except those that openai.from read", () => {
    const long = `fc_${"0f".repeat(30)}`;
    const [asked, answered] = idsIn.openai(openai.to(chat(call(long), result(long))));
    assert.equal(asked, answered);
    // The same in all versions, so that messages keep their bytes.
    assert.equal(asked, "fc_0f0f0f0f0f0f0f0f0f0f_6460a7f9cff3ba68");
    assert.notEqual(asked, idsIn.openai(openai.to(chat(call(`${long}0`), result(`${long}0`))))[0]);
    const messages = [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: long, type: "function", function: { name: "f", arguments: "{}" } }],
      },
    ];
    const read = openai.from(messages);
    assert.deepEqual(openai.to(read), messages);
    // A result that a host appends is written with the id that the server knows.
    assert.deepEqual(idsIn.openai(openai.to(read.append(result(long)))), [long, long]);
  });
});

suite("blank and empty content", () => {
  test("anthropic.to omits blank texts beside calls, alone, and in results", () => {
    const conversation = new Conversation({
      messages: [
        { role: "system", content: [{ type: "text", text: " " }] },
        {
          role: "user",
          content: [
            { type: "text", text: "Hello", cache_control: null },
            { type: "text", text: "\n", cache_control: { type: "ephemeral" } },
          ],
        },
        { role: "assistant", content: "\n\n", toolCalls: [{ id: "c", name: "f", args: {} }] },
        { role: "tool", toolCallId: "c", content: [{ type: "text", text: "" }] },
        { role: "user", content: "  " },
        { role: "assistant", content: null },
        { role: "user", content: "Go on" },
      ],
    });
    assert.deepEqual(anthropic.to(conversation), {
      messages: [
        { role: "user", content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral" } }] },
        { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "" }] },
        { role: "user", content: "Go on" },
      ],
    });
  });

  test("an answer of Claude with a blank text is written without the text and with unchanged thinking", () => {
    const thinking = { type: "thinking", thinking: "hm ", signature: "s" };
    const use = { type: "tool_use", id: "c", name: "f", input: {} };
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: [thinking, { type: "text", text: "\n\n" }, use] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", is_error: true, content: "" }] },
      { role: "assistant", content: [{ type: "text", text: "Yes, \n" }] },
    ];
    const there = anthropic.to(anthropic.from(messages)).messages;
    assert.deepEqual(there[1].content, [thinking, use]);
    assert.ok(there[2].content[0].content.length > 5, "an error has content");
    assert.deepEqual(there[3].content, [{ type: "text", text: "Yes," }]);
  });

  test("openai.to writes no empty lists, and no null without calls", () => {
    const messages = [
      { role: "user", content: [] },
      { role: "assistant", content: null, toolCalls: [] },
      { role: "assistant", content: [], toolCalls: [{ id: "c", name: "f", args: {} }] },
    ];
    const calls = [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }];
    assert.deepEqual(openai.to(new Conversation({ messages })), [
      { role: "user", content: "" },
      { role: "assistant", content: "" },
      { role: "assistant", content: null, tool_calls: calls },
    ]);
  });
});

suite("integers beyond 2^53", () => {
  const conversation = chat(call("c", { small: 5n, big: 12345678901234567890n, list: [-(2n ** 70n)] }), {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "c", toolName: "f", output: { type: "json", value: { id: 2n ** 60n } } },
    ],
  });
  const args = { small: 5, big: "12345678901234567890", list: ["-1180591620717411303424"] };

  test("big integers in arguments and results become texts of their digits, or numbers where these are exact", () => {
    assert.deepEqual(JSON.parse(openai.to(conversation)[1].tool_calls[0].function.arguments), args);
    assert.equal(openai.to(conversation)[2].content, '{"id":"1152921504606846976"}');
    const { messages } = anthropic.to(conversation);
    assert.deepEqual(messages[1].content[0].input, args);
    assert.equal(messages[2].content[0].content, '{"id":"1152921504606846976"}');
    assert.deepEqual(aiSdk.to(conversation)[1].content[0].input, args);
    for (const format of Object.values(formats)) JSON.stringify(format.to(conversation));
  });

  test("anthropic.to writes unsafe integers of arguments as texts, and fractions as numbers", () => {
    const { messages } = anthropic.to(chat(call("c", { id: 2 ** 60, rate: 0.5, deep: [{ n: -1e20 }] })));
    assert.deepEqual(messages[1].content[0].input, {
      id: "1152921504606846976",
      rate: 0.5,
      deep: [{ n: "-100000000000000000000" }],
    });
  });
});

suite("through the clients", () => {
  const requests = [];
  let server;
  before(async () => {
    server = await serve((request, body, response) => {
      requests.push(body);
      if (request.url === "/v1/messages") {
        const content = [{ type: "text", text: "Yes." }];
        const usage = { input_tokens: 1, output_tokens: 1 };
        send(response, {
          id: "m",
          type: "message",
          role: "assistant",
          model: "m",
          content,
          stop_reason: "end_turn",
          usage,
        });
      } else {
        const choices = [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Yes." } }];
        send(response, { id: "m", object: "chat.completion", created: 0, model: "m", choices });
      }
    });
  });

  test("arguments with big integers and invalid ids arrive as JSON, with whole pairs", async () => {
    const id = "functions.f:0";
    const conversation = chat(call(id, { n: 2n ** 64n }), result(id));
    const claude = new Anthropic({ baseURL: server.origin, apiKey: "key", maxRetries: 0 });
    await claude.messages.create({ model: "m", max_tokens: 9, ...anthropic.to(conversation) });
    const client = new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "key", maxRetries: 0 });
    await client.chat.completions.create({ model: "m", messages: openai.to(conversation) });
    const [use, answer] = idsIn.anthropic(requests[0]);
    assert.equal(use, answer);
    assert.deepEqual(idsIn.openai(requests[1].messages), [id, id]);
    assert.equal(requests[0].messages[1].content[0].input.n, "18446744073709551616");
  });

  after(() => server.close());
});

test("anthropic.to joins the results of parallel calls in one message, also when they are in messages of both roles", () => {
  const part = (id) => ({ type: "tool-result", toolCallId: id, toolName: "f", output: { type: "text", value: id } });
  const calls = { role: "assistant", content: null, toolCalls: ["c", "d"].map((id) => ({ id, name: "f", args: {} })) };
  const ofUser = (id, ...more) => ({ role: "user", content: [part(id), ...more] });
  const text = { type: "text", text: "And?" };
  for (const results of [
    [result("c"), ofUser("d", text)],
    [ofUser("c"), result("d")],
  ]) {
    const { messages } = anthropic.to(chat(calls, ...results));
    assert.equal(messages.length, 3);
    assert.deepEqual(
      messages[2].content.flatMap(({ tool_use_id: id }) => id ?? []),
      ["c", "d"],
    );
  }
});
