// Limits hold in the tokens of the provider, which counts more than the counter: another tokenizer, a fixed part, and
// hidden thinking. The provider is simulated.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent, Conversation, countMessages, manageHistory } from "turnfold/chat";
import { seeded } from "./random.mjs";

const words =
  "the parcel left depot in Leipzig yesterday and comes before noon unless rain delays a truck near Halle".split(" ");

const quiet = { onWarning: () => {} };

/**
 * Tokens by the provider over tokens counted, as measured with several models, and the bounds that are supported.
 *
 * What matters is how two of factor, fixed tokens and thinking act together, and a run takes half a second: `isTried` chooses a third of
 * all runs, in which every pair of values meets.
 */
const FACTORS = [2.25, 2.2, 2.19, 2.8, 1.2, 1.02, 0.5, 4];

/** Fixed tokens, and a limit with which they leave room. */
const FIXED = [
  [0, 20_000],
  [3000, 20_000],
  [40_000, 70_000],
];

/** The most hidden tokens of a reply, and whether later requests have them. */
const THINKING = [
  { most: 0, stays: false },
  { most: 400, stays: true },
  { most: 400, stays: false },
];

const isTried = (factor, fixed, thinking) => (factor + fixed + thinking) % THINKING.length === 0;

/** By how much a request may exceed the limit after three requests. */
const TOLERANCE = 1.05;

/**
 * A provider with a tokenizer of its own, which counts a text up to 8 % more or less than `factor` times the tokens of
 * the estimate. `sizes` has the tokens of each request.
 */
class Provider {
  sizes = [];
  factor;
  #counts = new WeakMap();
  #hidden = new Map();
  #options;
  #random;

  constructor({ factor, fixed = 0, limit = 20_000, thinking = THINKING[0], seed = 1 }) {
    this.factor = factor;
    this.#options = { fixed, limit, thinking };
    this.#random = seeded(seed);
  }

  text(tokens) {
    return Array.from({ length: Math.ceil(tokens) }, () => this.#random.pick(words)).join(" ");
  }

  /** A result of a tool; one in ten has an eighth of the limit. */
  result() {
    const { limit } = this.#options;
    return this.text((this.#random.chance(0.1) ? limit / 8 : this.#random.below(limit / 50)) / this.factor);
  }

  /** The reply to a request, as message and with its usage. */
  reply(messages, tools) {
    const { fixed, thinking } = this.#options;
    const around = countMessages([], { tools }).total;
    const inputTokens = Math.round(fixed + this.factor * around + this.#tokens(messages));
    this.sizes.push(inputTokens);
    const id = `call_${this.sizes.length}`;
    const calls = this.#random.chance(0.8) ? { toolCalls: [{ id, name: "read", args: { id } }] } : {};
    const message = { role: "assistant", content: `${id}: ${this.text(10 + this.#random.below(60))}`, ...calls };
    const hidden = this.#random.below(thinking.most + 1);
    const outputTokens = Math.round(this.#tokens([message])) + hidden;
    this.#hidden.set(message.content, thinking.stays ? hidden : 0);
    return { message, usage: { inputTokens, outputTokens } };
  }

  #tokens(messages) {
    const tokensOf = (message) => this.#counted(message) * this.factor + (this.#hidden.get(message.content) ?? 0);
    return messages.reduce((sum, message) => sum + tokensOf(message), 0);
  }

  /** The tokens of a message by the estimate, up to 8 % more or less; most messages are in many requests. */
  #counted(message) {
    if (!this.#counts.has(message)) {
      const own = 1 + (((JSON.stringify(message.content).length * 37) % 17) - 8) / 100;
      this.#counts.set(message, countMessages([message]).messages[0] * own);
    }
    return this.#counts.get(message);
  }
}

/** An agent whose model is the provider. */
function agentOf(provider, { model = () => undefined, ...options } = {}) {
  const llm = ({ messages, tools }) => {
    const { message, usage } = provider.reply(messages, tools);
    return { content: message.content, toolCalls: message.toolCalls, usage, model: model() };
  };
  const tools = { read: () => provider.result() };
  return new Agent({ llm, tools, system: provider.text(200), maxSteps: 50, ...quiet, ...options });
}

/** Asks `count` questions, and returns the reports of all requests. */
async function ask(agent, provider, count, parameters) {
  const reports = [];
  for (let question = 0; question < count; question++) {
    reports.push(...(await agent.chat(provider.text(30), parameters)).reports);
  }
  return reports;
}

const fill = (sizes, limit) => Math.max(...sizes) / limit;

/** Checks that requests are within the limit, and that requests use it from the first cut on. */
function checkSizes(sizes, reports, limit, what) {
  const later = sizes.slice(3);
  assert.ok(fill(later, limit) <= TOLERANCE, `${what}: a request has ${fill(later, limit)} of the limit`);
  const first = reports.findIndex(({ outcome }, index) => index > 2 && outcome === "trimmed");
  assert.ok(first > 0, `${what}: nothing was cut`);
  const cut = sizes.slice(first).toSorted((left, right) => left - right);
  assert.ok(cut[cut.length >> 1] >= 0.65 * limit, `${what}: half of the requests have ${cut[cut.length >> 1] / limit}`);
  assert.ok(cut[0] >= 0.4 * limit, `${what}: a request has ${cut[0] / limit}`);
}

suite("limits in tokens of the provider", () => {
  for (const [place, [fixed, limit]] of FIXED.entries()) {
    for (const [which, thinking] of THINKING.entries()) {
      const kind = thinking.most === 0 ? "no thinking" : `thinking that is ${thinking.stays ? "" : "not "}sent again`;
      test(`agents keep them after three requests: ${fixed} fixed tokens, ${kind}`, async () => {
        for (const factor of FACTORS.filter((_, index) => isTried(index, place, which))) {
          const provider = new Provider({ factor, fixed, limit, thinking });
          const reports = await ask(agentOf(provider), provider, 18, { maxTokens: limit });
          assert.equal(reports.length, provider.sizes.length);
          checkSizes(provider.sizes, reports, limit, `factor ${factor}`);
        }
      });
    }
  }
});

suite("what was learned", () => {
  const maxTokens = 20_000;
  const thinking = THINKING[1];

  test("is in checkpoints: the first request of a resumed session keeps the limit", async () => {
    for (const factor of FACTORS) {
      for (const transcript of [true, false]) {
        const provider = new Provider({ factor, fixed: 3000, thinking });
        const agent = agentOf(provider);
        await ask(agent, provider, 12, { maxTokens });
        const saved = JSON.stringify(agent.checkpoint({ transcript }));
        const asked = provider.sizes.length;
        const resumed = agentOf(provider);
        resumed.restore(saved);
        assert.equal(resumed.conversation.messages.length, agent.conversation.messages.length);
        await ask(resumed, provider, 12, { maxTokens });
        const sizes = provider.sizes.slice(asked);
        assert.ok(fill(sizes, maxTokens) <= TOLERANCE, `factor ${factor}: ${fill(sizes, maxTokens)}`);
      }
    }
  });

  test("is of a model: after three replies of another one the limit holds, and at once after a reply of the first", async () => {
    for (const [first, second] of [
      [1.02, 2.25],
      [2.25, 1.02],
      [0.5, 4],
      [2.8, 1.2],
    ]) {
      const provider = new Provider({ factor: first, fixed: 3000, thinking });
      const agent = agentOf(provider, { model: () => `model ${provider.factor}` });
      await ask(agent, provider, 12, { maxTokens });
      for (const [factor, after] of [
        [second, 3],
        [first, 1],
        [second, 1],
      ]) {
        provider.factor = factor;
        const asked = provider.sizes.length;
        await ask(agent, provider, 12, { maxTokens });
        const sizes = provider.sizes.slice(asked + after);
        assert.ok(fill(sizes, maxTokens) <= TOLERANCE, `${first} and ${second}: ${fill(sizes, maxTokens)}`);
      }
    }
  });

  test("follows a model that replies do not name", async () => {
    const provider = new Provider({ factor: 1.02, thinking });
    const agent = agentOf(provider);
    await ask(agent, provider, 12, { maxTokens });
    provider.factor = 2.25;
    const asked = provider.sizes.length;
    await ask(agent, provider, 12, { maxTokens });
    const sizes = provider.sizes.slice(asked + 3);
    assert.ok(fill(sizes, maxTokens) <= TOLERANCE, `${fill(sizes, maxTokens)}`);
  });
});

/** Manages a history before each request, and passes on the calibration. `next` returns the history of the next request. */
async function manageLoop(provider, requests, parameters, next) {
  let history = new Conversation({ messages: [{ role: "system", content: provider.text(200) }] });
  let calibration;
  const reports = [];
  let isAsked = true;
  for (let request = 0; request < requests; request++) {
    if (isAsked) history = history.append({ role: "user", content: provider.text(30) });
    const managed = await manageHistory(history, parameters, { calibration, ...quiet });
    reports.push(managed.report);
    const { message, usage } = provider.reply(managed.conversation.messages);
    // A host may store it.
    calibration = JSON.parse(JSON.stringify({ ...managed.calibration, usage }));
    const results = (message.toolCalls ?? []).map(({ id }) => ({
      role: "tool",
      toolCallId: id,
      content: provider.result(),
    }));
    isAsked = results.length === 0;
    history = next(history, managed.conversation).append(message, ...results);
  }
  return reports;
}

suite("hosts of manageHistory", () => {
  for (const [how, next] of Object.entries({
    "the managed conversation": (_, managed) => managed,
    "the whole history": (history) => history,
  })) {
    test(`keep limits with a calibration, and ${how}`, async () => {
      for (const [place, [fixed, limit]] of FIXED.entries()) {
        for (const [which, thinking] of THINKING.entries()) {
          if (thinking.stays && how === "the whole history") continue;
          const factors = [2.25, 1.02, 0.5, 4].filter((_, index) => isTried(index, place, which));
          for (const factor of factors) {
            const provider = new Provider({ factor, fixed, limit, thinking });
            const reports = await manageLoop(provider, 80, { maxTokens: limit }, next);
            const what = `factor ${factor}, ${fixed} fixed tokens, up to ${thinking.most} of thinking`;
            const sizes = provider.sizes.slice(3);
            assert.ok(fill(sizes, limit) <= TOLERANCE, `${what}: ${fill(sizes, limit)}`);
            assert.ok(reports.some(({ outcome }) => outcome === "trimmed"));
          }
        }
      }
    });
  }
});
