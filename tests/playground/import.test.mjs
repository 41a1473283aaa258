// Recognizes the format of a pasted or dropped text.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { Conversation } from "turnfold";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";
import { openai } from "turnfold/formats/openai";
import { load } from "./page.mjs";

const { readText, whyUnread, readMessages } = await load("import", "import/read.ts", "chat/reading.ts");

const messages = [
  { role: "user", content: "Where is my order?" },
  { role: "assistant", content: "On its way." },
];
const conversation = new Conversation({ messages });
const lines = (list) => list.map((each) => JSON.stringify(each)).join("\n");

const session = [
  { type: "user", uuid: "a", parentUuid: null, sessionId: "s", message: { role: "user", content: "Fix the test" } },
  {
    type: "assistant",
    uuid: "b",
    parentUuid: "a",
    sessionId: "s",
    message: { role: "assistant", content: [{ type: "text", text: "Done." }] },
  },
];

const gemini = {
  contents: [
    { role: "user", parts: [{ text: "Hello" }] },
    { role: "model", parts: [{ text: "Hello to you." }] },
  ],
};

const ollama = [
  { role: "user", content: "Hello" },
  { role: "assistant", content: "", tool_calls: [{ function: { name: "wave", arguments: {} } }] },
  { role: "tool", content: "waved" },
];

const langchain = [
  { type: "human", data: { content: "Hello" } },
  { type: "ai", data: { content: "Hello to you." } },
];

const exported = (title, question) => ({
  title,
  create_time: 1_700_000_000,
  current_node: "b",
  mapping: {
    a: {
      id: "a",
      parent: null,
      children: ["b"],
      message: { author: { role: "user" }, content: { content_type: "text", parts: [question] } },
    },
    b: {
      id: "b",
      parent: "a",
      children: [],
      message: { author: { role: "assistant" }, content: { content_type: "text", parts: ["Yes."] } },
    },
  },
});

const trajectory = {
  schema_version: "ATIF-v1.4",
  session_id: "s",
  agent: { name: "a", version: "1" },
  steps: [
    { step_id: 1, source: "user", message: "Count the files" },
    { step_id: 2, source: "agent", message: "There are 3." },
  ],
};

describe("readText", () => {
  for (const [name, text, format, count, isKept] of [
    ["messages of OpenAI", JSON.stringify(openai.to(conversation)), /OpenAI/, 2, true],
    ["a request to OpenAI", JSON.stringify({ model: "gpt", messages: openai.to(conversation) }), /OpenAI/, 2, true],
    ["messages of Anthropic", JSON.stringify(anthropic.to(conversation)), /Anthropic|OpenAI/, 2, true],
    ["messages of the AI SDK", JSON.stringify(aiSdk.to(conversation)), /AI SDK|OpenAI/, 2, true],
    ["a conversation of Turnfold", JSON.stringify(conversation.toJSON()), /./, 2, true],
    ["a single message", JSON.stringify(messages[0]), /OpenAI/, 1, false],
    ["one message a line", lines(messages), /OpenAI/, 2, false],
    ["a session of Claude Code", lines(session), /Claude Code/, 2, false],
    ["contents of Gemini", JSON.stringify(gemini), /Gemini/, 2, false],
    ["messages of LangChain", JSON.stringify(langchain), /LangChain/, 2, false],
    ["a trajectory in ATIF", JSON.stringify(trajectory), /ATIF/, 2, false],
    ["messages of Ollama, whose calls have no ids", JSON.stringify(ollama), /OpenAI/, 3, false],
    [
      "a request with its response",
      JSON.stringify({ model: "gpt", messages: messages.slice(0, 1), choices: [{ message: messages[1] }] }),
      /OpenAI/,
      2,
      false,
    ],
    ["one chat of ChatGPT", JSON.stringify(exported("A", "Is it?")), /ChatGPT/, 2, false],
  ])
    it(`reads ${name}`, () => {
      const found = readText(text);
      assert.equal(found.kind, "chats");
      assert.match(found.format, format);
      assert.equal(found.chats.length, 1);
      const chat = found.chats[0].read();
      assert.equal(chat.count, count);
      if (isKept) assert.equal(chat.messages, text);
      else assert.equal(Conversation.fromJSON(JSON.parse(chat.messages)).messages.length, count);
    });

  it("reads a request to OpenAI as OpenAI's format, as the Chat tab does", () => {
    const request = { messages: [{ role: "system", content: "You help." }, ...messages], model: "gpt-4o" };
    for (const text of [JSON.stringify(request), JSON.stringify({ ...request, messages })]) {
      const { format, chats } = readText(text);
      assert.match(format, /OpenAI/);
      assert.deepEqual(chats[0].read(), { messages: text, shape: "detect", count: JSON.parse(text).messages.length });
      assert.equal(readMessages(text, "detect").shape, "openai");
    }
  });

  it("lists the chats of an export with their titles and times, and reads the chosen one", () => {
    const { chats } = readText(JSON.stringify([exported("Rain", "Will it rain?"), exported("", "Really?")]));
    assert.deepEqual(
      chats.map(({ title, at }) => [title, at]),
      [
        ["Rain", 1_700_000_000_000],
        [null, 1_700_000_000_000],
      ],
    );
    assert.match(chats[1].read().messages, /Really\?/);
  });

  it("recognizes steps, pages and links", async () => {
    const step = await readFile(new URL("../saved/step-of-a-mail.json", import.meta.url), "utf8");
    assert.equal(readText(step).kind, "step");
    assert.equal(readText('{"kind": "turnfold-playground", "version": 1, "state": {}}').kind, "page");
    assert.deepEqual(readText(" https://playground.test/x/#example=logs&tab=run\n"), {
      kind: "link",
      fragment: "#example=logs&tab=run",
    });
  });

  for (const [name, text, sentence] of [
    ["an empty text", " \n", /^It is empty\.$/],
    ["prose", "User: hello", /^This is text, not a chat file\. This page reads exports of ChatGPT/],
    ["a web page", "<!doctype html><p>Hello", /^This looks like a web page/],
    ["JSON with a mistake", '{"messages":\n[{"role" "user"}]}', /^This looks like JSON, but .*Line 2, column 10:/],
    [
      "an object",
      '{"apples": 1, "pears": 2}',
      /^This is JSON, but not in a known chat format: it is an object with “apples”, “pears”/,
    ],
    ["a list", '[{"id": 1}, {"id": 2}]', /it is a list of 2 items, objects with “id”/],
    ["an empty list", "[]", /it is an empty list/],
    [
      "contents of Gemini with a mistake",
      '{"contents": [{"role": "user", "parts": [{"text": "x"}]}, {"role": "model", "parts": [{"functionCall": {}}]}]}',
      /^This looks like Gemini’s format, but contents\[1\]\.parts\[0\]\.functionCall\.name must be a text/,
    ],
    [
      "messages of OpenAI with a mistake",
      '[{"role": "user", "content": "x"}, {"role": "tool", "content": "y", "tool_call_id": 5}]',
      /^This looks like messages of OpenAI, but messages\[1\]\.tool_call_id must be a text/,
    ],
    ["a step with a mistake", '{"version": 1, "turns": []}', /^This looks like a saved step of Turnfold, but /],
  ])
    it(`explains why ${name} is not read`, () => assert.match(whyUnread(text), sentence));
});
