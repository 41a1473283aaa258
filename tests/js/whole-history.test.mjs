// Hosts that give the whole history with each request are sent a stable prefix between folds, like hosts that keep the managed
// conversation.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  applyPlan,
  Conversation,
  clearToolResults,
  digest,
  lastNMessages,
  manageHistory,
  planHistory,
  retrieveFacts,
  SummaryStore,
} from "turnfold/chat";
import { seeded, share } from "./random.mjs";

const FOLDS = ["worthIt", "cold", "belowMinimum", "limit", "tier"];

/** Random runs of each test. */
const SEEDS = share(60);

const word = (tokens) => "word ".repeat(tokens);

/** An agent's run of `rounds` rounds with some questions, pauses and pinned messages. */
function randomRun({ below, chance }, rounds) {
  const messages = chance(0.5) ? [{ role: "system", content: word(below(2000)) }] : [];
  const isStamped = chance(0.5);
  let [calls, now] = [0, 1.7e12];
  const add = (message) => messages.push({ ...message, ...(isStamped ? { timestamp: now } : {}) });
  for (let round = 0; round < rounds; round++) {
    now += chance(0.1) ? 400_000 : below(60_000);
    if (messages.length < 2 || chance(0.3)) add({ role: "user", content: word(1 + below(200)) });
    now += 1000;
    const toolCalls = Array.from({ length: below(4) }, () => ({ id: `c${calls++}`, name: "read", args: {} }));
    if (toolCalls.length === 0) add({ role: "assistant", content: "Done." });
    else add({ role: "assistant", content: "", toolCalls });
    for (const { id } of toolCalls) {
      const pinned = chance(0.1) ? { pinned: true } : {};
      add({ role: "tool", toolCallId: id, toolName: "read", content: word(below(1000)), ...pinned });
    }
    if (toolCalls.length === 0) add({ role: "user", content: "Go on." });
  }
  return messages;
}

/** The conversation before each request of the messages. */
const requestsOf = (messages) =>
  messages.flatMap(({ role }, index) => (role === "assistant" && index > 0 ? [messages.slice(0, index)] : []));

/**
 * For each request: the result and report for a host that gives the whole history, and the result for one that keeps the
 * managed conversation.
 */
function* ofBothHosts(messages, parameters) {
  const planned = (conversation) => applyPlan(planHistory(conversation, parameters), []);
  let managed = new Conversation();
  let given = 0;
  for (const before of requestsOf(messages)) {
    managed = planned(managed.append(...before.slice(given))).conversation;
    given = before.length;
    yield { before, managed, ...planned(new Conversation({ messages: before })) };
  }
}

test("cleared results stay cleared in later requests, and only a fold clears more", () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const random = seeded(seed);
    const messages = randomRun(random, 30);
    const { below, chance, pick } = random;
    const parameters = {
      compressionStrategy: clearToolResults({
        keep: below(5),
        atLeast: chance(0.5) ? 0 : below(5000),
        names: below(3),
      }),
      when: pick(["worthIt", "worthIt", "always"]),
      minMessages: below(12),
      prices: { cacheRead: pick([0.02, 0.1, 0.5, 1]), ...(chance(0.3) ? { tiers: [{ above: 9000, input: 2 }] } : {}) },
    };
    let cleared = new Set();
    for (const { conversation, report, managed } of ofBothHosts(messages, parameters)) {
      const stubbed = report.messages.filter(({ fate }) => fate === "stubbed").map(({ index }) => index);
      const more = stubbed.filter((index) => !cleared.has(index));
      assert.deepEqual(
        [...cleared].filter((index) => !stubbed.includes(index)),
        [],
        `seed ${seed}: a result came back`,
      );
      if (parameters.when === "worthIt" && more.length > 0) {
        assert.ok(FOLDS.includes(report.cache.reason), `seed ${seed}: ${report.cache.reason}`);
      }
      cleared = new Set(stubbed);
      assert.deepEqual(managed.messages, conversation.messages, `seed ${seed}`);
    }
  }
});

test("a cleared result keeps the form of its output: a failure stays a failure, and a denial a denial", async () => {
  const long = word(400);
  const forms = {
    text: [long, (output) => assert.equal(typeof output, "string")],
    "an output": [{ type: "text", value: long }, ({ type }) => assert.equal(type, "text")],
    JSON: [{ type: "json", value: { long } }, ({ type }) => assert.equal(type, "text")],
    "a failure": [{ type: "error-text", value: long }, ({ type }) => assert.equal(type, "error-text")],
    "a failure in JSON": [{ type: "error-json", value: { long } }, ({ type }) => assert.equal(type, "error-text")],
    "a denial": [{ type: "execution-denied", reason: long }, ({ type }) => assert.equal(type, "execution-denied")],
    parts: [[{ type: "text", text: long }], ([{ type }]) => assert.equal(type, "text")],
  };
  for (const [name, [output, check]] of Object.entries(forms)) {
    const call = { type: "tool-call", toolCallId: "a", toolName: "read", input: {} };
    const result = { type: "tool-result", toolCallId: "a", toolName: "read", output };
    const messages = [
      { role: "user", content: "Read it" },
      { role: "assistant", content: [call] },
      { role: "tool", content: [result] },
      { role: "assistant", content: "Done." },
      { role: "user", content: "Thanks" },
    ];
    const parameters = { compressionStrategy: clearToolResults({ keep: 0 }), minMessages: 0 };
    const { conversation } = await manageHistory(new Conversation({ messages }), parameters);
    const cleared = conversation.messages[2].content[0].output;
    assert.ok(!JSON.stringify(cleared).includes(long), `${name} is cleared`);
    check(cleared);
  }
});

test("digested rounds stay digested in later requests, and both kinds of hosts send the same", () => {
  let folds = 0;
  for (let seed = 0; seed < SEEDS; seed++) {
    const random = seeded(seed);
    const messages = randomRun(random, 30);
    const { below, chance, pick } = random;
    const parameters = {
      compressionStrategy: digest({
        keep: below(5),
        atLeast: pick([0, 500, 2000]),
        names: below(3),
        handles: chance(0.5),
      }),
      when: pick(["worthIt", "worthIt", "always"]),
      minMessages: below(12),
      prices: { cacheRead: pick([0.02, 0.1, 0.5, 1]) },
    };
    let sent = [];
    for (const { before, conversation, report, managed } of ofBothHosts(messages, parameters)) {
      const texts = conversation.messages.filter(({ summary }) => summary !== undefined).map(({ content }) => content);
      // A fold may add lines before those that are there.
      const more = [...texts];
      const isLeft = (text) => more.splice(0, more.indexOf(text) + 1).length > 0;
      assert.ok(sent.every(isLeft), `seed ${seed}: lines changed`);
      assert.ok(conversation.lint().length <= new Conversation({ messages: before }).lint().length, `seed ${seed}`);
      if (texts.length > sent.length) {
        folds++;
        if (parameters.when === "worthIt") assert.ok(FOLDS.includes(report.cache.reason), report.cache.reason);
      }
      sent = texts;
      const plain = (list) => list.map(({ summary: _, ...message }) => message);
      assert.deepEqual(plain(managed.messages), plain(conversation.messages), `seed ${seed}`);
    }
  }
  assert.ok(folds > SEEDS, `${folds} folds`);
});

/** A run with many names, in which the user and the model also talk. */
function longRun({ below, chance }, rounds) {
  const names = (index) =>
    Array.from({ length: 3 }, (_, nth) => `src/part${index}/file${nth}.ts:${below(900)} createHandler${index}x${nth}`);
  return [
    { role: "system", content: "You help." },
    { role: "user", content: "Find out how src/start/main.ts works." },
    ...Array.from({ length: rounds }, (_, index) => [
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: `c${index}`, name: "grep", args: { pattern: `word${index}` } }],
      },
      {
        role: "tool",
        toolCallId: `c${index}`,
        toolName: "grep",
        content: `${word(60)}\n${names(index).join("\n")}\n${word(100 + below(200))}`,
        ...(chance(0.1) ? { isError: true } : {}),
      },
      ...(chance(0.15)
        ? [
            { role: "assistant", content: `Found in lib/answer${index}.ts. ${word(below(300))}` },
            {
              role: "user",
              content: `And docs/question${index}.md? ${word(below(300))}`,
              ...(chance(0.1) ? { pinned: true } : {}),
            },
          ]
        : []),
    ]).flat(),
  ];
}

test("the oldest lines become shorter when they are many, and both kinds of hosts send the same", () => {
  let moves = 0;
  for (let seed = 0; seed < 3; seed++) {
    const random = seeded(seed);
    const messages = longRun(random, 220);
    const parameters = {
      compressionStrategy: digest({ keep: 1 + (seed % 3) }),
      when: seed === 2 ? "always" : "worthIt",
    };
    const isShorter = ({ summary, content }) => summary !== undefined && content.startsWith("Older work");
    let older = "";
    let [given, sent] = [[], []];
    for (const { before, conversation, managed } of ofBothHosts(messages, parameters)) {
      const plain = (list) => list.map(({ summary: _, ...message }) => message);
      assert.deepEqual(plain(managed.messages), plain(conversation.messages), `seed ${seed}`);
      const { content = "" } = conversation.messages.find(isShorter) ?? {};
      if (content !== older) {
        assert.ok(content.startsWith(older), `seed ${seed}: short lines changed`);
        moves++;
      }
      older = content;
      assert.ok(conversation.messages.filter(isShorter).length <= 1);
      for (const message of before.filter(({ pinned }) => pinned)) {
        assert.ok(conversation.messages.some(({ content, pinned }) => pinned && content === message.content));
      }
      [given, sent] = [before, conversation.messages];
    }
    if (older !== "") assert.match(older, /\ngrep\(pattern: word\d+\) → \(it failed\) /);
    const shown = sent.map(({ content }) => content).join("\n");
    const names = given.flatMap(({ content }) => content.match(/\w+\/[\w/.]+|createHandler\w+/g) ?? []);
    assert.deepEqual(
      names.filter((name) => !shown.includes(name.split("/").at(-1))),
      [],
      `seed ${seed}`,
    );
  }
  assert.ok(moves >= 3, `${moves} moves`);
});

/** `rounds` rounds with results of some hundred tokens. */
const reads = (rounds, tokens = 400) => [
  { role: "user", content: "Read them all" },
  ...Array.from({ length: rounds }, (_, index) => [
    { role: "assistant", content: "", toolCalls: [{ id: `c${index}`, name: "read", args: { index } }] },
    { role: "tool", toolCallId: `c${index}`, toolName: "read", content: word(tokens) },
  ]).flat(),
];

const clearedWith = (parameters) => (messages) =>
  planHistory(new Conversation({ messages }), { minMessages: 0, ...parameters }).messages.filter(
    ({ fate }) => fate === "stubbed",
  ).length;

test("clearToolResults clears at least atLeast tokens at once", () => {
  const compressionStrategy = clearToolResults({ atLeast: 2000 });
  const counts = requestsOf(reads(30)).map(clearedWith({ compressionStrategy }));
  assert.deepEqual([...new Set(counts)], [0, 6, 12, 18, 24]);
  const worth = requestsOf(reads(60)).map(clearedWith({ compressionStrategy: clearToolResults(), when: "worthIt" }));
  const folds = worth.filter((count, index) => index > 0 && count !== worth[index - 1]);
  assert.ok(folds.length >= 2 && folds.length < 20, `${folds}`);
});

test("the report counts results that earlier requests cleared as cached", () => {
  for (const when of ["worthIt", "always"]) {
    const parameters = { compressionStrategy: clearToolResults({ atLeast: 2000 }), when, prices: {}, minMessages: 0 };
    const reports = requestsOf(reads(40)).map((messages) => planHistory(new Conversation({ messages }), parameters));
    for (const [index, { cache, tokens }] of reports.entries()) {
      if (index < 4 || tokens.after < reports[index - 1].tokens.after) continue;
      assert.ok(cache.read > 0.7 * reports[index - 1].tokens.after, `${when} ${index}: ${JSON.stringify(cache)}`);
      assert.ok(cache.uncompressedCost > 0);
    }
    const sum = (member) => reports.reduce((total, { cache }) => total + cache[member], 0);
    assert.ok(sum("cost") < sum("uncompressedCost"), when);
  }
});

test("pauses are derived from timestamps", () => {
  const stamped = (pause) =>
    reads(10, 1000).map((message, index) => ({ ...message, timestamp: index * 1000 + (index > 15 ? pause : 0) }));
  const reasonOf = (pause) => {
    const messages = [...stamped(0), { role: "user", content: "And?", timestamp: 30_000 + pause }];
    const parameters = {
      compressionStrategy: clearToolResults({ keep: 2 }),
      when: "worthIt",
      patience: 9,
      minMessages: 0,
    };
    return planHistory(new Conversation({ messages }), parameters).cache.reason;
  };
  assert.deepEqual([reasonOf(0), reasonOf(400_000)], ["notYet", "cold"]);
  // A cold request clears all results that it may clear, and the next request has the same results cleared.
  const parameters = { compressionStrategy: clearToolResults({ keep: 2 }), when: "worthIt", patience: 9 };
  const counts = [0, 400_000].map((pause) => requestsOf(stamped(pause)).map(clearedWith(parameters)).at(-1));
  assert.deepEqual(counts, [0, 6]);
});

test("with a store, a summary is requested only when it is worth its price", async () => {
  const messages = Array.from({ length: 120 }, (_, index) => [
    { role: "user", content: `Question ${index}. ${word(300)}` },
    { role: "assistant", content: `Answer ${index}. ${word(300)}` },
  ]).flat();
  const parameters = { compressionStrategy: lastNMessages(4), when: "worthIt", minMessages: 0 };
  const summaryStore = new SummaryStore();
  let requestCount = 0;
  const llm = () => `Summary ${++requestCount}. ${word(80)}`;
  let sent = [];
  let breaks = 0;
  for (const before of requestsOf(messages)) {
    const conversation = new Conversation({ messages: before });
    const asks = requestCount;
    const { conversation: managed, report } = await manageHistory(conversation, parameters, { llm, summaryStore });
    const isSame = sent.every((message, index) => managed.messages[index]?.content === message.content);
    if (!isSame) breaks++;
    assert.equal(isSame, requestCount === asks, "what was sent changes with a new summary only");
    assert.ok(report.cache.uncompressedCost > 0);
    sent = managed.messages;
  }
  assert.ok(
    requestCount >= 2 && requestCount <= 15 && breaks === requestCount,
    `${requestCount} summaries, ${breaks} breaks`,
  );
  const summary = sent.find((message) => message.summary !== undefined);
  assert.ok(summary.summary.followed >= 4);
});

test("lastNMessages summarizes what does not fit in a limit: nothing is dropped, and summaries are few", async () => {
  const messages = Array.from({ length: 60 }, (_, index) => [
    { role: "user", content: `Question ${index}. ${word(20)}` },
    { role: "assistant", content: `Answer ${index}. ${word(20)}` },
  ]).flat();
  for (const maxTokens of [1000, { limit: 2000, trigger: 1000, target: 700 }]) {
    const parameters = { compressionStrategy: lastNMessages(60), maxTokens };
    const summaryStore = new SummaryStore();
    let requestCount = 0;
    const llm = () => `Summary ${++requestCount}. ${word(10)}`;
    let sent = [];
    for (const before of requestsOf(messages)) {
      const conversation = new Conversation({ messages: before });
      const asks = requestCount;
      const { conversation: managed, report } = await manageHistory(conversation, parameters, { llm, summaryStore });
      assert.ok(report.tokens.after <= 1000, `${report.tokens.after} tokens`);
      assert.deepEqual(report.warnings, []);
      assert.ok(report.messages.every(({ fate }) => fate !== "dropped"));
      const isSame = sent.every((message, index) => managed.messages[index]?.content === message.content);
      assert.equal(isSame, requestCount === asks, "what was sent changes with a new summary only");
      sent = managed.messages;
    }
    assert.ok(requestCount >= 5 && requestCount <= 15, `${requestCount} summaries`);
  }
});

test("retrieveFacts works with summaryRequest: behind", () => {
  const messages = [{ role: "system", content: "You help." }, ...reads(6)];
  const compressionStrategy = retrieveFacts([{ name: "orders", description: "what they cost" }, { name: "people" }]);
  const conversation = new Conversation({ messages: [...messages, { role: "assistant", content: "Done." }] });
  const plan = planHistory(conversation, { compressionStrategy, summaryRequest: "behind", minMessages: 0 });
  assert.equal(plan.requests.length, 2);
  for (const { messages: asked } of plan.requests) {
    assert.deepEqual(asked.slice(0, 3), conversation.messages.slice(0, 3));
    assert.match(asked.at(-1).content, /^Now step out .*\n\nThe subject: (orders: what they cost|people)$/s);
  }
});
