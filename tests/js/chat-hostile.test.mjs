// Any input to the exports of chats gives a result, or a TurnfoldError that says what is wrong; never a crash, never a hang.

import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import {
  applyPlan,
  Conversation,
  chunked,
  clearToolResults,
  countMessages,
  estimate,
  fromTimestamp,
  lastNMessages,
  manageHistory,
  planHistory,
  retrieveFacts,
  TurnfoldError,
  wholeHistory,
  wholeHistoryMultipleSystemMessages,
} from "turnfold/chat";
import { refuses } from "./refuses.mjs";
import { revoked } from "./revoked.mjs";

const boom = new RangeError("boom");
const sentence = "The parcel left the depot in Leipzig yesterday and comes before noon.";
const said = (length) =>
  Array.from({ length }, (_, index) => ({ role: index % 2 ? "assistant" : "user", content: `${index}. ${sentence}` }));
const chat = new Conversation({ messages: said(20) });
const plan = planHistory(chat, { compressionStrategy: wholeHistory() });

const fail = () => {
  throw boom;
};
const cyclic = { role: "user" };
cyclic.content = [{ type: "text", text: "x", cyclic }];
let deep = "end";
for (let level = 0; level < 100_000; level++) deep = { deep };

class Message {
  role = "user";
  content = "x";
}

const odd = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  10n,
  "",
  "text",
  "\ud800",
  Symbol("s"),
  () => 1,
  [],
  {},
  [null],
  // biome-ignore lint/suspicious/noSparseArray: the test is about holes
  [, 1],
  new Date(Number.NaN),
  new Map(),
  new Message(),
  Object.create(null),
  JSON.parse('{"__proto__": {"role": "user"}}'),
  Promise.resolve(),
  cyclic,
  deep,
  revoked({}),
  revoked([]),
  ...["get", "has", "ownKeys", "getPrototypeOf", "getOwnPropertyDescriptor"].flatMap((trap) => [
    new Proxy({ role: "user", content: "x" }, { [trap]: fail }),
    new Proxy([1], { [trap]: fail }),
  ]),
  Object.defineProperty({}, "role", { get: fail, enumerable: true }),
  Object.create(Conversation.prototype),
  Object.defineProperty(Object.create(Conversation.prototype), "messages", { value: [{ role: 1 }] }),
  TurnfoldError,
];

const MEMBERS = [
  "compressionStrategy",
  "when",
  "minMessages",
  "keepAtLeast",
  "maxTokens",
  "reserveTokens",
  "maxHistorySize",
];
MEMBERS.push("counter", "provider", "summaryPrompt", "summaryRole", "summaryMaxTokens", "summaryNames");
const FIELDS = [
  "role",
  "content",
  "name",
  "toolCalls",
  "toolCallId",
  "toolName",
  "timestamp",
  "pinned",
  "summary",
  "extra",
];

/** Every place where a value of the host is read. */
const places = {
  "new Conversation": (given) => new Conversation(given),
  messages: (given) => new Conversation({ messages: given }),
  "a message": (given) => new Conversation({ messages: [given] }),
  ...Object.fromEntries(
    FIELDS.map((field) => [
      `messages[0].${field}`,
      (given) => all(new Conversation({ messages: [{ role: "user", content: "x", [field]: given }] })),
    ]),
  ),
  "a part": (given) => all(new Conversation({ messages: [{ role: "user", content: [given] }] })),
  "the text of a part": (given) =>
    all(new Conversation({ messages: [{ role: "user", content: [{ type: "text", text: given }] }] })),
  "the output of a part": (given) =>
    all(
      new Conversation({
        messages: [{ role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "f", output: given }] }],
      }),
    ),
  "the input of a part": (given) =>
    all(
      new Conversation({
        messages: [
          { role: "assistant", content: [{ type: "tool-call", toolCallId: given, toolName: given, input: given }] },
        ],
      }),
    ),
  "a call": (given) => all(new Conversation({ messages: [{ role: "assistant", content: null, toolCalls: [given] }] })),
  "the arguments of a call": (given) =>
    all(
      new Conversation({
        messages: [{ role: "assistant", content: null, toolCalls: [{ id: "a", name: "f", args: given }] }],
      }),
    ),
  "a summary's covers": (given) =>
    all(new Conversation({ messages: [{ role: "user", content: "x", summary: { covers: given, strategy: "s" } }] })),
  append: (given) => chat.append(given),
  "append of another": (given) => Conversation.prototype.append.call(given, { role: "user", content: "x" }),
  "lint of another": (given) => Conversation.prototype.lint.call(given),
  fromJSON: (given) => Conversation.fromJSON(given),
  "saved messages": (given) => Conversation.fromJSON({ version: 1, messages: given }),
  "a saved message": (given) => Conversation.fromJSON({ version: 1, messages: [given] }),
  "a saved form": (given) =>
    Conversation.fromJSON({ version: 1, messages: [{ role: "user", content: { $turnfold: given, value: given } }] }),
  "a conversation": (given) => planHistory(given, {}),
  parameters: (given) => planHistory(chat, given),
  ...Object.fromEntries(MEMBERS.map((member) => [member, (given) => planHistory(chat, { [member]: given })])),
  "a strategy in a list": (given) => planHistory(chat, { compressionStrategy: [given] }),
  "what a strategy says": (given) => planHistory(chat, { compressionStrategy: { name: "mine", plan: () => given } }),
  "what a strategy keeps": (given) =>
    planHistory(chat, { compressionStrategy: { name: "mine", plan: () => ({ keep: given }) } }),
  "what a strategy keeps[0]": (given) =>
    planHistory(chat, { compressionStrategy: { name: "mine", plan: () => ({ keep: [given] }) } }),
  "a group of a strategy": (given) =>
    planHistory(chat, { compressionStrategy: { name: "mine", plan: () => ({ keep: [], summarize: [given] }) } }),
  "what a counter says": (given) =>
    planHistory(chat, { counter: { name: "mine", method: "exact", count: () => given }, maxTokens: 1000 }),
  "a share": (given) => planHistory(chat, { maxTokens: { fraction: given, window: given } }),
  context: (given) => planHistory(chat, {}, given),
  request: (given) => planHistory(chat, {}, { request: given }),
  tools: (given) => planHistory(chat, {}, { tools: given }),
  "a tool": (given) => planHistory(chat, {}, { tools: { f: given } }),
  schema: (given) => planHistory(chat, {}, { schema: given }),
  "a plan": (given) => applyPlan(given, []),
  summaries: (given) => applyPlan(plan, given),
  "a summary": (given) => applyPlan(plan, [given]),
  "counted messages": (given) => countMessages(given),
  "options of counting": (given) => countMessages([], given),
  lastNMessages,
  chunked,
  fromTimestamp,
  retrieveFacts,
  "a concept": (given) => retrieveFacts([given]),
  "the name of a concept": (given) => retrieveFacts([{ name: given, description: given }]),
  clearToolResults,
  "results to keep": (given) => clearToolResults({ keep: given }),
};

/** Calls every operation on a conversation. */
function all(conversation) {
  conversation.lint();
  Conversation.fromJSON(JSON.stringify(conversation));
  countMessages(conversation.messages);
  return planHistory(conversation, { compressionStrategy: clearToolResults({ keep: 0 }), minMessages: 0 });
}

test("any value in any place is accepted, or refused with a TurnfoldError", () => {
  let refused = 0;
  for (const [place, act] of Object.entries(places)) {
    for (const [which, given] of odd.entries()) {
      try {
        act(given);
      } catch (error) {
        assert.ok(TurnfoldError.isInstance(error), `${place}, ${which}: ${error?.stack}`);
        assert.notEqual(error.code, "internal", `${place}, ${which}: ${error.message}`);
        assert.ok(error.message.length < 600, `${place}, ${which}: ${error.message}`);
        refused++;
      }
    }
  }
  assert.ok(refused > 1000, `only ${refused}`);
});

test("a call with any invalid options rejects with a TurnfoldError", async () => {
  for (const member of ["llm", "retry", "signal", "onWarning", "request", "tools", "schema", "unknown"]) {
    for (const [which, given] of odd.entries()) {
      const asked = manageHistory(
        chat,
        { compressionStrategy: wholeHistory() },
        { llm: () => "short", [member]: given },
      );
      await asked.catch((error) => {
        assert.ok(TurnfoldError.isInstance(error), `${member}, ${which}: ${error?.stack}`);
        assert.notEqual(error.code, "internal");
      });
    }
  }
  for (const given of odd.slice(1)) {
    await manageHistory(chat, {}, given).catch((error) => assert.equal(error.code, "invalid_option"));
  }
});

test("limits as objects have no other members", () => {
  const refused = (parameters) => refuses(() => planHistory(chat, parameters), "invalid_option");
  assert.equal(refused({ maxTokens: { limit: 500, targt: 1 } }).details.option, "maxTokens.targt");
  assert.equal(refused({ maxHistorySize: { limit: 5, targt: 1 } }).details.option, "maxHistorySize.targt");
  for (const given of [{ fraction: 0.5, window: 10 }, { limit: { fraction: 0.5, window: 10 } }]) {
    const { details } = refused({ maxHistorySize: given });
    assert.deepEqual(details, { option: "maxHistorySize.fraction", known: ["limit", "trigger", "target"] });
  }
  const within = { fraction: 0.5, window: 1000 };
  assert.equal(planHistory(chat, { maxTokens: { limit: within, target: 1 } }).outcome, "unchanged");
});

test("a trigger is within the limit, and a target within the trigger", () => {
  for (const name of ["maxTokens", "maxHistorySize"]) {
    for (const sizes of [
      { trigger: 501 },
      { trigger: 0 },
      { target: 0.5, trigger: 0.4 },
      { target: 501 },
      { target: -1 },
    ]) {
      const refused = () => planHistory(chat, { [name]: { limit: 500, ...sizes } });
      const { message, details } = refuses(refused, "invalid_option");
      assert.equal(details.option, name);
      assert.match(message, /a trigger up to the limit, and a target up to the trigger/);
      if (sizes.trigger === 0.4) assert.match(message, /these are 500, 200 and 250: a number up to 1 is a share/);
    }
    for (const sizes of [
      { trigger: 500, target: 500 },
      { trigger: 0.4, target: 200 },
      { trigger: 1, target: 1 },
    ]) {
      assert.doesNotThrow(() => planHistory(chat, { [name]: { limit: 500, ...sizes } }));
    }
  }
});

test("clearToolResults takes names of tools, and knows the names of its options elsewhere", () => {
  for (const wrong of ["skill", [7], {}, true, [undefined]]) {
    refuses(() => clearToolResults({ exclude: wrong }), "invalid_option");
    if (wrong !== true) refuses(() => clearToolResults({ clearInputs: wrong }), "invalid_option");
  }
  const { hint } = refuses(() => clearToolResults({ excludeTools: ["skill"] }), "invalid_option");
  assert.equal(hint, "it is exclude");
});

test("countMessages, like new Conversation, refuses anything but a list of messages", () => {
  for (const given of [undefined, null, "Hello", 5, {}, new Conversation({ messages: [] })]) {
    const { message, hint } = refuses(() => countMessages(given), "invalid_message", "messages");
    assert.match(message, /^messages must be a list of messages, got /);
    assert.equal(hint, '[{ role: "user", content: "…" }]');
  }
  refuses(() => countMessages([undefined]), "invalid_message", "messages[0]");
});

test("counts must be integers in their range", () => {
  for (const wrong of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "10", 10n, null]) {
    for (const make of [lastNMessages, chunked, (keep) => clearToolResults({ keep })])
      refuses(() => make(wrong), "invalid_option");
    if (wrong === null) continue;
    for (const member of [
      "maxTokens",
      "maxHistorySize",
      "minMessages",
      "keepAtLeast",
      "reserveTokens",
      "summaryMaxTokens",
      "summaryNames",
    ]) {
      const error = refuses(() => planHistory(chat, { [member]: wrong }), "invalid_option");
      assert.equal(error.details.option, member);
    }
  }
  for (const member of ["maxTokens", "maxHistorySize", "summaryMaxTokens"]) {
    refuses(() => planHistory(chat, { [member]: 0 }), "invalid_option");
  }
  refuses(() => chunked(0), "invalid_option");
  assert.equal(lastNMessages(0).name, "lastNMessages");
  for (const max of [2 ** 53 - 1, 2 ** 32, 2 ** 32 + 5]) {
    const parameters = { maxTokens: max, maxHistorySize: max, keepAtLeast: 3, minMessages: 0 };
    assert.equal(planHistory(chat, parameters).outcome, "unchanged");
    assert.equal(planHistory(chat, { compressionStrategy: lastNMessages(max) }).outcome, "unchanged");
    assert.equal(planHistory(chat, { compressionStrategy: wholeHistory(), minMessages: max }).outcome, "skipped");
    assert.equal(planHistory(chat, { compressionStrategy: wholeHistory(), keepAtLeast: max }).outcome, "unchanged");
  }
});

test("timestamps are milliseconds, ISO texts or Dates, and nothing else", () => {
  for (const wrong of [Number.NaN, "yesterday", new Date(Number.NaN), {}, [], true, null, undefined, 10n]) {
    refuses(() => fromTimestamp(wrong), "invalid_option");
    if (wrong === undefined) continue;
    refuses(
      () => new Conversation({ messages: [{ role: "user", content: "x", timestamp: wrong }] }),
      "invalid_message",
    );
  }
  const times = [-(10 ** 12), "1969-01-01", 0, "2024-02-29T12:00:00Z", new Date("9999-12-31"), 8.64e15, 1e300];
  const messages = times.map((timestamp, index) => ({
    role: "user",
    content: `${index}. ${sentence} ${sentence}`,
    timestamp,
  }));
  const timed = new Conversation({ messages: [...messages, { role: "assistant", content: "x" }] });
  const left = (time) => {
    const { requests } = planHistory(timed, {
      compressionStrategy: fromTimestamp(time),
      minMessages: 0,
      keepAtLeast: 0,
    });
    return requests.length === 0 ? 0 : requests[0].covers.length;
  };
  assert.deepEqual(
    [-1e300, "1969-01-01", 0, 0.5, new Date("2024-02-29T12:00:00Z"), "9999-12-31", 8.64e15].map(left),
    [0, 1, 2, 3, 3, 4, 5],
  );
});

test("misspelled names are refused", () => {
  assert.match(
    refuses(() => planHistory(chat, { strategy: wholeHistory() }), "invalid_option").hint,
    /compressionStrategy/,
  );
  assert.match(refuses(() => planHistory(chat, { maxMessages: 3 }), "invalid_option").hint, /maxHistorySize/);
  refuses(() => new Conversation({ message: [] }), "invalid_message");
  refuses(() => new Conversation({ messages: [], system: "You help." }), "invalid_message");
  assert.match(
    refuses(() => new Conversation({ messages: [{ role: "assistant", tool_calls: [] }] }), "invalid_message").hint,
    /openai\.from/,
  );
});

test("invalid strategies are refused with an error that says what is wrong", () => {
  const says = (answer) => () => planHistory(chat, { compressionStrategy: { name: "mine", plan: answer } });
  const keep = said(20).map((_, index) => index);
  for (const answer of [
    () => {
      throw boom;
    },
    async () => ({ keep }),
    () => ({ keep: [...keep, 20] }),
    () => ({ keep: keep.map(String) }),
    () => ({ keep, drop: [-1] }),
    () => ({ keep: keep.slice(1), summarize: [{ covers: [0], prompt: 3 }] }),
    () => ({ keep, summarize: {} }),
  ]) {
    const error = refuses(says(answer), "invalid_strategy");
    assert.equal(error.details.strategy, "mine");
    assert.match(error.message, /"mine"/);
  }
  const shown = [];
  const plan = says((messages, { tokens }) => {
    shown.push([messages, tokens]);
    assert.throws(() => messages.push(1), TypeError);
    return { keep: keep.slice(0, 10), drop: keep.slice(10) };
  })();
  assert.equal(plan.outcome, "ready");
  assert.deepEqual(shown[0][0], [...chat.messages]);
  assert.equal(shown[0][1].length, 20);
});

test("a conversation can't be changed", () => {
  const given = { role: "user", content: [{ type: "text", text: "before" }], extra: { a: [1] } };
  const messages = [given];
  const conversation = new Conversation({ messages });
  const before = JSON.stringify(conversation);
  given.content[0].text = "after";
  given.extra.a.push(2);
  messages.push({ role: "user" });
  assert.throws(() => conversation.messages.push({}), TypeError);
  assert.throws(() => {
    conversation.messages = [];
  }, TypeError);
  assert.throws(() => {
    conversation.messages[0].content[0].text = "x";
  }, TypeError);
  assert.throws(() => {
    conversation.append({ role: "user", content: "y" }).messages = [];
  }, TypeError);
  assert.equal(JSON.stringify(conversation), before);
  // Frozen messages, messages of another realm and proxies are accepted.
  const foreign = runInNewContext('({ role: "user", content: "x" })');
  for (const message of [
    Object.freeze({ role: "user", content: "x" }),
    foreign,
    new Proxy({ role: "user", content: "x" }, {}),
  ]) {
    assert.equal(new Conversation({ messages: [message] }).messages[0].content, "x");
  }
  refuses(() => new Conversation({ messages: [new Message()] }), "invalid_message", "messages[0]");
});

test("everything that a message can hold is restored from JSON without change", () => {
  const Float16 = globalThis.Float16Array;
  const mine = {
    views: [
      ...[Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array],
      ...[Float32Array, Float64Array, ...(Float16 === undefined ? [] : [Float16])],
    ].map((View) => new View([1, 2, 3])),
    bigViews: [new BigInt64Array([1n, -(2n ** 63n)]), new BigUint64Array([2n ** 64n - 1n])],
    buffer: new Uint8Array([1, 2]).buffer,
    dates: [new Date(0), new Date(-8.64e15)],
    url: new URL("https://example.com/a?b#c"),
    numbers: [-0, Number.NaN, Number.POSITIVE_INFINITY, 2n ** 70n, undefined],
    $turnfold: { $turnfold: "date", value: null },
  };
  const conversation = new Conversation({ messages: [{ role: "user", content: "x", mine, at: new Date(Number.NaN) }] });
  const saved = conversation.toJSON();
  assert.deepEqual(JSON.parse(JSON.stringify(saved)), saved);
  for (const json of [saved, JSON.stringify(saved)]) {
    const [message] = Conversation.fromJSON(json).messages;
    assert.deepEqual(message.mine, mine);
    // Node does not take two invalid dates for equal.
    assert.equal(String(message.at), "Invalid Date");
  }
  class Named extends Uint8Array {
    get [Symbol.toStringTag]() {
      return "Named";
    }
  }
  for (const view of [new DataView(new ArrayBuffer(8)), new Named(2)]) {
    const { hint } = refuses(
      () => new Conversation({ messages: [{ role: "user", content: "x", view }] }),
      "invalid_message",
      "messages[0].view",
    );
    assert.match(hint, /bytes/);
  }
});

test("names of inherited members, such as __proto__, are ordinary names", () => {
  const message = JSON.parse('{"role":"user","content":"x","__proto__":{"pinned":true},"constructor":1,"toString":2}');
  const conversation = new Conversation({ messages: [message] });
  assert.deepEqual(Object.keys(conversation.messages[0]), ["role", "content", "__proto__", "constructor", "toString"]);
  assert.equal(planHistory(conversation, {}).messages[0].reason, "pending");
  assert.equal(JSON.stringify(Conversation.fromJSON(JSON.stringify(conversation))), JSON.stringify(conversation));
  const called = ["__proto__", "constructor", "toString", "hasOwnProperty"].flatMap((id) => [
    { role: "assistant", content: "", toolCalls: [{ id, name: id, args: {} }] },
    { role: "tool", content: "1", toolCallId: id },
  ]);
  assert.deepEqual(new Conversation({ messages: called }).lint(), []);
});

test("lone surrogates, control characters and huge texts are counted", () => {
  const texts = [
    "",
    "\ud800",
    "\udc00\ud800",
    "\\ud800",
    "\\\\\ud83d",
    "\0",
    "é".normalize("NFD"),
    "😀".repeat(1000),
    "x".repeat(1_000_000),
  ];
  const messages = texts.map((content) => ({ role: "user", content }));
  const { messages: counted, total } = countMessages(messages);
  assert.equal(counted[0], 4);
  assert.ok(counted.every((tokens) => Number.isSafeInteger(tokens) && tokens >= 4));
  assert.equal(
    total,
    counted.reduce((sum, tokens) => sum + tokens, 3),
  );
  const conversation = new Conversation({ messages });
  // The host's texts stay unchanged.
  assert.deepEqual(conversation.append({ role: "user", content: "\ud800" }).messages.at(-1).content, "\ud800");
  const [request] = planHistory(
    conversation,
    { compressionStrategy: lastNMessages(1), minMessages: 0 },
    { request: [] },
  ).requests;
  assert.ok(request.messages[1].content.isWellFormed?.() ?? true);
  const parts = texts.map((text) => ({
    role: "user",
    content: [
      { type: "text", text },
      { type: "mine", text, nested: { text } },
    ],
  }));
  assert.ok(countMessages(parts).total > total);
});

test("the limit of nesting is the same for every member of a message", () => {
  const nested = (levels) => {
    let value = 1;
    for (let level = 0; level < levels; level++) value = [value];
    return value;
  };
  const made = (levels) =>
    new Conversation({ messages: [{ role: "user", content: [{ type: "mine", value: nested(levels) }] }, ...said(20)] });
  let max = 0;
  for (let levels = 980; levels < 1005; levels++) {
    try {
      all(made(levels));
      max = levels;
      planHistory(chat, {}, { request: made(levels).messages });
    } catch (error) {
      assert.equal(error.code, "invalid_message", error.message);
    }
  }
  assert.ok(max > 980);
  refuses(() => made(100_000), "invalid_message");
  const text = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  refuses(
    () => Conversation.fromJSON(`{"version":1,"messages":[{"role":"user","content":${text}}]}`),
    "invalid_conversation",
  );
});

test("time grows linearly with the messages, for any parameters", () => {
  const parameters = [
    { maxHistorySize: 50 },
    { maxTokens: 5000 },
    { compressionStrategy: wholeHistory(), keepAtLeast: 500 },
    { compressionStrategy: chunked(1) },
    { compressionStrategy: chunked(7), keepAtLeast: 1_000_000 },
    { compressionStrategy: [clearToolResults(), lastNMessages(20)] },
    { compressionStrategy: wholeHistoryMultipleSystemMessages() },
    { compressionStrategy: retrieveFacts([{ name: "orders" }]), summaryMaxTokens: 2000 },
    { compressionStrategy: { name: "mine", plan: (messages) => ({ keep: messages.map((_, index) => index) }) } },
  ];
  const conversation = new Conversation({ messages: said(50_000) });
  for (const [index, asked] of parameters.entries()) {
    const start = process.cpuUsage();
    const plan = planHistory(conversation, asked, { request: [] });
    if (plan.requests.length > 0) {
      applyPlan(
        plan,
        plan.requests.map(() => "short"),
      );
    }
    const { user, system } = process.cpuUsage(start);
    // Processor time, which other processes do not lengthen: less than a second, and minutes for work that is quadratic in the messages.
    assert.ok(user + system < 20_000_000, `parameters ${index}: ${user + system} µs of processor time`);
  }
});

test("a hundred thousand messages are managed", () => {
  const conversation = new Conversation({ messages: said(100_000) });
  const plan = planHistory(conversation, { compressionStrategy: chunked(1000), maxHistorySize: 200 });
  const { conversation: next, report } = applyPlan(
    plan,
    plan.requests.map(() => "Parcels are late."),
  );
  assert.equal(next.messages.length, 100);
  assert.equal(report.messages.length, 100_000);
  assert.equal(conversation.lint().length, 0);
  assert.equal(Conversation.fromJSON(JSON.stringify(conversation)).messages.length, 100_000);
});

test("ten thousand calls are managed, with and without results and ids", () => {
  const calls = (id) =>
    Array.from({ length: 10_000 }, (_, index) => ({
      role: "assistant",
      content: null,
      toolCalls: [{ id: id(index), name: "f", args: {} }],
    }));
  const results = (id) =>
    Array.from({ length: 10_000 }, (_, index) => ({
      role: "tool",
      content: sentence,
      toolCallId: id(index),
      toolName: "f",
    }));
  for (const id of [(index) => `c${index}`, () => "same", () => ""]) {
    const open = new Conversation({ messages: [...said(2), ...calls(id)] });
    // All calls are still waiting, because no message follows them.
    assert.equal(open.lint().filter(({ kind }) => kind === "unanswered_call").length, 0);
    assert.equal(planHistory(open, { compressionStrategy: wholeHistory() }).outcome, "skipped");
    const answered = open.append(...results(id)).append(...said(30));
    assert.equal(answered.lint().filter(({ kind }) => kind !== "duplicate_call_id").length, 0);
    const plan = planHistory(answered, { compressionStrategy: lastNMessages(15), keepAtLeast: 10_000 });
    assert.equal(plan.messages.length, 20_032);
    const { report } = applyPlan(planHistory(answered, { maxHistorySize: 100 }), []);
    assert.equal(report.messages.filter(({ fate }) => fate === "kept").length, 30);
    const given = planHistory(open.append({ role: "user", content: "And now?" }), {
      compressionStrategy: wholeHistory(),
    });
    assert.equal(given.requests[0].covers.length, 10_002);
  }
});

test("a host's counter is called once for each text, and refused for an invalid count", async () => {
  const texts = [];
  const counter = {
    name: "mine",
    method: "exact",
    count: (text) => {
      texts.push(text);
      return text.length / 7;
    },
  };
  const parameters = { compressionStrategy: chunked(5), counter, maxTokens: 10_000, when: "always" };
  const { report } = await manageHistory(chat, parameters, { llm: () => "short" });
  assert.equal(report.tokens.counter, "mine");
  assert.equal(new Set(texts).size, texts.length);
  for (const lie of [1e300, 2 ** 40, -1, Number.NaN, "3", Promise.resolve(3)]) {
    refuses(() => planHistory(chat, { counter: { ...counter, count: () => lie } }), "invalid_counter");
  }
  // A counter may be a proxy whose members throw later.
  let isGone = false;
  const fickle = new Proxy(counter, {
    get: (target, name) => (isGone && name === "name" ? fail() : Reflect.get(target, name)),
  });
  const plan = planHistory(chat, { counter: fickle, maxHistorySize: 5 });
  isGone = true;
  assert.equal(applyPlan(plan, []).report.tokens.counter, "mine");
  assert.equal(countMessages(chat.messages, { counter: estimate }).total, countMessages(chat.messages).total);
});

test("applyPlan needs as many texts as the plan has requests", () => {
  const ready = planHistory(chat, { maxHistorySize: 5 });
  assert.match(refuses(() => applyPlan(ready, ["x"]), "invalid_summaries").message, /asks for 0 summary texts, got 1/);
  assert.match(refuses(() => applyPlan(plan, []), "invalid_summaries").message, /asks for 1 summary text, got 0/);
  refuses(() => applyPlan(structuredClone(ready), []), "invalid_plan");
  refuses(() => applyPlan(new Proxy(plan, {}), ["x"]), "invalid_plan");
  const twice = [applyPlan(plan, ["One."]), applyPlan(plan, ["Two."]), applyPlan(plan, ["One."])];
  assert.deepEqual(twice[0], twice[2]);
  // Changes of the host to its copy of a plan have no effect.
  const mine = planHistory(chat, { compressionStrategy: wholeHistory() });
  mine.requests = null;
  mine.messages.length = 0;
  assert.deepEqual(applyPlan(mine, ["One."]), twice[0]);
  const error = refuses(() => applyPlan(plan, [" "]), "compression_failed");
  assert.equal(error.details.report.messages.length, 20);
});
