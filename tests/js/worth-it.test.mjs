// `when: "worthIt"`, the cost of a managed history, and foldAdvice for hosts with their own loop.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, clearToolResults, lastNMessages, manageHistory } from "turnfold";
import { bill } from "turnfold/audit";
import { applyPlan, foldAdvice, planHistory } from "turnfold/chat";
import { refuses } from "./refuses.mjs";

const word = (tokens) => "word ".repeat(tokens);

/** A chat of `exchanges` exchanges of some hundred tokens each. */
const chat = (exchanges, tokens = 300) =>
  Array.from({ length: exchanges }, (_, index) => [
    { role: "user", content: `Question ${index}. ${word(tokens)}` },
    { role: "assistant", content: `Answer ${index}. ${word(tokens)}` },
  ]).flat();

const worthIt = (more = {}) => ({ compressionStrategy: lastNMessages(4), when: "worthIt", minMessages: 0, ...more });

/** Manages the conversation before each request of a chat; a summary has 100 tokens. */
function managed(messages, parameters, context = () => ({})) {
  const reports = [];
  let conversation = new Conversation();
  for (const message of messages) {
    if (message.role === "assistant") {
      const plan = planHistory(conversation, parameters, context(conversation.messages.length));
      const result = applyPlan(
        plan,
        plan.requests.map(() => word(100)),
      );
      conversation = result.conversation;
      reports.push(result.report);
    }
    conversation = conversation.append(message);
  }
  return { conversation, reports };
}

test("when: worthIt summarizes a chat when the summary is worth its price", () => {
  const { reports } = managed(chat(120), worthIt());
  const reasons = reports.map(({ cache }) => cache.reason);
  const folds = reports.filter(({ inserted }) => inserted > 0).length;
  assert.ok(folds >= 2 && folds <= 15, `${folds} summaries of ${reports.length} requests`);
  for (const [index, { outcome, inserted, reason, cache }] of reports.entries()) {
    assert.equal(inserted > 0, reasons[index] === "worthIt", `${index}`);
    if (outcome === "skipped" && cache.price > 0 && cache.debt > 0) {
      assert.match(reason, /^it is not worth it yet: folding costs \d+ more/);
    }
  }
  const [dear, cheap] = [0.5, 0.02].map(
    (cacheRead) => managed(chat(120), worthIt({ prices: { cacheRead, cacheWrite: 1 } })).reports,
  );
  const summaries = (reports) => reports.filter(({ inserted }) => inserted > 0).length;
  assert.ok(summaries(dear) > summaries(cheap));
});

test("summary.followed is the number of messages after the summary when it was made", () => {
  const { conversation } = managed(chat(30), worthIt({ patience: 0 }));
  const summary = conversation.messages.find(({ summary }) => summary !== undefined);
  assert.ok(summary.summary.followed >= 4, JSON.stringify(summary.summary));
  const loaded = Conversation.fromJSON(JSON.parse(JSON.stringify(conversation)));
  assert.deepEqual(loaded.messages, conversation.messages);
});

test("the decision depends only on the messages", () => {
  const messages = chat(60);
  const { reports } = managed(messages, worthIt());
  const first = reports.findIndex(({ inserted }) => inserted > 0);
  const before = messages.slice(0, 2 * first + 1);
  const { report } = applyPlan(planHistory(new Conversation({ messages: before }), worthIt()), [word(100)]);
  assert.deepEqual(report.cache, reports[first].cache);
  const earlier = planHistory(new Conversation({ messages: before.slice(0, -2) }), worthIt());
  assert.equal(earlier.outcome, "skipped");
});

test("the cost in a report is that of the messages that are sent", () => {
  const prices = { minimum: 0, granularity: 1 };
  const input = ({ read, written, fresh }) => read + written + fresh;
  const plan = planHistory(new Conversation({ messages: chat(10) }), { compressionStrategy: lastNMessages(4), prices });
  for (const summary of ["Short.", null]) {
    const { report } = applyPlan(plan, [summary]);
    assert.equal(input(report.cache), report.tokens.after);
  }
  // What a limit has removed before is in no cache, and its absence changes nothing.
  let previous = null;
  let same = 0;
  const messages = chat(30, 20);
  for (let end = 1; end < messages.length; end += 2) {
    const conversation = new Conversation({ messages: messages.slice(0, end) });
    const result = applyPlan(planHistory(conversation, { maxTokens: 600, prices }), []);
    const sent = result.conversation.messages;
    const isSame = previous?.every(({ content }, index) => content === sent[index].content);
    if (isSame && result.report.outcome === "trimmed") {
      assert.equal(result.report.cache.written, bill([previous, sent], prices).requests[1].written);
      same++;
    }
    previous = sent;
  }
  assert.ok(same > 10, `${same} requests began like the previous one`);
});

test("after a pause longer than the cache's lifetime folding costs less", () => {
  const conversation = new Conversation({ messages: chat(9, 500).slice(0, -1) });
  const prices = { output: 0 };
  const after = (idleSeconds) => planHistory(conversation, worthIt({ prices, patience: 9 }), { idleSeconds }).cache;
  assert.equal(after(300).reason, "notYet");
  assert.ok(after(301).price < after(300).price);
  assert.deepEqual(planHistory(conversation, worthIt({ prices, patience: 9 })).cache, after(300));
  const results = Array.from({ length: 9 }, (_, index) => [
    { role: "assistant", content: "", toolCalls: [{ id: `c${index}`, name: "read", args: {} }] },
    { role: "tool", toolCallId: `c${index}`, toolName: "read", content: word(500) },
  ]).flat();
  const loop = new Conversation({ messages: [{ role: "user", content: "Read" }, ...results] });
  const clears = { compressionStrategy: clearToolResults({ keep: 2 }), when: "worthIt", minMessages: 0 };
  const reasonAfter = (idleSeconds) => planHistory(loop, { ...clears, patience: 9 }, { idleSeconds }).cache.reason;
  assert.equal(reasonAfter(300), "notYet");
  assert.equal(reasonAfter(301), "cold");
});

test("limits and tiers fold at once", () => {
  const conversation = new Conversation({ messages: chat(8).slice(0, -1) });
  const reason = (more) => planHistory(conversation, worthIt(more)).cache.reason;
  assert.equal(reason({}), "notYet");
  assert.equal(reason({ maxTokens: 3000 }), "limit");
  assert.equal(reason({ prices: { tiers: [{ above: 3000, input: 2 }] } }), "tier");
  assert.equal(reason({ prices: "none" }), "worthIt");
});

test("clearToolResults clears when it is worth it, and at least atLeast tokens at once", () => {
  const messages = Array.from({ length: 40 }, (_, index) => [
    { role: "assistant", content: "", toolCalls: [{ id: `c${index}`, name: "read", args: { index } }] },
    { role: "tool", toolCallId: `c${index}`, toolName: "read", content: word(400) },
  ]).flat();
  const all = [{ role: "user", content: "Read them all" }, ...messages];
  const clears = (parameters) => {
    const { reports } = managed(all, { minMessages: 0, ...parameters });
    return reports.map(({ messages }) => messages.filter(({ fate }) => fate === "stubbed").length).filter(Boolean);
  };
  assert.equal(clears({ compressionStrategy: clearToolResults() }).length, 36);
  const atOnce = clears({ compressionStrategy: clearToolResults({ atLeast: 2000 }) });
  assert.deepEqual([...new Set(atOnce)], [6]);
  const worth = clears({ compressionStrategy: clearToolResults(), when: "worthIt" });
  assert.ok(worth.length >= 2 && worth.length < 20, `${worth}`);
  refuses(() => clearToolResults({ atLeast: -1 }), "invalid_option");
});

test("the report has the cost of the request", () => {
  const conversation = new Conversation({ messages: chat(20).slice(0, -1) });
  const parameters = { prices: { granularity: 1 } };
  const plan = planHistory(conversation, parameters);
  const { read, written, fresh, cost, uncompressedCost } = plan.cache;
  assert.equal(read + written + fresh, plan.tokens.after);
  assert.ok(Math.abs(cost - (0.1 * read + 1.25 * written + fresh)) < 1e-6);
  assert.ok(uncompressedCost > 0);
  const cut = planHistory(conversation, { maxTokens: 2000, prices: { granularity: 1 } });
  assert.equal(cut.cache.read + cut.cache.written + cut.cache.fresh, cut.tokens.after);
  assert.ok(cut.cache.cost < uncompressedCost + cut.cache.written);
  assert.equal("cache" in planHistory(conversation, { maxTokens: 2000 }), false);
});

test("odd prices give sensible decisions, and wrong ones are refused", () => {
  const conversation = new Conversation({ messages: chat(30).slice(0, -1) });
  const reason = (prices) => planHistory(conversation, worthIt({ prices })).cache.reason;
  assert.equal(reason({ cacheRead: 0, cacheWrite: 1 }), "notYet");
  assert.equal(reason({ cacheRead: 3, cacheWrite: 1 }), "worthIt");
  assert.equal(reason({ lifetime: Number.MAX_VALUE }), reason({}));
  const refused = (more) => refuses(() => planHistory(conversation, worthIt(more)), "invalid_option").message;
  assert.equal(
    refused({ prices: { cacheRead: Number.NaN } }),
    "`prices.cacheRead` must be a number from 0 up, got NaN",
  );
  assert.equal(refused({ prices: { output: -1 } }), "`prices.output` must be a number from 0 up, got -1");
  assert.equal(refused({ patience: -1 }), "`patience` must be a number from 0 up, got -1");
  assert.match(refused({ summaryRequest: "inside" }), /`summaryRequest` must be one of separate, behind/);
  refuses(() => planHistory(conversation, worthIt(), { idleSeconds: -1 }), "invalid_option");
});

test("summaryRequest: behind sends the conversation and then the request for a summary", async () => {
  const messages = [{ role: "system", content: "You help." }, ...chat(10).slice(0, -1)];
  const conversation = new Conversation({ messages });
  const parameters = { compressionStrategy: lastNMessages(4), minMessages: 0, summaryRequest: "behind" };
  const tools = [{ name: "look", description: "Looks", schema: {} }];
  const sentRequests = [];
  const llm = (request) => {
    sentRequests.push(request);
    return "They talked.";
  };
  const { report } = await manageHistory(conversation, parameters, { llm, tools });
  const [{ messages: sent, tools: offered, purpose }] = sentRequests;
  assert.equal(purpose, "summary");
  assert.deepEqual(offered, tools);
  const covered = report.messages.filter(({ fate }) => fate === "summarized").length;
  assert.deepEqual(sent.slice(0, -1), conversation.messages.slice(0, 1 + covered));
  assert.match(sent.at(-1).content, /^Now step out of the conversation above/);
  const plan = planHistory(conversation, parameters, { tools });
  assert.deepEqual(plan.requests[0].messages, sent);
  assert.deepEqual(plan.requests[0].tools, tools);
  // A group that is not at the beginning of the conversation is requested with a transcript.
  const pieces = planHistory(conversation, { ...parameters, summaryMaxTokens: 1500 });
  assert.match(pieces.requests[0].messages[1].content, /^The transcript/);
  const price = (summaryRequest) => planHistory(conversation, worthIt({ summaryRequest })).cache.price;
  assert.ok(price("behind") < price("separate"));
});

test("foldAdvice advises a host with its own loop", () => {
  const conversation = new Conversation({ messages: chat(6, 500) });
  const advice = (idleSeconds, more = {}) =>
    foldAdvice(conversation, { idleSeconds, minMessages: 0, summaryRequest: "behind", ...more });
  assert.deepEqual([advice(10).fold, advice(10).reason], [false, "notYet"]);
  const early = advice(250);
  assert.deepEqual([early.fold, early.reason], [true, "cold"]);
  assert.ok(early.price < 0);
  assert.equal(advice(250, { prices: { lifetime: 3600 } }).fold, false);
  assert.ok(advice(250).price <= advice(301).price, "while it is warm a summary is cheaper");
  refuses(() => foldAdvice(conversation, { idle: 3 }), "invalid_option");
  assert.equal(foldAdvice(new Conversation()).fold, false);
});

test("an Agent decides before each request", async () => {
  const reports = [];
  let summaries = 0;
  const llm = ({ purpose }) => {
    if (purpose === "summary") summaries++;
    return purpose === "summary" ? "They counted." : word(300);
  };
  const agent = new Agent({ llm });
  for (let index = 0; index < 60; index++) {
    const { report } = await agent.chat(`Question ${index} ${word(300)}`, worthIt());
    reports.push(report);
  }
  assert.ok(summaries >= 1 && summaries < 15, `${summaries} summaries`);
  assert.ok(reports.flat().every((report) => report.cache.cost > 0));
});

test("notes of cleared results list names, and never change later", () => {
  const result = `src/config/load.ts calls parseConfig and max_depth. ${word(60)}`;
  const round = (index) => [
    { role: "assistant", content: "", toolCalls: [{ id: `c${index}`, name: "read_file", args: { index } }] },
    { role: "tool", toolCallId: `c${index}`, toolName: "read_file", content: `${result} file_${index}.ts` },
  ];
  const { conversation } = managed(
    [{ role: "user", content: "Read" }, ...Array.from({ length: 8 }, (_, index) => round(index)).flat()],
    { compressionStrategy: clearToolResults({ keep: 1, names: 4 }), minMessages: 0 },
  );
  const notes = conversation.messages.map(({ content }) => content).filter((text) => text.startsWith("["));
  assert.equal(notes.length, 6);
  // A name in an earlier note or in a call is not listed again.
  const prefix = "[an old result of read_file, cleared; names in it: ";
  assert.equal(notes[0], `${prefix}calls src/config/load.ts, parseConfig, max_depth; word file_0.ts]`);
  assert.equal(notes[2], `${prefix}word file_2.ts]`);
  const plain = applyPlan(
    planHistory(conversation, { compressionStrategy: clearToolResults({ keep: 1 }), minMessages: 0 }),
    [],
  ).conversation;
  assert.equal(plain.messages[2].content, notes[0]);
  refuses(() => clearToolResults({ names: -1 }), "invalid_option");
});
