// Running the programs of the turn list. The programs of the examples run in tests/playground.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { visit } from "./visit.mjs";

describe("a turn that runs", () => {
  const turns = [
    { program: "(def a 1)", memory: "{:a 40}", result: "40" },
    { program: '(def b (+ a 2))\n(defn add "Adds b" [x] (+ x b))\n(println "b is" b)\n(tool/double {:n b})' },
    { program: "(add (count data/items))" },
  ];
  const tools = [{ name: "double", signature: "(n :int) -> :int", answer: "({ n }) => n * 2" }, { name: "mute" }];
  const state = { tools, data: "{:items [1 2 3]}", turns };

  it("uses the page's memory, data and tools, and fills in its fields", async () =>
    visit({ fragment: await linkTo(state) }, async (visitor) => {
      await visitor.press("Run turn 2");
      await visitor.sees("Turn 2 succeeded.");
      await visitor.toggleTurn(2);
      await eventually.equal(() => visitor.field("Print 1 of turn 2").inputValue(), "b is 42");
      await eventually.equal(() => visitor.field("Tool of call 1 of turn 2").inputValue(), "double");
      await eventually.equal(() => visitor.field("Name of function 1 of turn 2").inputValue(), "add");
      await eventually.equal(() => visitor.field("Parameters of function 1 of turn 2").inputValue(), "x");
      await eventually.equal(() => visitor.field("Docstring of function 1 of turn 2").inputValue(), "Adds b");
      for (const [label, text] of [
        ["Arguments of call 1 of turn 2", "{:n 42}"],
        ["Result of call 1 of turn 2", "84"],
        ["Memory of turn 2", "{:b 42}"],
        ["Result of turn 2", "84"],
      ]) {
        await eventually.equal(() => visitor.read(label), text, label);
      }
      const message = await visitor.userMessage();
      assert.match(message, /\n\(add \[x\]\) +; "Adds b"/);
      assert.match(message, /; {3}double\(\{:n 42\}\)/);

      // A function of an earlier turn is restored from that turn's program.
      await visitor.press("Run turn 3");
      await visitor.sees("Turn 3 succeeded.");
      await visitor.toggleTurn(2);
      await visitor.toggleTurn(3);
      await eventually.equal(() => visitor.read("Result of turn 3"), "45");
      await visitor.press("Undo");
      await eventually.match(() => visitor.userMessage(), /double/);
    }));

  it("fails with its error, keeps prints and calls, and does not change later turns", async () => {
    const failing = { ...state, turns: [{ program: '(println "on")\n(def c 1)\n(tool/mute)' }, ...turns.slice(1)] };
    await visit({ fragment: await linkTo(failing) }, async (visitor) => {
      await visitor.press("Run turn 1");
      await visitor.sees(/Turn 1 failed: .*it has no answer: write one for it under Tools on the Run or REPL tab/);
      await eventually.equal(() => visitor.turn(1).getAttribute("data-outcome"), "failure");
      await eventually.equal(() => visitor.turn(2).getAttribute("data-outcome"), "success");
      await visitor.toggleTurn(1);
      await eventually.equal(() => visitor.field("Reason").inputValue(), "tool_error");
      await eventually.equal(() => visitor.field("Print 1 of turn 1").inputValue(), "on");
      await eventually.match(() => visitor.field("Error of call 1 of turn 1").inputValue(), /no answer/);
    });
  });

  it("fails after (fail …)", async () =>
    visit(
      { fragment: await linkTo({ turns: [{ program: '(fail {:reason :no-stock :message "sold out"})' }] }) },
      async (visitor) => {
        await visitor.press("Run turn 1");
        await visitor.sees("Turn 1 failed: sold out.");
        await visitor.toggleTurn(1);
        await eventually.equal(() => visitor.field("Reason").inputValue(), "no-stock");
      },
    ));

  it("runs in order with all others, by keyboard", async () =>
    visit({ fragment: await linkTo(state) }, async (visitor, page) => {
      await page.getByRole("button", { name: "Run all" }).focus();
      await page.keyboard.press("Enter");
      await visitor.sees("3 turns succeeded.");
      await visitor.toggleTurn(3);
      await eventually.equal(() => visitor.read("Result of turn 3"), "6");
    }));

  it("is unchanged after a stop", async () => {
    const slow = {
      tools: [{ name: "slow", answer: "1", delay: "60000" }],
      turns: [{ program: "(tool/slow)", prints: ["kept"] }],
    };
    await visit({ fragment: await linkTo(slow) }, async (visitor) => {
      await visitor.press("Run turn 1");
      await visitor.press("Stop turn 1");
      await visitor.sees("Stopped.");
      await eventually.match(() => visitor.userMessage(), /\nkept\n/);
      await visitor.press("Run all");
      await visitor.press("Stop");
      await visitor.sees("Stopped.");
    });
  });

  it("says why it can't run: an invalid answer of a tool", async () => {
    const broken = { tools: [{ name: "x", answer: "(" }], turns: [{ program: "1" }] };
    await visit({ fragment: await linkTo(broken) }, async (visitor) => {
      await visitor.press("Run turn 1");
      await visitor.sees("Tools, data or limits can’t be read");
    });
  });
});
