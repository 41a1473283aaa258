// The measures of the benchmark of histories, on sessions whose figures are known.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Bill, measure, namesOf, PRICES, Session, Texts } from "../../benches/js/worth/measure.mjs";
import { POLICIES, replay } from "../../benches/js/worth/policies.mjs";

const [PRICE] = PRICES;

const words = (text) => text.split(/\s+/).filter(Boolean).length;
const filler = (count, word = "lorem") => Array(count).fill(word).join(" ");
const user = (content) => ({ role: "user", content });
const assistant = (content) => ({ role: "assistant", content });

let ids = 0;
const round = (name, args, content) => {
  const id = `c${ids++}`;
  return [
    { role: "assistant", content: "", toolCalls: [{ id, name, args }] },
    { role: "tool", toolCallId: id, content },
  ];
};

const close = (actual, expected) => assert.ok(Math.abs(actual - expected) < 1e-6, `${actual}, not ${expected}`);

test("a request reads what it has in common with the last one, and writes the rest", () => {
  const bill = new Bill(new Texts(words), PRICE);
  const question = user(filler(1996));
  bill.add([question], 0);
  close(bill.cost, 1.25 * 2000);
  bill.add([question, assistant(filler(96)), user(filler(46))], 1000);
  close(bill.cost, 1.25 * 2150 + 0.1 * 2000);
  // Half of the answer is the same.
  bill.add([question, assistant(`${filler(48)} ${filler(48, "ipsum")}`), user(filler(46))], 2000);
  close(bill.cost, 1.25 * (2150 + 102) + 0.1 * (2000 + 2048));
  assert.equal(bill.tokens, 2000 + 2 * 2150);
});

test("nothing is read after a pause that is longer than the lifetime, and short requests are not cached", () => {
  const bill = new Bill(new Texts(words), PRICE);
  const question = user(filler(1996));
  bill.add([question], 0);
  bill.add([question], 301_000);
  close(bill.cost, 1.25 * 4000);
  const short = new Bill(new Texts(words), PRICE);
  for (let request = 0; request < 2; request++) short.add([user(filler(96))], 0);
  close(short.cost, 200);
});

test("a summary costs its input and output; behind the last request it reads that from the cache", () => {
  const bill = new Bill(new Texts(words), PRICE);
  bill.add([user(filler(1996))], 0);
  bill.addSummary({ input: 1500, output: 100 });
  close(bill.cost, 2500 + 1500 + 500);
  bill.addSummary({ input: 2100, output: 100, behind: true });
  close(bill.cost, 2500 + 1500 + 500 + 200 + 100 + 500);
});

test("names are addresses, paths, codes and joined words; never bare numbers, words and members", () => {
  const text = `See ../src/lib/parser.ts, ./docs and error.message at 10:30 in parseTable, max_tokens: order W2378156
of ann@example.com, https://example.com/terms?of=2. 123456 the documentation (2026-11-29).`;
  assert.deepEqual([...namesOf(text)].sort(), [
    "../src/lib/parser.ts",
    "W2378156",
    "ann@example.com",
    "https://example.com/terms?of=2",
    "max_tokens",
    "parseTable",
    "parser.ts",
  ]);
});

const LINE = "  return the rows of this table in order;";
const table = `export function parseTable(rows) {\n    12→${LINE}\n}`;
const messages = [
  user("Fix the table"),
  ...round("read", { path: "src/lib/parser" }, table),
  ...round("read", { path: "terms" }, filler(9000)),
  ...round("edit", { path: "src/lib/parser", text: `parseTable\n${LINE.trim()}` }, "done"),
];

const measuredWith = (sent) => {
  const session = new Session("made", messages, words);
  return { session, totals: measure(session, sent, PRICE) };
};

test("names and lines of a call that occur 8,000 tokens earlier are needs", async () => {
  const { session, totals } = measuredWith([1, 3, 5].map((end) => ({ messages: messages.slice(0, end) })));
  assert.deepEqual(
    session.requests.map(({ needs }) => needs.map(({ text, places }) => [text, places])),
    [
      [],
      [],
      [
        ["src/lib/parser", [1]],
        ["parseTable", [2]],
        [LINE.trim(), [2]],
      ],
    ],
  );
  const { whole } = await totals;
  assert.deepEqual([whole.names, whole.lines, whole.requests], [[2, 2], [1, 1], 3]);
  close(whole.repaid, whole.cost);
});

test("what a request does not show is missing, and its messages are fetched once", async () => {
  const stub = { ...messages[2], content: "It was cleared; it has parseTable." };
  const last = [messages[0], stub, ...messages.slice(3, 5)];
  const { whole } = await measuredWith([
    { messages: messages.slice(0, 1) },
    { messages: messages.slice(0, 3) },
    { messages: last },
  ]).totals;
  assert.deepEqual(
    [whole.names, whole.lines],
    [
      [1, 2],
      [0, 1],
    ],
  );
  const tokens = (message) => 4 + words([message.content, ...(message.toolCalls ?? []).map(callText)].join(" "));
  const callText = ({ name, args }) => `${name} ${JSON.stringify(args)}`;
  const sum = (list) => list.reduce((total, message) => total + tokens(message), 0);
  close(whole.repaid - whole.cost, 0.1 * sum(last) + 5 * 50 + 1.25 * (tokens(messages[1]) + tokens(messages[2])));
});

test("the beginning has the requests with at most 60 messages before them", async () => {
  const long = [
    user("Go on"),
    ...Array.from({ length: 40 }, (_, at) => round("read", { page: at }, filler(50))).flat(),
  ];
  const session = new Session("made", long, words);
  const sent = session.requests.map(({ index }) => ({ messages: long.slice(0, index) }));
  const { whole, beginning } = await measure(session, sent, PRICE);
  assert.deepEqual([whole.requests, beginning.requests], [40, 30]);
  assert.ok(beginning.cost < whole.cost);
});

test("every policy folds a long session, and sends each request up to the message that is to be answered", async () => {
  const numbered = Array.from({ length: 100 }, (_, at) => `${String(at).padStart(6)}\t${filler(25)}`).join("\n");
  const reads = Array.from({ length: 60 }, (_, at) => round("read", { path: `src/part-${at}.ts` }, numbered));
  const long = [user("Read all"), ...reads.flat(), assistant("Done."), user("Thanks"), assistant("Bye.")];
  const session = new Session("made", long, words);
  for (const policy of POLICIES) {
    let [number, changed] = [0, 0];
    for await (const { messages: sent } of replay(session, policy, PRICE)) {
      const { index } = session.requests[number++];
      const { content, toolCallId } = long[index - 1];
      assert.equal(sent.at(-1).toolCallId, toolCallId, policy.name);
      if (policy.parameters?.arrival === undefined) assert.equal(sent.at(-1).content, content, policy.name);
      if (sent.length !== index || sent.some(({ content }, at) => content !== long[at].content)) changed++;
      const calls = new Set(sent.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)));
      const results = sent.filter(({ role }) => role === "tool").map(({ toolCallId }) => toolCallId);
      assert.deepEqual(results, [...calls], policy.name);
    }
    assert.equal(number, session.requests.length, policy.name);
    assert.equal(changed > 0, policy.name !== "none", policy.name);
  }
});
