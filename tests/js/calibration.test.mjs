// Agents calibrate their counts with the usage that replies report.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent, Conversation, countMessages, estimate, lastNMessages, manageHistory } from "turnfold/chat";
import { seeded } from "./random.mjs";

const words =
  "the parcel left depot in Leipzig yesterday and comes before noon unless rain delays a truck near Halle".split(" ");

/** A generator of numbers from 0 up to 1. */
function drawing(seed) {
  const { below } = seeded(seed);
  return () => below(1000) / 1000;
}

/** A random text of `count` words. */
function text(count, draw) {
  return Array.from({ length: count }, () => words[Math.floor(draw() * words.length)]).join(" ");
}

const history = (draw, length = 30) =>
  new Conversation({
    messages: Array.from({ length }, (_, index) => ({
      role: index % 2 ? "assistant" : "user",
      content: text(20 + Math.floor(draw() * 60), draw),
    })),
  });

/** A provider that counts `factor` times what the counter does, give or take `noise`. */
function provider({ factor = 1.2, noise = 0.01, draw = () => 0.5, model, reply = "Noted.", ...counting } = {}) {
  const counts = [];
  const llm = ({ messages, tools, schema }) => {
    const { total } = countMessages(messages, { tools, schema, ...counting });
    const inputTokens = Math.round(total * factor * (1 + noise * (2 * draw() - 1)));
    counts.push(inputTokens);
    return { content: reply, usage: { inputTokens }, ...(model === undefined ? {} : { model: model() }) };
  };
  return { llm, counts };
}

const off = (counted, truth) => Math.abs(counted / truth - 1);
const quiet = { onWarning: () => {} };

suite("calibration", () => {
  test("brings reports within 2 % of the provider after three usages, for any factor", async () => {
    for (const factor of [0.6, 0.85, 1.2, 1.7]) {
      const draw = drawing(1);
      const { llm, counts } = provider({ factor, noise: 0, draw });
      const agent = new Agent({ llm, conversation: history(draw), system: text(200, draw) });
      const reports = [];
      for (let call = 0; call < 8; call++) reports.push((await agent.chat(text(30, draw))).report);
      assert.equal(reports[0].tokens.factor, 1);
      assert.ok(off(reports[0].tokens.after, counts[0]) > 0.1);
      for (const [call, { outcome, tokens, messages }] of reports.entries()) {
        if (call < 3) continue;
        assert.equal(outcome, "unchanged");
        assert.ok(
          off(tokens.after, counts[call]) < 0.02,
          `${factor}, call ${call}: ${tokens.after} of ${counts[call]}`,
        );
        assert.equal(tokens.before, tokens.after);
        assert.ok(off(tokens.factor, factor) < 0.02);
        assert.equal(tokens.counter, "estimate");
        const sum = messages.reduce((sum, message) => sum + message.tokens, 0);
        assert.ok(sum > tokens.after * 0.9 && sum < tokens.after, "the fates are scaled too");
      }
    }
  });

  test("limits act on scaled counts", async () => {
    const draw = drawing(2);
    const { llm, counts } = provider({ factor: 1.4, noise: 0, draw });
    const agent = new Agent({ llm, conversation: history(draw, 60), ...quiet });
    for (let call = 0; call < 3; call++) await agent.chat(text(30, draw));
    const { report } = await agent.chat(text(30, draw), { maxTokens: 2000 });
    assert.equal(report.outcome, "trimmed");
    assert.ok(counts.at(-1) <= 2000 * 1.01, `${counts.at(-1)} were sent`);
    assert.ok(off(report.tokens.after, counts.at(-1)) < 0.02);
  });

  test("an explicit counter is scaled too, and has a factor of its own", async () => {
    const draw = drawing(3);
    const counter = { name: "words", method: "exact", count: (text) => text.split(" ").length };
    const { llm, counts } = provider({ factor: 1.3, noise: 0, draw, counter });
    const agent = new Agent({ llm, conversation: history(draw) });
    for (let call = 0; call < 3; call++) await agent.chat(text(30, draw), { counter });
    const { tokens } = (await agent.chat(text(30, draw), { counter })).report;
    assert.equal(tokens.counter, "words");
    assert.ok(off(tokens.factor, 1.3) < 0.02);
    assert.ok(off(tokens.after, counts.at(-1)) < 0.02);
    assert.equal((await agent.chat("And now?")).report.tokens.factor, 1);
  });

  test("each model named in replies has its own factor, and the last model's factor applies", async () => {
    const draw = drawing(4);
    let model = "small";
    const factors = { small: 0.8, large: 1.3 };
    const llm = ({ messages }) => {
      const inputTokens = Math.round(countMessages(messages).total * factors[model]);
      return { content: "Noted.", usage: { inputTokens }, model };
    };
    const agent = new Agent({ llm, conversation: history(draw) });
    const factorAfter = async (name) => {
      model = name;
      await agent.chat(text(30, draw));
      return (await agent.chat(text(30, draw))).report.tokens.factor;
    };
    assert.ok(off(await factorAfter("small"), 0.8) < 0.02);
    assert.ok(off(await factorAfter("large"), 1.3) < 0.02);
    assert.ok(off(await factorAfter("small"), 0.8) < 0.02);
  });

  test("uses the usage of streams and tool loops", async () => {
    const draw = drawing(5);
    const counts = [];
    const llm = async function* ({ messages, tools }) {
      const inputTokens = Math.round(countMessages(messages, { tools }).total * 1.2);
      counts.push(inputTokens);
      yield { usage: { inputTokens } };
      if (counts.length < 5) yield { toolCalls: [{ id: `${counts.length}`, name: "look", args: {} }] };
      else yield "Done.";
    };
    const agent = new Agent({ llm, conversation: history(draw), tools: { look: () => text(80, draw) } });
    const { reports } = await agent.stream("Look around.").done;
    assert.equal(reports.length, 5);
    for (const call of [1, 2, 3, 4]) assert.ok(off(reports[call].tokens.after, counts[call]) < 0.02, `request ${call}`);
  });

  test("a usage far from the expected one is ignored, and so are replies without usage", async () => {
    const draw = drawing(6);
    for (const usage of [undefined, {}, { inputTokens: 0 }, { inputTokens: 3 }, { inputTokens: 1_000_000 }]) {
      const agent = new Agent({ llm: () => ({ content: "Noted.", usage }), conversation: history(draw) });
      await agent.chat("Hello");
      assert.equal((await agent.chat("And now?")).report.tokens.factor, 1);
    }
    let bogus = true;
    const { llm } = provider({ noise: 0 });
    const agent = new Agent({
      llm: (request) => {
        bogus = !bogus;
        return bogus ? { content: "Noted.", usage: { inputTokens: 9 } } : llm(request);
      },
      conversation: history(draw),
    });
    for (let call = 0; call < 6; call++) await agent.chat("And now?");
    assert.ok(off((await agent.chat("And now?")).report.tokens.factor, 1.2) < 0.02);
  });

  test("ignores inputTokens that exclude the tokens read from the cache", async () => {
    const draw = drawing(7);
    const llm = ({ messages }) => {
      const { total } = countMessages(messages);
      return { content: "Noted.", usage: { inputTokens: total * 0.55, cacheReadTokens: total * 0.6 } };
    };
    const agent = new Agent({ llm, conversation: history(draw) });
    await agent.chat("Hello");
    assert.equal((await agent.chat("And now?")).report.tokens.factor, 1);
  });

  test("calibrate: false leaves counts unscaled", async () => {
    const draw = drawing(7);
    const { llm } = provider();
    const agent = new Agent({ llm, conversation: history(draw), calibrate: false });
    for (let call = 0; call < 3; call++) await agent.chat("And now?");
    const before = agent.conversation;
    const request = { role: "user", content: "And now?" };
    const { tokens } = (await agent.chat("And now?")).report;
    assert.deepEqual(tokens, {
      before: countMessages([...before.messages, request]).total,
      after: countMessages([...before.messages, request]).total,
      counter: "estimate",
      factor: 1,
      fixed: 0,
    });
    for (const calibrate of ["no", 1, null]) {
      assert.throws(() => new Agent({ llm, calibrate }), { code: "invalid_option", details: { option: "calibrate" } });
    }
  });

  test("each agent has its own factor, and manageHistory without a calibration has none", async () => {
    const draw = drawing(8);
    const { llm } = provider({ noise: 0 });
    const agent = new Agent({ llm, conversation: history(draw) });
    await agent.chat("Hello");
    assert.ok((await agent.chat("And now?")).report.tokens.factor > 1.15);
    assert.equal((await new Agent({ llm }).chat("Hello")).report.tokens.factor, 1);
    const { report } = await manageHistory(
      agent.conversation,
      { compressionStrategy: lastNMessages(4) },
      { llm, ...quiet },
    );
    assert.deepEqual([report.tokens.factor, report.tokens.counter], [1, estimate.name]);
  });
});
