// What the package returns and keeps cannot be changed by whoever has it: every list and object in it is frozen.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Agent,
  applyPlan,
  Conversation,
  chunked,
  clearToolResults,
  digest,
  lastNMessages,
  manageHistory,
  planHistory,
  retrieveFacts,
  SummaryStore,
} from "turnfold/chat";
import { readClojure } from "turnfold/lisp";
import { calibrate, estimate, estimateCl100k, float, fn, Keyword, Lisp, SubAgent, Turn } from "./everything.mjs";
import { refuses } from "./refuses.mjs";

/** Asserts that a value and everything in it is frozen; values with a class of JavaScript or the host are not. */
function assertFrozen(value, where) {
  if (typeof value !== "object" || value === null) return;
  const isPlain = Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
  if (!isPlain && !isOwn(value)) return;
  assert.ok(Object.isFrozen(value), `${where} is not frozen`);
  for (const [name, inner] of Object.entries(value)) assertFrozen(inner, `${where}.${name}`);
}

const isOwn = (value) => [Turn, Keyword].some((one) => value instanceof one);

const memory = () => ({
  "no keyword": [{ a: 1 }],
  list: [1, { a: [2] }],
  keyword: new Keyword("k"),
  double: fn({ params: "x", doc: "doubles" }),
});

test("turns", () => {
  const init = {
    program: "(def x 1)",
    prints: ["a"],
    toolCalls: [{ name: "find", args: { id: [1] }, result: [{ ok: true }], durationMs: 3 }],
    memory: memory(),
    docs: { x: "counts" },
    defined: ["x"],
  };
  const turns = {
    success: Turn.success({ ...init, result: { a: [1] } }),
    failure: Turn.failure({ ...init, result: "it failed" }),
    bare: Turn.success({}),
  };
  for (const [name, turn] of Object.entries(turns)) {
    for (const [how, one] of Object.entries({ made: turn, loaded: Turn.fromJSON(JSON.stringify(turn)) })) {
      assert.ok(Object.isFrozen(one), `${name}, ${how}`);
      for (const member of ["prints", "toolCalls", "memory", "docs", "defined", "result"])
        assertFrozen(one[member], `${name}, ${how}: ${member}`);
    }
  }
});

test("values that are read from Clojure", () => {
  assertFrozen(readClojure("{:a [1 {:b (2 3)}] :k :keyword}"), "the value");
  const ref = new Lisp().runSync("#'+").value;
  for (const value of [new Keyword("k"), fn({ params: "x" }), float(1), ref])
    assert.ok(Object.isFrozen(value), `${value}`);
});

test("sets, maps and dates of Clojure, whose methods that change them are refused", () => {
  const changes = {
    "#{1 2}": { add: [3], delete: [1], clear: [] },
    "{1 2}": { set: [3, 4], delete: [1], clear: [] },
    '#inst "2024-02-29"': { setTime: [0], setFullYear: [1999], setUTCDate: [1] },
  };
  for (const [source, methods] of Object.entries(changes)) {
    const value = readClojure(source);
    const before = structuredClone(value);
    for (const [method, args] of Object.entries(methods))
      assert.match(refuses(() => value[method](...args), "read_only").hint, /^copy it first/);
    assert.deepEqual(structuredClone(value), before);
  }
});

const call = (id, args = { path: "a", limit: 3 }) => ({ id, name: "read", args });

const rounds = (count) =>
  Array.from({ length: count }, (_, index) => [
    { role: "user", content: `Question ${index} of some words` },
    {
      role: "assistant",
      content: "",
      toolCalls: [call(`c${index}`, { path: "word ".repeat(200), deep: [{ index }] })],
    },
    { role: "tool", toolCallId: `c${index}`, toolName: "read", content: "word ".repeat(400) },
    { role: "assistant", content: [{ type: "text", text: `Answer ${index}` }] },
  ]).flat();

/** Rounds whose calls and results are parts of messages, with results in every form. */
const partRounds = () =>
  [
    "word ".repeat(400),
    { type: "text", value: "word ".repeat(400) },
    { type: "json", value: { text: "word ".repeat(400) } },
    { type: "error-text", value: "word ".repeat(400) },
    { type: "execution-denied", reason: "word ".repeat(400) },
    [{ type: "text", text: "word ".repeat(400) }],
  ].flatMap((output, index) => [
    { role: "user", content: [{ type: "text", text: `Question ${index}` }] },
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: `p${index}`, toolName: "read", input: { text: "word ".repeat(300) } }],
    },
    { role: "tool", content: [{ type: "tool-result", toolCallId: `p${index}`, toolName: "read", output }] },
    { role: "assistant", content: "Done." },
  ]);

test("messages of conversations", () => {
  const conversation = new Conversation({ messages: [...rounds(2), ...partRounds()] });
  assertFrozen(conversation.messages, "messages");
  assertFrozen(conversation.append({ role: "user", content: [{ type: "text", text: "More" }] }).messages, "appended");
  assertFrozen(conversation.repair().conversation.messages, "repaired");
});

test("strategies", () => {
  const strategies = {
    lastNMessages: lastNMessages(2),
    chunked: chunked(4),
    clearToolResults: clearToolResults({ keep: 1, exclude: ["read"] }),
    digest: digest({ keep: 1 }),
    retrieveFacts: retrieveFacts([{ name: "place", description: "Where it is" }]),
  };
  for (const [name, strategy] of Object.entries(strategies)) {
    assert.ok(Object.isFrozen(strategy), name);
    for (const key of Object.getOwnPropertySymbols(strategy))
      assert.ok(Object.isFrozen(strategy[key]), `options of ${name}`);
  }
});

test("counters", () => {
  for (const counter of [estimate, estimateCl100k, calibrate(estimate, [])])
    assert.ok(Object.isFrozen(counter), counter.name);
});

test("messages of managed histories: summaries, cleared results, digests and what limits cut", async () => {
  const histories = { rounds: rounds(6), "parts of messages": partRounds() };
  const parameters = {
    summaries: { compressionStrategy: lastNMessages(2) },
    "cleared results": { compressionStrategy: clearToolResults({ keep: 0, clearInputs: true }) },
    digests: { compressionStrategy: digest({ keep: 1 }), when: "always" },
    limits: { maxTokens: 900 },
  };
  for (const [what, messages] of Object.entries(histories)) {
    const history = new Conversation({ messages });
    for (const [name, given] of Object.entries(parameters)) {
      const plan = planHistory(history, { minMessages: 0, ...given });
      const { conversation, report } = applyPlan(
        plan,
        plan.requests.map(() => "They spoke of it."),
      );
      assert.notEqual(report.outcome, "unchanged", `${name} of ${what}`);
      assertFrozen(conversation.messages, `${name} of ${what}`);
    }
  }
});

test("messages with a stored summary", async () => {
  const summaryStore = new SummaryStore();
  const history = new Conversation({ messages: rounds(6) });
  const manage = () =>
    manageHistory(history, { compressionStrategy: lastNMessages(2) }, { llm: () => "Short.", summaryStore });
  await manage();
  const { conversation, report } = await manage();
  assert.equal(report.llmCalls, 0);
  assertFrozen(conversation.messages, "messages");
});

test("a custom strategy is given messages that it cannot change", async () => {
  let given;
  const strategy = {
    name: "own",
    plan: (messages) => {
      given = messages;
      return { keep: messages.map((_, index) => index), groups: [] };
    },
  };
  await manageHistory(new Conversation({ messages: rounds(3) }), {
    compressionStrategy: strategy,
    minMessages: 0,
  });
  assert.ok(given.length > 0);
  assertFrozen(given, "messages");
});

test("replies, transcripts and conversations of agents", async () => {
  let asked = 0;
  const agent = new Agent({
    llm: () => (asked++ === 0 ? { content: "", toolCalls: [call("c1")] } : { content: "Done." }),
    tools: { read: () => [{ type: "text", text: "it" }] },
    system: "Be brief",
    onWarning: () => {},
  });
  const reply = await agent.chat("Read it");
  assertFrozen(reply.messages, "messages");
  assert.ok(Object.isFrozen(reply.steps));
  for (const { messages } of reply.steps) assertFrozen(messages, "the messages of a step");
  assertFrozen(agent.transcript, "transcript");
  assertFrozen(agent.conversation.messages, "conversation");
  const resumed = new Agent({ llm: () => "Done.", system: "Be brief", conversation: agent.conversation });
  assertFrozen(resumed.conversation.messages, "given conversation");
  resumed.restore(JSON.stringify(agent.checkpoint()));
  assertFrozen(resumed.transcript, "restored transcript");
  assertFrozen(resumed.conversation.messages, "restored conversation");

  for (const onFailure of ["keep", "discard"]) {
    const failing = new Agent({
      llm: () => Promise.reject(new Error("down")),
      onFailure,
      retry: { attempts: 1 },
      onWarning: () => {},
    });
    await assert.rejects(failing.chat("Read it"));
    assertFrozen(failing.transcript, `transcript, ${onFailure}`);
    assertFrozen(failing.conversation.messages, `conversation, ${onFailure}`);
  }
});

test("steps of runs", async () => {
  const agent = new SubAgent({ mission: "Count", llm: () => "```clojure\n(return {:n [1]})\n```" });
  const step = await agent.run();
  assert.ok(Object.isFrozen(step) && Object.isFrozen(step.turns));
  assertFrozen(step.usage, "usage");
});

test("results and definitions of programs", () => {
  const lisp = new Lisp({ tools: { find: () => ({ a: [1] }) } });
  const { value, toolCalls } = lisp.runSync("(def x {:a [1]}) (find {:id [2]})");
  assertFrozen(value, "the value");
  for (const one of toolCalls) assertFrozen(one, "a call");
  assertFrozen(lisp.warnings, "warnings");
});
