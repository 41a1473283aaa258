// The command palette, shortcuts, and settings of the whole page.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { visit } from "./visit.mjs";

const OPEN = "ControlOrMeta+k";

const options = (page) => page.getByRole("dialog").getByRole("option");

/** Opens the palette, types, and takes the first command. */
async function command(page, words) {
  await page.keyboard.press(OPEN);
  await page.getByRole("combobox", { name: "Command" }).waitFor();
  await page.keyboard.type(words);
  await page.keyboard.press("Enter");
  await page.locator(".palette").waitFor({ state: "detached" });
  // The command runs in the frame after the dialog is closed.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

describe("the palette", () => {
  it("finds commands while typing, moves by arrow keys, and returns the focus", () =>
    visit({}, async (visitor, page) => {
      await visitor.field("Mission").focus();
      await page.keyboard.press(OPEN);
      const input = page.getByRole("combobox", { name: "Command" });
      await input.waitFor();
      await eventually.equal(() => input.evaluate((element) => element === document.activeElement), true);
      const all = await options(page).count();
      assert.ok(all > 30, `${all} commands`);
      await page.keyboard.type("STRAT win");
      await eventually.deepEqual(() => options(page).allInnerTexts(), ["Strategy\nRolling window"]);
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type("copy");
      const selected = () => page.getByRole("dialog").getByRole("option", { selected: true }).innerText();
      await eventually.match(() => selected(), /Copy link/);
      await page.keyboard.press("ArrowDown");
      await eventually.match(() => selected(), /Copy as Markdown/);
      const active = await input.getAttribute("aria-activedescendant");
      await eventually.match(() => page.locator(`#${active}`).innerText(), /Copy as Markdown/);
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      await eventually.match(() => selected(), /Copy as test/);
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.type("no such thing");
      await visitor.sees("No command has these words.");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await visitor.focusOn("Mission");
      await page.keyboard.press(OPEN);
      await input.waitFor();
      await page.keyboard.press(OPEN);
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await visitor.focusOn("Mission");
    }));

  it("runs commands of every group", () =>
    visit({}, async (visitor, page) => {
      await command(page, "rolling");
      await eventually.equal(() => visitor.strategy(), "rolling-window");
      await command(page, "undo");
      await eventually.notEqual(() => visitor.strategy(), "rolling-window");
      await command(page, "redo");
      await eventually.equal(() => visitor.strategy(), "rolling-window");
      await command(page, "chat tab");
      await page.getByRole("tab", { name: "Chat", selected: true }).waitFor();
      await command(page, "add turn");
      await visitor.focusOn("Program of turn 6");
      await eventually.equal(() => page.locator(".turn").count(), 6);
      await command(page, "fifty");
      await visitor.sees("Opened “Fifty emails, triaged unseen”.");
      await command(page, "copy link");
      await visitor.sees("Link copied.");
      await eventually.match(() => page.evaluate(() => navigator.clipboard.readText()), /#example=emails$/);
      await command(page, "dark");
      await eventually.equal(() => page.evaluate(() => document.documentElement.dataset.theme), "dark");
      await command(page, "delete all");
      await visitor.sees("No turns yet");
      await command(page, "reset");
      await eventually.equal(() => page.locator(".turn").count(), 4);
      await command(page, "shortcuts");
      await page.getByRole("dialog", { name: "Shortcuts" }).waitFor();
      await visitor.press("Close the shortcuts");
      await command(page, "support");
      await page.getByRole("tab", { name: "Chat", selected: true }).waitFor();
      await visitor.sees(/each message says whether it is kept/);
      await command(page, "signature with history");
      await page.getByRole("tab", { name: "Typed calls", selected: true }).waitFor();
      await command(page, "copy as markdown");
      await visitor.sees("Markdown copied.");
      await eventually.match(
        () => page.evaluate(() => navigator.clipboard.readText()),
        /^### question, history: History -\\> /,
      );
      const [documents] = await Promise.all([page.context().waitForEvent("page"), command(page, "documents")]);
      await documents.getByRole("heading", { name: "Turnfold: the documents" }).waitFor();
    }));

  it("runs a clicked command, and closes after a click outside", () =>
    visit({}, async (visitor, page) => {
      await page.keyboard.press(OPEN);
      await options(page).filter({ hasText: "Token budget" }).click();
      await eventually.equal(() => visitor.strategy(), "aggressive");
      await page.keyboard.press(OPEN);
      await options(page).first().waitFor();
      await page.mouse.click(5, 700);
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }));
});

describe("the shortcuts", () => {
  it("are listed under ?, but not while typing", () =>
    visit({}, async (visitor, page) => {
      await visitor.field("Mission").focus();
      await page.keyboard.press("End");
      await page.keyboard.type("?");
      await eventually.match(() => visitor.field("Mission").inputValue(), /\?/);
      await eventually.equal(() => page.getByRole("dialog").count(), 0);
      await visitor.toggleTurn(1);
      await visitor.write("Program of turn 1", "(f ?)");
      await eventually.equal(() => page.getByRole("dialog").count(), 0);
      await page.getByRole("tab", { name: "Turns" }).focus();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Shortcuts" }).waitFor();
      await visitor.sees("Undo, on the whole page");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }));
});

it(`palette and shortcuts have no axe violations and fit 360 px`, () =>
  visit({ height: 740 }, async (visitor, page) => {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 });
      for (const [keys, ready] of [
        [OPEN, "option"],
        ["?", "heading"],
      ]) {
        await page.keyboard.press(keys);
        await page.getByRole("dialog").getByRole(ready).first().waitFor();
        await eventually.deepEqual(() => visitor.axeFindings(), []);
        const box = await page.getByRole("dialog").boundingBox();
        assert.ok(box.x >= 0 && box.x + box.width <= width, `${keys} at ${width}`);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      }
    }
  }));

it("no cursor blinks and nothing moves with prefers-reduced-motion", () =>
  visit({ reducedMotion: "reduce" }, async (visitor, page) => {
    await visitor.toggleTurn(1);
    await visitor.write("Program of turn 1", "1");
    const moving = await page.evaluate(() => document.getAnimations().length);
    assert.equal(moving, 0);
    const transitions = await page.evaluate(
      () =>
        [...document.querySelectorAll("*")].filter(
          (each) => !/^(0s(, )?)+$/.test(getComputedStyle(each).transitionDuration),
        ).length,
    );
    assert.equal(transitions, 0);
  }));
