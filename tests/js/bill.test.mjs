// The cost of sequences of requests: `bill` by the rules of caches, compared with recorded bills of a provider.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation, clearToolResults, digest, lastNMessages, SubAgent, Turn } from "turnfold";
import { bill, compareCosts, estimate, needRecall } from "turnfold/audit";
import { applyPlan, countMessages, planHistory } from "turnfold/chat/slim";
import { anthropic } from "turnfold/formats/anthropic";
import { openai } from "turnfold/formats/openai";
import { seeded, share } from "./random.mjs";
import { predictions } from "./recorded-bills.mjs";
import { refuses } from "./refuses.mjs";
import { scripted } from "./scripted.mjs";

/** Counts the tokens that a text names: `#7;` has seven tokens. */
const SIZES = {
  name: "sizes",
  method: "exact",
  count: (text) => [...text.matchAll(/#(\d+);/g)].reduce((sum, [, tokens]) => sum + Number(tokens), 0),
};

/** Prices that make the sums easy to check. */
const PRICES = { input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5, minimum: 0, granularity: 1 };
const by = (requests, prices = {}) => bill(requests, { ...PRICES, ...prices }, { counter: SIZES });
const inputs = ({ requests }) => requests.map(({ read, written, fresh }) => [read, written, fresh]);

test("a request reads from the cache the prefix that it shares with an earlier request", () => {
  const { requests, ...total } = by(["a#100;", "a#100;b#50;", "a#100;b#50;c#10;", "x#7;"]);
  assert.deepEqual(inputs({ requests }), [
    [0, 100, 0],
    [100, 50, 0],
    [150, 10, 0],
    [0, 7, 0],
  ]);
  assert.equal(total.known, 250 / 417);
  assert.equal(total.uncachedCost, 417);
  assert.ok(Math.abs(total.cost - (25 + 1.25 * 167)) < 1e-9);
});

test("cached prefixes are multiples of granularity, and at least minimum", () => {
  const steps = { granularity: 100, minimum: 300 };
  assert.deepEqual(inputs(by(["a#250;", "a#250;b#90;", "a#250;b#90;c#90;"], steps)), [
    [0, 0, 250],
    [0, 300, 40],
    [300, 100, 30],
  ]);
});

test("granularity: breakpoints caches only up to breakpoints", () => {
  const marked = { granularity: "breakpoints" };
  const message = (content) => ({ role: "user", content });
  const request = (texts, ...breakpoints) => ({ messages: texts.map(message), breakpoints });
  const [a, b, c] = ["a#100;", "b#50;", "c#25;"];
  const at = (index, offset = 99) => ({ message: index, offset });
  const none = by([request([a]), request([a, b])], marked);
  assert.deepEqual(
    none.requests.map(({ read }) => read),
    [0, 0],
  );
  const parts = by([request([a, b], at(0)), request([a, c], at(0), at(1)), request([a, c, b], at(2))], marked);
  const [first, second, third] = parts.requests;
  assert.equal(first.fresh, 54);
  assert.equal(second.read, first.written);
  assert.equal(third.read, second.read + second.written);
  // A request without breakpoints is marked at the default places.
  const usual = by([{ messages: [a, b].map(message) }, { messages: [a, b, c, c].map(message) }], marked);
  assert.equal(usual.requests[1].read, usual.requests[0].written);
  // A breakpoint within a text.
  const inside = by([request([a + b], at(0, a.length)), request([a], at(0))], marked);
  assert.equal(inside.requests[1].read, inside.requests[0].written);
});

test("a provider searches twenty blocks before a breakpoint for a cached prefix", () => {
  const messages = Array.from({ length: 40 }, (_, index) => ({ role: "user", content: `${index}#10;` }));
  const sent = (length, mark) => ({
    messages: messages.slice(0, length),
    breakpoints: [{ message: mark, offset: 99 }],
  });
  const read = (between) =>
    by([sent(10, 9), sent(10 + between, 9 + between)], { granularity: "breakpoints" }).requests[1].read;
  assert.ok(read(19) > 0);
  assert.equal(read(20), 0);
});

test("members of messages that no provider gets, such as timestamp and summary, do not change the cached prefix", () => {
  const sent = (followed, content) => {
    const summary = { role: "user", content: "a#100;", summary: { covers: 2, strategy: "digest", followed } };
    return [summary, { role: "user", content, timestamp: followed }];
  };
  const marked = { messages: sent(5, "xb#5;yc#6;"), breakpoints: [{ message: 1, offset: 5 }] };
  for (const granularity of [1, "breakpoints"]) {
    const [, second] = by([{ ...marked, messages: sent(4, "xb#5;") }, marked], { granularity }).requests;
    assert.deepEqual([second.read, second.written + second.fresh], [113, 6], granularity);
  }
});

test("a cache drops prefixes that were not read within its lifetime", () => {
  const at = (seconds, messages = "a#100;") => ({ messages, at: 1000 * seconds });
  const reads = (...requests) => by(requests, { lifetime: 300 }).requests.map(({ read }) => read);
  assert.deepEqual(reads(at(0), at(300), at(600), at(901)), [0, 100, 100, 0]);
  assert.deepEqual(reads(at(0), "a#100;", at(300)), [0, 100, 100]);
  assert.deepEqual(reads(at(0), at(200, "b#5;"), at(301)), [0, 0, 0]);
  assert.deepEqual(reads(at(-800), at(-400), at(-100)), [0, 0, 100]);
  assert.deepEqual(reads(at(-800), "a#100;", at(-400)), [0, 100, 0]);
});

test("large requests cost the prices of their tier", () => {
  const tiers = [{ above: 100, input: 2, cacheRead: 0.2, cacheWrite: 2.5, output: 10 }];
  const costs = by(
    [
      { messages: "a#100;", output: 1 },
      { messages: "x#101;", output: 1 },
    ],
    { tiers },
  ).requests.map(({ cost }) => cost);
  assert.deepEqual(costs, [130, 262.5]);
});

test("read, written and fresh tokens add up to the tokens of any request", () => {
  for (let seed = 1; seed <= share(40); seed++) {
    const random = seeded(seed);
    const texts = Array.from({ length: 6 }, (_, index) => `${index}#${random.below(2000)};`);
    const requests = Array.from({ length: 12 }, () => ({
      messages: Array.from({ length: 1 + random.below(5) }, () => ({ role: "user", content: random.pick(texts) })),
      at: random.below(1e6),
      output: random.below(100),
    }));
    const prices = {
      granularity: random.pick([1, 128, "breakpoints"]),
      minimum: random.pick([0, 1024]),
      lifetime: random.pick([0, 300]),
      cacheRead: random.pick([0, 0.1, 2]),
      cacheWrite: random.pick([0, 1, 1.25]),
    };
    const result = by(requests, prices);
    const input = requests.map(({ messages }) =>
      messages.reduce((sum, { content }) => sum + SIZES.count(content) + 4, 0),
    );
    assert.deepEqual(
      result.requests.map(({ read, written, fresh }) => read + written + fresh),
      input,
    );
    for (const part of ["read", "written", "fresh", "output", "cost"]) {
      const sum = result.requests.reduce((sum, request) => sum + request[part], 0);
      assert.ok(Math.abs(sum - result[part]) < 1e-6, part);
    }
    const { read, written, fresh, output } = result;
    const priced = prices.cacheRead * read + prices.cacheWrite * written + fresh + 5 * output;
    assert.ok(Math.abs(priced - result.cost) < 1e-6);
  }
});

test("messages with calls, parts and results are billed", () => {
  const messages = [
    { role: "user", content: [{ type: "text", text: "Where is my order?" }] },
    { role: "assistant", content: null, toolCalls: [{ id: "1", name: "find", args: { id: 7 } }] },
    { role: "tool", toolCallId: "1", content: "in Hamburg" },
  ];
  const { requests } = bill([messages.slice(0, 1), messages], { minimum: 0, granularity: 1 });
  assert.ok(requests[1].read > 5 && requests[1].written > 10);
});

test("integers beyond 2^53 in arguments are billed", () => {
  const call = { id: "1", name: "find", args: { id: 2n ** 60n } };
  const messages = [
    { role: "user", content: "Where is my order?" },
    { role: "assistant", content: "", toolCalls: [call] },
    { role: "tool", toolCallId: "1", content: "in Hamburg" },
  ];
  assert.ok(bill([messages]).fresh > 20);
  const conversation = new Conversation({ messages: [...messages, { role: "assistant", content: "In Hamburg." }] });
  assert.ok(compareCosts(conversation).strategies[0].cost > 0);
  assert.ok(needRecall(conversation)[0].cost > 0);
});

test("bill uses the documented default prices", () => {
  const text = "word ".repeat(2000);
  const { requests, cost } = bill([text, text]);
  const tokens = estimate.count(text);
  assert.deepEqual(inputs({ requests })[1][0], tokens - (tokens % 128));
  assert.equal(cost, bill([text, text], { cacheRead: 0.1, cacheWrite: 1.25, minimum: 1024, granularity: 128 }).cost);
});

test("invalid prices and requests are refused", () => {
  const refused = (prices) => refuses(() => bill([], prices), "invalid_option").message;
  assert.match(refused({ cacheRead: Number.NaN }), /`prices.cacheRead` must be a number from 0 up, got NaN/);
  assert.match(refused({ cacheWrite: -1 }), /`prices.cacheWrite` must be a number from 0 up, got -1/);
  assert.match(refused("openAI"), /`prices.mechanism` must be one of/);
  refuses(() => bill("text"), "invalid_argument");
  assert.match(refuses(() => bill([{}]), "invalid_argument").message, /requests\[0\].messages must be an array/);
  const { message } = refuses(() => bill([{ messages: [null] }]), "invalid_argument");
  assert.equal(message, "requests[0].messages[0] must be a message, got null");
  refuses(() => bill([{ messages: "a", at: "now" }]), "invalid_argument");
  for (const output of [-1, 2 ** 32]) refuses(() => bill([{ messages: "a", output }]), "invalid_argument");
  refuses(() => bill([{ messages: "a", breakpoints: [{ message: -1, offset: 0 }] }]), "invalid_argument");
  refuses(() => bill([], {}, { counter: 7 }), "invalid_counter");
});

test("bill predicts the cached share that a provider billed for recorded runs within three percentage points", () => {
  const { runs, billed, predicted } = predictions();
  assert.ok(runs.length > 10, `${runs.length} runs with bills`);
  assert.ok(Math.abs(billed - predicted) < 0.03, `billed ${billed}, predicted ${predicted}`);
});

test("compareCosts renders every request of a step again", async () => {
  const turn = (index) => `\`\`\`clojure\n(def x${index} ${index})\n(println "${"data ".repeat(60)}")\n\`\`\``;
  const agent = new SubAgent({
    mission: "Count",
    maxTurns: 40,
    llm: scripted(...Array.from({ length: 39 }, (_, index) => turn(index)), "(return 1)"),
  });
  const step = await agent.run();
  assert.equal(step.return, 1);
  const { strategies, cheapest } = compareCosts(step, { prices: "openai" });
  assert.equal(cheapest, strategies[0].name);
  assert.equal(cheapest, "journal");
  const named = Object.fromEntries(strategies.map((row) => [row.name, row]));
  assert.ok(named["single-user-coalesced"].cost > named.none.cost);
  assert.ok(named.none.known > 0.85);
  const same = compareCosts(step, { prices: "openai", strategies: { none: false } }).strategies[0];
  assert.deepEqual(same, named.none);
  for (const { requests, cost, read, output } of strategies) {
    assert.equal(requests.length, step.turns.length);
    const sum = (name) => requests.reduce((all, request) => all + request[name], 0);
    assert.ok(Math.abs(sum("cost") - cost) < 1e-6 * cost);
    assert.deepEqual([sum("read"), sum("output")], [read, output]);
  }
  refuses(() => compareCosts(step, { strategies: {} }), "invalid_option");
  refuses(() => compareCosts({ turns: [Turn.success({})] }), "invalid_argument");
});

test("compareCosts builds every request of a conversation again", () => {
  const messages = Array.from({ length: 200 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${index} ${"word ".repeat(200)}`,
  }));
  const sent = { none: [], always: [], worthIt: [] };
  const { strategies } = compareCosts(new Conversation({ messages }), {
    onRequest: (name, request) => sent[name].push(request),
    strategies: {
      none: {},
      always: { compressionStrategy: lastNMessages(4), minMessages: 0 },
      worthIt: { compressionStrategy: lastNMessages(4), minMessages: 0, when: "worthIt" },
    },
  });
  const paused = messages.map((message, index) => ({ ...message, timestamp: new Date(1.7e12 + index * 400_000) }));
  const cold = compareCosts(new Conversation({ messages: paused }), { strategies: { none: {} } }).strategies[0];
  assert.equal(cold.known, 0, "the cache forgets between two answers");
  const named = Object.fromEntries(strategies.map((row) => [row.name, row]));
  assert.equal(strategies[0].name, "worthIt");
  assert.ok(named.always.summaries > named.worthIt.summaries && named.worthIt.summaries > 0);
  assert.equal(named.none.summaries, 0);
  assert.deepEqual(
    sent.none.map((request) => request.messages.length),
    Array.from({ length: 100 }, (_, index) => 2 * index + 1),
  );
  assert.deepEqual(sent.none[99].messages, messages.slice(0, 199));
  assert.ok(sent.always[99].messages.length < 8);
  // A request is billed with the requests for summaries before it.
  const { requests } = named.always;
  assert.equal(requests.length, 100);
  assert.ok(requests[99].output > named.none.requests[99].output);
});

/** The requests of a chat that is planned as a whole before each of them. */
function requestsOf({ messages }, parameters) {
  const sizes = countMessages(messages).messages;
  const [around] = countMessages([{ role: "assistant", content: "" }]).messages;
  const requests = [];
  let managed = new Conversation();
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") {
      const plan = planHistory(managed, parameters);
      const texts = plan.requests.map(({ expectedTokens }) => "of ".repeat(expectedTokens));
      for (const { messages, expectedTokens } of plan.requests) requests.push({ messages, output: expectedTokens });
      managed = applyPlan(plan, texts).conversation;
      requests.push({ messages: managed.messages, output: sizes[index] - around });
    }
    managed = managed.append(message);
  }
  return requests;
}

test("compareCosts bills the requests that planHistory and applyPlan give, one after the other", () => {
  const rounds = Array.from({ length: 80 }, (_, round) => [
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: `c${round}`, name: "read", args: { path: `src/a${round}.ts` } }],
    },
    {
      role: "tool",
      toolCallId: `c${round}`,
      content: `src/b${round % 9}.ts imports loadParts${round % 7} `.repeat(20),
    },
    ...(round % 8 === 7
      ? [
          { role: "assistant", content: "Done." },
          { role: "user", content: "And then?" },
        ]
      : []),
  ]);
  const thinking = (message) =>
    message.role === "assistant" && message.content !== ""
      ? {
          ...message,
          content: [
            { type: "thinking", thinking: "Hm.", signature: "s" },
            { type: "text", text: "Done." },
          ],
        }
      : message;
  const question = { role: "user", content: "What imports what?" };
  const plain = [question, ...rounds.flat()];
  const when = "worthIt";
  const clearing = clearToolResults({ keep: 2, names: 5 });
  const strategies = {
    none: {},
    clear: { compressionStrategy: clearing },
    "clear, worthIt": { compressionStrategy: clearing, when },
    digest: { compressionStrategy: digest({ handles: true }), when: "always" },
    "digest, worthIt": { compressionStrategy: digest({ names: 5 }) },
    summary: { compressionStrategy: lastNMessages(4) },
    "summary, worthIt": { compressionStrategy: lastNMessages(4), when, summaryRequest: "behind" },
    limit: { maxTokens: 1500, onOverflow: "send" },
    "digest, limit": { compressionStrategy: digest(), when: "overLimit", maxTokens: 3000, onOverflow: "send" },
    mine: {
      compressionStrategy: {
        name: "mine",
        plan: (messages) => {
          const isLong = messages.length > 20 && messages[1].toolCalls !== undefined;
          const indexes = [...messages.keys()];
          return { keep: indexes.filter((index) => !isLong || index < 1 || index > 2), drop: isLong ? [1, 2] : [] };
        },
      },
    },
  };
  for (const messages of [plain, plain.map(thinking), plain.slice(1)]) {
    const conversation = new Conversation({ messages });
    for (const prices of ["anthropic", "gemini"]) {
      const { strategies: rows } = compareCosts(conversation, { strategies, prices });
      for (const [name, parameters] of Object.entries(strategies)) {
        const {
          requests: _,
          uncachedCost,
          ...total
        } = bill(requestsOf(conversation, { ...parameters, prices }), prices);
        const { name: __, summaries, requests: ___, ...row } = rows.find((row) => row.name === name);
        assert.deepEqual(row, total, name);
      }
    }
  }
});

test("compareCosts bills the whole reply, tool calls included, in each format", () => {
  const args = { query: "word ".repeat(100) };
  const content = [{ type: "tool_use", id: "c1", name: "search", input: args }];
  const call = { id: "c1", type: "function", function: { name: "search", arguments: JSON.stringify(args) } };
  const user = { role: "user", content: "Where?" };
  const answer = { role: "assistant", content: "There." };
  const chats = [
    openai.from([
      user,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "" },
      answer,
    ]),
    anthropic.from([
      user,
      { role: "assistant", content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "" }] },
      answer,
    ]),
  ];
  const outputs = chats.map((chat) => compareCosts(chat, { strategies: { none: {} } }).strategies[0].output);
  assert.equal(outputs[0], outputs[1]);
  assert.ok(outputs[0] > 100);
  const short = new Conversation({ messages: [user, answer] });
  const { output } = compareCosts(short, { strategies: { none: {} } }).strategies[0];
  assert.equal(output, estimate.count(answer.content));
});

test("compareCosts reads the conversation of a summary request behind it from the cache", () => {
  const messages = Array.from({ length: 200 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${index} ${"word ".repeat(200)}`,
  }));
  const prices = { minimum: 0, granularity: 1 };
  const parameters = { compressionStrategy: lastNMessages(4), when: "worthIt", prices };
  const { strategies } = compareCosts(new Conversation({ messages }), {
    prices,
    strategies: { separate: parameters, behind: { ...parameters, summaryRequest: "behind" } },
  });
  const [{ name, summaries }] = strategies;
  assert.equal(name, "behind");
  assert.ok(summaries > 0);
});

test("unknown options of compareCosts and needRecall are refused", () => {
  const chat = new Conversation({ messages: [{ role: "user", content: "Hello" }] });
  for (const compare of [compareCosts, needRecall]) {
    assert.equal(refuses(() => compare(chat, { price: "openai" }), "invalid_option").details.option, "price");
  }
});

test("scale adds tokens to each request of compareCosts and multiplies those of its messages", () => {
  const conversation = new Conversation({
    messages: Array.from({ length: 6 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Message ${index}. ${"And some more words. ".repeat(400)}`,
    })),
  });
  const options = { strategies: { none: {} }, prices: { cacheRead: 1, cacheWrite: 1 } };
  const inputs = (more) =>
    compareCosts(conversation, { ...options, ...more }).strategies[0].requests.map(
      ({ read, written, fresh }) => read + written + fresh,
    );
  const plain = inputs({});
  assert.deepEqual(
    inputs({ scale: { fixed: 5000, factor: 2 } }),
    plain.map((tokens) => 5000 + 2 * tokens),
  );
  const [{ requests }] = compareCosts(conversation, { ...options, scale: { fixed: 5000, factor: 1 } }).strategies;
  // What is in no message is read from the cache with the messages behind it.
  assert.ok(requests[1].read >= 5000 + plain[0] - 128);
  for (const scale of [{ fixed: -1, factor: 1 }, { fixed: 0, factor: 0 }, { fixed: 0 }, 5]) {
    assert.throws(() => inputs({ scale }), { code: "invalid_option" });
  }
});
