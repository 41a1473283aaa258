// needRecall: information that a strategy removes and later requests of a recording use.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation, clearToolResults, compareCosts, needRecall } from "turnfold/audit";
import { missions, recordedStep } from "../../benches/js/missions.mjs";
import { refuses } from "./refuses.mjs";

/** Counts words, so that distances are easily checked. */
const words = { name: "words", method: "exact", count: (text) => text.split(/\s+/).filter(Boolean).length };

const filler = (count) => "lorem ".repeat(count);

let ids = 0;
/** A round of one call. */
const round = (name, args, result) => {
  const id = `c${ids++}`;
  return [
    { role: "assistant", content: "", toolCalls: [{ id, name, args }] },
    { role: "tool", toolCallId: id, toolName: name, content: result },
  ];
};

const cleared = (options) => ({ compressionStrategy: clearToolResults(options), minMessages: 0 });

/** The figures of one strategy, or without compression. */
function measured(messages, parameters) {
  const strategies = parameters === undefined ? {} : { it: parameters };
  return needRecall(new Conversation({ messages }), { counter: words, strategies }).at(-1);
}

/** The search names two orders; much later the first is looked up. */
const orders = [
  { role: "user", content: "Where are my orders?" },
  ...round("search", { customer: "ann@example.com" }, "Found two open orders: W2378156 and W7744321"),
  ...round("read", { page: "terms" }, filler(2500)),
  ...round("lookup", { order: "W2378156" }, "It was sent."),
];

test("a need is a value of the arguments that an earlier message holds", () => {
  const { recall, complete, losses, tokens, share } = measured(orders);
  assert.deepEqual(recall[2000], { share: 1, hits: 1, of: 1, interval: [1, 1] });
  assert.equal(recall[8000].share, null);
  assert.deepEqual([complete.hits, complete.of], [1, 1]);
  assert.deepEqual([losses, share], [[], 1]);
  assert.ok(tokens > 2500);
});

test("a need that a strategy removes is a loss, with the messages that hold it", () => {
  const lost = measured(orders, cleared({ keep: 1 }));
  assert.deepEqual([lost.recall[2000].share, lost.complete.share], [0, 0]);
  assert.deepEqual(lost.losses, [{ recording: 0, request: 2, atoms: ["W2378156"], messages: [2], tokens: 7 }]);
  const [{ distance, ...need }] = lost.needs.filter(({ status }) => status === "lost");
  assert.deepEqual(need, { recording: 0, request: 2, atom: "W2378156", message: 2, status: "lost" });
  assert.ok(distance > 2000);
  assert.ok(lost.costWithForgetting > lost.cost);
  const kept = measured(orders, cleared({ keep: 2 }));
  assert.equal(kept.recall[2000].share, 1);
  assert.equal(kept.costWithForgetting, kept.cost);
});

test("atoms are values with a digit, `_` or `@`, long words, and names in longer texts; never bare numbers", () => {
  const told =
    "ann@x.org 12345678 max_depth secretary src/main.rs two words a1b2 parseConfig 3f9c2ab 99.5% 2026-11-23 tiny";
  const needsOf = (args) =>
    measured([
      { role: "user", content: "Go" },
      ...round("tell", {}, `${told}\n{ "quoted": "in/path.ts" }`),
      ...round("read", {}, filler(2500)),
      ...round("use", args, "ok"),
    ]).recall[2000].of;
  for (const value of ["ann@x.org", "max_depth", "secretary", "a1b2", "src/main.rs", "in/path.ts"]) {
    assert.equal(needsOf({ value }), 1, value);
  }
  for (const value of ["12345678", 12345678, "99.5%", "2026-11-23", "tiny", "never_told"]) {
    assert.equal(needsOf({ value }), 0, String(value));
  }
  assert.equal(needsOf({ command: "grep parseConfig src/main.rs | head" }), 2);
  assert.equal(needsOf({ deep: [{ list: ["max_depth", "a1b2"] }] }), 2);
  // Atoms are found only at word boundaries.
  assert.equal(needsOf({ value: "max_dep" }), 0);
  assert.equal(needsOf({ value: "main.rs1" }), 0);
});

test("atoms of the system prompt, and atoms that many requests use, are no needs", () => {
  const last = [...round("read", {}, filler(2500)), ...round("use", { value: "key_1" }, "ok")];
  const told = round("tell", {}, "the key is key_1");
  const without = [{ role: "user", content: "Go" }, ...told, ...last];
  assert.equal(measured(without).recall[2000].of, 1);
  assert.equal(measured([{ role: "system", content: "Use key_1" }, ...without]).recall[2000].of, 0);
  const often = Array.from({ length: 11 }, () => round("use", { value: "key_1" }, "ok")).flat();
  assert.equal(measured([...without, ...often]).recall[2000].of, 0);
});

test("a name in a list counts as recalled, and as associated only beside a word of its earlier line", () => {
  const messages = [
    { role: "user", content: "Go" },
    ...round("scan", {}, `parseConfig\n${filler(50)}`),
    ...round("read", {}, filler(2500)),
    ...round("edit", { symbol: "parseConfig" }, "ok"),
  ];
  const with3 = measured(messages, cleared({ keep: 1, names: 3 }));
  assert.deepEqual([with3.recall[2000].share, with3.associated[2000].share, with3.invented], [1, 0, 0]);
  const beside = structuredClone(messages);
  beside[2].content = `The parser is parseConfig\n${filler(50)}`;
  assert.equal(measured(beside, cleared({ keep: 1, names: 3 })).associated[2000].share, 1);
  assert.equal(measured(messages).associated[2000].share, 1, "a message as it was");
});

test("atoms that no earlier message holds are invented, outdated results are stale", async () => {
  const inventing = { name: "inventing", toMessages: () => [{ role: "user", content: "See src/never/was.rs" }] };
  const step = await recordedStep(missions[0]);
  assert.equal(needRecall(step, { strategies: { inventing } })[1].invented, 1);
  const twice = [
    { role: "user", content: "Watch" },
    ...round("status", { job: 1 }, "open"),
    ...round("status", { job: 1 }, `done ${filler(30)}`),
    ...round("wait", {}, "ok"),
    ...round("wait", {}, "ok"),
  ];
  assert.equal(measured(twice).stale, 0);
  // The first result is shorter than its note, so it stays.
  assert.equal(measured(twice, cleared({ keep: 1 })).stale, 1);
});

test("the result has the noise floor, and the recall of recency with the same size", () => {
  const later = [...orders.slice(0, -2), ...round("wait", {}, "ok"), ...orders.slice(-2)];
  later[2] = { ...later[2], content: `Found W2378156, first_name and last_name ${filler(20)}` };
  const { floor, recency, recall } = measured(later, cleared({ keep: 1, names: 1 }));
  assert.ok(floor[2000].of > 0 && floor[2000].share < 1);
  assert.deepEqual([recall[2000].share, recency.recall[2000].share], [1, 0]);
  const none = measured(orders);
  assert.deepEqual([none.floor[2000].share, none.recency.recall[2000].share], [1, 1]);
});

test("recordings are summed, and the interval is computed over them", () => {
  const one = new Conversation({ messages: orders });
  const other = new Conversation({ messages: orders.slice(0, 1).concat(orders.slice(0, 3), orders.slice(3)) });
  const strategies = { clear: cleared({ keep: 1 }) };
  const [none, both] = needRecall([one, other, one], { strategies, counter: words });
  assert.deepEqual([none.name, none.recall[2000].of, both.recall[2000].hits], ["none", 3, 0]);
  assert.deepEqual(needRecall([one, other, one], { strategies, counter: words })[1], both);
  assert.deepEqual(both.recall[2000].interval, [0, 0]);
});

test("costs are those of compareCosts", () => {
  const conversation = new Conversation({ messages: orders });
  const strategies = { clear: cleared({ keep: 1 }) };
  const [, { cost }] = needRecall(conversation, { strategies, counter: words, prices: "anthropic" });
  const { strategies: rows } = compareCosts(conversation, { strategies, counter: words, prices: "anthropic" });
  assert.equal(cost, rows[0].cost);
});

test("a step's turns need the names of their programs", async () => {
  const step = await recordedStep(missions[0]);
  const [none, ...others] = needRecall(step);
  assert.equal(none.recall[2000].share ?? 1, 1);
  assert.deepEqual(others.map(({ name }) => name).sort(), [
    "journal",
    "per-turn-summary",
    "rolling-window",
    "single-user-coalesced",
  ]);
  for (const { tokens, cost, share } of others) assert.ok(tokens > 0 && cost > 0 && share > 0);
});

test("invalid recordings are refused", () => {
  assert.match(refuses(() => needRecall([]), "invalid_argument").message, /at least one/);
  refuses(() => needRecall({ turns: 3 }), "invalid_argument");
  refuses(() => needRecall(new Conversation(), { prices: { input: -1 } }), "invalid_option");
});

test("a counter that throws, waits or gives no number is refused wherever it is called", () => {
  for (const wrong of [
    () => Number.NaN,
    async () => Promise.reject(new Error("offline")),
    () => {
      throw new Error("offline");
    },
  ]) {
    for (let calls = 0; calls < 20; calls += 5) {
      let left = calls;
      const counter = { name: "failing", method: "exact", count: (text) => (left-- > 0 ? text.length : wrong()) };
      refuses(() => needRecall(new Conversation({ messages: orders }), { counter }), "invalid_counter");
    }
  }
});
