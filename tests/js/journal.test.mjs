// The strategy `journal`: the stable prefix between two folds, when it folds, and its statistics.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Renderer, replay, Step, SubAgent, Turn, toMessages } from "turnfold";
import { estimate } from "turnfold/chat";
import { seeded } from "./random.mjs";
import { refuses } from "./refuses.mjs";
import { scripted } from "./scripted.mjs";

const LOREM = "the quick brown fox jumps over the lazy dog and looks for something else to do ";

/** A history whose turns print much, define a name each, and have the time of their request. */
function history(length, { seed = 1, pause = 1000 } = {}) {
  const random = seeded(seed);
  let memory = {};
  return Array.from({ length }, (_, index) => {
    const name = `name-${index % 7}`;
    memory = { ...memory, [name]: index };
    return Turn.success({
      number: index + 1,
      rawResponse: `I look at it.\n\`\`\`clojure\n(def ${name} ${index})\n\`\`\``,
      program: `(def ${name} ${index})`,
      prints: [LOREM.repeat(1 + random.below(8))],
      memory,
      defined: [name],
      at: 1_700_000_000_000 + index * pause,
    });
  });
}

const textOf = ({ messages }) => messages.map(({ role, content }) => `<${role}>\n${content}\n`).join("");
const TURNS_LEFT = /\n\nTurns left: \d+\n$/;

function requests(turns, options) {
  return turns.map((turn, index) => toMessages(turns.slice(0, index), null, { ...options, at: turn.at }));
}

const options = (journal = {}, more = {}) => ({
  mission: "Find out.",
  maxTurns: 200,
  compression: ["journal", journal],
  ...more,
});

test("between two folds each request begins with the whole previous request", () => {
  for (const prices of ["anthropic", "deepseek", "gemini", { cacheRead: 0.5, cacheWrite: 1 }]) {
    const sent = requests(history(80), options({ prices }));
    let folds = 0;
    for (let index = 1; index < sent.length; index++) {
      const [before, now] = [textOf(sent[index - 1]), textOf(sent[index])];
      const { reason } = sent[index].stats.cache;
      if (["notYet", "tooLate"].includes(reason)) assert.ok(now.startsWith(before.replace(TURNS_LEFT, "")), `${index}`);
      else folds++;
    }
    assert.ok(folds > 1 && folds < 40, `${JSON.stringify(prices)}: ${folds} folds`);
  }
});

test("journal costs less than no compression and than folding every request", () => {
  const turns = history(80);
  const costOf = (compression) => {
    let [cost, uncompressed] = [0, 0];
    for (const { stats } of requests(turns, { mission: "Find out.", maxTurns: 81, compression })) {
      cost += stats.cache.cost;
      uncompressed += stats.cache.uncompressedCost;
    }
    return cost / uncompressed;
  };
  assert.ok(costOf("journal") < 0.85, `${costOf("journal")}`);
  // Infinite patience never folds; patience 0 folds every request.
  assert.ok(Math.abs(costOf(["journal", { patience: 1e12, prices: { lifetime: 1e9 } }]) - 1) < 0.15);
  assert.ok(costOf(["journal", { patience: 0 }]) > costOf("journal"));
});

test("read, written and fresh tokens add up to the tokens that are sent", () => {
  for (const { messages, stats } of requests(history(40), options())) {
    const { read, written, fresh, cost } = stats.cache;
    const tokens = messages.reduce((sum, { content }) => sum + 3 + estimate.count(content), 0);
    const counted = read + written + fresh;
    assert.ok(Math.abs(counted - tokens) < 0.02 * tokens + 10, `${counted} counted, ${tokens} sent`);
    assert.ok(Math.abs(cost - (0.1 * read + 1.25 * written + fresh)) < 1e-6);
  }
});

test("the cost without compression is that of the messages without compression, whose outputs are longer", () => {
  const program = "(dotimes [_ 10] (println data/text))";
  const turns = [Turn.success({ program, prints: Array(10).fill(LOREM.repeat(20)) })];
  const { stats } = toMessages(turns, null, options({ prices: "none" }));
  const { messages } = toMessages(turns, null, { ...options(), compression: false });
  const tokens = messages.reduce((sum, { content }) => sum + 3 + estimate.count(content), 0);
  assert.ok(
    Math.abs(stats.cache.uncompressedCost - tokens) < 0.02 * tokens,
    `${stats.cache.uncompressedCost} ${tokens}`,
  );
});

test("a pause longer than prices.lifetime folds at once", () => {
  const turns = history(30);
  const { at } = turns[29];
  const reasonAt = (pause) => {
    const { stats } = toMessages(turns, null, options({}, { at: at + pause }));
    return stats.cache.reason;
  };
  assert.equal(reasonAt(300_001), "cold");
  assert.notEqual(reasonAt(300_000), "cold");
  const unknown = toMessages(turns, null, options()).stats.cache.reason;
  assert.notEqual(unknown, "cold");
});

test("journal does not fold near the end of a run", () => {
  const turns = history(12);
  const reasons = requests(turns, options({}, { maxTurns: 12 })).map(({ stats }) => stats.cache.reason);
  assert.equal(reasons.at(-1), "tooLate");
});

test("replies are shown as they were until the requests are long enough for the cache", () => {
  const turns = history(12);
  const replies = (prices) => {
    const { messages } = toMessages(turns, null, options({ prices, patience: 1e12 }, { systemPrompt: "Act." }));
    return messages
      .filter(({ role }) => role === "assistant")
      .map(({ content }) => content.startsWith("I look at it."));
  };
  const whole = (minimum) => replies({ minimum }).filter(Boolean).length;
  assert.ok(whole(400) > 0 && whole(400) < whole(1000) && whole(1000) < 12, `${whole(400)} ${whole(1000)}`);
  assert.equal(whole(2000), 12);
  assert.ok(!replies("none").includes(true));
});

test("the same history gives the same bytes, whether pushed, edited or loaded", () => {
  const turns = history(60, { pause: 20_000 });
  for (const journal of [{}, { keep: 3, prices: "deepseek" }, { budget: 900 }]) {
    const fresh = toMessages(
      turns.map((turn) => Turn.fromJSON(JSON.stringify(turn))),
      null,
      options(journal),
    );
    const pushed = new Renderer(options(journal));
    for (const turn of turns) {
      pushed.setOptions({ at: turn.at });
      pushed.render();
      pushed.push(turn);
    }
    pushed.setOptions({ at: undefined });
    assert.deepEqual(pushed.render().messages, fresh.messages);
    const edited = new Renderer(options(journal), turns.slice(5));
    edited.render();
    for (const [index, turn] of turns.slice(0, 5).entries()) edited.insert(index, turn);
    assert.deepEqual(edited.render().messages, fresh.messages);
  }
});

test("a host's counter is called once for each text", () => {
  const requests = [];
  const counter = {
    name: "characters",
    method: "exact",
    count(text) {
      requests.push(text);
      return Math.ceil(text.length / 4);
    },
  };
  const renderer = new Renderer(options({ counter }));
  const turns = history(30);
  for (const turn of turns) {
    renderer.render();
    renderer.push(turn);
  }
  const { stats } = renderer.render();
  assert.ok(stats.cache.read > 0);
  assert.ok(requests.length < 8 * turns.length, `${requests.length} texts`);
});

test("exceeding budget folds at once, and the folded history is within budget", () => {
  const sent = requests(history(60), options({ budget: 2000, patience: 1e9 }));
  assert.ok(sent.some(({ stats }) => stats.cache.reason === "limit"));
  for (const { budget } of sent) {
    assert.equal(budget.budget, 2000);
    assert.ok(budget.fits, JSON.stringify(budget));
  }
});

test("journal folds before requests reach a more expensive tier", () => {
  const tiers = [{ above: 5000, input: 2 }];
  const prices = { cacheRead: 0.001, cacheWrite: 10, tiers };
  const sent = requests(history(60), options({ prices }));
  assert.ok(sent.some(({ stats }) => stats.cache.reason === "tier"));
  for (const { stats } of sent) assert.ok(stats.cache.read + stats.cache.written + stats.cache.fresh <= 5000);
});

test("odd prices give sensible decisions", () => {
  const foldsWith = (prices) => {
    const sent = requests(history(40), options({ prices }));
    return sent.filter(({ stats }) => !["notYet", "tooLate"].includes(stats.cache.reason)).length;
  };
  const free = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  assert.ok(foldsWith(free) > 30, "nothing costs anything: the shortest request");
  assert.equal(foldsWith({ cacheRead: 0, cacheWrite: 1 }), 0, "what is read for nothing is never folded");
  assert.ok(foldsWith({ cacheRead: 3, cacheWrite: 1 }) > 30, "a cache that is dearer than none");
  assert.ok(foldsWith("none") > 30);
  assert.ok(foldsWith({ lifetime: 0 }) > 30, "a cache that forgets at once");
});

test("invalid options of journal are refused", () => {
  const refused = (journal) => refuses(() => toMessages([], null, options(journal)), "invalid_option");
  assert.equal(
    refused({ prices: { cacheRead: Number.NaN } }).message,
    "`prices.cacheRead` must be a number from 0 up, got NaN",
  );
  assert.equal(refused({ prices: { input: -1 } }).message, "`prices.input` must be a number from 0 up, got -1");
  assert.equal(
    refused({ prices: "antropic" }).message,
    '`prices.mechanism` must be one of anthropic, anthropic-1h, openai, gemini, deepseek, none, got "antropic"',
  );
  assert.equal(
    refused({ prices: { granularity: "blocks" } }).message,
    '`prices.granularity` must be a whole number of tokens from 1 up, or "breakpoints", got "blocks"',
  );
  assert.match(refused({ prices: { cacheread: 1 } }).hint, /cacheRead/);
  assert.match(refused({ prices: { tiers: [{}] } }).message, /prices\.tiers\[0\]\.above/);
  assert.equal(refused({ patience: -1 }).message, "`patience` must be a number from 0 up, got -1");
  assert.match(refused({ prices: 3 }).message, /`prices` must be an object/);
  assert.match(
    refuses(() => toMessages([], null, options({}, { at: "now" })), "invalid_option").message,
    /^at must be/,
  );
  refuses(() => Turn.success({ at: Number.NaN }), "invalid_turn");
});

test("infinite prices.minimum and prices.lifetime survive saving a step", async () => {
  const agent = new SubAgent({
    mission: "Count",
    compression: ["journal", { prices: { minimum: Number.POSITIVE_INFINITY, lifetime: Number.POSITIVE_INFINITY } }],
    llm: scripted("(def a 1)", "(def b 2)", "(return (+ a b))"),
  });
  const step = await agent.run();
  const loaded = Step.fromJSON(JSON.stringify(step));
  for (const turn of [1, 2, 3]) assert.deepEqual(loaded.messagesAt(turn), step.messagesAt(turn));
  assert.deepEqual((await replay(agent, loaded)).toJSON(), step.toJSON());
});

test("an agent sets the times of its turns, and a replay has the same times", async () => {
  const agent = new SubAgent({
    mission: "Count",
    maxTurns: 5,
    compression: ["journal", { prices: { minimum: 0, cacheRead: 0.9 } }],
    llm: scripted("(def a 1)", "(def b 2)", "(def c 3)", "(return (+ a b c))"),
  });
  const before = Date.now();
  const step = await agent.run();
  assert.equal(step.return, 6);
  for (const { at } of step.turns) assert.ok(at >= before && at <= Date.now());
  assert.equal(step.usage.compression.cache.reason.length > 0, true);
  const loaded = Step.fromJSON(JSON.stringify(step));
  assert.deepEqual(
    loaded.turns.map(({ at }) => at),
    step.turns.map(({ at }) => at),
  );
  assert.deepEqual(loaded.messagesAt(4), step.messagesAt(4));
  assert.deepEqual((await replay(agent, loaded)).toJSON(), step.toJSON());
});
