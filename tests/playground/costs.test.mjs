// The costs that the playground shows equal those of the package's compareCosts.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import * as turnfold from "../js/everything.mjs";
import { messagesAfter, optionsOf, sample, tokensOf, turnsOf } from "../www/sample.mjs";
import { load, openExample, openPage } from "./page.mjs";

const { costRows, savedRun, modelOf, Placed, TurnList, Memory } = await load(
  "costs",
  "turns/turn-list.ts",
  "turns/memory.ts",
  ...["cost-rows", "saved-run", "models"].map((name) => `tokens/${name}.ts`),
);

const { prices } = modelOf("claude-haiku-4.5");
const shared = { prices: { ...prices, minimum: 64 }, counter: "estimate" };
const strategies = ["single-user-coalesced", "journal", "rolling-window", "per-turn-summary", "aggressive"];
const all = [["none", false], ...strategies.map((name) => [name, name])];

describe("the costs of turns", () => {
  const turns = turnsOf(sample);
  const options = optionsOf(sample);
  const step = () => turnfold.Step.fromJSON(savedRun({ turns, options }));

  it("are those of compareCosts, with the tokens of the next request", () => {
    const rows = [...costRows({ kind: "turns", step: savedRun({ turns, options }), strategies: all, ...shared })];
    const expected = turnfold.compareCosts(step(), { prices: shared.prices, strategies: Object.fromEntries(all) });
    assert.equal(rows.length, all.length);
    for (const { name, tokens, cost, known, problem } of rows) {
      const own = expected.strategies.find((each) => each.name === name);
      assert.deepEqual([problem, cost, known], ["", own.cost / 1e6, own.known], name);
      const messages = messagesAfter(sample, turns.length, name, {
        ...(name === "none" ? { compression: false } : {}),
      });
      assert.equal(tokens, tokensOf(messages, turnfold.estimate), name);
    }
    assert.ok(new Set(rows.map(({ cost }) => cost)).size > 3);
  });

  it("use the given counter", () => {
    const counter = { name: "units", method: "exact", count: (text) => text.length };
    const job = { kind: "turns", step: savedRun({ turns, options }), strategies: [["none", false]], ...shared };
    const [row] = costRows(job, counter);
    assert.equal(row.tokens, tokensOf(messagesAfter(sample, turns.length, "none"), counter));
    const [own] = turnfold.compareCosts(step(), {
      prices: shared.prices,
      strategies: { none: false },
      counter,
    }).strategies;
    assert.equal(row.cost, own.cost / 1e6);
  });

  it("are the same for turns whose memory holds only their own definitions", () => {
    let memory = Memory.none;
    const placed = turns.map((turn) => {
      const own = Object.fromEntries(
        turn.defined.map((name) => [name, turn.memory[name]]).filter(([, v]) => v !== undefined),
      );
      memory = memory.with(own);
      const { number, program, success, result, prints, defined } = turn;
      const make = success ? turnfold.Turn.success : turnfold.Turn.failure;
      return new Placed(make({ number, program, result, prints, defined, memory: own }), () => turn);
    });
    const list = new TurnList(placed, memory);
    const saved = savedRun({ turns: list.after(turns.length, options), options });
    const job = (step) => ({ kind: "turns", step, strategies: all, ...shared });
    assert.deepEqual([...costRows(job(saved))], [...costRows(job(savedRun({ turns, options })))]);
  });

  it("are null without turns, and without prices only tokens are counted", () => {
    const none = savedRun({ turns: [], options });
    const [first] = costRows({ kind: "turns", step: none, strategies: all, ...shared });
    assert.equal(first.cost, null);
    assert.ok(first.tokens > 0);
    const job = { kind: "turns", step: savedRun({ turns, options }), strategies: all, ...shared, prices: null };
    assert.ok([...costRows(job)].every(({ cost, tokens }) => cost === null && tokens > 0));
  });
});

describe("the costs of a run on the Run tab", () => {
  const missions = {
    "as it is": "Total the travel",
    "as a template": "Total the travel{{#missing}} of {{.}}{{/missing}}",
  };
  for (const [kind, mission] of Object.entries(missions)) {
    it(`are those of its requests, with the mission ${kind}`, async () => {
      const { agent, session, store } = await openExample("expenses", "run");
      store.edit({ mission: `${mission} expenses.\n` });
      if (kind === "as a template")
        store.edit({ signature: "(missing :string?) -> {total :float, refused [:string]}" });
      await session.runAgent();
      for (const strategy of ["none", ...strategies]) {
        store.edit({ strategy, options: { ...store.state.value.options, printlnLimit: "1", printLength: "40" } });
        const { requestHistory, messages, plainTokens } = agent.next.value.frame;
        const { turns, options } = requestHistory;
        assert.ok(turns.length > 1);
        const contents = (all) => all.map(({ role, content }) => ({ role, content }));
        for (const folded of [true, false]) {
          const requests = requestHistory.open(folded);
          for (let count = 0; count <= turns.length; count++) {
            const shown = folded ? agent.nextAt(count) : agent.nextWith("none", count);
            assert.deepEqual(
              contents(requests.after(count).messages),
              contents(shown.messages),
              `${strategy} ${count}`,
            );
          }
        }
        const { compression } = options;
        const step = savedRun({ turns, options });
        const job = {
          kind: "turns",
          step,
          strategies: [
            [strategy, compression],
            ["none", false],
          ],
          ...shared,
        };
        const [own, none] = [...costRows(job)];
        assert.deepEqual([own.problem, none.problem], ["", ""]);
        assert.equal(own.tokens, tokensOf(messages, turnfold.estimate), strategy);
        assert.equal(none.tokens, plainTokens);
        assert.ok(own.cost > 0 && none.cost > 0);
      }
    });
  }
});

describe("the costs of a chat", () => {
  const conversation = new turnfold.Conversation({
    messages: Array.from({ length: 40 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Message ${index}. ${"And some more words. ".repeat(20)}`,
    })),
  });
  const job = {
    kind: "chat",
    conversation: JSON.parse(JSON.stringify(conversation)),
    strategies: [
      ["none", { strategies: [], others: {} }],
      ["lastNMessages", { strategies: [{ name: "lastNMessages", args: [4] }], others: { when: "worthIt", prices } }],
      ["fromTimestamp", { strategies: [{ name: "fromTimestamp", args: [0] }], others: {} }],
    ],
    ...shared,
  };

  it("are those of compareCosts, with the tokens of its estimated summaries", () => {
    const [none, last] = [...costRows(job)];
    const parameters = { compressionStrategy: turnfold.lastNMessages(4), when: "worthIt", prices };
    const { strategies: expected } = turnfold.compareCosts(conversation, {
      prices: shared.prices,
      strategies: { none: {}, last: parameters },
    });
    const costOf = (name) => expected.find((each) => each.name === name);
    assert.equal(none.cost, costOf("none").cost / 1e6);
    assert.equal(last.cost, costOf("last").cost / 1e6);
    assert.equal(last.summaries, costOf("last").summaries);
    const plan = turnfold.planHistory(conversation, parameters);
    const covered = plan.requests.map(({ covers }) =>
      covers.reduce((sum, index) => sum + plan.messages[index].tokens, 0),
    );
    const summaries = covered.map((tokens) => "of ".repeat(Math.min(800, Math.ceil(0.15 * tokens))));
    assert.equal(last.tokens, turnfold.applyPlan(plan, summaries).report.tokens.after);
    assert.equal(last.isRough, plan.requests.length > 0);
    assert.deepEqual([none.isRough, none.largestSummary], [false, 0]);
    const asked = plan.requests.map(({ messages }) => tokensOf(messages, turnfold.estimate));
    assert.equal(last.largestSummary, Math.max(0, ...asked));
  });

  it("have the reason when a strategy gives no cost", () => {
    const [, , failed] = [...costRows(job)];
    assert.match(failed.problem, /timestamp/);
    assert.equal(failed.cost, null);
  });
});

describe("the costs of an opened chat", async () => {
  const { amountNames, amountsOf, chatFromSaved, parametersOf } = await load(
    "opened",
    "chat/parameters.ts",
    "states/saved.ts",
    "tokens/settings.ts",
  );
  const codes = {
    none: "none",
    digest: "compressionStrategy: digest()",
    lastNMessages: 'compressionStrategy: lastNMessages(4), when: "worthIt"',
  };
  const folder = new URL("../chats/recorded/", import.meta.url);
  const amounts = amountsOf({
    model: "claude-sonnet-5.5",
    ...Object.fromEntries(amountNames.map((name) => [name, ""])),
  });

  for (const file of readdirSync(folder).filter((name) => /^\w+\.json$/.test(name)))
    it(`${file} are those of its audit`, () => {
      const recording = turnfold.readConversation(readFileSync(fileURLToPath(new URL(file, folder)), "utf8"));
      const { strategies } = turnfold.audit(recording, { prices: amounts.prices });
      const jobs = Object.keys(codes).map((strategy) => {
        const settings = { ...chatFromSaved({}), strategy, when: "worthIt" };
        return [strategy, parametersOf(settings, amounts).given];
      });
      const conversation = JSON.parse(JSON.stringify(recording.conversation));
      const own = { strategies: jobs, prices: amounts.prices, counter: "estimate", scale: null };
      for (const { name, cost, problem } of costRows({ kind: "chat", conversation, ...own })) {
        assert.equal(problem, "");
        const audited = strategies.find(({ code }) => code === codes[name]).cost;
        assert.ok(Math.abs(cost - audited) < 1e-6 * strategies[0].cost, `${name}: ${cost}, ${audited}`);
      }
    });
});

it("the first example costs less with its strategy than without one, and its messages have every name that it defines", async () => {
  const { store } = await openExample("suppliers");
  const { outcome, state } = store;
  const { frame } = outcome.value;
  const { turns: run, options: given } = frame.requestHistory;
  const job = {
    kind: "turns",
    step: savedRun({ turns: run, options: given }),
    strategies: [
      ["none", false],
      ["journal", given.compression],
    ],
    prices: modelOf(state.value.tokens.model).prices,
    counter: "estimate",
  };
  const [none, journal] = costRows(job);
  assert.ok(journal.cost < 0.8 * none.cost, `${journal.cost} of ${none.cost}`);
  assert.ok(frame.tokens < 0.7 * frame.plainTokens, `${frame.tokens} of ${frame.plainTokens}`);
  const sent = frame.messages.map(({ content }) => content).join("\n");
  const defined = state.value.turns.flatMap(({ program }) =>
    [...program.matchAll(/\(defn? (\S+)/g)].map(([, name]) => name),
  );
  assert.ok(defined.length > 20, `${defined.length} names`);
  const missing = defined.filter((name) => !sent.includes(name));
  assert.deepEqual(missing, []);
});

it("the first example of the Chat tab costs less with its strategy, and its requests have every name that later calls use", async () => {
  const { chatPlan, store } = await openPage();
  const { tokens } = store.state.value;
  const [none, chosen] = turnfold.needRecall(chatPlan.source.value.conversation, {
    strategies: { chosen: chatPlan.parameters.value.parameters },
    prices: modelOf(tokens.model).prices,
  });
  assert.ok(chosen.cost < 0.7 * none.cost, `${chosen.cost} of ${none.cost}`);
  for (const { hits, of } of [chosen.recall[2000], chosen.recall[8000]]) {
    assert.ok(of > 10, `${of} names`);
    assert.equal(hits, of);
  }
});
