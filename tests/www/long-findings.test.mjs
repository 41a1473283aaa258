// Thousands of definitions in the REPL, and thousands of findings before sharing: only few of them are in the page.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chatLink } from "./chat.mjs";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { elements, many, scrollTo } from "./lists.mjs";
import { overflow, sharedVisit, visit } from "./visit.mjs";
import { mostForAKey, stopClock } from "./work.mjs";

const COUNT = 5000;
const MAX_ELEMENTS = 3000;

const isFew = async (page) => assert.ok((await elements(page)) < MAX_ELEMENTS, `${await elements(page)} elements`);

describe("a memory of thousands of definitions", () => {
  const program = many(COUNT, (index) => `(def name${index} "value ${index}")`).join("\n");
  const rows = (page) => page.locator('[data-list="definitions"][data-virtual] > [data-index]');
  const row = (page, number) => page.locator(`[data-list="definitions"] > [data-index="${number - 1}"]`);

  const onPage = sharedVisit(
    linkTo({ program }, "repl").then((fragment) => ({ fragment, height: 900 })),
    async (visitor, page) => {
      await visitor.press("Run");
      await page.getByRole("heading", { name: "Memory 5,000" }).waitFor();
      await rows(page).first().waitFor();
    },
  );

  it(
    "is a table with few rows in the page, and screen readers get the total number",
    onPage(async (visitor, page) => {
      await page.setViewportSize({ width: 1280, height: 900 });
      await scrollTo(page, "#repl-program", 0);
      await row(page, 1).waitFor();
      await isFew(page);
      const table = page.getByRole("table", { name: "Memory 5,000" });
      await eventually.equal(() => table.getAttribute("aria-rowcount"), String(COUNT + 1));
      await eventually.ok(async () => (await table.getByRole("row").count()) < 100);
      await eventually.equal(() => row(page, 1).getAttribute("aria-rowindex"), "2");
      await eventually(async () => {
        await scrollTo(page, "#repl-program", "end");
        assert.equal(await row(page, COUNT).isVisible(), true);
      });
      assert.deepEqual(await row(page, COUNT).locator("> *").allInnerTexts(), ["name4999", "string", '"value 4999"']);
      // Columns are aligned with the heads of the table.
      const lefts = (locator) =>
        locator.evaluate((element) => [...element.children].map((cell) => cell.getBoundingClientRect().left));
      assert.deepEqual(await lefts(row(page, COUNT)), await lefts(page.locator(".memory-head")));
      await isFew(page);
      await eventually.deepEqual(() => visitor.axeFindings(), []);
    }),
  );

  it(
    "can be searched, also at 360 px",
    onPage(async (visitor, page) => {
      await page.setViewportSize({ width: 360, height: 900 });
      await page.getByRole("searchbox", { name: "Find a definition" }).fill('"value 4321"');
      await visitor.sees("1 definition contains this");
      await page.keyboard.press("Enter");
      await eventually.equal(() => row(page, 4322).isVisible(), true);
      assert.equal(await overflow(page), 0);
      await page.getByRole("searchbox", { name: "Find a definition" }).fill("");
    }),
  );

  it("has all rows in the page when it is short", () =>
    visit({ fragment: "#tab=repl" }, async (visitor, page) => {
      await visitor.press("Run");
      await page.locator("table.memory tbody tr").first().waitFor();
      assert.equal(await page.getByRole("searchbox", { name: "Find a definition" }).count(), 0);
    }));
});

describe("thousands of findings before sharing", () => {
  const messages = many(COUNT, (index) => ({ role: "user", content: `Ask person${index}@corp.de about it` }));
  const found = (page) => page.locator(".share-findings");
  const row = (page, number) => found(page).locator(`[data-index="${number - 1}"]`);
  const box = (page, number) => row(page, number).getByRole("checkbox");

  const withReview = async (journey, more = {}) =>
    visit(
      { fragment: await chatLink({ messages: JSON.stringify(messages) }), height: 900, ...more },
      async (visitor, page) => {
        await visitor.sees("5,000 messages");
        await visitor.press("Share");
        await row(page, 1).waitFor();
        await journey(visitor, page);
      },
    );

  it("have few elements in the page, and unchecked ones are remembered", () =>
    withReview(async (visitor, page) => {
      await page.getByRole("button", { name: "Blank 5,000 of 5,000" }).waitFor();
      await eventually.ok(async () => (await found(page).locator("li").count()) < 60);
      assert.equal(await row(page, 1).getAttribute("aria-setsize"), String(COUNT));
      await box(page, 2).uncheck();
      await page.getByRole("button", { name: "Blank 4,999 of 5,000" }).waitFor();
      const search = page.getByRole("searchbox", { name: "Find a text" });
      await search.fill("person4321@");
      await visitor.sees("1 text contains this");
      await page.keyboard.press("Enter");
      await box(page, 4322).uncheck();
      await page.getByRole("button", { name: "Blank 4,998 of 5,000" }).waitFor();
      await search.focus();
      await scrollTo(page, ".share-found", 0);
      await eventually.equal(() => row(page, 4322).count(), 0);
      assert.equal(await box(page, 2).isChecked(), false);
      assert.equal(await box(page, 3).isChecked(), true);
      await search.press("Enter");
      await eventually.equal(() => box(page, 4322).isChecked(), false);
      await isFew(page);
      await eventually.deepEqual(() => visitor.axeFindings(), []);
      await visitor.press("Blank 4,998 of 5,000");
      await visitor.sees("4,998 texts are blanked on the page");
      await page.keyboard.press("Escape");
      await page.getByRole("searchbox", { name: "Search the messages" }).fill("corp.de");
      await visitor.sees("2 of 5,000 messages");
    }));

  it("are not searched again for each typed key; the click uses the current words", async (context) =>
    withReview(
      async (visitor, page) => {
        const words = visitor.field("More names or words to blank");
        const blank = page.getByRole("button", { name: /^Blank \S+ of / });
        await page.getByRole("searchbox", { name: "Find a text" }).waitFor();
        await stopClock(page);
        const { calls, nodes } = await mostForAKey(page, ["A", "As", "Ask"], (text) => words.fill(text));
        context.diagnostic(`${calls} calls`);
        assert.ok(calls < 10_000, `${calls} calls`);
        assert.equal(nodes, 0);
        assert.equal(await blank.innerText(), "Blank 5,000 of 5,000");
        await page.clock.runFor(1000);
        await eventually.equal(() => blank.innerText(), "Blank 5,001 of 5,001");
        assert.match(await row(page, 1).innerText(), /^Ask → name-1\s*your word, 5,000 times$/);
        await words.fill("Ask, it, about");
        await blank.click();
        await page.clock.resume();
        await visitor.sees("5,003 texts are blanked on the page");
        await page.keyboard.press("Escape");
        await visitor.sees("name-1 email-1@example.com name-3 name-2");
      },
      { clock: true },
    ));

  it("keep the focused checkbox while they are scrolled, also at 360 px", () =>
    withReview(
      async (visitor, page) => {
        await box(page, 3).focus();
        await scrollTo(page, ".share-found", "end");
        await row(page, COUNT).waitFor();
        assert.equal(await box(page, 3).evaluate((element) => element === document.activeElement), true);
        await page.keyboard.press("Space");
        await page.getByRole("button", { name: "Blank 4,999 of 5,000" }).waitFor();
        await page.keyboard.press("Tab");
        await eventually.equal(() => box(page, 4).evaluate((element) => element === document.activeElement), true);
        assert.equal(await overflow(page), 0);
        await eventually.deepEqual(() => visitor.axeFindings(), []);
      },
      { width: 360 },
    ));
});
