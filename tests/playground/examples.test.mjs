// Runs the programs, agents and REPL programs of the examples.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openExample, openPage } from "./page.mjs";

const ofTurns = ["suppliers", "shopping", "emails", "travel", "logs", "orders", "reviews"];

describe("running the programs of an example gives the results that its turns record", () => {
  for (const id of ofTurns) {
    it(id, async (context) => {
      const { running, store } = await openExample(id);
      const { edit, notice, outcome, state } = store;
      const max = { sampleLimit: "1000", samplePrintableLimit: "1000", printlnLimit: "1000", toolCallLimit: "1000" };
      edit({ options: { ...state.value.options, ...max }, toolResults: true });
      const everything = () =>
        ["none", "single-user-coalesced"].flatMap((strategy) => {
          edit({ strategy });
          return outcome.value.frame.messages.flatMap(({ content }) => content.split("\n"));
        });
      const recorded = everything();
      const before = state.value;
      for (const [index, turn] of before.turns.entries()) {
        await running.runTurn(turn.id);
        assert.match(notice.value.text, new RegExp(`Turn ${index + 1} (succeeded|failed)`));
        // A program is not compared while it uses a function that the library does not have.
        const missing = /`[^`]+` is not defined/.exec(notice.value.text)?.[0];
        if (missing === undefined || recorded.some((line) => line.includes(missing))) {
          const now = everything();
          const different = now.findIndex((line, place) => line !== recorded[place]);
          assert.equal(now[different], recorded[different], `turn ${index + 1}`);
          assert.equal(now.length, recorded.length);
        } else context.diagnostic(`turn ${index + 1} is not compared yet: ${missing}`);
        state.value = before;
      }
    });
  }
});

it("the program of each example runs in the REPL", async () => {
  for (const id of ofTurns) {
    const { repl } = await openExample(id, "repl");
    await repl.runProgram();
    const [run] = repl.runs.value;
    assert.deepEqual([run.number, run.error], [1, null], id);
    assert.notEqual(run.signal, "fail", id);
  }
});

it("the agent of each example returns, with a scripted reply for each turn, after the answers for which it waits", async () => {
  const { examples } = (await openPage()).exampleList;
  const agents = examples.filter(({ tabs }) => tabs.includes("run"));
  assert.ok(agents.length > 5);
  for (const { id } of agents) {
    const { session, store } = await openExample(id, "run");
    await session.runAgent();
    if (store.state.value.waiting !== "") {
      const { calls } = JSON.parse(store.state.value.waiting).waiting;
      const answers = calls.map(({ id, reason }) => [id, reason === "later" ? { result: "later" } : true]);
      assert.equal(await session.answerCalls(Object.fromEntries(answers)), null, id);
    }
    const { step } = session.ended.value;
    assert.equal(step.ok, true, id);
    const { turns, replies } = store.state.value;
    assert.equal(turns.length, step.turns.length, id);
    assert.equal(replies.length, turns.length, id);
  }
});
