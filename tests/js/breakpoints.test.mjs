// Breakpoints for a provider's cache, and how the formats write them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation, lastNMessages, manageHistory, SubAgent, toMessages } from "turnfold";
import { bill } from "turnfold/audit";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";
import { openai } from "turnfold/formats/openai";
import { historyOf } from "./histories.mjs";
import { refuses } from "./refuses.mjs";
import { scripted } from "./scripted.mjs";

/** The text of a request up to a breakpoint. */
const textUpTo = (messages, { message, offset }) =>
  [...messages.slice(0, message), { ...messages[message], content: messages[message].content.slice(0, offset) }]
    .map(({ role, content }) => `<${role}>${content}`)
    .join("");

const APPENDING = [false, "per-turn-summary", ["journal", { patience: 1e9, prices: "deepseek" }]];
const FOLDING = [true, "rolling-window", ["aggressive", { budget: 50 }], ["journal", { prices: "none" }]];

test("toMessages returns one to four breakpoints in order, each within its message", () => {
  for (const compression of [...APPENDING, ...FOLDING]) {
    for (let length = 0; length < 9; length++) {
      const { messages, breakpoints } = toMessages(historyOf(length), null, {
        mission: "m",
        maxTurns: 20,
        compression,
      });
      assert.ok(breakpoints.length >= 1 && breakpoints.length <= 4);
      for (const [index, { message, offset }] of breakpoints.entries()) {
        assert.ok(offset > 0 && offset <= messages[message].content.length);
        const before = breakpoints[index - 1];
        if (before) assert.ok(before.message < message || (before.message === message && before.offset < offset));
      }
    }
  }
});

test("the next request begins with the text before a breakpoint", () => {
  for (const compression of [...APPENDING, ...FOLDING]) {
    const turns = historyOf(9);
    for (let length = 0; length < 9; length++) {
      const options = { mission: "m", maxTurns: 20, compression };
      const now = toMessages(turns.slice(0, length), null, options);
      const next = toMessages(turns.slice(0, length + 1), null, options);
      const reason = next.stats.cache?.reason ?? "notYet";
      const stable = ["notYet", "tooLate"].includes(reason) ? now.breakpoints : now.breakpoints.slice(0, 1);
      const all = next.messages.map(({ role, content }) => `<${role}>${content}`).join("");
      for (const place of stable) assert.ok(all.startsWith(textUpTo(now.messages, place)), JSON.stringify(compression));
    }
  }
});

test("a request that only appends reads the whole prefix that the previous request marked", () => {
  for (const compression of APPENDING) {
    const turns = historyOf(9);
    const requests = turns.map((_, length) => {
      const options = { mission: "m", maxTurns: 20, compression };
      return toMessages(turns.slice(0, length), null, options);
    });
    const { requests: bills } = bill(requests, { granularity: "breakpoints", minimum: 0 });
    for (let index = 1; index < bills.length; index++) {
      assert.equal(bills[index].read, bills[index - 1].read + bills[index - 1].written, JSON.stringify(compression));
    }
  }
});

const chat = new Conversation({
  messages: [
    { role: "system", content: "You help." },
    { role: "user", content: "Where is my order?" },
    {
      role: "assistant",
      content: "I look.",
      toolCalls: [
        { id: "a", name: "find", args: { id: 1 } },
        { id: "b", name: "find", args: { id: 2 } },
      ],
    },
    { role: "tool", toolCallId: "a", toolName: "find", content: "in Hamburg" },
    { role: "tool", toolCallId: "b", toolName: "find", content: "in Kiel" },
    { role: "user", content: "And now?" },
  ],
});

const withoutMarks = (value) =>
  JSON.parse(JSON.stringify(value), (key, member) =>
    ["cache_control", "prompt_cache_breakpoint", "providerOptions"].includes(key) ? undefined : member,
  );

test("anthropic.to marks blocks and changes nothing else", () => {
  const plain = anthropic.to(chat);
  assert.doesNotMatch(JSON.stringify(plain), /cache_control/);
  const { system, messages } = anthropic.to(chat, { cache: { ttl: "1h" } });
  const mark = { type: "ephemeral", ttl: "1h" };
  assert.deepEqual(system, [{ type: "text", text: "You help.", cache_control: mark }]);
  assert.deepEqual(messages[0].content, [{ type: "text", text: "Where is my order?", cache_control: mark }]);
  assert.equal(JSON.stringify(messages[1]).includes("cache_control"), false);
  const marks = JSON.stringify({ system, messages }).split('"cache_control"').length - 1;
  assert.equal(marks, 3);
  assert.deepEqual(messages.at(-1).content.at(-1).cache_control, mark);
  assert.deepEqual(
    anthropic.from({ system, messages }).messages.map(({ role }) => role),
    anthropic.from(plain).messages.map(({ role }) => role),
  );
});

test("results that are joined in one message are marked at the end of each", () => {
  const cut = new Conversation({ messages: chat.messages.slice(0, 5) });
  const { messages } = anthropic.to(cut, { cache: { breakpoints: 1 } });
  const blocks = messages.at(-1).content;
  assert.deepEqual(
    blocks.map((block) => "cache_control" in block),
    [false, true],
  );
  const at = [{ message: 3, offset: 99 }];
  const inside = anthropic.to(cut, { cache: { at } }).messages.at(-1).content;
  assert.deepEqual(
    inside.map((block) => "cache_control" in block),
    [true, false],
  );
});

test("reasoning and empty texts are not marked", () => {
  const thinking = new Conversation({
    messages: [
      { role: "user", content: "Think" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Well." },
          { type: "reasoning", text: "Hm.", signature: "s" },
        ],
      },
      { role: "assistant", content: "Yes." },
    ],
  });
  const { messages } = anthropic.to(thinking, { cache: { at: [{ message: 1, offset: Number.MAX_SAFE_INTEGER }] } });
  assert.deepEqual(
    messages[1].content.map((block) => "cache_control" in block),
    [true, false],
  );
});

test("anthropic.to splits a message at the breakpoint where it starts to differ", () => {
  const { messages, breakpoints } = toMessages(historyOf(4), null, {
    mission: "m",
    maxTurns: 20,
    compression: ["journal", { prices: "deepseek" }],
  });
  const sent = anthropic.to(new Conversation({ messages }), { cache: { at: breakpoints } });
  const [repeated, last] = sent.messages.at(-1).content;
  assert.ok("cache_control" in repeated && !("cache_control" in last));
  assert.match(last.text, /^\n\nTurns left: 16$/);
  assert.equal(repeated.text + last.text, messages.at(-1).content);
  assert.equal(JSON.stringify(sent).split('"cache_control"').length - 1, 4);
  const fewer = anthropic.to(new Conversation({ messages }), { cache: { at: breakpoints, breakpoints: 2 } });
  assert.equal(JSON.stringify(fewer).split('"cache_control"').length - 1, 2);
  const none = anthropic.to(new Conversation({ messages }), { cache: { breakpoints: 0 } });
  assert.deepEqual(none, anthropic.to(new Conversation({ messages })));
});

test("openai.to marks parts, except in assistant messages", () => {
  const plain = openai.to(chat);
  const sent = openai.to(chat, { cache: { at: [0, 2, 3, 5].map((message) => ({ message, offset: 99 })) } });
  const marks = sent.map(({ content }) => Array.isArray(content) && content.at(-1).prompt_cache_breakpoint);
  assert.deepEqual(marks, [{ mode: "explicit" }, false, false, { mode: "explicit" }, false, { mode: "explicit" }]);
  assert.deepEqual(sent[2], plain[2]);
  const texts = (messages) => messages.map(({ content }) => (Array.isArray(content) ? content[0].text : content));
  assert.deepEqual(texts(sent), texts(plain));
});

test("aiSdk.to writes marks as providerOptions", () => {
  const sent = aiSdk.to(chat, { cache: {} });
  const mark = { anthropic: { cacheControl: { type: "ephemeral" } } };
  assert.deepEqual(sent[0], { role: "system", content: "You help.", providerOptions: mark });
  assert.deepEqual(sent.at(-1).content, [{ type: "text", text: "And now?", providerOptions: mark }]);
  const roles = (messages) => messages.map(({ role }) => role);
  assert.deepEqual(roles(withoutMarks(sent)), roles(aiSdk.to(chat)));
});

test("manageHistory returns breakpoints where its requests share a prefix", async () => {
  const messages = Array.from({ length: 30 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${index} ${"word ".repeat(50)}`,
  })).slice(0, -1);
  const conversation = new Conversation({ messages: [{ role: "system", content: "s" }, ...messages] });
  const llm = () => "They talked.";
  const options = { compressionStrategy: lastNMessages(10) };
  const managed = await manageHistory(conversation, options, { llm });
  const { messages: after } = managed.conversation;
  const summary = after.findIndex(({ summary }) => summary !== undefined);
  assert.deepEqual(
    managed.breakpoints.map(({ message }) => message),
    [0, summary, after.length - 3, after.length - 1],
  );
  const long = new Conversation({
    messages: [messages[0], ...Array.from({ length: 70 }, () => messages[1]), messages[2]],
  });
  const { breakpoints } = await manageHistory(long, {});
  assert.equal(breakpoints.length, 4);
});

test("a SubAgent passes breakpoints to its model", async () => {
  const seen = [];
  const reply = scripted("(def a 1)", "(return a)");
  const agent = new SubAgent({
    mission: "m",
    llm: (request) => {
      seen.push(request);
      return reply();
    },
  });
  await agent.run();
  for (const { messages, breakpoints } of seen) {
    assert.ok(breakpoints.length >= 2);
    for (const { message, offset } of breakpoints) assert.ok(offset <= messages[message].content.length);
  }
});

test("invalid cache options are refused", () => {
  const refused = (cache) => refuses(() => anthropic.to(chat, { cache }), "invalid_option").message;
  assert.match(refused({ breakpoints: 5 }), /cache\.breakpoints/);
  assert.match(refused({ breakpoints: -1 }), /cache\.breakpoints/);
  assert.match(refused({ ttl: "2h" }), /cache\.ttl must be "5m" or "1h"/);
  assert.match(refused({ at: [{ message: -1, offset: 0 }] }), /cache\.at must be a list/);
  assert.match(refused({ place: 1 }), /place/);
  refuses(() => anthropic.to(chat, { caches: {} }), "invalid_option");
  assert.deepEqual(anthropic.to(chat, { cache: { at: [{ message: 99, offset: 1 }] } }), anthropic.to(chat));
});
