// Messages of other shapes are refused with a hint at what reads them; they are never taken for messages without content.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent, Conversation, manageHistory } from "turnfold";
import { bill, countMessages, readConversation } from "turnfold/audit";
import { mergeRoles, planHistory } from "turnfold/chat";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";
import { openai } from "turnfold/formats/openai";
import { randomUIMessages } from "./random-ui-messages.mjs";
import { refuses } from "./refuses.mjs";

const words = "many words ".repeat(1000);

/** Messages with the shape's name, the member with their content, and what their hint names. */
const SHAPES = [
  [
    "UI messages of the AI SDK",
    { id: "1", role: "user", parts: [{ type: "text", text: words }] },
    "parts",
    /aiSdk\.from/,
  ],
  [
    "UI messages with calls",
    { role: "assistant", parts: [{ type: "tool-f", toolCallId: "c", state: "input-available", input: { words } }] },
    "parts",
    /aiSdk\.from/,
  ],
  [
    "UI messages of AI SDK 4",
    {
      id: "1",
      role: "assistant",
      content: "",
      toolInvocations: [{ state: "call", toolCallId: "c", toolName: "f", args: { words } }],
    },
    "toolInvocations",
    /aiSdk\.from/,
  ],
  [
    "UI messages of AI SDK 4 with files",
    {
      role: "user",
      content: "See here.",
      experimental_attachments: [{ contentType: "text/plain", url: `data:text/plain,${words}` }],
    },
    "experimental_attachments",
    /aiSdk\.from/,
  ],
  ["contents of Gemini", { role: "user", parts: [{ text: words }] }, "parts", /gemini/i],
  [
    "contents of Gemini's model",
    { role: "model", parts: [{ functionCall: { name: "f", args: { words } } }] },
    "parts",
    /gemini/i,
  ],
  ["messages of LlamaIndex", { role: "user", blocks: [{ block_type: "text", text: words }] }, "blocks", /content/],
  [
    "lines of Claude Code",
    { type: "user", uuid: "1", message: { role: "user", content: words } },
    "message",
    /readConversation/,
  ],
  ["envelopes with a role", { role: "user", message: { content: words } }, "message", /message/],
  [
    "serialized messages of LangChain",
    { lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs: { content: words } },
    "kwargs",
    /langchain/,
  ],
  ["stored messages of LangChain", { type: "human", data: { content: words } }, "data", /langchain/],
  ["messages of ShareGPT", { from: "human", value: words }, "value", /value/],
  ["messages with a text", { role: "user", text: words }, "text", /content/],
];

/** What takes messages, with the path of the list in errors. */
const TAKERS = [
  ["new Conversation", (messages) => new Conversation({ messages })],
  ["append", (messages) => new Conversation().append(...messages)],
  ["countMessages", (messages) => countMessages(messages)],
  ["mergeRoles", (messages) => mergeRoles(messages)],
  ["planHistory's request", (messages) => planHistory(new Conversation(), {}, { request: messages })],
  ["bill", (messages) => bill([messages])],
  ["openai.from", (messages) => openai.from(messages)],
  ["openai.responses.from", (messages) => openai.responses.from(messages)],
  ["anthropic.from", (messages) => anthropic.from(messages)],
  ["aiSdk.from", (messages) => aiSdk.from(messages)],
];

suite("messages of another shape are refused with a hint", () => {
  for (const [name, message, member, hint] of SHAPES) {
    test(name, async () => {
      const valid = { role: "user", content: "Hello" };
      for (const [taker, take] of TAKERS) {
        if (taker === "aiSdk.from" && hint.test("aiSdk.from")) continue;
        const error = refuses(() => take([valid, message]), "invalid_message");
        assert.match(error.details.path, new RegExp(`\\[\\d\\]\\.(content|${member})$`), `${taker}: ${error.message}`);
        assert.match(error.hint, hint, taker);
      }
      await assert.rejects(manageHistory(new Conversation(), {}, { request: [message] }), { code: "invalid_message" });
      const agent = new Agent({ llm: () => "Yes." });
      await assert.rejects(agent.chat([message]), { code: "invalid_message" });
    });
  }

  test("instances of LangChain's classes", () => {
    class HumanMessage {
      content = words;
      _getType() {
        return "human";
      }
    }
    assert.match(
      refuses(() => countMessages([new HumanMessage()]), "invalid_message", "messages[0]").hint,
      /langchain/,
    );
  });

  test("copies of converted messages keep members and parts of other formats, as the converter does", () => {
    const tool_calls = [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }];
    const part = { type: "tool_use", id: "a", name: "f", input: {} };
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "I look.", tool_calls },
    ];
    const converted = aiSdk.from(messages).messages;
    const copies = new Conversation({ messages: converted.map((message) => ({ ...message })) });
    assert.deepEqual(copies.messages, converted);
    assert.deepEqual(aiSdk.to(copies), messages);
    const saved = JSON.parse(JSON.stringify(converted));
    assert.deepEqual(aiSdk.to(new Conversation({ messages: saved })), messages);
    for (const message of [messages[1], { role: "assistant", content: [part] }]) {
      refuses(() => new Conversation({ messages: [message] }), "invalid_message");
    }
  });

  test("messages of OpenAI without content have calls, a refusal or speech besides members of those names", () => {
    const members = {
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
      function_call: { name: "f", arguments: "{}" },
      refusal: "I can't.",
      audio: { id: "a" },
    };
    for (const [name, value] of Object.entries(members)) {
      const message = { role: "assistant", content: null, [name]: value, text: "more" };
      assert.equal(openai.from([message]).messages[0].text, "more", name);
    }
    refuses(() => openai.from([{ role: "assistant", content: null, text: "more" }]), "invalid_message");
  });

  test("a deprecated function_call of OpenAI", () => {
    const call = { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } };
    const { hint } = refuses(
      () => new Conversation({ messages: [call] }),
      "invalid_message",
      "messages[0].function_call",
    );
    assert.match(hint, /openai\.from/);
    assert.equal(openai.from([call]).messages[0].toolCalls.length, 1);
  });
});

test("messages with content keep members of those names, and messages may be empty", () => {
  const messages = [
    { role: "user", content: "Hello", text: "x", data: { a: 1 }, value: 5, message: { id: 1 }, blocks: [] },
    { role: "assistant", content: [{ type: "text", text: "Hi" }], parts: [{ type: "text", text: "Hi" }] },
    { role: "tool", toolCallId: "c", content: "", data: { a: 1 } },
    { role: "assistant", content: "", value: "", data: null },
    { role: "assistant", content: null, toolCalls: [{ id: "d", name: "f", args: {} }], text: "x" },
  ];
  assert.deepEqual(new Conversation({ messages }).messages, messages);
});

suite("readConversation", () => {
  test("reads UI messages of all versions as aiSdk.from does", () => {
    const v4 = [
      {
        id: "1",
        role: "user",
        content: "Look",
        createdAt: "2026-01-01T00:00:00Z",
        parts: [{ type: "text", text: "Look" }],
      },
      {
        id: "2",
        role: "assistant",
        content: "Found it.",
        parts: [
          { type: "step-start" },
          { type: "reasoning", reasoning: "I look.", details: [{ type: "text", text: "I look.", signature: "s" }] },
          {
            type: "tool-invocation",
            toolInvocation: { state: "result", step: 0, toolCallId: "c", toolName: "f", args: { a: 1 }, result: 5 },
          },
          { type: "step-start" },
          { type: "text", text: "Found it." },
        ],
      },
    ];
    const { format, conversation } = readConversation(v4);
    assert.equal(format, "ai-sdk");
    const [question, call, result, answer] = conversation.messages;
    assert.equal(question.timestamp, "2026-01-01T00:00:00Z");
    assert.deepEqual(
      call.content.map(({ original, ...part }) => part),
      [
        { type: "reasoning", text: "I look.", signature: "s" },
        { type: "tool-call", toolCallId: "c", toolName: "f", input: { a: 1 } },
      ],
    );
    assert.deepEqual(result.content[0].output, { type: "json", value: 5 });
    assert.deepEqual(answer.content, [{ type: "text", text: "Found it." }]);
    assert.deepEqual([call.id, result.id, answer.id], ["2", "2", "2"]);
    assert.deepEqual(readConversation(randomUIMessages(1)).conversation, aiSdk.from(randomUIMessages(1)));
  });

  test("refuses a call of AI SDK 4 that is none, with its path", () => {
    const parts = [{ type: "tool-invocation", toolInvocation: 5 }];
    const messages = [{ role: "assistant", content: "", parts }];
    refuses(() => readConversation({ messages }), "invalid_message", "messages[0].parts.toolInvocation");
  });

  test("reads messages of AI SDK 4 without parts: calls and attachments", () => {
    const messages = [
      {
        role: "user",
        content: "See.",
        experimental_attachments: [
          { name: "a.txt", contentType: "text/plain", url: `data:text/plain;base64,${btoa("a note")}` },
          { name: "a.png", contentType: "image/png", url: "data:image/png;base64,iVBORw0KGgo=" },
          { contentType: "application/pdf", url: "https://example.com/a.pdf" },
        ],
      },
      {
        role: "assistant",
        content: "Done.",
        toolInvocations: [
          { state: "result", step: 0, toolCallId: "c", toolName: "f", args: {}, result: "one" },
          { state: "result", step: 1, toolCallId: "d", toolName: "f", args: {}, result: { two: 2 } },
        ],
      },
    ];
    const { conversation } = readConversation({ messages });
    assert.deepEqual(conversation.messages[0].content, [
      { type: "text", text: "See." },
      { type: "text", text: "a note" },
      { type: "image", image: "iVBORw0KGgo=", mediaType: "image/png" },
      { type: "file", data: "https://example.com/a.pdf", mediaType: "application/pdf" },
    ]);
    assert.deepEqual(
      conversation.messages.slice(1).map(({ role, content }) => [role, content[0].type]),
      [
        ["assistant", "tool-call"],
        ["tool", "tool-result"],
        ["assistant", "tool-call"],
        ["tool", "tool-result"],
        ["assistant", "text"],
      ],
    );
    assert.deepEqual(conversation.lint(), []);
  });

  test("reads the stream of Claude Code for programs, without side chains", () => {
    const session_id = "s";
    const lines = [
      { type: "system", subtype: "init", session_id, tools: [] },
      { type: "user", message: { role: "user", content: "Look" }, parent_tool_use_id: null, session_id },
      {
        type: "assistant",
        message: { role: "assistant", content: [{ type: "text", text: "No" }] },
        parent_tool_use_id: "c",
        session_id,
      },
      {
        type: "assistant",
        message: { role: "assistant", content: [{ type: "text", text: "Yes" }] },
        parent_tool_use_id: null,
        session_id,
      },
      { type: "result", subtype: "success", result: "Yes", session_id },
    ];
    const { format, conversation } = readConversation(lines.map((line) => JSON.stringify(line)).join("\n"));
    assert.equal(format, "claude-code");
    assert.deepEqual(
      conversation.messages.map(({ role }) => role),
      ["user", "assistant"],
    );
  });

  test("reads a text and the blocks of LlamaIndex, whose messages hosts may not give", () => {
    for (const [name, message] of SHAPES.filter(([name]) => /LlamaIndex|text/.test(name))) {
      const [{ content }] = readConversation([message, message]).conversation.messages;
      assert.equal(typeof content === "string" ? content : content[0].text, words, name);
    }
  });

  test("refuses messages of unknown shapes, with a hint", () => {
    assert.throws(
      () => readConversation([{ role: "user", body: words }]),
      ({ code, hint }) => code === "invalid_recording" && hint !== null,
    );
  });
});
