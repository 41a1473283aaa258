// Summaries that are not shorter than their messages, stored summaries, and partial requests.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Agent,
  applyPlan,
  Conversation,
  chunked,
  clearToolResults,
  countMessages,
  lastNMessages,
  manageHistory,
  planHistory,
  SummaryStore,
  TurnfoldError,
  wholeHistory,
} from "turnfold/chat";

const long = "a sentence that says nothing of interest and goes on for a while, as sentences do in chats, ".repeat(3);

/** A chat of `length` messages, questions and answers alternating. */
function chat(length, text = long) {
  const role = (index) => (index % 2 === 0 ? "user" : "assistant");
  return Array.from({ length }, (_, index) => ({ role: role(index), content: `${index}: ${text}` }));
}

/** A model that writes short summaries and counts the requests. */
function writer(write = ({ messages }) => `Summary ${messages[1].content.length}.`) {
  const llm = async (request) => {
    llm.requests.push(request);
    return write(request);
  };
  llm.requests = [];
  return llm;
}

const manage = (messages, parameters, options) => manageHistory(new Conversation({ messages }), parameters, options);

test("a summary that is not shorter leaves its messages as they are, and the others are applied", async () => {
  const conversation = new Conversation({ messages: chat(30) });
  const parameters = { compressionStrategy: chunked(10), minMessages: 0 };
  const plan = planHistory(conversation, parameters);
  assert.equal(plan.requests.length, 3);
  const { conversation: shorter, report } = applyPlan(plan, ["Short.", "word ".repeat(5000), null]);
  assert.equal(report.outcome, "applied");
  assert.equal(report.inserted, 1);
  assert.equal(shorter.messages.length, 1 + 20);
  assert.equal(report.warnings.length, 1);
  assert.match(report.warnings[0], /^chunked: a summary has \d+ tokens, and the 10 messages it would replace have \d+/);
  assert.deepEqual(shorter.messages.slice(1), conversation.messages.slice(10));
  assert.ok(report.messages.slice(10).every(({ fate }) => fate === "kept"));
});

test("results that were cleared stay cleared when the summary of their messages is not shorter", async () => {
  const messages = [0, 1, 2, 3, 4].flatMap((round) => [
    { role: "user", content: `q${round}` },
    { role: "assistant", content: "", toolCalls: [{ id: `c${round}`, name: "f", args: {} }] },
    { role: "tool", toolCallId: `c${round}`, toolName: "f", content: "long result ".repeat(200) },
    { role: "assistant", content: `a${round}` },
  ]);
  const { conversation, report } = await manageHistory(
    new Conversation({ messages }),
    { compressionStrategy: [clearToolResults({ keep: 0 }), chunked(4)], when: "always", maxTokens: 1000 },
    { llm: () => "A summary that is a bit longer than the few short messages. ".repeat(15), onWarning() {} },
  );
  assert.equal(report.outcome, "applied");
  assert.equal(report.tokens.after, countMessages(conversation.messages).total);
  assert.ok(report.tokens.after <= 1000);
  const cleared = report.messages.filter(({ fate }) => fate === "stubbed");
  assert.equal(cleared.length, 5);
  for (const { reason } of cleared) assert.equal(reason, "clearToolResults");
  assert.equal(conversation.messages.filter(({ content }) => /an old result of f/.test(content)).length, 5);
});

test("an abort does not wait for a store that does not answer", { timeout: 5000 }, async () => {
  const controller = new AbortController();
  const summaryStore = {
    get() {
      setTimeout(() => controller.abort(new Error("enough")));
      return new Promise(() => {});
    },
    set() {},
  };
  const options = { llm: () => "A summary.", summaryStore, signal: controller.signal };
  const managing = manageHistory(
    new Conversation({ messages: chat(20) }),
    { compressionStrategy: lastNMessages(4) },
    options,
  );
  await assert.rejects(managing, ({ code, cause }) => code === "aborted" && cause.message === "enough");
});

test("a store distinguishes messages by their images", async () => {
  const summaryStore = new SummaryStore();
  const describe = async (image) => {
    const question = [
      { type: "text", text: "What is this? ".repeat(80) },
      { type: "image", image },
    ];
    const rest = Array.from({ length: 11 }, (_, index) => ({
      role: index % 2 ? "user" : "assistant",
      content: `m${index}`,
    }));
    const { report } = await manageHistory(
      new Conversation({ messages: [{ role: "user", content: question }, ...rest] }),
      { compressionStrategy: lastNMessages(4), summaryRequest: "behind" },
      { llm: () => "A picture.", summaryStore },
    );
    return report.llmCalls;
  };
  const images = [
    "https://x.example/cat.png",
    "https://x.example/dog.png",
    new Uint8Array([1, 2]),
    new Uint8Array([1, 3]),
  ];
  for (const image of images) assert.equal(await describe(image), 1);
  for (const image of images) assert.equal(await describe(image), 0);
});

test("after a summary that is longer than expected, no more messages are dropped than needed", () => {
  const messages = chat(40, "").map(({ role, content }) => ({ role, content: content.padEnd(320, "x") }));
  const counter = { name: "c/4", method: "exact", count: (text) => Math.ceil(text.length / 4) };
  const parameters = { compressionStrategy: lastNMessages(10), maxTokens: 1000, counter };
  const plan = planHistory(new Conversation({ messages }), parameters);
  const { conversation, report } = applyPlan(plan, ["s".repeat(3400)]);
  assert.equal(report.inserted, 1);
  assert.ok(report.tokens.after > 900 && report.tokens.after <= 1000, `${report.tokens.after}`);
  assert.equal(conversation.messages.length, 2);
});

test("a group whose summary was not shorter is requested again when it has half again as many messages", async () => {
  const llm = writer(() => "word ".repeat(5000));
  let conversation = new Conversation({ messages: chat(20) });
  const parameters = { compressionStrategy: lastNMessages(10), minMessages: 0 };
  const warnings = [];
  const sentRequests = [];
  for (let round = 0; round < 12; round++) {
    const before = llm.requests.length;
    const { conversation: same, report } = await manageHistory(conversation, parameters, {
      llm,
      onWarning: (text) => warnings.push(text),
    });
    assert.equal(report.outcome, "unchanged");
    assert.equal(report.reason, "no summary is shorter than what it replaces");
    assert.equal(report.llmCalls, llm.requests.length - before);
    sentRequests.push(report.llmCalls);
    conversation = same.append(...chat(2));
  }
  // The group has 10, 12, 14 … messages: it is requested again with 16 and 24.
  assert.deepEqual(sentRequests, [1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0]);
  assert.equal(warnings.length, 3);
});

test("a request states the maximum length of its summary", () => {
  const plan = planHistory(new Conversation({ messages: chat(40) }), { compressionStrategy: wholeHistory() });
  assert.match(plan.requests[0].messages[0].content, /\n\nWrite at most \d+0 words\.$/);
  const own = planHistory(new Conversation({ messages: chat(40) }), {
    compressionStrategy: wholeHistory(),
    summaryPrompt: "Sum it up.",
  });
  assert.match(own.requests[0].messages[0].content, /^Sum it up\.\n\nWrite at most \d+0 words\.$/);
});

for (const [concurrency, max] of [
  [undefined, 4],
  [1, 1],
  [20, 12],
]) {
  test(`at most ${max} summaries are requested at once with concurrency ${concurrency}`, async () => {
    let [running, highest] = [0, 0];
    const llm = async () => {
      running++;
      highest = Math.max(highest, running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running--;
      return "Short.";
    };
    const parameters = { compressionStrategy: chunked(5), minMessages: 0, ...(concurrency && { concurrency }) };
    const { report } = await manage(chat(60), parameters, { llm });
    assert.equal(report.inserted, 12);
    assert.equal(highest, max);
  });
}

test("concurrency is an integer from 1", () => {
  for (const concurrency of [0, 1.5, "4"]) {
    assert.throws(() => planHistory(new Conversation(), { concurrency }), { code: "invalid_option" });
  }
});

test("a host that gives the whole history each time pays for one summary", async () => {
  const summaryStore = new SummaryStore();
  const llm = writer();
  const parameters = {
    compressionStrategy: lastNMessages(10),
    maxTokens: 4000,
    counter: { name: "c/4", method: "estimate", count: (text) => text.length / 4 },
  };
  for (let length = 60; length < 72; length += 2) {
    const { conversation, report } = await manage(chat(length), parameters, { llm, summaryStore });
    assert.equal(report.messages.length, length);
    assert.equal(report.inserted, 1);
    assert.equal(report.outcome, "applied");
    assert.equal(report.llmCalls, length === 60 ? 1 : 0);
    assert.equal(conversation.messages[0].summary.covers, 50);
    assert.equal(report.messages.filter(({ fate }) => fate === "summarized").length, 50);
    assert.equal(conversation.messages.length, length - 49);
  }
  assert.equal(llm.requests.length, 1);
});

test("covers of a summary counts the messages that the summaries in it stand for, also when it comes from a store", async () => {
  const summaryStore = new SummaryStore();
  const first = { role: "assistant", content: "Before. ".repeat(40), summary: { covers: 7, strategy: "chunked" } };
  const history = new Conversation({ messages: [first, ...chat(12, "")] });
  for (const llmCalls of [1, 0]) {
    const options = { llm: () => "They spoke.", summaryStore };
    const parameters = { compressionStrategy: lastNMessages(2), minMessages: 0 };
    const { conversation, report } = await manageHistory(history, parameters, options);
    assert.equal(report.llmCalls, llmCalls);
    const [summary, ...rest] = conversation.messages;
    assert.equal(summary.summary.covers, 7 + 12 - rest.length);
  }
});

test("a new summary is requested, and covers the stored one, when the limit is exceeded with the stored summary", async () => {
  const summaryStore = new SummaryStore();
  const llm = writer();
  const parameters = { compressionStrategy: lastNMessages(10), maxTokens: 2000 };
  const covers = [];
  for (let length = 40; length <= 100; length += 2) {
    const { conversation, report } = await manage(chat(length), parameters, { llm, summaryStore });
    assert.ok(report.tokens.after <= 2000);
    covers.push(conversation.messages[0].summary?.covers);
  }
  assert.ok(llm.requests.length >= 2 && llm.requests.length <= 12, `${llm.requests.length} requests`);
  assert.ok(llm.requests.slice(1).every(({ messages }) => messages[1].content.includes("earlier summary of ")));
  assert.ok(
    covers.every((count, place) => place === 0 || count >= covers[place - 1]),
    covers.join(),
  );
});

test("without a limit a new summary is requested when it covers minMessages more", async () => {
  const summaryStore = new Map();
  const llm = writer();
  const parameters = { compressionStrategy: lastNMessages(10), minMessages: 10 };
  for (let length = 30; length <= 50; length += 2) await manage(chat(length), parameters, { llm, summaryStore });
  assert.equal(llm.requests.length, 3);
});

test("when one of several summaries fails none is applied, and the store keeps the others", async () => {
  const summaryStore = new SummaryStore();
  let fails = true;
  const llm = writer(({ messages }) => {
    if (fails && messages[1].content.includes("[25]")) throw new Error("overloaded");
    return "Short.";
  });
  const parameters = { compressionStrategy: chunked(10), minMessages: 0, concurrency: 1 };
  const messages = chat(40);
  await assert.rejects(manage(messages, parameters, { llm, summaryStore }), (error) => {
    assert.ok(TurnfoldError.isInstance(error));
    assert.equal(error.code, "compression_failed");
    return true;
  });
  assert.equal(llm.requests.length, 3);
  fails = false;
  const { report } = await manage(messages, parameters, { llm, summaryStore });
  assert.equal(report.inserted, 4);
  assert.equal(report.llmCalls, 2);
});

test("a failing store causes a warning, and the key depends on contents, strategy and prompt", async () => {
  const llm = writer();
  const broken = {
    get() {
      throw new Error("no connection");
    },
    set: async () => {
      throw new Error("no connection");
    },
  };
  const warnings = [];
  const parameters = { compressionStrategy: wholeHistory(), minMessages: 0 };
  const options = { llm, onWarning: (text) => warnings.push(text) };
  const { report } = await manage(chat(20), parameters, { ...options, summaryStore: broken });
  assert.equal(report.inserted, 1);
  assert.ok(warnings.some((text) => text === "the summary store could not be read: no connection"));
  assert.ok(warnings.some((text) => text === "the summary store could not be written: no connection"));
  const summaryStore = new SummaryStore();
  const before = llm.requests.length;
  await manage(chat(20), parameters, { llm, summaryStore });
  await manage(chat(20), parameters, { llm, summaryStore });
  assert.equal(llm.requests.length, before + 1);
  await manage(chat(20, "other words ".repeat(20)), parameters, { llm, summaryStore });
  await manage(chat(20), { ...parameters, summaryPrompt: "Sum it up." }, { llm, summaryStore });
  await manage(chat(20), { ...parameters, compressionStrategy: lastNMessages(2) }, { llm, summaryStore });
  assert.equal(llm.requests.length, before + 4);
  for (const wrong of [7, {}, { get() {} }]) {
    await assert.rejects(manage(chat(2), parameters, { llm, summaryStore: wrong }), { code: "invalid_option" });
  }
});

test("a stored summary of one message is reported as a summary", async () => {
  const summaryStore = new SummaryStore();
  const llm = writer();
  const parameters = {
    compressionStrategy: chunked(1),
    minMessages: 0,
    keepAtLeast: 2,
    maxTokens: { limit: 1500, target: 1 },
  };
  const messages = chat(6, long.repeat(4));
  const first = await manage(messages, parameters, { llm, summaryStore });
  const again = await manage(messages, parameters, { llm, summaryStore });
  assert.ok(first.report.inserted >= 4);
  // A store keeps only texts, so `followed` of a stored summary is unknown.
  const withoutFollowed = ({ summary: { followed, ...summary } = {}, ...message }) => ({ ...message, summary });
  assert.deepEqual(again.conversation.messages.map(withoutFollowed), first.conversation.messages.map(withoutFollowed));
  assert.equal(again.report.llmCalls, 0);
  assert.equal(again.report.inserted, first.report.inserted);
  assert.deepEqual(again.report.messages, first.report.messages);
});

test("a store records summaries that were not shorter, also for a host that creates all messages anew", async () => {
  const summaryStore = new SummaryStore();
  const llm = writer(() => "word ".repeat(5000));
  const requests = [];
  for (let length = 20; length < 36; length += 2) {
    const options = { llm, summaryStore, onWarning: () => {} };
    const parameters = { compressionStrategy: lastNMessages(10), minMessages: 0 };
    requests.push((await manage(chat(length), parameters, options)).report.llmCalls);
  }
  assert.deepEqual(requests, [1, 0, 0, 1, 0, 0, 0, 1]);
});

test("an agent pays once for the summaries of a plan of which another one failed", async () => {
  let fails = true;
  const requests = [];
  const llm = ({ purpose, messages }) => {
    if (purpose !== "summary") return "Yes.";
    requests.push(messages[1].content);
    if (fails && messages[1].content.includes("[25]")) throw new Error("overloaded");
    return "Short.";
  };
  const conversation = new Conversation({ messages: chat(40) });
  const agent = new Agent({ llm, conversation, summaryStore: new SummaryStore() });
  const parameters = { compressionStrategy: chunked(10), minMessages: 0, concurrency: 1 };
  await assert.rejects(agent.chat("And now?", parameters), {
    code: "compression_failed",
    hint: /^call again, or use another strategy or model; the conversation keeps the question/,
  });
  assert.equal(requests.length, 3);
  fails = false;
  const { report } = await agent.chat("And now?", parameters);
  assert.equal(report.inserted, 4);
  assert.equal(requests.length, 5);
  assert.throws(() => new Agent({ llm, summaryStore: 7 }), { code: "invalid_option" });
});

test("an in-memory store keeps the most recently used texts", () => {
  const store = new SummaryStore({ maxEntries: 2 });
  store.set("a", "1");
  store.set("b", "2");
  assert.equal(store.get("a"), "1");
  store.set("c", "3");
  assert.deepEqual([store.get("a"), store.get("b"), store.get("c"), store.size], ["1", undefined, "3", 2]);
  for (const options of [{ maxEntries: 0 }, { maxSize: 9 }, 9, null]) {
    assert.throws(() => new SummaryStore(options), { code: "invalid_option" });
  }
});
