// Converts messages of Mastra, and of its MessageList, to conversations and back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageList } from "@mastra/core/agent";
import { mastra } from "../../dist/adapters/mastra.js";
import { Conversation, clearToolResults, lastNMessages, manageHistory } from "../../dist/chat.js";
import { aiSdk } from "../../dist/entries/formats/ai-sdk.js";
import { anthropic } from "../../dist/entries/formats/anthropic.js";
import { openai } from "../../dist/entries/formats/openai.js";
import { approvedCall } from "../js/message-fixtures.mjs";
import { refuses } from "../js/refuses.mjs";

let clock = Date.parse("2026-01-01T00:00:00Z");
const text = (given) => ({ type: "text", text: given });
const invocation = (toolCallId, rest) => ({
  type: "tool-invocation",
  toolInvocation: { toolCallId, toolName: "lookup", args: { order: 7 }, ...rest },
});
const message = (id, role, parts, rest = {}) => {
  clock += 1000;
  return { id, role, createdAt: new Date(clock), threadId: "one", content: { format: 2, parts, ...rest } };
};

/** Messages as Mastra stores them: one assistant message holds all rounds of an answer. */
const history = () => [
  message("u1", "user", [text("Where are my orders?")]),
  message("a1", "assistant", [
    { type: "step-start" },
    { type: "reasoning", reasoning: "", details: [{ type: "text", text: "Hm." }] },
    text("I look."),
    invocation("c1", { state: "result", result: { place: "Leipzig" } }),
    invocation("c2", { state: "result", result: "no such order", isError: true }),
    { type: "step-start" },
    invocation("c3", { state: "output-error", errorText: "it broke" }),
    { type: "data-progress", data: { done: 1 } },
    { type: "step-start" },
    text("One is in Leipzig."),
    { type: "source", source: { sourceType: "url", id: "s", url: "https://example.com" } },
  ]),
  message("u2", "user", [
    text("And this?"),
    { type: "file", data: "https://example.com/a.png", mimeType: "image/png" },
    { type: "file", data: "JVBERi0=", mimeType: "application/pdf" },
  ]),
  message("a2", "assistant", [
    invocation("c4", { state: "output-denied", approval: { id: "x", approved: false, reason: "No." } }),
  ]),
  message("u3", "user", [text("Thanks.")]),
  message("a3", "assistant", [text("Wait."), invocation("c5", { state: "call" })]),
];

test("one answer of Mastra is read as the rounds in which it is sent to a model", () => {
  const conversation = mastra.from(history());
  assert.deepEqual(
    conversation.messages.map(({ role }) => role),
    ["user", "assistant", "tool", "assistant", "tool", "assistant", "user", "assistant", "tool", "user", "assistant"],
  );
  assert.deepEqual(conversation.lint(), []);
  const [, said, results, , broken, answer, files, , denied] = conversation.messages;
  assert.deepEqual(
    said.content.map(({ type }) => type),
    ["reasoning", "text", "tool-call", "tool-call"],
  );
  assert.deepEqual(
    results.content.map(({ toolCallId, output }) => [toolCallId, output]),
    [
      ["c1", { type: "json", value: { place: "Leipzig" } }],
      ["c2", { type: "error-text", value: "no such order" }],
    ],
  );
  assert.deepEqual(broken.content[0].output, { type: "error-text", value: "it broke" });
  assert.equal(answer.content, "One is in Leipzig.");
  assert.deepEqual(
    files.content.map(({ type }) => type),
    ["text", "image", "file"],
  );
  assert.deepEqual(denied.content[0].output, { type: "execution-denied", reason: "No." });
  assert.equal(typeof conversation.messages[0].timestamp, "number");
});

test("a conversation from Mastra can be sent in every format of a provider", () => {
  const conversation = mastra.from(history().slice(0, 5));
  assert.equal(aiSdk.to(conversation).length, 10);
  assert.equal(
    openai.to(mastra.from([...history().slice(0, 2), ...history().slice(3, 5)])).filter(({ role }) => role === "tool")
      .length,
    4,
  );
  assert.ok(anthropic.to(conversation).messages.length > 0);
});

test("mastra.to gives the same objects for messages that are unchanged since mastra.from read them", () => {
  const given = history();
  const back = mastra.to(mastra.from(given));
  assert.equal(back.length, given.length);
  for (const [index, each] of back.entries()) assert.equal(each, given[index]);
});

test("a message whose older rounds were summarized keeps its id and the other rounds", async () => {
  const given = history();
  const conversation = mastra.from(given);
  const { conversation: shorter } = await manageHistory(
    new Conversation({ messages: conversation.messages.slice(0, 6) }),
    { compressionStrategy: lastNMessages(3), minMessages: 0 },
    { llm: () => "They looked." },
  );
  const [question, rest] = mastra.to(shorter).slice(-2);
  const all = mastra.to(shorter);
  assert.ok(all.some(({ content }) => /They looked\.$/.test(content.content ?? "")));
  const left = rest.id === "a1" ? rest : question;
  assert.equal(left.id, "a1");
  assert.equal(left.threadId, "one");
  assert.deepEqual(
    left.content.parts.map(({ type }) => type),
    ["step-start", "tool-invocation", "data-progress", "step-start", "text", "source"],
  );
  assert.equal(left.content.content, "One is in Leipzig.");
  assert.equal(given[1].content.parts.length, 11, "what was read is not changed");
  assert.deepEqual(mastra.from([left]).lint(), []);
});

test("a cleared result is cleared in its part, and everything else stays", async () => {
  const long = { place: "Leipzig ".repeat(100) };
  const given = [
    message("u1", "user", [text("Where?")]),
    message("a1", "assistant", [
      invocation("c1", { state: "result", result: long }),
      { type: "step-start" },
      text("There."),
    ]),
    message("u2", "user", [text("Thanks.")]),
  ];
  const { conversation } = await manageHistory(mastra.from(given), {
    compressionStrategy: clearToolResults({ keep: 0 }),
    minMessages: 0,
  });
  const back = mastra.to(conversation);
  assert.equal(back[0], given[0]);
  assert.equal(back[2], given[2]);
  const [call, ...others] = back[1].content.parts;
  assert.match(call.toolInvocation.result, /cleared/);
  assert.deepEqual([call.toolInvocation.state, call.toolInvocation.args], ["result", { order: 7 }]);
  assert.deepEqual(others, given[1].content.parts.slice(1));
  assert.equal(given[1].content.parts[0].toolInvocation.result, long);
});

test("approvals of calls are dropped, also when a message has nothing else", () => {
  const messages = mastra.to(aiSdk.from(approvedCall));
  assert.deepEqual(
    messages.map(({ role, content }) => [role, content.parts.map(({ toolInvocation }) => toolInvocation?.result)]),
    [
      ["user", [undefined]],
      ["assistant", ["It is lit."]],
    ],
  );
});

test("mastra.to writes messages of other formats, and summaries, as messages that Mastra accepts", async () => {
  const foreign = openai.from([
    { role: "system", content: "You help." },
    {
      role: "user",
      content: [
        { type: "text", text: "Look" },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
      ],
    },
    {
      role: "assistant",
      content: "I look.",
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
    },
    { role: "tool", tool_call_id: "c", content: "done" },
    { role: "assistant", content: "It is done." },
  ]);
  const made = mastra.to(foreign);
  assert.deepEqual(
    made.map(({ role, content }) => [role, content.parts.map(({ type }) => type)]),
    [
      ["system", ["text"]],
      ["user", ["text", "file"]],
      ["assistant", ["text", "tool-invocation"]],
      ["assistant", ["text"]],
    ],
  );
  assert.equal(new Set(made.map(({ id }) => id)).size, made.length);
  assert.deepEqual(made, mastra.to(foreign), "the same messages give the same ids");
  const list = new MessageList().add(made.slice(1), "memory");
  const prompt = await list.get.all.aiV5.llmPrompt();
  assert.deepEqual(
    prompt.map(({ role, content }) => [role, content.map(({ type }) => type)]),
    [
      ["user", ["text", "file"]],
      ["assistant", ["text", "tool-call"]],
      ["tool", ["tool-result"]],
      ["assistant", ["text"]],
    ],
  );
  assert.deepEqual(prompt[2].content[0].output, { type: "text", value: "done" });
});

test("messages of Mastra's MessageList are read, and sent as MessageList sends them", async () => {
  const list = new MessageList();
  list.add("Where is order 7?", "input");
  list.add(
    [
      {
        role: "assistant",
        content: [text("I look."), { type: "tool-call", toolCallId: "c", toolName: "lookup", input: { order: 7 } }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c",
            toolName: "lookup",
            output: { type: "json", value: { at: "Leipzig" } },
          },
        ],
      },
      { role: "assistant", content: [text("In Leipzig.")] },
    ],
    "response",
  );
  const shape = (messages) =>
    messages.map(({ role, content }) => [
      role,
      typeof content === "string" ? content : content.map(({ type, text, output }) => text ?? output?.value ?? type),
    ]);
  const sent = await list.get.all.aiV5.llmPrompt();
  const read = aiSdk.to(mastra.from(list.get.all.db()));
  const listed = shape(read).map(([role, content]) => [role, typeof content === "string" ? [content] : content]);
  assert.deepEqual(listed, shape(sent));
});

test("pins and summaries are stored in providerMetadata, the form in which Mastra stores provider options", () => {
  const own = { pinned: true, summary: { covers: 4, strategy: "digest" } };
  const [read] = mastra.from([message("u", "user", [text("hi")], { providerMetadata: { turnfold: own } })]).messages;
  assert.deepEqual([read.pinned, read.summary], [true, own.summary]);
  const [written] = mastra.to(new Conversation({ messages: [{ role: "user", content: "hi", ...own }] }));
  assert.deepEqual(written.content.providerMetadata, { turnfold: own });
});

test("mastra.from refuses an invalid message with its path", () => {
  const problem = (given, path) => refuses(() => mastra.from(given), "invalid_message", path);
  problem({}, "messages");
  problem([7], "messages[0]");
  problem([{ id: "a", role: "critic", content: "x" }], "messages[0].role");
  problem([{ id: "a", role: "user", content: 7 }], "messages[0].content");
  problem([message("a", "user", ["x"])], "messages[0].content.parts[0]");
  problem([message("a", "assistant", [{ type: "tool-invocation" }])], "messages[0].content.parts[0].toolInvocation");
  refuses(() => mastra.to([]), "invalid_argument");
  const orphan = new Conversation({ messages: [{ role: "tool", toolCallId: "c", content: "x" }] });
  refuses(() => mastra.to(orphan), "unsupported_part");
  refuses(() => mastra.to(new Conversation({ messages: [{ role: "critic", content: "x" }] })), "unsupported_part");
});
