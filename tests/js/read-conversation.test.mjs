// readConversation: recordings as text in the formats of providers, sessions of Claude Code, saved steps.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  AIMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { Agent, Conversation, Step } from "turnfold";
import { readConversation } from "turnfold/audit";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";
import { gemini } from "turnfold/formats/gemini";
import { openai } from "turnfold/formats/openai";
import { missions, recordedStep } from "../../benches/js/missions.mjs";
import { answersOf, callsOf } from "./random-messages.mjs";
import { refuses } from "./refuses.mjs";

const chat = new Conversation({
  messages: [
    { role: "system", content: "You help." },
    { role: "user", content: "Where is order 7?" },
    { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "lookup", args: { order: 7 } }] },
    { role: "tool", toolCallId: "c1", toolName: "lookup", content: "in Leipzig" },
    { role: "assistant", content: "In Leipzig." },
  ],
});
const roles = ({ messages }) => messages.map(({ role }) => role);

test("messages of a provider are read from a list, from an object, and from lines", () => {
  const formats = { openai: openai.to(chat), aiSdk: aiSdk.to(chat), anthropic: anthropic.to(chat) };
  for (const [name, given] of Object.entries(formats)) {
    const list = Array.isArray(given) ? given : given.messages;
    const object = Array.isArray(given) ? { messages: given, model: "m" } : given;
    const expected = { openai, aiSdk, anthropic }[name].from(given).messages;
    assert.deepEqual(readConversation(JSON.stringify(object)).conversation.messages, expected, name);
    const lines = list.map((message) => JSON.stringify(message)).join("\n");
    assert.equal(readConversation(lines).conversation.messages.length, list.length, name);
    assert.equal(readConversation(JSON.stringify(list)).conversation.messages.length, list.length, name);
  }
});

test("a request whose first message is the system message is read as OpenAI's", () => {
  const messages = [
    { role: "system", content: "You help." },
    { role: "user", content: "Hello" },
  ];
  for (const request of [
    { messages, model: "gpt-4o" },
    { model: "gpt-4o", messages: messages.slice(1) },
  ]) {
    const { format, conversation } = readConversation(JSON.stringify(request));
    assert.equal(format, "openai");
    assert.deepEqual(conversation.messages, openai.from(request.messages).messages);
  }
});

test("saved conversations and steps are read", async () => {
  assert.deepEqual(readConversation(JSON.stringify(chat)).conversation.messages, chat.messages);
  const step = await recordedStep(missions[0]);
  const { format, step: read, conversation } = readConversation(JSON.stringify(step));
  assert.ok(read instanceof Step);
  assert.equal(format, "turnfold");
  assert.equal(read.turns.length, step.turns.length);
  assert.deepEqual(
    conversation.messages.map(({ content }) => content),
    step.messages.map(({ content }) => content),
  );
});

test("saved conversations and checkpoints with bytes, dates and big integers are restored without change", () => {
  const messages = [
    { role: "developer", content: "You help.", timestamp: new Date(0) },
    {
      role: "user",
      content: [
        { type: "text", text: "What?" },
        { type: "image", image: new Uint8Array([1, 2]) },
      ],
      mine: { at: new Date(5), id: 2n ** 64n, url: new URL("https://example.com/") },
    },
    { role: "assistant", content: "A dot." },
  ];
  const saved = new Conversation({ messages });
  const agent = new Agent({ llm: () => "" });
  agent.restore(saved.toJSON());
  const checkpoints = [agent.checkpoint(), agent.checkpoint({ transcript: true })];
  for (const given of [saved, ...checkpoints].map((one) => JSON.stringify(one))) {
    for (const recording of [given, JSON.parse(given)]) {
      const { format, conversation } = readConversation(recording);
      assert.equal(format, "turnfold");
      assert.deepEqual(conversation.messages, messages);
    }
  }
});

test("an object with a version and messages of a provider is read in the provider's format", () => {
  assert.equal(readConversation({ version: 1, messages: openai.to(chat) }).format, "openai");
  assert.equal(readConversation({ version: 1, messages: anthropic.to(chat).messages }).format, "anthropic");
  const messages = [{ role: "user", content: "Hello" }];
  assert.equal(readConversation({ version: 1, model: "gpt-4o", messages }).format, "openai");
});

test("a saved conversation that can't be restored is refused with its format", () => {
  const problem = (saved) => refuses(() => readConversation(saved), "invalid_recording");
  const wrong = { $turnfold: "bigint", value: "x" };
  const { message, details } = problem({ version: 1, messages: [{ role: "user", content: "a", mine: wrong }] });
  assert.match(message, /^the recording is in the format turnfold, but there is no "bigint" in "x"/);
  assert.deepEqual(details, { format: "turnfold" });
});

test("a saved conversation of an unknown version is refused, also when its messages look like a provider's", () => {
  const messages = { own: chat.messages, openai: openai.to(chat).slice(0, 2), aiSdk: aiSdk.to(chat).slice(0, 2) };
  for (const [name, given] of Object.entries(messages)) {
    for (const saved of [
      { version: 2, messages: given },
      { version: 0, messages: given, transcript: given },
    ]) {
      for (const recording of [saved, JSON.stringify(saved)]) {
        const { message, hint, cause } = refuses(() => readConversation(recording), "invalid_recording");
        assert.match(message, /the conversation has version \d, not 1$/, name);
        assert.match(hint, /the version of turnfold that saved it/);
        assert.equal(cause.code, "unknown_version");
      }
    }
  }
  assert.equal(readConversation({ version: 2, messages: openai.to(chat) }).format, "openai");
  assert.equal(readConversation({ version: "2", messages: messages.openai }).format, "openai");
});

/** A session as Claude Code writes it: one line for each block of a reply. */
const session = (more = []) => {
  const line = (type, message, seconds, others = {}) => ({
    type,
    message,
    sessionId: "s1",
    timestamp: new Date(1.77e12 + 1000 * seconds).toISOString(),
    ...others,
  });
  const block = (...content) => ({ role: "assistant", id: "msg_1", content });
  return [
    { type: "file-history-snapshot", messageId: "x" },
    line("user", { role: "user", content: "Read main.rs" }, 0),
    line("progress", undefined, 1),
    line("assistant", block({ type: "thinking", thinking: "Hm.", signature: "s" }), 2),
    line("assistant", block({ type: "text", text: "I read it." }), 3),
    line("assistant", block({ type: "tool_use", id: "t1", name: "Read", input: { path: "main.rs" } }), 4),
    line("user", { role: "user", content: "noise" }, 5, { isSidechain: true }),
    line("user", { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "fn main() {}" }] }, 6),
    line("assistant", { role: "assistant", id: "msg_2", content: [{ type: "text", text: "Done." }] }, 7),
    ...more,
  ];
};
const written = (lines) => lines.map((line) => JSON.stringify(line)).join("\n");

test("a session of Claude Code becomes one message for each reply, with times and without side chains", () => {
  const { format, conversation } = readConversation(written(session()));
  const { messages } = conversation;
  assert.equal(format, "claude-code");
  assert.deepEqual(roles({ messages }), ["user", "assistant", "user", "assistant"]);
  assert.deepEqual(
    messages[1].content.map(({ type }) => type),
    ["reasoning", "text", "tool-call"],
  );
  assert.deepEqual([messages[0].timestamp, messages[3].timestamp], [1.77e12, 1.77e12 + 7000]);
  assert.equal(messages[2].content[0].toolName, "Read");
  assert.equal(new Conversation({ messages }).lint().length, 0);
});

test("sixty thousand consecutive pieces of one reply are joined in linear time", () => {
  const texts = Array.from({ length: 60_000 }, (_, index) => `piece ${index}`);
  const line = (message) => ({ type: message.role, sessionId: "s", message });
  const recordings = {
    langchain: [{ type: "human", content: "Hello" }, ...texts.map((content) => ({ type: "ai", content }))],
    "claude-code": [
      line({ role: "user", content: "Hello" }),
      ...texts.map((text) => line({ role: "assistant", id: "m", content: [{ type: "text", text }] })),
    ],
  };
  for (const [format, recording] of Object.entries(recordings)) {
    const start = process.cpuUsage();
    const { messages } = readConversation(recording).conversation;
    const { user, system } = process.cpuUsage(start);
    assert.equal(messages.length, 2, format);
    assert.deepEqual(
      messages[1].content.map(({ text }) => text),
      texts,
      format,
    );
    // Processor time, which other processes do not lengthen: a second, and half a minute for quadratic work.
    assert.ok(user + system < 12_000_000, `${format}: ${user + system} µs of processor time`);
  }
});

test("reading a recording does not change it, also when its replies are joined", () => {
  const recording = session().filter(({ message }) => message !== undefined);
  const before = structuredClone(recording);
  readConversation(recording);
  assert.deepEqual(recording, before);
});

test("a truncated last line is ignored", () => {
  const text = written(session());
  assert.equal(readConversation(`${text}\n{"type":"assi`).conversation.messages.length, 4);
  assert.equal(readConversation(`${text}\r\n\r\n`).conversation.messages.length, 4);
});

test("a text with a byte order mark and JSON Lines of one line are read", () => {
  const line = '{"role":"user","content":"Hello"}';
  for (const text of [`\uFEFF[${line}]`, `\uFEFF${line}\n${line}`, `${line}\n`, line, `${line}\n{"role":`]) {
    const { format, conversation } = readConversation(text);
    assert.equal(format, "openai");
    assert.deepEqual(conversation.messages[0], { role: "user", content: "Hello" });
  }
  assert.equal(readConversation('{"type":"human","content":"Hello"}\n').format, "langchain");
});

test("data that can't be read, or that JSON can't express, is refused with a hint", () => {
  const problem = (recording) => refuses(() => readConversation(recording), "invalid_recording");
  const boo = new Error("boo");
  const unreadable = problem({
    get messages() {
      throw boo;
    },
  });
  assert.equal(unreadable.message, "the recording could not be read");
  assert.equal(unreadable.cause, boo);
  const cycle = {};
  cycle.x = cycle;
  const parts = (...given) => ({ contents: [{ role: "user", parts: given }] });
  const dumped = (...content) => [
    { type: "human", content: "Hello" },
    { type: "human", content },
  ];
  for (const [recording, path, hint] of [
    [dumped({ type: "text", x: cycle }), "messages[1].content[0].x.x", /it contains itself/],
    [dumped({ type: "text", x: new Map() }), "messages[1].content[0].x", /give a plain object/],
    [parts(cycle), "contents[0].parts[0].x", /it contains itself/],
    [parts({ text: "a" }, { x: new Map() }), "contents[0].parts[1].x", /give a plain object/],
    [
      { schema_version: "ATIF-v1.4", steps: [{ source: "user", message: [{ x: new Map() }] }] },
      "content[0].x",
      /plain/,
    ],
  ]) {
    const error = problem(recording);
    assert.equal(error.details.path, path, error.message);
    assert.match(error.hint, hint);
  }
  const saved = { version: 1, messages: [{ role: "user", content: "Hello", mine: cycle }] };
  assert.match(problem(saved).hint, /JSON can't express the data/);
  const unknown = problem({ mapping: { a: { message: {}, parent: null } }, current_node: cycle });
  assert.match(unknown.message, /mapping has no way from the root to an object/);
});

test("an unreadable recording is refused, and the error says what was found", () => {
  const refusal = (text) => refuses(() => readConversation(text), "invalid_recording");
  assert.equal(refusal("").message, "the recording can't be read: it is empty");
  assert.match(refusal("not json\nnor this").message, /no line is JSON/);
  // Of a value that is cut off, what is whole is read; lines of another value are no records.
  for (const indent of [0, 2]) {
    const { warnings } = readConversation(JSON.stringify(openai.to(chat), null, indent).slice(0, -20));
    assert.deepEqual(warnings, ["the JSON is cut off, and what was whole was read"]);
  }
  assert.match(refusal('[\n{"role":"user"}}\n{').message, /its JSON is broken or cut off$/);
  assert.match(refusal('{"a":1}').message, /it holds no messages: it has the members a$/);
  assert.match(refusal('{"a":1}\n{"b":2}').message, /it holds no messages: it has the members a$/);
  assert.match(refusal("[]").message, /it holds no messages/);
  assert.match(refusal("[1,2]").message, /it holds no messages/);
  assert.match(refusal('{"type":"thread_started"}\n{"type":"x"}').message, /records of the type "thread_started"/);
  assert.match(refusal('{"resourceSpans":[]}').message, /in the format opentelemetry, but it holds no messages/);
  assert.match(refusal('{"log":{"entries":[]}}').message, /in the format har, but it holds no messages/);
  assert.match(refusal('"text"').hint, /OpenAI, Anthropic, the AI SDK/);
  assert.match(refusal(written([session()[0], session()[2]])).message, /holds no messages/);
  refuses(() => readConversation(3), "invalid_recording");
  refuses(() => readConversation(undefined), "invalid_recording");
  refuses(() => readConversation('[{"role":"tool","content":"x","tool_call_id":3}]'), "invalid_message");
});

test("files of other kinds are no recordings, and the error says what they are", () => {
  const message = { role: "user", content: "Hello" };
  const program = ["import app", ...Array(9).fill("print(1)"), JSON.stringify(message), JSON.stringify(message)];
  const printed = JSON.stringify({ type: "message", role: "assistant", content: [], model: "m" });
  const nested = (levels) =>
    `${'{"chats":['.repeat(levels)}${JSON.stringify({ messages: [message] })}${"]}".repeat(levels)}`;
  for (const [text, problem] of [
    [program.join("\n"), /only 2 of its 12 lines are JSON$/],
    [`# Notes\n${"text\n".repeat(9)}${printed}\n`, /only 1 of its 11 lines are JSON$/],
    ['[package]\nname = "a"\n', /no line is JSON$/],
    ["[![badge](a)](b)\n", /no line is JSON$/],
    ['"text"', /no line is JSON$/],
    ["PK\u0003\u0004\u0014\0conversations.json", /it is a ZIP archive: unpack it; a log of Inspect AI/],
    [gzipSync("{}").toString(), /it is compressed by gzip: unpack it$/],
    ["SQLite format 3\0\u0010\0", /it is a database of SQLite: docs\/recordings\.md/],
    ["```sh\ncurl https://example.com -d '{\"name\":1}'\n```", /no line is JSON$/],
    ['{"question_id":81,"turns":["Hello","Bye"]}', /the members question_id, turns$/],
    ['[{"id":1,"role":"admin"},{"id":2,"role":"user"}]', /the members id, role$/],
    ['[{"role":"user","text":"a","parent_id":"b"}]', /the members role, text, parent_id$/],
    ['{"name":"a","type":"module","scripts":{}}', /the members name, type, scripts$/],
    ['{"cells":[],"nbformat":4}', /a Jupyter notebook$/],
    ['{"openapi":"3.1.0","paths":{}}', /an OpenAPI document$/],
    ['{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}', /a JSON schema$/],
    ['{"display":"Hello","pastedContents":{},"timestamp":1}', /history of Claude Code: .*\.claude\/projects$/],
    ['{"session_id":"a","ts":1,"text":"Hello"}', /history of Codex: .*\.codex\/sessions$/],
    ['{"history":[{"model_output":{},"result":[],"state":{}}]}', /a history of browser-use, which is not read yet$/],
    [nested(3000), /it is nested too deeply$/],
  ])
    assert.match(refuses(() => readConversation(text), "invalid_recording").message, problem);
  assert.equal(readConversation(nested(3)).chats.length, 1);
  assert.equal(readConversation(JSON.stringify(JSON.stringify([message]))).chats.length, 1);
  assert.equal(readConversation(`${"noise\n".repeat(99)}${written(session())}`).format, "claude-code");
});

test("names of members that every object has are names like others", () => {
  const named = ["constructor", "__proto__", "toString"];
  const { conversation } = readConversation(JSON.stringify(named.map((role) => ({ role, content: role }))));
  assert.deepEqual(roles(conversation), ["constructor", "__proto__", "tostring"]);
  for (const id of named) {
    const history = { currentId: id, messages: { a: { id: "a", parentId: id, role: "user", content: "Hello" } } };
    refuses(() => readConversation(JSON.stringify({ chat: { history } })), "invalid_recording");
  }
});

test("tags of calls that have no end are text, and are read in linear time", () => {
  const value = "<tool_call>".repeat(200_000);
  const response = "<tool_response>".repeat(100_000);
  const { conversation } = readConversation([
    { from: "gpt", value },
    { from: "tool", value: response },
  ]);
  assert.deepEqual(roles(conversation), ["assistant", "user"]);
});

test("lines that are no JSON are skipped, with a warning", () => {
  const lines = [
    '{"role":"user","content":"Hello"}',
    "{broken",
    "",
    '{"role":"assistant","content":"Hello."}',
    "3",
    '{"role"',
  ];
  const { conversation, warnings } = readConversation(lines.join("\n"));
  assert.deepEqual(roles(conversation), ["user", "assistant"]);
  assert.deepEqual(warnings, ["3 lines are no JSON, and were skipped: 2, 5, 6"]);
  assert.deepEqual(readConversation(lines.slice(0, 4).join("\n")).warnings, ["line 2 is no JSON, and was skipped"]);
  assert.deepEqual(readConversation([{ role: "user", content: "Hello" }]).warnings, []);
});

/** A line of a session of Codex. */
const codexLine = (type, payload) => ({ timestamp: "2026-01-02T03:04:05.678Z", type, payload });
const said = (role, text) => ({
  type: "message",
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
});
const codexSession = [
  codexLine("session_meta", { id: "0199", cwd: "/home/ann", cli_version: "0.98.0", source: "cli" }),
  codexLine("response_item", said("user", "<environment_context>…</environment_context>")),
  codexLine("turn_context", { model: "gpt-5-codex", cwd: "/home/ann" }),
  codexLine("response_item", said("user", "Where is order 7?")),
  codexLine("event_msg", { type: "user_message", message: "Where is order 7?" }),
  codexLine("response_item", { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "abc" }),
  codexLine("response_item", { type: "ghost_snapshot", ghost_commit: {} }),
  codexLine("response_item", { type: "function_call", name: "shell", arguments: '{"command":["ls"]}', call_id: "c1" }),
  codexLine("event_msg", { type: "token_count", info: null }),
  codexLine("response_item", { type: "function_call_output", call_id: "c1", output: "in Leipzig" }),
  codexLine("response_item", { type: "custom_tool_call", name: "apply_patch", input: "*** Begin", call_id: "c2" }),
  codexLine("response_item", { type: "custom_tool_call_output", call_id: "c2", output: "Done" }),
  codexLine("response_item", said("assistant", "In Leipzig.")),
];

test("a session of Codex", () => {
  const { format, conversation, chats } = readConversation(written(codexSession));
  assert.deepEqual([format, chats.length], ["codex", 1]);
  assert.deepEqual(roles(conversation), ["user", "user", "assistant", "tool", "assistant", "tool", "assistant"]);
  assert.deepEqual(callsOf(conversation.messages), [
    ["c1", "shell", { command: ["ls"] }],
    ["c2", "apply_patch", "*** Begin"],
  ]);
  refuses(() => readConversation(written(codexSession.slice(0, 1))), "invalid_recording");
});

test("what a compaction of Codex replaced is a part of its own", () => {
  const asked = codexLine("response_item", said("user", "And order 8?"));
  const answered = codexLine("response_item", said("assistant", "In Bonn."));
  const parts = (compacted) =>
    readConversation(written([...codexSession, codexLine("compacted", compacted), asked, answered])).chats.map(
      ({ conversation }) => conversation,
    );
  const [before, after] = parts({ message: "Order 7 is in Leipzig." });
  assert.equal(before.messages.length, 7);
  assert.deepEqual(roles(after), ["user", "user", "user", "user", "assistant"]);
  assert.match(JSON.stringify(after.messages[2]), /Order 7 is in Leipzig/);
  const [, replaced] = parts({ message: "", replacement_history: [said("user", "Order 7 is in Leipzig.")] });
  assert.deepEqual(roles(replaced), ["user", "user", "assistant"]);
});

test("what was taken back in a session of Codex is a chat of its own", () => {
  const asked = codexLine("response_item", said("user", "Cancel it."));
  const answered = codexLine("response_item", said("assistant", "It is cancelled."));
  const back = codexLine("event_msg", { type: "thread_rolled_back", num_turns: 1 });
  const refused = codexLine("response_item", said("assistant", "No."));
  const { chats } = readConversation(written([...codexSession, asked, answered, back, asked, refused]));
  assert.deepEqual(
    chats.map(({ kind, conversation: { messages }, requests }) => [kind, messages.length, requests.length]),
    [
      ["chat", 9, 4],
      ["rewound", 9, 1],
    ],
  );
  assert.doesNotMatch(JSON.stringify(chats[1]), /is cancelled/);
});

test("what codex exec --json printed", () => {
  const completed = (item) => ({ type: "item.completed", item });
  const events = [
    { type: "thread.started", thread_id: "0199" },
    { type: "turn.started" },
    completed({ id: "item_0", type: "reasoning", text: "I look." }),
    { type: "item.started", item: { id: "item_1", type: "command_execution", command: "ls", status: "in_progress" } },
    completed({
      id: "item_1",
      type: "command_execution",
      command: "ls",
      aggregated_output: "order.txt\n",
      exit_code: 0,
    }),
    completed({
      id: "item_2",
      type: "mcp_tool_call",
      server: "shop",
      tool: "find",
      arguments: { q: 7 },
      result: { content: [{ type: "text", text: "Leipzig" }] },
    }),
    completed({ id: "item_3", type: "todo_list", items: [] }),
    completed({ id: "item_4", type: "agent_message", text: "In Leipzig." }),
    { type: "turn.completed", usage: { input_tokens: 9, cached_input_tokens: 0, output_tokens: 3 } },
  ];
  const { format, conversation } = readConversation(written(events));
  assert.equal(format, "codex");
  assert.deepEqual(roles(conversation), ["assistant", "tool", "assistant", "tool", "assistant"]);
  assert.deepEqual(callsOf(conversation.messages), [
    ["item_1", "shell", { command: "ls" }],
    ["item_2", "shop__find", { q: 7 }],
  ]);
  assert.match(JSON.stringify(conversation.messages[3]), /Leipzig/);
});

test("errors that no model read are not read, and a compaction of Claude Code begins a part", () => {
  const [first, ...rest] = session();
  const error = { ...rest.find(({ type }) => type === "assistant"), isApiErrorMessage: true };
  const boundary = { type: "system", subtype: "compact_boundary", sessionId: first.sessionId, content: "Compacted" };
  const summary = {
    type: "user",
    isCompactSummary: true,
    sessionId: "s",
    message: { role: "user", content: "Earlier: …" },
  };
  const alone = readConversation(written([first, ...rest])).conversation;
  const { conversation, chats } = readConversation(written([first, ...rest, error, boundary, summary]));
  assert.deepEqual(conversation.messages, alone.messages);
  assert.deepEqual(
    chats.map(({ kind, conversation: { messages } }) => [kind, messages.length]),
    [
      ["chat", alone.messages.length],
      ["compacted", 1],
      ["agent", 1],
    ],
  );
});

/** The messages of every recording of the order. */
const order = [
  ["system", "You help."],
  ["user", "Where is order 7?"],
  ["assistant", "I look."],
  ["tool", "in Leipzig"],
  ["assistant", "In Leipzig."],
];

const ORDER = { order: 7 };

const recordings = {
  gemini: {
    systemInstruction: { parts: [{ text: "You help." }] },
    contents: [
      { role: "user", parts: [{ text: "Where is order 7?" }] },
      {
        role: "model",
        parts: [{ text: "Hm.", thought: true }, { text: "I look." }, { functionCall: { name: "lookup", args: ORDER } }],
      },
      { role: "user", parts: [{ functionResponse: { name: "lookup", response: { result: "in Leipzig" } } }] },
      { role: "model", parts: [{ text: "In Leipzig." }] },
    ],
  },
  "openai-responses": {
    instructions: "You help.",
    input: [
      { role: "user", content: [{ type: "input_text", text: "Where is order 7?" }] },
      { type: "reasoning", id: "r1", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "x" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look.", annotations: [] }] },
      { type: "function_call", call_id: "c1", name: "lookup", arguments: JSON.stringify(ORDER) },
      { type: "function_call_output", call_id: "c1", output: "in Leipzig" },
    ],
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "In Leipzig." }] }],
  },
  langchain: mapChatMessagesToStoredMessages([
    new SystemMessage("You help."),
    new HumanMessage("Where is order 7?"),
    new AIMessage({ content: "I look.", tool_calls: [{ id: "c1", name: "lookup", args: ORDER }] }),
    new ToolMessage({ content: "in Leipzig", tool_call_id: "c1" }),
    new AIMessage("In Leipzig."),
  ]),
  atif: {
    schema_version: "ATIF-v1.4",
    session_id: "s1",
    agent: { name: "mine", version: "1", model_name: "m" },
    steps: [
      { step_id: 1, source: "system", message: "You help.", timestamp: "2026-01-01T00:00:00Z" },
      { step_id: 2, source: "user", message: "Where is order 7?", timestamp: "2026-01-01T00:00:01Z" },
      {
        step_id: 3,
        source: "agent",
        message: "I look.",
        reasoning_content: "Hm.",
        timestamp: "2026-01-01T00:00:02Z",
        tool_calls: [{ tool_call_id: "c1", function_name: "lookup", arguments: ORDER }],
        observation: { results: [{ source_call_id: "c1", content: "in Leipzig" }] },
      },
      { step_id: 4, source: "agent", message: "In Leipzig.", timestamp: "2026-01-01T00:00:03Z" },
    ],
  },
  chatgpt: {
    title: "Order",
    current_node: "n5",
    mapping: Object.fromEntries(
      [
        ["n0", null, null],
        ["n1", "n0", { author: { role: "system" }, content: { content_type: "text", parts: ["You help."] } }],
        [
          "n2",
          "n1",
          {
            author: { role: "user" },
            create_time: 1.77e9,
            content: { content_type: "text", parts: ["Where is order 7?"] },
          },
        ],
        ["n2b", "n1", { author: { role: "user" }, content: { content_type: "text", parts: ["Where is order 8?"] } }],
        [
          "n3a",
          "n2",
          { author: { role: "assistant" }, recipient: "all", content: { content_type: "text", parts: ["I look."] } },
        ],
        [
          "n3",
          "n3a",
          {
            author: { role: "assistant" },
            recipient: "lookup",
            content: { content_type: "code", text: '{"order":7}' },
          },
        ],
        [
          "n4",
          "n3",
          {
            author: { role: "tool", name: "lookup" },
            content: { content_type: "execution_output", text: "in Leipzig" },
          },
        ],
        [
          "n5",
          "n4",
          {
            author: { role: "assistant" },
            recipient: "all",
            content: { content_type: "text", parts: ["In Leipzig."] },
          },
        ],
      ].map(([id, parent, message]) => [id, { id, parent, children: [], message: message && { id, ...message } }]),
    ),
  },
};

/** The texts of a message's parts and of the results in it. */
const saidIn = ({ content }) =>
  typeof content === "string"
    ? content
    : content
        .map(({ type, text, output }) => (type === "text" ? text : (output?.value?.result ?? output?.value ?? "")))
        .join("");

for (const [name, recording] of Object.entries(recordings)) {
  test(`reads a recording in the format ${name}`, () => {
    for (const given of [recording, JSON.stringify(recording), JSON.stringify(recording, null, 2)]) {
      const { format, conversation } = readConversation(given);
      assert.equal(format, name);
      assert.deepEqual(
        conversation.messages.map((message) => [message.role, saidIn(message)]),
        // Results of Gemini are parts of a message of the user, as from `gemini.from`.
        name === "gemini" ? order.map(([role, text]) => [role === "tool" ? "user" : role, text]) : order,
      );
      const [[id, tool, input]] = callsOf([conversation.messages[2]]);
      assert.equal(tool, "lookup");
      assert.deepEqual(name === "chatgpt" ? JSON.parse(input.input) : input, ORDER);
      assert.deepEqual(
        answersOf([conversation.messages[3]]).map(([answered]) => answered),
        [id],
      );
      assert.equal(conversation.lint().length, 0);
      // The conversation can be sent to another provider.
      assert.equal(openai.to(conversation).length, 5);
    }
  });
}

test("reasoning and times of recordings are kept", () => {
  for (const name of ["gemini", "openai-responses", "atif"]) {
    const { conversation } = readConversation(recordings[name]);
    assert.equal(conversation.messages[2].content[0].type, "reasoning", name);
  }
  const { messages } = readConversation(recordings.atif).conversation;
  assert.equal(messages[1].timestamp, Date.parse("2026-01-01T00:00:01Z"));
  assert.equal(readConversation(recordings.chatgpt).conversation.messages[1].timestamp, 1.77e12);
});

test("messages of LangChain are read in stored, serialized and dumped form", () => {
  const messages = [new HumanMessage("Hello"), new AIMessage([{ type: "text", text: "Hello to you." }])];
  const serialized = JSON.parse(JSON.stringify(messages));
  const dumped = [
    { type: "human", content: "Hello" },
    { type: "ai", content: "Hello to you.", tool_calls: [] },
  ];
  for (const given of [mapChatMessagesToStoredMessages(messages), serialized, { messages: dumped }]) {
    const { format, conversation } = readConversation(given);
    assert.deepEqual([format, conversation.messages.map(saidIn)], ["langchain", ["Hello", "Hello to you."]]);
  }
});

test("contents of Gemini and items of Responses are read from a list, from messages of an object, and from lines", () => {
  const lists = { gemini: recordings.gemini.contents, "openai-responses": recordings["openai-responses"].input };
  for (const [name, list] of Object.entries(lists)) {
    for (const given of [list, { messages: list }, list.map((one) => JSON.stringify(one)).join("\n")]) {
      const { format, conversation } = readConversation(given);
      assert.deepEqual([format, conversation.messages[0].role], [name, "user"]);
    }
  }
});

test("calls of Gemini with null, missing and given ids keep their results", () => {
  const call = (id, order) => ({ functionCall: { id, name: "lookup", args: { order } } });
  const response = (id, result) => ({ functionResponse: { id, name: "lookup", response: { result } } });
  const read = (calls, responses) => {
    const contents = [
      { role: "model", parts: calls },
      { role: "user", parts: responses },
    ];
    const { conversation } = readConversation(JSON.parse(JSON.stringify({ contents })));
    assert.deepEqual(conversation.lint(), []);
    const answers = new Map(answersOf(conversation.messages).map(([id, ...rest]) => [id, JSON.stringify(rest)]));
    for (const [id, , { order }] of callsOf(conversation.messages)) assert.ok(answers.get(id).includes(`r${order}`));
    assert.equal(answers.size, calls.length);
  };
  for (const none of [null, undefined, ""]) {
    read([call(none, 1), call(none, 2)], [response(none, "r1"), response(none, "r2")]);
    read([call(none, 1), call("call_1", 2)], [response(none, "r1"), response("call_1", "r2")]);
    read([call("call_1", 1), call(none, 2)], [response("call_1", "r1"), response(none, "r2")]);
  }
  const { conversation } = readConversation({
    contents: [
      { role: "model", parts: [{ function_call: { id: null, name: "lookup", args: {} } }] },
      { role: "user", parts: [{ function_response: { id: null, name: "lookup", response: { result: 1 } } }] },
    ],
  });
  assert.deepEqual(conversation.lint(), []);
});

test("a result of ChatGPT's export belongs to the open call of its tool, also when it is empty or hidden", () => {
  const said = (role, text, more = {}) => ({
    author: { role },
    content: { content_type: "text", parts: [text] },
    ...more,
  });
  const call = (recipient, text = "x") => said("assistant", text, { recipient });
  const result = (name, text, more = {}) => ({
    author: { role: "tool", name },
    content: { content_type: "execution_output", text },
    ...more,
  });
  const hidden = { metadata: { is_visually_hidden_from_conversation: true } };
  const question = said("user", "Why?");
  const read = (...messages) => {
    const nodes = [question, ...messages].map((message, index) => [
      `n${index}`,
      { parent: index === 0 ? null : `n${index - 1}`, children: [], message: { id: `n${index}`, ...message } },
    ]);
    const current_node = `n${messages.length}`;
    const { conversation } = readConversation({ current_node, mapping: Object.fromEntries(nodes) });
    return answersOf(conversation.messages);
  };
  for (const bio of [result("bio", "saved"), result("bio", "saved", hidden)]) {
    assert.deepEqual(read(call("python"), result("python", ""), bio), [["n1", ""]]);
    assert.deepEqual(read(call("python"), bio, result("python", "2")), [["n1", "2"]]);
    assert.deepEqual(read(bio), []);
  }
  assert.deepEqual(read(call("python"), result("python", "2", hidden)), [["n1", "2"]]);
  assert.deepEqual(read(call("python"), question, result("python", "2")), []);
  assert.deepEqual(read(call("python"), call("web.search"), result("python", "2"), result("web", "3")), [
    ["n1", "2"],
    ["n2", "3"],
  ]);
  assert.deepEqual(read(call("python"), result(undefined, "2"), result(undefined, "3")), [["n1", "2"]]);
  assert.deepEqual(read(call("python"), call("python", ""), result("python", "2")), []);
  // A search answers with a message for each place.
  const places = [result("files.open", "2"), result("bio", "saved"), result("files.open", "3")];
  assert.deepEqual(read(call("files.search"), ...places), [["n1", "2\n3"]]);
  assert.deepEqual(read(call("files.search"), places[0], said("assistant", "So."), places[2]), [["n1", "2"]]);
});

test("the system instruction of Gemini is read in every form", () => {
  const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
  for (const given of [
    "You help.",
    { text: "You help." },
    { parts: [{ text: "You help." }] },
    [{ text: "You help." }],
  ]) {
    for (const request of [
      { contents, systemInstruction: given },
      { contents, system_instruction: given },
      { contents, config: { systemInstruction: given } },
    ]) {
      const [{ role, content }] = readConversation(request).conversation.messages;
      assert.deepEqual([role, content], ["system", "You help."]);
    }
  }
});

test("answers of Gemini without parts are omitted, and files of results are kept", () => {
  const called = { role: "model", parts: [{ functionCall: { name: "draw", args: {} } }] };
  const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
  const answered = { parts: [{ functionResponse: { name: "draw", response: { ok: true }, parts: [image] } }] };
  const contents = [{ role: "user", parts: [{ text: "Draw" }] }, { role: "model" }, called, answered];
  for (const recording of [contents, { contents }]) {
    const { format, conversation } = readConversation(recording);
    assert.equal(format, "gemini");
    assert.deepEqual(roles(conversation), ["user", "assistant", "user"]);
    const [{ content }] = anthropic.to(conversation).messages.at(-1).content;
    assert.deepEqual(content, [
      { type: "text", text: '{"ok":true}' },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
    ]);
  }
});

test("thought signatures and parts that Gemini runs are kept, with either spelling of names", () => {
  const contents = [
    { role: "user", parts: [{ text: "Draw" }, { fileData: { fileUri: "gs://b/a.png", mimeType: "image/png" } }] },
    {
      role: "model",
      parts: [
        { executableCode: { language: "PYTHON", code: "1" } },
        { functionCall: { name: "draw", args: { line_width: 1 } }, thoughtSignature: "c2ln" },
      ],
    },
    { role: "user", parts: [{ functionResponse: { name: "draw", response: { is_ok: true } } }] },
  ];
  const spelled = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const withUnderscores = JSON.parse(JSON.stringify(contents).replace(/"[a-zA-Z]+":/g, spelled));
  assert.ok("thought_signature" in withUnderscores[1].parts[1]);
  for (const given of [contents, withUnderscores, { contents: withUnderscores }]) {
    assert.deepEqual(gemini.to(readConversation(given).conversation), { contents });
  }
});

test("a result of Gemini without an id does not belong to a call before the question", () => {
  const question = { role: "user", parts: [{ text: "Why?" }] };
  const call = { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] };
  const result = { role: "user", parts: [{ functionResponse: { name: "f", response: { result: 1 } } }] };
  const { messages } = readConversation([question, call, question, call, result]).conversation;
  const [, , , { content: second }, { content: answer }] = messages;
  assert.equal(answer[0].toolCallId, second[0].toolCallId);
});

test("messages of LangChain may have null in place of calls and arguments", () => {
  const { format, conversation } = readConversation([
    { type: "human", content: "Hello" },
    { type: "ai", content: "Hello to you.", tool_calls: null, additional_kwargs: null },
  ]);
  assert.deepEqual([format, conversation.messages.length], ["langchain", 2]);
});

test("an observation of ATIF without a call does not separate results from their calls", () => {
  const tool_calls = ["a", "b"].map((id) => ({ tool_call_id: id, function_name: "f", arguments: {} }));
  const results = [{ source_call_id: "a", content: "1" }, { content: "The disk is full." }, { source_call_id: "b" }];
  const steps = [
    { source: "user", message: "Go." },
    { source: "agent", message: "", tool_calls, observation: { results } },
  ];
  const { conversation } = readConversation({ schema_version: "ATIF-v1.4", steps });
  assert.deepEqual(roles(conversation), ["user", "assistant", "tool", "tool", "user"]);
  assert.deepEqual(conversation.lint({ provider: "anthropic" }), []);
});

test("a file with several chats is read as all of them", () => {
  const { format, conversation, chats } = readConversation([recordings.chatgpt, recordings.chatgpt]);
  assert.equal(format, "chatgpt");
  assert.equal(chats.length, 2);
  assert.deepEqual(conversation.messages, chats[0].conversation.messages);
  assert.equal(readConversation([recordings.chatgpt]).chats.length, 1);
});

test("a chat of a list that can't be read is skipped, and those that can't for one reason are named together", () => {
  const messages = [{ role: "user", content: "Hello" }];
  const broken = { messages: [{ role: "user", content: 5 }] };
  const empty = { messages: [] };
  const { chats, warnings } = readConversation([empty, { messages }, broken, empty, { title: "B", messages }]);
  assert.deepEqual(
    chats.map(({ title, conversation }) => [title, conversation.messages]),
    [
      [undefined, messages],
      ["B", messages],
    ],
  );
  assert.equal(warnings[0], "2 chats were skipped (1, 4): it holds no messages");
  assert.match(warnings[1], /^chat 3 was skipped: messages\[0\]\.content/);
  assert.equal(warnings.length, 2);
  refuses(() => readConversation([empty, empty]), "invalid_recording");
});

test("a request for chat completions is read as OpenAI's", () => {
  const messages = [
    { role: "system", content: "You help." },
    { role: "user", content: "Hello" },
  ];
  assert.equal(readConversation({ messages, model: "gpt-4o" }).format, "openai");
});

test("an error names the format and the path", () => {
  const problem = (recording) => refuses(() => readConversation(recording), "invalid_recording");
  for (const [recording, format, message] of [
    [
      { contents: [{ role: "model", parts: [{ functionCall: {} }] }] },
      "gemini",
      /contents\[0\]\.parts\[0\]\.functionCall\.name must be a text/,
    ],
    [[{ type: "function_call", call_id: "c" }], "openai-responses", /input\[0\]\.name must be a text/],
    [[{ type: "tool", content: "x" }], "langchain", /messages\[0\]\.tool_call_id must be a text/],
    [
      { schema_version: "ATIF-v1.4", steps: [{ source: "agent", tool_calls: [{}] }] },
      "atif",
      /steps\[0\]\.tool_calls\[0\]\.tool_call_id must be a text/,
    ],
    [{ schema_version: "ATIF-v1.4", steps: [] }, "atif", /it holds no messages/],
    [
      [{ type: "user", sessionId: "s", message: { role: "user", content: null } }],
      "claude-code",
      /messages\[0\]\.content must be a text or a list of blocks/,
    ],
    [
      [{}, { content: "x" }]
        .map((more) => ({ type: "assistant", sessionId: "s", message: { id: "m", ...more } }))
        .reverse(),
      "claude-code",
      /messages\[0\]\.content\[1\] must be a part/,
    ],
    [{ mapping: { a: { parent: "b", children: [] } } }, "chatgpt", /mapping has no way from the root to "a"/],
    [{ mapping: { a: { parent: "a" } }, current_node: "a" }, "chatgpt", /mapping has no way/],
  ]) {
    const error = problem(recording);
    assert.match(error.message, message);
    assert.ok(error.message.startsWith(`the recording is in the format ${format}, but `));
    assert.equal(error.details.format, format);
  }
});
