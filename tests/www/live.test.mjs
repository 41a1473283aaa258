// Programs that run while they are edited, and the lines of the messages that they change.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { visit } from "./visit.mjs";

const turns = [
  {
    program: '(def a (tool/read {:path "a.txt"}))\n(println "read" a)',
    prints: ["read 20"],
    calls: [{ name: "read", args: '{:path "a.txt"}', result: "20" }],
    memory: "{:a 20}",
  },
  { program: '(def b (* a 2))\n(println "b is" b)', prints: ["b is 40"], memory: "{:b 40}" },
  { program: '(println "nothing of a or b")', prints: ["nothing of a or b"] },
  { program: '(println "c is" (inc b))', prints: ["c is 41"] },
];
const state = { mission: "Read", tools: [{ name: "read", signature: "(path :string) -> :int" }], turns };

/** Replaces the program of a turn in its open editor. */
const write = (visitor, turn, program) => visitor.write(`Program of turn ${turn}`, program);

describe("a program that is edited", () => {
  it("runs with the recorded answers, and those that depend on it follow in order", async () =>
    visit({ fragment: await linkTo(state) }, async (visitor, page) => {
      await visitor.toggleTurn(1);
      await write(visitor, 1, '(def a (inc (tool/read {:path "a.txt"})))\n(println "read" a)');
      await eventually.match(() => visitor.userMessage(), /\nread 21\nb is 42\nnothing of a or b\nc is 43\n/);
      await eventually.equal(() => page.locator(".badge", { hasText: "outdated" }).count(), 0);
      assert.deepEqual(visitor.foreignRequests, []);
      // One step back: the text and all results.
      await visitor.press("Undo (Ctrl+Z)");
      await eventually.match(() => visitor.userMessage(), /\nread 20\nb is 40\nnothing of a or b\nc is 41\n/);
    }));

  it("shows a syntax error and an unknown name, and keeps the last results", async () =>
    visit({ fragment: await linkTo(state) }, async (visitor, page) => {
      await visitor.toggleTurn(2);
      for (const [program, problem] of [
        ["(def b (* a 3)", /never closed/],
        ["(def b (* aa 3))", /`aa` is not defined/],
      ]) {
        await write(visitor, 2, program);
        await eventually.match(() => page.locator(".turn .field-problem").innerText(), problem);
        assert.match(await visitor.userMessage(), /\nb is 40\n.*\nc is 41\n/s);
      }
      await eventually.equal(() => visitor.turn(2).locator(".badge", { hasText: "outdated" }).count(), 1);
      await write(visitor, 2, '(def b (* a 3))\n(println "b is" b)');
      await eventually.match(() => visitor.userMessage(), /\nb is 60\n.*\nc is 61\n/s);
      await eventually.equal(() => page.locator(".turn .field-problem").count(), 0);
      await page.waitForTimeout(1000);
      await write(visitor, 2, "(def b (* a");
      await eventually.match(() => page.locator(".turn .field-problem").innerText(), /never closed/);
      await visitor.press("Undo (Ctrl+Z)");
      await eventually.equal(() => page.locator(".turn .field-problem").count(), 0);
      await eventually.equal(() => page.locator(".badge", { hasText: "outdated" }).count(), 0);
    }));

  it("says where no answer is recorded, and runs when there is one", async () =>
    visit({ fragment: await linkTo(state) }, async (visitor, page) => {
      await visitor.toggleTurn(1);
      await write(visitor, 1, '(def a (tool/read {:path "b.txt"}))\n(println "read" a)');
      const problem = page.locator(".turn .field-problem");
      await eventually.match(() => problem.innerText(), /No answer is recorded for \(tool\/read {:path "b.txt"}\)/);
      await eventually.match(() => visitor.userMessage(), /\nread 20\nb is 40\n/);
      await eventually.deepEqual(() => visitor.axeFindings(), []);
      await visitor.press("Add call");
      await visitor.field("Tool of call 2 of turn 1").fill("read");
      await write(visitor, 1, '(def a (tool/read {:path "b.txt"}))\n(println "read it:" a)');
      await visitor.write("Arguments of call 2 of turn 1", '{:path "b.txt"}');
      await visitor.write("Result of call 2 of turn 1", "5");
      await eventually.match(() => visitor.userMessage(), /\nread it: 5\nb is 10\nnothing of a or b\nc is 11\n/);
      await eventually.equal(() => problem.count(), 0);
    }));

  it("ends after two seconds and keeps the last results", async () =>
    visit(
      { fragment: await linkTo({ ...state, limits: { fuel: "100000000000000", loopIterations: "100000000000" } }) },
      async (visitor, page) => {
        await visitor.toggleTurn(3);
        await write(visitor, 3, "(loop [i 0] (recur (inc i)))");
        await eventually.match(() => page.locator(".turn .field-problem").innerText(), /Press Run to run it/);
        await eventually.match(() => visitor.userMessage(), /\nnothing of a or b\n/);
      },
    ));

  it("does not run while the switch is off, nor in a link that is opened", async () =>
    visit(
      { fragment: await linkTo({ ...state, turns: [{ ...turns[0], prints: ["by hand"] }] }) },
      async (visitor, page) => {
        await eventually.match(() => visitor.userMessage(), /\nby hand\n/);
        await page.getByLabel("Run while typing").uncheck();
        await visitor.toggleTurn(1);
        await write(visitor, 1, "(println 5)");
        await page.waitForTimeout(700);
        assert.match(await visitor.userMessage(), /\nby hand\n/);
        await page.getByLabel("Run while typing").check();
        await write(visitor, 1, "(println 6)");
        await eventually.match(() => visitor.userMessage(), /\n6\n/);
      },
    ));
});

it("changed lines are highlighted for a moment, without motion where it is reduced", async () => {
  for (const reducedMotion of ["no-preference", "reduce"])
    await visit({ fragment: await linkTo(state), reducedMotion }, async (visitor, page) => {
      await visitor.toggleTurn(2);
      await page.evaluate(() => {
        globalThis.lit = [];
        const { animate } = Element.prototype;
        Element.prototype.animate = function (frames, options) {
          if (this.matches(".section-text")) globalThis.lit.push([this.textContent.trim(), options.easing]);
          return animate.call(this, frames, options);
        };
      });
      await write(visitor, 2, '(def b (* a 5))\n(println "b is" b)');
      await eventually.match(() => visitor.userMessage(), /\nb is 100\n/);
      const easing = reducedMotion === "reduce" ? "steps(1)" : "ease-in";
      await eventually.deepEqual(
        () => page.evaluate(() => globalThis.lit.filter(([text]) => /is \d/.test(text))),
        [
          ["b is 100", easing],
          ["c is 101", easing],
        ],
      );
    });
});

it("the message is new one frame after the run", async () =>
  visit({ fragment: await linkTo(state) }, async (visitor, page) => {
    await visitor.toggleTurn(4);
    await page.locator('.cm-content[aria-label="Program of turn 4"]').waitFor();
    // The field with the result of the run, and the message, are of the same frame.
    await page.evaluate(() => {
      globalThis.apart = 0;
      const look = () => {
        const print = document.querySelector('.turn[data-turn="4"] .print-row textarea')?.value;
        const isShown = document.querySelector(".messages").textContent.includes(print);
        if (!isShown) globalThis.apart++;
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await write(visitor, 4, '(println "c is" (+ b 9))');
    await eventually.match(() => visitor.userMessage(), /\nc is 49\n/);
    assert.ok((await page.evaluate(() => globalThis.apart)) <= 1);
  }));
