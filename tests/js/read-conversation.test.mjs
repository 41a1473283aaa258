// Recordings as text: formats of providers, sessions of Claude Code, saved steps.

import assert from "node:assert/strict";
import { test } from "node:test";
import { anthropic, Conversation, openai, readConversation, Step, vercel } from "turnfold";
import { missions, recordedStep } from "../../benches/js/missions.mjs";
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

test("messages of a provider are read alone, in an object, and one a line", () => {
  const formats = { openai: openai.to(chat), vercel: vercel.to(chat), anthropic: anthropic.to(chat) };
  for (const [name, given] of Object.entries(formats)) {
    const list = Array.isArray(given) ? given : given.messages;
    const object = Array.isArray(given) ? { messages: given, model: "m" } : given;
    const expected = { openai, vercel, anthropic }[name].from(given).messages;
    assert.deepEqual(readConversation(JSON.stringify(object)).messages, expected, name);
    const lines = list.map((message) => JSON.stringify(message)).join("\n");
    assert.equal(readConversation(lines).messages.length, list.length, name);
    assert.equal(readConversation(JSON.stringify(list)).messages.length, list.length, name);
  }
});

test("saved conversations and steps are read", async () => {
  assert.deepEqual(readConversation(JSON.stringify(chat)).messages, chat.messages);
  const step = await recordedStep(missions[0]);
  const read = readConversation(JSON.stringify(step));
  assert.ok(read instanceof Step);
  assert.equal(read.turns.length, step.turns.length);
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

test("a session of Claude Code is one message a reply, with times and without side chains", () => {
  const { messages } = readConversation(written(session()));
  assert.deepEqual(roles({ messages }), ["user", "assistant", "user", "assistant"]);
  assert.deepEqual(
    messages[1].content.map(({ type }) => type),
    ["reasoning", "text", "tool-call"],
  );
  assert.deepEqual([messages[0].timestamp, messages[3].timestamp], [1.77e12, 1.77e12 + 7000]);
  assert.equal(messages[2].content[0].toolName, "Read");
  assert.equal(new Conversation({ messages }).lint().length, 0);
});

test("a last line that is cut off is left out", () => {
  const text = written(session());
  assert.equal(readConversation(`${text}\n{"type":"assi`).messages.length, 4);
  assert.equal(readConversation(`${text}\r\n\r\n`).messages.length, 4);
});

test("what can't be read says where and what would do", () => {
  const told = (text) => refuses(() => readConversation(text), "invalid_recording");
  assert.equal(told("").message, "the recording can't be read: it is empty");
  assert.equal(told('{"a":1}\nnot json\n{"b":2}').details.line, 2);
  assert.match(told('{"a":1}').message, /it holds no messages/);
  assert.match(told("[]").message, /it holds no messages/);
  assert.match(told("[1,2]").message, /no format that is known/);
  assert.match(told('"text"').hint, /OpenAI, Anthropic or the AI SDK/);
  assert.match(told(written([session()[0], session()[2]])).message, /holds no messages/);
  refuses(() => readConversation(3), "invalid_recording");
  refuses(() => readConversation('[{"role":"tool","content":"x","tool_call_id":3}]'), "invalid_message");
});
