// The playground by keyboard, with a screen reader, in both themes, on a phone, and with a long history.

import { it } from "node:test";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { overflow, visit } from "./visit.mjs";
import { assertWork, mostForAKey, stopClock } from "./work.mjs";

it("adds a turn by keyboard alone", () =>
  visit({}, async (visitor, page) => {
    await visitor.tabTo("Add turn");
    await page.keyboard.press("Enter");
    await visitor.focusOn("Program of turn 6");
    await page.waitForSelector('.cm-content[aria-label="Program of turn 6"]:focus');
    await page.keyboard.type('(println "done")');
    // It runs after a pause, and prints.
    await eventually.match(() => visitor.userMessage(), /Monitor: 340 EUR, 4.6 stars\ndone\n/);
    await visitor.tabTo("Add print");
    await page.keyboard.press("Enter");
    await visitor.focusOn("Print 2 of turn 6");
    await page.keyboard.type("and more");
    await eventually.match(() => visitor.userMessage(), /Monitor: 340 EUR, 4.6 stars\ndone\nand more\n/);
    await visitor.tabTo("Memory of turn 6");
    await page.keyboard.type("{:finished true}");
    await eventually.match(() => visitor.userMessage(), /\nfinished +; = boolean\n/);
  }));

it("keeps the focus on the button while a turn moves", () =>
  visit({}, async (visitor, page) => {
    await page.getByRole("button", { name: "Move turn 3 up" }).focus();
    for (const place of ["Move turn 2 up", "Move turn 1 up", "Move turn 1 up"]) {
      await page.keyboard.press("Enter");
      await visitor.focusOn(place);
    }
    await eventually.equal(() => visitor.turn(1).getAttribute("data-outcome"), "failure");
  }));

it("announces messages and tokens", () =>
  visit({}, (_, page) =>
    page
      .locator('[aria-live="polite"]', { hasText: /^One message: 2 messages, about [\d,]+ tokens/ })
      .waitFor({ state: "attached" }),
  ));

it("follows the system's theme until another is chosen, and again after that choice is reset", () =>
  visit({ colorScheme: "dark" }, async (visitor, page) => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await background();
    await visitor.press("Menu");
    await visitor.choose("Light");
    await eventually.notEqual(background, dark);
    const light = await background();
    await page.reload();
    await page.waitForSelector("main");
    await eventually.equal(() => background(), light);
    await visitor.press("Menu");
    await visitor.choose("Dark");
    await page.emulateMedia({ colorScheme: "light" });
    await eventually.equal(() => background(), dark);
    await visitor.choose("System");
    await eventually.equal(() => background(), light);
    await page.emulateMedia({ colorScheme: "dark" });
    await eventually.equal(() => background(), dark);
  }));

it(`has no axe violations`, () =>
  visit({ fragment: "#example=logs" }, async (visitor, page) => {
    await visitor.toggleTurn(2);
    await visitor.toggleTurn(4);
    for (const group of await page.locator(".group-toggle").all()) await group.click();
    for (const summary of await page.locator(".drop-group summary").all()) await summary.click();
    await page.locator('.message[data-role="system"] .message-toggle').click();
    await eventually.deepEqual(() => visitor.axeFindings(), []);
    await visitor.write("Memory of turn 2", "{");
    await visitor.sees("These are the last valid messages.");
    await eventually.deepEqual(() => visitor.axeFindings(), []);
  }));

it(`fits 360 px and has no axe violations`, () =>
  visit({ width: 360, height: 740 }, async (visitor, page) => {
    const history = page.locator("#history");
    const messages = page.locator("#messages");
    await visitor.press("History");
    await visitor.toggleTurn(2);
    for (const group of await page.locator("#history .group-toggle").all()) await group.click();
    await eventually.equal(() => messages.isVisible(), false);
    await eventually.equal(() => overflow(page), 0);
    await eventually.deepEqual(() => visitor.axeFindings(), []);
    await visitor.press("Messages");
    await eventually.equal(() => history.isVisible(), false);
    await eventually.equal(() => overflow(page), 0);
    await eventually.deepEqual(() => visitor.axeFindings(), []);
  }));

it("typing into the mission does little work with a thousand turns", async (context) => {
  const turns = Array.from({ length: 1000 }, (_, index) => ({
    program: `(def x${index % 50} ${index})`,
    prints: [`x is ${index}`],
    memory: `{:x${index % 50} ${index}}`,
  }));
  await visit({ fragment: await linkTo({ mission: "Count", turns }), clock: true }, async (visitor, page) => {
    await page.getByRole("heading", { name: "Turns 1,000" }).waitFor();
    await stopClock(page);
    const missions = ["Count a", "Count ab", "Count abc"];
    const work = await mostForAKey(page, missions, (mission) => visitor.field("Mission").fill(mission));
    assertWork(context, work, { calls: 140_000, nodes: 30 });
    await page.clock.resume();
    await eventually.match(() => visitor.userMessage(), /^Count abc\n/);
  });
});
