// Undo and redo of all changes of the page.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { pickExample, visit } from "./visit.mjs";

const UNDO = "ControlOrMeta+z";
const REDO = "ControlOrMeta+Shift+z";

const button = (page, name) => page.getByRole("button", { name: new RegExp(`^${name} \\(`) });

const isPossible = async (page, name) => (await button(page, name).getAttribute("aria-disabled")) !== "true";

/** Stops `Date.now` of the page; returns a function that advances it by a second. */
async function freezeDate(page) {
  await page.evaluate(() => {
    let now = Date.now();
    Date.now = () => now;
    globalThis.later = () => {
      now += 1000;
    };
  });
  return () => page.evaluate(() => globalThis.later());
}

describe("typing", () => {
  it("is undone by pauses and by field, and redone", () =>
    visit({}, async (visitor, page) => {
      await eventually.equal(() => isPossible(page, "Undo"), false);
      const pause = await freezeDate(page);
      const mission = visitor.field("Mission");
      await mission.fill("");
      await pause();
      await mission.pressSequentially("one two");
      await pause();
      await mission.pressSequentially(" three");
      await visitor.toggleGroup("Tune");
      await visitor.field("Prints").pressSequentially("12");
      await eventually.match(() => visitor.userMessage(), /^one two three\n/);

      await visitor.pressKeys(UNDO);
      await eventually.equal(() => visitor.field("Prints").inputValue(), "");
      await eventually.equal(() => mission.inputValue(), "one two three");
      await visitor.pressKeys(UNDO);
      await eventually.equal(() => mission.inputValue(), "one two");
      await visitor.focusOn("Mission");
      await visitor.pressKeys(UNDO);
      await eventually.equal(() => mission.inputValue(), "");
      await visitor.pressKeys(REDO);
      await visitor.pressKeys(REDO);
      await eventually.equal(() => mission.inputValue(), "one two three");
      await visitor.pressKeys("ControlOrMeta+y");
      await eventually.equal(() => visitor.field("Prints").inputValue(), "12");
      await eventually.equal(() => isPossible(page, "Redo"), false);
      await visitor.pressKeys(UNDO);
      await visitor.pressKeys(UNDO);
      await eventually.match(() => visitor.userMessage(), /^one two\n/);
      // Another change discards the undone changes.
      await mission.pressSequentially("!");
      await eventually.equal(() => isPossible(page, "Redo"), false);
    }));

  it("in an editor is in the same undo history, and the cursor moves to the change", () =>
    visit({}, async (visitor, page) => {
      const pause = await freezeDate(page);
      await visitor.toggleTurn(4);
      const content = await visitor.write("Memory of turn 4", "{:candidates [1]}");
      await pause();
      await visitor.focusEnd("Memory of turn 4");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.type(" :more 2");
      await eventually.match(() => visitor.userMessage(), /\nmore +; = integer\n/);
      await visitor.pressKeys(UNDO);
      await eventually.equal(() => content.innerText(), "{:candidates [1]}");
      await eventually.doesNotMatch(() => visitor.userMessage(), /\nmore /);
      await page.keyboard.type(" :other 3");
      await eventually.equal(() => content.innerText(), "{:candidates [1] :other 3}");
      await visitor.pressKeys(UNDO);
      await visitor.pressKeys(UNDO);
      await eventually.match(() => content.innerText(), /^\{:candidates\s+\[\{:category/);
      await eventually.equal(() => isPossible(page, "Undo"), false);
      await visitor.pressKeys(REDO);
      await eventually.equal(() => content.innerText(), "{:candidates [1]}");
    }));

  it("in an editor is undone by the page when listeners for input run before the editor has read its text", () =>
    visit({}, async (visitor, page) => {
      await visitor.toggleTurn(4);
      const content = await visitor.write("Memory of turn 4", "{:candidates [1]}");
      // At such an event, the state of the page is that before the input.
      await content.evaluate((element) => element.dispatchEvent(new InputEvent("input", { bubbles: true })));
      await visitor.pressKeys(UNDO);
      await eventually.match(() => content.innerText(), /^\{:candidates\s+\[\{:category/);
      await eventually.equal(() => isPossible(page, "Redo"), true);
    }));

  it("into a field outside the page's state is undone by the browser", () =>
    visit({ fragment: "#example=expenses&tab=run" }, async (visitor, page) => {
      await visitor.choose("Endpoint");
      const model = visitor.field("Model name");
      await model.pressSequentially("small");
      await visitor.pressKeys(UNDO);
      await eventually.equal(() => page.getByRole("radio", { name: "Endpoint", exact: true }).isChecked(), true);
      await eventually.notEqual(() => model.inputValue(), "small");
    }));
});

it("undo covers turns, strategies, examples and tabs, and shows the tab of the change", () =>
  visit({}, async (visitor, page) => {
    const first = await visitor.messages();
    await visitor.press("Delete turn 1");
    await visitor.press("Move turn 2 up");
    await visitor.choose("rolling-window");
    await visitor.press("Add turn");
    const changed = await visitor.messages();
    await visitor.openExample("Log analysis, final turn, error standing");
    const logs = await visitor.messages();
    await visitor.showTab("Chat");
    await visitor.choose("chunked");
    await visitor.field("Group size").fill("7");

    await visitor.pressKeys(UNDO);
    await visitor.pressKeys(UNDO);
    await eventually.equal(() => visitor.strategy(), "digest");
    await button(page, "Undo").click();
    await page.getByRole("tab", { name: "Turns", selected: true }).waitFor();
    await eventually.deepEqual(() => visitor.messages(), changed);
    for (let left = 4; left > 0; left--) await visitor.pressKeys(UNDO);
    await eventually.deepEqual(() => visitor.messages(), first);
    await eventually.equal(() => isPossible(page, "Undo"), false);

    for (let left = 4; left > 0; left--) await visitor.pressKeys(REDO);
    await eventually.deepEqual(() => visitor.messages(), changed);
    await button(page, "Redo").click();
    await eventually.deepEqual(() => visitor.messages(), logs);
    await visitor.pressKeys(REDO);
    await visitor.pressKeys(REDO);
    await page.getByRole("tab", { name: "Chat", selected: true }).waitFor();
    await eventually.equal(() => visitor.field("Group size").inputValue(), "7");
  }));

it("undo returns to the tab from which an example was opened, and has no step for a change of tab alone", () =>
  visit({}, async (visitor, page) => {
    const isOn = (name) => page.getByRole("tab", { name, exact: true, selected: true }).waitFor();
    await visitor.showTab("REPL");
    assert.equal(await isPossible(page, "Undo"), false);
    await pickExample(page, "Support chat");
    await isOn("Chat");
    await visitor.showTab("Typed calls");
    await visitor.pressKeys(UNDO);
    await isOn("REPL");
    assert.equal(await isPossible(page, "Undo"), false);
    await visitor.showTab("Run");
    await visitor.pressKeys(REDO);
    await isOn("Chat");

    // “Undo” of the notice is the same step.
    await visitor.openExample("Expenses: two failed turns, recovered");
    await isOn("Run");
    await visitor.press("Undo");
    await isOn("Chat");
    await button(page, "Undo").click();
    await isOn("REPL");
  }));

it("undo returns the focus to a restored turn", () =>
  visit({}, async (visitor, page) => {
    await page.getByRole("button", { name: "Delete turn 2" }).focus();
    await page.keyboard.press("Enter");
    await eventually.equal(() => page.locator(".turn").count(), 4);
    await visitor.pressKeys(UNDO);
    await eventually.equal(() => page.locator(".turn").count(), 5);
    await page.waitForFunction(() => document.activeElement.textContent.startsWith("Turn 2"));
  }));

it("undo shares its history with the “Undo” of notices", () =>
  visit({}, async (visitor, page) => {
    await visitor.press("Delete turn 5");
    await visitor.field("Mission").fill("Later");
    await visitor.press("Undo");
    await eventually.match(() => visitor.userMessage(), /^Find well-reviewed/);
    await eventually.equal(() => page.locator(".turn").count(), 5);
    await visitor.pressKeys(REDO);
    await eventually.equal(() => page.locator(".turn").count(), 4);
    await visitor.pressKeys(REDO);
    await eventually.match(() => visitor.userMessage(), /^Later/);
    await eventually.equal(() => isPossible(page, "Redo"), false);
  }));

describe("a run", () => {
  it("of all turns is one change", () =>
    visit({ fragment: "#example=logs" }, async (visitor, page) => {
      await visitor.field("Mission").fill("Again");
      await visitor.press("Run all");
      await page.locator(".notice", { hasText: /Turn 4/ }).waitFor({ timeout: 60_000 });
      await visitor.pressKeys(UNDO);
      await eventually.match(() => visitor.userMessage(), /^Again/);
      await visitor.pressKeys(UNDO);
      await eventually.match(() => visitor.userMessage(), /^Checkout was slow/);
      await eventually.equal(() => isPossible(page, "Undo"), false);
    }));

  it("of the agent is one change, and undoing stops it", async () => {
    const tools = [{ name: "wait", signature: "() -> :any", answer: "1", delay: "60000" }];
    const replies = ["```clojure\n(def a 1)\n```", "```clojure\n(tool/wait)\n```"];
    await visit({ fragment: await linkTo({ tools, replies }, "run") }, async (visitor, page) => {
      await page.locator("#run-agent").click();
      await visitor.sees("Turn 2 calls wait …");
      await eventually.equal(() => page.locator(".turn").count(), 1);
      await visitor.pressKeys(UNDO);
      await page.locator(".agent-status:empty").waitFor({ state: "attached" });
      await eventually.equal(() => page.locator(".turn").count(), 0);
      await eventually.equal(() => isPossible(page, "Undo"), false);
      await visitor.pressKeys(REDO);
      await eventually.equal(() => page.locator(".turn").count(), 1);
    });
  });
});

it("undo keeps at most 300 changes", () =>
  visit({}, async (_, page) => {
    await page.evaluate(async () => {
      const names = ["none", "aggressive"];
      const select = document.querySelector(".strategy-bar select");
      for (let change = 0; change < 400; change++) {
        select.value = names[change % 2];
        select.dispatchEvent(new Event("change", { bubbles: true }));
        if (change % 20 === 0) await new Promise((painted) => requestAnimationFrame(painted));
      }
    });
    let count = 0;
    while (await isPossible(page, "Undo")) {
      await page.evaluate(() => {
        for (let step = 0; step < 10; step++) document.querySelector('[aria-label^="Undo ("]').click();
      });
      count += 10;
      assert.ok(count <= 300, "at most 300 changes are kept");
    }
    assert.equal(count, 300);
  }));
