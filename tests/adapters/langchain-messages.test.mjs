// Converts instances of LangChain's message classes to conversations and back.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  coerceMessageLikeToMessage,
  FunctionMessage,
  HumanMessage,
  isDataContentBlock,
  mapChatMessagesToStoredMessages,
  parseMimeType,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { langchain } from "../../dist/adapters/langchain.js";
import { readConversation } from "../../dist/audit.js";
import { Conversation, clearToolResults, lastNMessages, manageHistory } from "../../dist/chat.js";
import { aiSdk } from "../../dist/entries/formats/ai-sdk.js";
import { anthropic } from "../../dist/entries/formats/anthropic.js";
import { openai } from "../../dist/entries/formats/openai.js";
import { approvedCall } from "../js/message-fixtures.mjs";
import { refuses } from "../js/refuses.mjs";

const classes = { HumanMessage, AIMessage, SystemMessage, ToolMessage };

/** Instances of every class, with every member that LangChain has in them. */
const history = () => [
  new SystemMessage("You help."),
  new SystemMessage({ content: "Be brief.", additional_kwargs: { __openai_role__: "developer" } }),
  new HumanMessage({ content: "Where is order 7?", id: "h1", name: "Ada" }),
  new AIMessage({
    id: "a1",
    content: [
      { type: "text", text: "I look." },
      { type: "tool_use", id: "c1", name: "lookup", input: { order: 7 } },
    ],
    tool_calls: [{ id: "c1", name: "lookup", args: { order: 7 }, type: "tool_call" }],
    additional_kwargs: { trace: [1, { two: 2 }] },
    response_metadata: { finish_reason: "tool_calls", model_name: "m" },
    usage_metadata: { input_tokens: 10, output_tokens: 2, total_tokens: 12, input_token_details: { cache_read: 4 } },
  }),
  new ToolMessage({
    id: "t1",
    content: "in Leipzig ".repeat(60),
    tool_call_id: "c1",
    name: "lookup",
    status: "success",
    artifact: { row: 7, find: () => 7 },
    metadata: { took: 3 },
  }),
  new AIMessageChunk({
    content: "",
    tool_call_chunks: [{ type: "tool_call_chunk", index: 0, id: "c2", name: "lookup", args: '{"order":8}' }],
  }),
  new ToolMessage({ content: [{ type: "text", text: "no such order" }], tool_call_id: "c2", status: "error" }),
  new AIMessage({
    content: [
      { type: "thinking", thinking: "Hm.", signature: "s" },
      { type: "redacted_thinking", data: "x" },
      { type: "reasoning", reasoning: "So." },
      { type: "text", text: "In Leipzig." },
    ],
    invalid_tool_calls: [{ id: "c3", name: "lookup", args: "{", error: "Malformed args.", type: "invalid_tool_call" }],
  }),
  new HumanMessage([
    { type: "text", text: "And this one?" },
    { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" } },
    { type: "image", source_type: "url", url: "https://example.com/a.png", mime_type: "image/png" },
    {
      type: "file",
      source_type: "base64",
      data: "JVBERi0=",
      mime_type: "application/pdf",
      metadata: { filename: "a.pdf" },
    },
    { type: "custom", anything: { goes: true } },
  ]),
  new AIMessage(""),
  new ChatMessage({ role: "user", content: "Thanks." }),
];

function assertSame(back, given) {
  assert.equal(back.length, given.length);
  for (const [index, message] of back.entries()) assert.equal(message, given[index]);
}

test("langchain.to gives the same objects for messages that are unchanged since langchain.from read them", () => {
  const messages = history();
  const conversation = langchain.from(messages);
  assert.equal(conversation.messages.length, messages.length);
  for (const back of [langchain.to(conversation), langchain.to(conversation, { classes })]) {
    assertSame(back, messages);
  }
  const appended = conversation.append({ role: "user", content: "Bye." });
  assert.equal(langchain.to(appended)[3], messages[3]);
});

test("a conversation that was saved as JSON gives messages that are equal to those it was made from", () => {
  const messages = history().filter((message) => message.getType() !== "generic");
  const saved = Conversation.fromJSON(JSON.parse(JSON.stringify(langchain.from(messages))));
  const back = langchain.to(saved, { classes });
  const dictOf = (message) => {
    const { data, type } = JSON.parse(JSON.stringify(message.toDict()));
    // JSON has no functions, and chunks become whole messages.
    const { artifact, tool_call_chunks, ...rest } = data;
    return { type, data: rest };
  };
  assert.deepEqual(back.map(dictOf), messages.map(dictOf));
  for (const message of back) assert.ok(Object.values(classes).some((each) => message.constructor === each));
});

test("calls are read together with their results", () => {
  const { messages } = langchain.from(history());
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["system", "system", "user", "assistant", "tool", "assistant", "tool", "assistant", "user", "assistant", "user"],
  );
  const problems = langchain.from(history()).lint();
  assert.deepEqual(
    problems.map(({ kind, index }) => [kind, index]),
    [["empty_message", 9]],
  );
  assert.deepEqual(messages[3].content, [
    { type: "text", text: "I look." },
    { type: "tool-call", toolCallId: "c1", toolName: "lookup", input: { order: 7 } },
  ]);
  assert.deepEqual(messages[6].content[0].output, {
    type: "content",
    value: [{ type: "text", text: "no such order" }],
    isError: true,
  });
  assert.deepEqual(
    messages[7].content.map(({ type }) => type),
    ["reasoning", "reasoning", "reasoning", "text"],
  );
});

test("a changed message keeps the class and the other members of the original", async () => {
  const messages = history();
  const { conversation, report } = await manageHistory(langchain.from(messages), {
    compressionStrategy: clearToolResults({ keep: 0 }),
    minMessages: 0,
  });
  assert.equal(report.messages[4].fate, "stubbed");
  const cleared = langchain.to(conversation)[4];
  assert.ok(cleared instanceof ToolMessage);
  assert.notEqual(cleared, messages[4]);
  assert.match(cleared.content, /cleared/);
  const { id, name, tool_call_id, status, artifact, metadata } = messages[4];
  assert.deepEqual(
    [cleared.id, cleared.name, cleared.tool_call_id, cleared.status, cleared.artifact, cleared.metadata],
    [id, name, tool_call_id, status, artifact, metadata],
  );
  assert.match(messages[4].content, /^in Leipzig/, "what was read is not changed");
});

test("a copy of a message keeps its plain data", () => {
  const [, , , call, result] = history();
  const { messages } = langchain.from([new HumanMessage("hi"), call, result]);
  const pinned = new Conversation({ messages: [...messages.slice(0, 2), { ...messages[2], pinned: true }] });
  const back = langchain.to(pinned, { classes })[2];
  assert.deepEqual(
    [back.id, back.name, back.content, back.status, back.metadata, back.artifact],
    [result.id, result.name, result.content, result.status, result.metadata, undefined],
  );
  assert.deepEqual(back.additional_kwargs, { turnfold: { pinned: true } });
  assert.equal(langchain.from([back]).messages[0].pinned, true);
});

test("a summary is a HumanMessage, or an AIMessage with summaryRole, and says what it covers when it is read again", async () => {
  const messages = Array.from({ length: 12 }, (_, index) =>
    index % 2 === 0 ? new HumanMessage(`Question ${index}`) : new AIMessage(`Answer ${index}`),
  );
  for (const [summaryRole, Message] of [
    ["user", HumanMessage],
    ["assistant", AIMessage],
  ]) {
    const { conversation } = await manageHistory(
      langchain.from(messages),
      { compressionStrategy: lastNMessages(2), summaryRole },
      { llm: () => "They talked." },
    );
    const back = langchain.to(conversation);
    const summary = back.find(({ additional_kwargs }) => additional_kwargs.lc_source === "summarization");
    assert.equal(summary.constructor, Message);
    assert.match(summary.text, /They talked\.$/);
    assert.ok(back.slice(1).every((message) => messages.includes(message)));
    const [again] = langchain.from([summary]).messages;
    assert.deepEqual(again.summary, conversation.messages.find(({ summary }) => summary !== undefined).summary);
    assert.deepEqual(langchain.from(mapChatMessagesToStoredMessages([summary])).messages[0].summary, again.summary);
  }
});

test("messages that LangChain coerces or stores are read and written back unchanged", () => {
  const given = [
    "Hello",
    ["ai", "Hello to you."],
    { role: "user", content: "Where is order 7?" },
    { role: "assistant", content: "", tool_calls: [{ id: "c", name: "f", args: { a: 1 } }] },
    { role: "tool", content: "1", tool_call_id: "c" },
    { role: "developer", content: "Be brief." },
    ...mapChatMessagesToStoredMessages([new HumanMessage("stored")]),
    JSON.parse(JSON.stringify(new AIMessage("serialized"))),
  ];
  const conversation = langchain.from(given);
  assert.deepEqual(
    conversation.messages.map(({ role }) => role),
    ["user", "assistant", "user", "assistant", "tool", "system", "user", "assistant"],
  );
  assert.deepEqual(conversation.lint(), []);
  assertSame(langchain.to(conversation), given);
});

test("a conversation of another format becomes instances of the given classes, or messages that LangChain coerces", () => {
  const conversation = openai.from([
    { role: "developer", content: "You help." },
    {
      role: "user",
      content: [
        { type: "text", text: "Look" },
        { type: "image_url", image_url: { url: "https://a.b/c.png" } },
      ],
    },
    {
      role: "assistant",
      content: "I look.",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } },
        { id: "c2", type: "function", function: { name: "f", arguments: "{" } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "1" },
    { role: "tool", tool_call_id: "c2", content: "2" },
  ]);
  const made = langchain.to(conversation, { classes });
  const coerced = langchain.to(conversation).map(coerceMessageLikeToMessage);
  for (const messages of [made, coerced]) {
    assert.deepEqual(
      messages.map((message) => message.constructor.name),
      ["SystemMessage", "HumanMessage", "AIMessage", "ToolMessage", "ToolMessage"],
    );
    // LangChain does not send invalid calls, whose results would have no calls.
    assert.deepEqual(messages[2].tool_calls, [
      { id: "c1", name: "f", args: { a: 1 }, type: "tool_call" },
      { id: "c2", name: "f", args: { input: "{" }, type: "tool_call" },
    ]);
    assert.deepEqual(messages[2].invalid_tool_calls ?? [], []);
    assert.equal(messages[2].content, "I look.");
    assert.deepEqual(messages[1].content[1], { type: "image_url", image_url: { url: "https://a.b/c.png" } });
  }
});

test("files have whole media types, and images are written as images", () => {
  const url = (name) => new URL(`https://example.com/${name}`);
  const png = "iVBORw0KGgo=";
  const written = (data, mediaType) => {
    const conversation = aiSdk.from([{ role: "user", content: [{ type: "file", data, mediaType, filename: "a" }] }]);
    const [message] = langchain.to(conversation, { classes });
    const [block] = message.content;
    if (isDataContentBlock(block) && block.mime_type !== undefined) parseMimeType(block.mime_type);
    return { block, read: langchain.from([message]).messages[0].content[0] };
  };
  const image = (address) => ({ type: "image_url", image_url: { url: address } });
  for (const mediaType of ["image", "image/*", "image/png"]) {
    assert.deepEqual(written(url("a.png"), mediaType).block, image("https://example.com/a.png"));
    assert.deepEqual(written(png, mediaType).block, image(`data:image/png;base64,${png}`));
  }
  const linked = (type, name) => ({
    type,
    source_type: "url",
    url: `https://example.com/${name}`,
    metadata: { filename: "a" },
  });
  assert.deepEqual(written(url("a.mp3"), "audio").block, linked("audio", "a.mp3"));
  assert.deepEqual(written(url("a.mp3"), "audio").read, {
    type: "file",
    data: "https://example.com/a.mp3",
    mediaType: "audio",
    filename: "a",
  });
  assert.deepEqual(written(url("a.mp4"), "video/*").block, linked("file", "a.mp4"));
  const { block } = written(url("a.pdf"), "application/pdf");
  assert.deepEqual(block, { ...linked("file", "a.pdf"), mime_type: "application/pdf" });
  refuses(() => written("AAAA", "application"), "unsupported_part");
});

test("approvals of calls are dropped, also when a message has nothing else", () => {
  const messages = langchain.to(aiSdk.from(approvedCall));
  assert.deepEqual(
    messages.map(({ role, tool_calls: calls = [], content }) => [role, calls.length, content]),
    [
      ["user", 0, "Look."],
      ["assistant", 1, ""],
      ["tool", 0, "It is lit."],
    ],
  );
});

test("refusals and transcripts beside the content of chat completions are texts", () => {
  for (const said of [{ refusal: "No." }, { audio: { id: "a", transcript: "No." } }]) {
    const [{ content }] = langchain.to(openai.from([{ role: "assistant", content: null, ...said }]));
    assert.deepEqual(content, [{ type: "text", text: "No." }]);
  }
});

test("results of the AI SDK and of Anthropic in one message become a ToolMessage each", () => {
  const result = (toolCallId, output) => ({ type: "tool-result", toolCallId, toolName: "f", output });
  const ai = aiSdk.from([
    {
      role: "assistant",
      content: ["a", "b"].map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "f", input: {} })),
    },
    {
      role: "tool",
      content: [result("a", { type: "json", value: { x: 1 } }), result("b", { type: "error-text", value: "no" })],
    },
  ]);
  const claude = anthropic.from([
    { role: "assistant", content: ["a", "b"].map((id) => ({ type: "tool_use", id, name: "f", input: {} })) },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: '{"x":1}' },
        { type: "tool_result", tool_use_id: "b", content: "no", is_error: true },
      ],
    },
  ]);
  for (const conversation of [ai, claude]) {
    const [call, first, second] = langchain.to(conversation, { classes });
    assert.deepEqual(
      call.tool_calls.map(({ id }) => id),
      ["a", "b"],
    );
    assert.deepEqual([first.tool_call_id, first.content, first.status], ["a", '{"x":1}', undefined]);
    assert.deepEqual([second.tool_call_id, second.content, second.status], ["b", "no", "error"]);
  }
});

test("a conversation from LangChain can be sent in every other format", () => {
  const conversation = langchain.from(history().filter((_, index) => index !== 8));
  assert.equal(openai.to(conversation)[3].tool_calls[0].id, "c1");
  assert.equal(JSON.stringify(openai.to(conversation)).includes("finish_reason"), false);
  const thoughts = anthropic.to(langchain.from([new HumanMessage("hi"), history()[7]])).messages[1].content;
  assert.deepEqual(thoughts.slice(0, 2), [
    { type: "thinking", thinking: "Hm.", signature: "s" },
    { type: "redacted_thinking", data: "x" },
  ]);
  assert.deepEqual(aiSdk.to(conversation)[6].content[0].output, { type: "error-text", value: "no such order" });
});

test("an invalid tool call is read as a call when it has a result, and ignored when it has none", () => {
  const broken = new AIMessage({
    content: "",
    invalid_tool_calls: [{ id: "c", name: "f", args: "{", error: "Malformed args.", type: "invalid_tool_call" }],
  });
  const answer = new ToolMessage({ content: "no JSON", tool_call_id: "c" });
  const read = langchain.from([new HumanMessage("hi"), broken, answer]);
  assert.deepEqual(read.lint(), []);
  assert.equal(read.messages[1].content[0].input, "{");
  assert.equal(langchain.from([broken]).messages[0].content, "");
});

test("calls of OpenAI's tools that the host runs stay with their results", async () => {
  const turn = (number) => [
    new AIMessage({
      content: [],
      additional_kwargs: {
        tool_outputs: [{ type: "computer_call", id: `cu_${number}`, call_id: `c${number}`, action: { type: "wait" } }],
      },
    }),
    new ToolMessage({
      content: "data:image/png;base64,iVBORw0KGgo=",
      tool_call_id: `c${number}`,
      additional_kwargs: { type: "computer_call_output" },
    }),
  ];
  const messages = [new HumanMessage("Go."), ...turn(1), ...turn(2), new AIMessage("Done."), new HumanMessage("Why?")];
  const parameters = { compressionStrategy: lastNMessages(3), minMessages: 0 };
  const { conversation } = await manageHistory(langchain.from(messages), parameters, { llm: () => "They waited." });
  const [summary, ...left] = langchain.to(conversation);
  assert.match(summary.content, /They waited\.$/);
  assertSame(left, messages.slice(3));
});

test("results in a user message, Anthropic's form, are matched with their calls", () => {
  const messages = [
    new HumanMessage("hi"),
    new AIMessage({ content: "", tool_calls: [{ id: "c", name: "f", args: {} }] }),
    new HumanMessage([{ type: "tool_result", tool_use_id: "c", content: "1", is_error: true }]),
  ];
  const conversation = langchain.from(messages);
  assert.deepEqual(conversation.lint(), []);
  const [result] = conversation.messages[2].content;
  assert.deepEqual([result.toolName, result.output], ["f", { type: "error-text", value: "1" }]);
  assertSame(langchain.to(conversation), messages);
  const saved = Conversation.fromJSON(JSON.parse(JSON.stringify(conversation)));
  assert.deepEqual(langchain.to(saved, { classes })[2].toDict(), messages[2].toDict());
});

test("function calls without ids, the old form, are matched with their results", () => {
  const messages = [
    new HumanMessage("hi"),
    new AIMessage({ content: "", additional_kwargs: { function_call: { name: "f", arguments: '{"a":1}' } } }),
    new FunctionMessage({ name: "f", content: "1" }),
    new AIMessage({ content: "", additional_kwargs: { function_call: { name: "f", arguments: "{}" } } }),
    new FunctionMessage({ name: "f", content: "2" }),
  ];
  const conversation = langchain.from(messages);
  assert.deepEqual(conversation.lint(), []);
  assert.deepEqual(conversation.messages[1].content[0].input, { a: 1 });
  assertSame(langchain.to(conversation), messages);
});

test("a history that is repaired for a provider has the new ids in calls and results", () => {
  const call = new AIMessage({ id: "a", content: "", tool_calls: [{ id: "call:1", name: "f", args: {} }] });
  const result = new ToolMessage({ id: "t", content: "1", tool_call_id: "call:1" });
  const conversation = langchain.from([new HumanMessage("hi"), call, result]);
  const back = langchain.to(conversation.repair({ provider: "anthropic" }).conversation, { classes });
  const [{ id }] = back[1].tool_calls;
  assert.notEqual(id, "call:1");
  assert.equal(back[2].tool_call_id, id);
  assert.deepEqual([back[1].id, back[2].id, back[2].content], ["a", "t", "1"]);
});

test("readConversation reads the same messages as langchain.from", () => {
  const messages = history().filter((message) => message.getType() !== "generic" && message.content !== "");
  const { format, conversation } = readConversation(mapChatMessagesToStoredMessages(messages));
  assert.equal(format, "langchain");
  const callsIn = ({ content }) => (Array.isArray(content) ? content.filter(({ type }) => type === "tool-call") : []);
  assert.deepEqual(conversation.messages.flatMap(callsIn), langchain.from(messages).messages.flatMap(callsIn));
});

test("langchain.from refuses an invalid message with its path", () => {
  const problem = (given) => refuses(() => langchain.from(given), "invalid_message");
  assert.match(problem({}).message, /^messages must be a list of messages of LangChain/);
  assert.match(
    problem([new HumanMessage("a"), new RemoveMessage({ id: "h" })]).message,
    /^messages\[1\] must be a message/,
  );
  assert.equal(problem([new HumanMessage("a"), 7]).details.index, 1);
  assert.match(problem([{ role: "tool", content: "x" }]).message, /^messages\[0\]\.tool_call_id must be a text/);
  assert.match(
    problem([new HumanMessage("a"), new HumanMessage([new Map()])]).message,
    /^messages\[1\]\.content\[0\] must be/,
  );
  const hostile = new HumanMessage("a");
  Object.defineProperty(hostile, "content", {
    get() {
      throw new Error("no");
    },
  });
  assert.equal(problem([hostile]).cause.message, "no");
});

test("langchain.to refuses messages that it can't write, and unknown options", () => {
  const conversation = new Conversation({ messages: [{ role: "critic", content: "Hm." }] });
  assert.equal(refuses(() => langchain.to(conversation), "unsupported_part").details.index, 0);
  refuses(() => langchain.to([new HumanMessage("a")]), "invalid_argument");
  refuses(() => langchain.to(conversation, { class: {} }), "invalid_option");
  refuses(() => langchain.to(conversation, { classes: { HumanMessage: 7 } }), "invalid_option");
  refuses(() => langchain.to(conversation, { classes: { Human: HumanMessage } }), "invalid_option");
});
