// Loads the steps and records in tests/saved, which an earlier version saved, before messages listed the definitions that a failure undoes.
// A replay distinguishes changed wording from a changed course.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { replay, Step, SubAgent, TurnfoldError } from "turnfold";
import { root } from "../../scripts/tools.mjs";

const saved = (name) => JSON.parse(readFileSync(join(root, "tests", "saved", name), "utf8"));

const counter = { name: "words", method: "exact", count: (text) => text.split(/\s+/).length };

/** The agent of both steps. */
const agentWith = (compression, mission = "Send Ann the price of the cheapest lamp") =>
  new SubAgent({
    mission,
    signature: "(who :string, limit :int?) -> {price :float}",
    maxTurns: 8,
    compression,
    tools: {
      search: ["(query :string) -> [{name :string, price :float}]", () => assert.fail("no tool is called")],
      mail: ["(to :string, text :string) -> :any", () => assert.fail("no tool is called")],
    },
  });

const replayed = async (agent, step) => {
  try {
    return { step: await replay(agent, step), error: null };
  } catch (error) {
    assert.ok(TurnfoldError.isInstance(error), error);
    return { step: null, error };
  }
};

suite("a step that an earlier version saved", () => {
  for (const name of ["step-of-a-mail.json", "step-with-messages.json"]) {
    test(`is loaded to the same bytes: ${name}`, () => {
      const step = Step.fromJSON(saved(name));
      assert.deepEqual(JSON.parse(JSON.stringify(step)), saved(name));
      assert.deepEqual(step.return, { price: 9.5 });
      assert.equal(step.messagesAt(3)[1].role, "user");
    });
  }

  test("is replayed with the same course, and the error lists the turns whose texts differ", async () => {
    const step = Step.fromJSON(saved("step-of-a-mail.json"));
    const { error } = await replayed(agentWith(true), step);
    assert.equal(error.code, "rendering_changed");
    assert.match(error.message, /goes the same way, but its model would read other texts at turn 3, 4/);
    assert.ok(error.details.turns.includes(3), "the names that the second turn lost");
    const { step: again } = error.details;
    assert.deepEqual(again.return, step.return);
    assert.deepEqual(again.turns[1].defined, ["r", "n"]);
    assert.deepEqual(
      again.turns.map(({ success }) => success),
      step.turns.map(({ success }) => success),
    );
    // The replayed step is of this version, and replays unchanged.
    assert.deepEqual((await replay(agentWith(true), again)).toJSON(), again.toJSON());
  });

  test("has its saved messages compared", async () => {
    const step = Step.fromJSON(saved("step-with-messages.json"));
    const { error } = await replayed(agentWith(["aggressive", { budget: 60, counter }]), step);
    assert.equal(error.code, "rendering_changed");
    assert.deepEqual(error.details.turns, [3, 4, 5, 6, 7]);
    assert.match(error.hint, /another version of turnfold/);
  });

  test("diverges where its calls differ, like any step", async () => {
    const changed = saved("step-of-a-mail.json");
    changed.turns[0].toolCalls[0].args = { query: "Desk" };
    const { error } = await replayed(agentWith(true), Step.fromJSON(changed));
    assert.equal(error.code, "replay_diverged");
    assert.match(error.message, /at turn 1: it would call .* with .* instead of .* with \{"query":"Desk"\}/);
    const other = saved("step-of-a-mail.json");
    other.turns[4].prints = ["hello"];
    const { error: printed } = await replayed(agentWith(true), Step.fromJSON(other));
    assert.equal(printed.code, "replay_diverged");
    assert.match(printed.message, /at turn 5: its prints(\[0\])? would be .* instead of /);
    const { turn, member, path, recorded } = printed.details;
    assert.deepEqual([turn, member, path, recorded], [5, "prints", "prints[0]", "hello"]);
  });
});

test("an integer of a saved step must be written in decimal digits", () => {
  const step = (digits) => ({ ...saved("step-of-a-mail.json"), return: { $int: digits } });
  for (const digits of ["", " ", " 5", "0x10", "1_0", "1n", 5, null]) {
    assert.throws(
      () => Step.fromJSON(step(digits)).return,
      (error) =>
        TurnfoldError.isInstance(error) && error.code === "invalid_json" && /decimal digits/.test(error.message),
      JSON.stringify(digits),
    );
  }
  assert.equal(Step.fromJSON(step("-12345678901234567890")).return, -12345678901234567890n);
});

suite("a run that an earlier version left waiting", () => {
  const waiting = () => {
    const refunded = [];
    const agent = new SubAgent({
      mission: "Refund.",
      systemPrompt: "Write programs.",
      tools: {
        refund: {
          signature: "(order :int) -> :string",
          needsApproval: true,
          run: ({ order }) => {
            refunded.push(order);
            return `refunded ${order}`;
          },
        },
        price: ["(order :int) -> :int", () => assert.fail("a tool that answered is not called")],
      },
      llm: () => assert.fail("no model is asked"),
    });
    return { agent, refunded };
  };
  const answers = { "2.0": true, 2.1: { result: "by hand" } };

  test("goes on from its step", async () => {
    const { agent, refunded } = waiting();
    const step = Step.fromJSON(saved("step-that-waits.json"));
    assert.deepEqual(JSON.parse(JSON.stringify(step)), saved("step-that-waits.json"));
    assert.deepEqual((await agent.resume(step, { answers })).return, ["refunded 50", "by hand"]);
    assert.deepEqual(refunded, [50]);
  });

  test("goes on from its records", async () => {
    const { agent, refunded } = waiting();
    const lines = readFileSync(join(root, "tests", "saved", "records-that-wait.jsonl"), "utf8")
      .trim()
      .split("\n");
    const done = await agent.resume(
      lines.map((line) => JSON.parse(line)),
      { answers },
    );
    assert.deepEqual([done.return, refunded], [["refunded 50", "by hand"], [50]]);
  });
});
