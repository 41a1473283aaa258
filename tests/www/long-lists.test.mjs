// Virtual lists, of which only the rows near the screen are in the page: other rows can still be found, reached and edited.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { elements, scrollTo } from "./lists.mjs";
import { overflow, sharedVisit, visit, WIDTHS } from "./visit.mjs";

const COUNT = 1000;

/** Each turn defines a name of its own and prints. */
const history = (more = {}) => ({
  mission: "Count",
  options: { maxTurns: String(COUNT + 5) },
  turns: Array.from({ length: COUNT }, (_, index) => ({
    program: `(def x${index} ${index})`,
    prints: [`found ${index}`],
    memory: `{:x${index} ${index}}`,
  })),
  ...more,
});

/** Opens the history, and waits for the library of long lists. */
const withTurns = (state, journey) =>
  linkTo(state).then((fragment) =>
    visit({ fragment, height: 900 }, async (visitor, page) => {
      await page.locator("#turns-title", { hasText: "1,000" }).waitFor({ state: "attached" });
      await page.locator('.turn-list[data-virtual] > [aria-setsize="1000"]').first().waitFor({ state: "attached" });
      await journey(visitor, page);
    }),
  );

/** One visit with this history for several tests. */
const onPageWith = (state) =>
  sharedVisit(
    linkTo(state).then((fragment) => ({ fragment, height: 900 })),
    (_, page) => page.locator("#turns-title", { hasText: "1,000" }).waitFor({ state: "attached" }),
  );

describe("a thousand turns", () => {
  const onPage = onPageWith(history({ strategy: "none" }));

  it(
    "have few elements in the page, and screen readers get the total number",
    onPage(async (visitor, page) => {
      await page.setViewportSize({ width: 1280, height: 900 });
      for (const pane of ["#history", "#messages"]) await scrollTo(page, pane, 0);
      await visitor.turn(1).waitFor();
      await page.locator(".message").first().waitFor();
      assert.ok((await elements(page)) < 4000, `${await elements(page)} elements`);
      assert.ok((await page.locator(".turn").count()) < 60);
      assert.ok((await page.locator(".message").count()) < 60);
      await eventually.equal(() => visitor.turn(1).getAttribute("aria-posinset"), "1");
      // Rows that are not measured yet change the length of the list while it is scrolled.
      await eventually(async () => {
        await scrollTo(page, "#history", "end");
        assert.equal(await visitor.turn(COUNT).isVisible(), true);
      });
      assert.equal(await visitor.turn(COUNT).getAttribute("aria-posinset"), "1000");
      assert.equal(await visitor.turn(1).count(), 0);
      await eventually(async () => {
        await scrollTo(page, "#messages", "end");
        assert.equal(await page.locator(".message", { hasText: "found 999" }).last().isVisible(), true);
      });
      assert.equal(await page.locator(".message").last().getAttribute("aria-setsize"), "2002");
    }),
  );

  const onPageOfPrints = onPageWith(history({ options: { maxTurns: "1005", printlnLimit: "500" } }));

  it(
    "are found by number and by words",
    onPageOfPrints(async (visitor, page) => {
      const find = page.getByRole("searchbox", { name: "Find a turn" });
      await find.fill("found 77");
      await visitor.sees("19 turns contain this");
      await page.keyboard.press("Enter");
      await visitor.sees("turn 78, 1 of 19");
      assert.equal(await visitor.turn(78).isVisible(), true);
      await page.keyboard.press("Enter");
      await visitor.sees("turn 178, 2 of 19");
      await eventually.equal(() => visitor.turn(178).isVisible(), true);
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.press("Shift+Enter");
      await visitor.sees("turn 978, 19 of 19");
      await find.fill("641");
      await page.keyboard.press("Enter");
      await visitor.sees(/^turn 641, 1 of /);
      await eventually.equal(() => visitor.turn(641).isVisible(), true);
      await find.fill("nowhere to be found");
      await visitor.sees("No turn contains this.");
      await find.fill("");
    }),
  );

  it("keep the focused element while the list is scrolled, and undo returns to it", () =>
    withTurns(history(), async (visitor, page) => {
      await visitor.findTurn(500);
      await visitor.toggleTurn(500);
      const print = page.getByRole("textbox", { name: "Print 1 of turn 500", exact: true });
      await print.focus();
      await page.keyboard.press("End");
      await page.keyboard.type("a");
      await scrollTo(page, "#history", 0);
      await visitor.turn(1).waitFor();
      assert.equal(await visitor.focused(), "Print 1 of turn 500");
      await page.keyboard.type("b");
      await eventually.equal(() => print.inputValue(), "found 499ab");
      // The target of the Tab key is in the page.
      await page.keyboard.press("Tab");
      await eventually.equal(() => visitor.focused(), "Delete print 1 of turn 500");
      await page.locator("#mission").focus();
      await scrollTo(page, "#history", 0);
      await eventually.equal(() => visitor.turn(500).count(), 0);
      await page.locator("#mission").press("ControlOrMeta+z");
      await visitor.focusOn("Print 1 of turn 500");
      await eventually.match(() => print.inputValue(), /^found 499a?$/);
      // On a busy machine the keys are two changes.
      if ((await print.inputValue()) === "found 499a") await print.press("ControlOrMeta+z");
      await eventually.equal(() => print.inputValue(), "found 499");
    }));

  it("can be moved, also by dragging", () =>
    withTurns(history(), async (visitor, page) => {
      await visitor.findTurn(700);
      const program = (number) => visitor.turn(number).locator(".turn-preview").innerText();
      await visitor.press("Move turn 700 down");
      await eventually.equal(() => program(701), "(def x699 699)");
      await eventually.equal(() => visitor.focused(), "Move turn 701 down");
      await visitor.turn(701).locator("[data-drag]").dragTo(visitor.turn(699));
      await eventually.equal(() => program(699), "(def x699 699)");
      await visitor.press("Duplicate turn 699");
      await page.getByRole("heading", { name: "Turns 1,001" }).waitFor();
      await visitor.focusOn("Program of turn 700");
      await visitor.press("Delete turn 700");
      await eventually.match(() => visitor.focused(), /^Turn 700/);
    }));

  it(
    "are scrolled into view from their lines, and lines from their turns",
    onPageOfPrints(async (visitor, page) => {
      await page.getByLabel("Show what was left out").uncheck();
      const lit = () =>
        page
          .locator(".segment")
          .evaluateAll((all) =>
            all
              .filter((segment) => getComputedStyle(segment).outlineStyle === "solid")
              .map((segment) => segment.querySelector(".section-text").textContent.trim().split(/\s/)[0]),
          );
      assert.ok((await page.locator(".segment").count()) < 200);
      await visitor.findTurn(333);
      await visitor.turn(333).locator(".turn-toggle").focus();
      await eventually.deepEqual(lit, ["x332"]);
      await eventually.equal(() => page.locator(".segment", { hasText: "x332" }).isVisible(), true);
      const near = page.locator(".source", { hasText: /^turn 33\d$/ }).first();
      const number = Number((await near.innerText()).slice(5));
      // By its number, because rows that are rendered later may contain an earlier line.
      const line = page.locator(".source", { hasText: new RegExp(`^turn ${number}$`) }).first();
      await scrollTo(page, "#history", 0);
      await line.click();
      await eventually.match(() => visitor.focused(), new RegExp(`^Turn ${number}`));
      // Arrow keys move over lines that were not in the page.
      await line.focus();
      await page.keyboard.press("End");
      await eventually.equal(() => visitor.focused(), "from turn 1000");
      await page.keyboard.press("Home");
      await eventually.equal(() => visitor.focused(), "from turn 1");
      for (let step = 0; step < 40; step++) await page.keyboard.press("ArrowDown");
      await eventually.notEqual(() => visitor.focused(), "from turn 1");
      assert.match(await visitor.focused(), /^from turn \d+$/);
    }),
  );

  it(
    "show where the request differs from the previous one",
    onPageOfPrints(async (_, page) => {
      const cache = page.getByRole("button", { name: /^Cache/ });
      await cache.click();
      await page.getByRole("button", { name: "Show it" }).click();
      const marked = () =>
        page.evaluate(() => {
          const pane = document.querySelector("#messages").getBoundingClientRect();
          return [...CSS.highlights.get("first-difference")].some((range) => {
            const live = document.createRange();
            live.setStart(range.startContainer, range.startOffset);
            live.setEnd(range.endContainer, range.endOffset);
            const { top, height } = live.getBoundingClientRect();
            return height > 0 && top > pane.top && top < pane.bottom;
          });
        });
      await eventually.equal(marked, true);
      await cache.click();
    }),
  );

  for (const width of WIDTHS)
    it(
      `fit ${width} px and have no axe violations`,
      onPage(async (visitor, page) => {
        await page.setViewportSize({ width, height: 900 });
        for (const side of width < 1000 ? ["History", "Messages"] : [null]) {
          if (side !== null) await visitor.press(side);
          await page
            .locator(side === "Messages" ? "#messages .message" : "#history .turn")
            .first()
            .waitFor();
          await page.locator(".find-in-list").first().waitFor({ state: "attached" });
          await scrollTo(page, side === "Messages" ? "#messages" : "#history", 4000);
          await eventually.equal(() => overflow(page), 0);
          // The other widths have the layout of one of these.
          if ([360, 1440].includes(width)) await eventually.deepEqual(() => visitor.axeFindings(), []);
        }
      }),
    );
});

describe("a link above the limits", () => {
  const crafted = { turns: Array.from({ length: 200_000 }, () => ({})) };

  it("is refused with the limit, and the first example is shown", async () => {
    const fragment = await linkTo(crafted);
    assert.ok(fragment.length < 1500, `${fragment.length} characters`);
    await visit({ fragment }, async (visitor, page) => {
      await visitor.sees("This link can’t be read: it has 200,000 turns, and a link may have 10,000. Here is “");
      await page.getByRole("heading", { name: "Turns 40" }).waitFor();
    });
  });

  it("does not change the typed state", async () => {
    const fragment = await linkTo(crafted);
    await visit({}, async (visitor, page) => {
      await visitor.field("Mission").fill("My own work");
      const before = await page.evaluate((hash) => {
        const { hash: before } = location;
        location.hash = hash;
        return before;
      }, fragment);
      await visitor.sees("and a link may have 10,000. The page is unchanged.");
      assert.equal(await visitor.field("Mission").inputValue(), "My own work");
      await page.waitForFunction((before) => location.hash === before, before);
      await visitor.field("Mission").press("ControlOrMeta+z");
      await eventually.notEqual(() => visitor.field("Mission").inputValue(), "My own work");
    });
  });
});
