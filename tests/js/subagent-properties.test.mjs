// Properties of every run, for any results of model and tools.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { fork, formatTrace, replay, Step } from "turnfold";
import { share } from "./random.mjs";
import { randomRun } from "./random-runs.mjs";
import { same, timeless } from "./same-texts.mjs";

const RUNS = share(300);

async function ran(seed) {
  const random = randomRun(seed);
  const step = await random.agent.run({ ...random.options(), data: random.data });
  return { ...random, step, requests: [...random.requests] };
}

suite("every run", () => {
  const runs = [];
  test("ends in a step", async () => {
    const reasons = new Map();
    for (let seed = 1; seed <= RUNS; seed++) {
      const run = await ran(seed);
      runs.push({ ...run, seed });
      const reason = run.step.fail?.reason ?? "ok";
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    const wanted = ["ok", "max_turns_exceeded", "llm_error", "aborted", "turn_budget_exhausted", "gave-up", "failed"];
    for (const reason of wanted) assert.ok(reasons.has(reason), `no run ended with ${reason}`);
    assert.ok(runs.reduce((sum, { step }) => sum + step.turns.length, 0) > 2 * RUNS);
  });

  test("is saved and loaded to the same bytes, including memory", () => {
    for (const { step, seed } of runs) {
      const saved = JSON.stringify(step);
      const loaded = Step.fromJSON(saved);
      same(JSON.stringify(loaded), saved, `seed ${seed}`);
      for (const [index, turn] of step.turns.entries()) {
        same(JSON.stringify(loaded.turns[index]), JSON.stringify(turn), `seed ${seed}, turn ${index + 1}`);
      }
      assert.deepEqual(loaded.messages, step.messages);
    }
  });

  test("has the messages that the model was sent", () => {
    for (const { step, requests, seed } of runs) {
      for (const { turn, messages } of requests) assert.deepEqual(step.messagesAt(turn), messages, `seed ${seed}`);
    }
  });

  test("is replayed to the same bytes", async () => {
    for (const { agent, step, seed } of runs) {
      const saved = JSON.stringify(step);
      const again = await replay(agent, Step.fromJSON(saved)).catch((error) =>
        assert.fail(`seed ${seed}: ${error.message}`),
      );
      same(JSON.stringify(again), saved, `seed ${seed}`);
    }
  });

  test("is forked at every turn to the same turns", async () => {
    for (const { agent, step, options, seed } of runs) {
      const loaded = Step.fromJSON(JSON.stringify(step));
      for (let turn = 1; turn <= step.turns.length; turn++) {
        const forked = await fork(agent, loaded, turn, options());
        same(timeless(forked.turns), timeless(step.turns), `seed ${seed}, turn ${turn}`);
        assert.deepEqual([forked.fail, timeless(forked.return)], [step.fail, timeless(step.return)], `seed ${seed}`);
        assert.deepEqual(forked.warnings, step.warnings, `seed ${seed}, turn ${turn}`);
      }
    }
  });

  test("can be formatted as a trace", () => {
    for (const { step } of runs.slice(0, 100)) {
      for (const view of ["turns", "compressed"]) formatTrace(step, { view, raw: true, usage: true, color: true });
    }
  });
});
