// The gallery of examples and their tours.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plan } from "./chat.mjs";
import { eventually } from "./eventually.mjs";
import { overflow, pickExample, sharedVisit, visit, WIDTHS, wordsOf } from "./visit.mjs";

const cards = (page) => page.locator(".gallery-card");
const openGallery = async (page) => {
  await page.getByRole("button", { name: /^Examples: / }).click();
  await cards(page).first().waitFor();
};
const drawn = (page) => eventually.equal(() => cards(page).filter({ hasText: "…" }).count(), 0);
const tour = (page) => page.locator(".tour");
const step = (page, number) => tour(page).getByText(`Step ${number} of 4`, { exact: true }).waitFor();
const done = (page) => tour(page).locator(".tour-act[data-done]").waitFor();
const next = (page) =>
  tour(page)
    .getByRole("button", { name: /^(Next|Finish)$/ })
    .click();
const startTour = async (page, question) => {
  await openGallery(page);
  await page.getByRole("button", { name: new RegExp(`^Take the tour.*${question.replace("?", "\\?")}$`) }).click();
  await step(page, 1);
};

describe("the gallery", () => {
  const onPage = sharedVisit({ fragment: "", details: false, reducedMotion: "reduce" });

  it(
    "is not part of the first load",
    onPage(async (visitor) => {
      assert.deepEqual(
        visitor.files.filter((file) => /\/assets\/(gallery|tour|take-tour|pictures|list|seen)-/.test(file)),
        [],
      );
    }),
  );

  it(
    "has a question and a picture for each example, and fits each width",
    onPage(async (visitor, page) => {
      await openGallery(page);
      await drawn(page);
      assert.equal(await cards(page).count(), 12);
      for (const text of await cards(page).locator("strong").allInnerTexts()) assert.match(text, /\?$/);
      for (const picture of await cards(page).locator("svg").all())
        assert.ok((await picture.locator("rect").count()) > 3);
      await visitor.fits(...WIDTHS);
      await page.keyboard.press("Escape");
      await eventually.equal(() => cards(page).count(), 0);
      await eventually.match(() => visitor.focused(), /^Examples: /);
    }),
  );

  it(
    "has the tokens that the page shows for the example",
    onPage(async (_, page) => {
      for (const [title, selector] of [
        ["Coding agent", ".figure-line"],
        ["Log analysis", ".figure-line"],
        ["Reviews", ".figure-line"],
      ]) {
        await openGallery(page);
        await drawn(page);
        const text = await wordsOf(cards(page).filter({ hasText: title }).locator("small"));
        await page.keyboard.press("Escape");
        await eventually.equal(() => cards(page).count(), 0);
        const [sizes] = /[\d,]+ → [\d,]+ tokens/.exec(text);
        await pickExample(page, title);
        await eventually.ok(async () => (await wordsOf(page.locator(selector))).includes(sizes), sizes);
      }
    }),
  );
});

describe("a tour", () => {
  /** What a visitor does in each step. */
  const journeys = {
    "Why is my agent expensive?": [
      (visitor) => visitor.choose("none"),
      async (visitor, page) => {
        await visitor.choose("digest");
        await page.getByLabel("Model and prices").selectOption({ label: "GPT-4o" });
      },
      (_, page) =>
        page
          .locator('.chat-result .chat-message[data-fate="inserted"]')
          .first()
          .getByRole("button", { name: /^All [\d,]+ characters/ })
          .click(),
      (visitor) => visitor.press("Details"),
    ],
    "What does it forget?": [
      (_, page) => page.getByRole("button", { name: /^summarised \d/ }).click(),
      (visitor) => visitor.press("Pin message 2"),
      (visitor) => visitor.choose("chunked"),
      (_, page) => page.getByLabel("Compare with the input, line by line").check(),
    ],
    "What changes when I edit a turn?": [
      async (_, page) => {
        const content = page.locator('.cm-content[aria-label="Program of turn 1"]');
        await content.click();
        await page.keyboard.insertText(" ");
      },
      (_, page) => page.getByRole("slider", { name: "As the model saw it" }).press("ArrowLeft"),
      (visitor) => visitor.choose("none"),
      (_, page) => page.getByLabel("Show what was left out").uncheck(),
    ],
  };

  for (const [question, acts] of Object.entries(journeys))
    it(`“${question}” has four steps, each of which is done by the visitor, and stays seen`, () =>
      visit({ fragment: "", width: 1440, height: 900, details: false }, async (visitor, page) => {
        await startTour(page, question);
        for (const [index, act] of acts.entries()) {
          await step(page, index + 1);
          await page.locator("[data-toured]").waitFor();
          assert.equal(await tour(page).locator(".tour-act[data-done]").count(), 0, `step ${index + 1}`);
          await act(visitor, page);
          await done(page);
          await next(page);
        }
        await eventually.equal(() => tour(page).count(), 0);
        assert.equal(await page.locator("[data-toured]").count(), 0);
        await page.reload();
        await openGallery(page);
        const card = cards(page).filter({ hasText: question });
        await card.getByText("Take the tour again").waitFor();
      }));

  it("works by keyboard, and Escape ends it", () =>
    visit({ fragment: "", details: false }, async (visitor, page) => {
      await visitor.tabTo("Take a tour");
      await page.keyboard.press("Enter");
      await step(page, 1);
      await eventually.equal(() => visitor.focused(), "A turn of the agent");
      await page.keyboard.press("F6");
      await eventually.equal(() => visitor.focused(), "Program of turn 1");
      await page.keyboard.insertText(" ");
      await done(page);
      await page.keyboard.press("F6");
      await visitor.tabTo("Next");
      await page.keyboard.press("Enter");
      await step(page, 2);
      await page.keyboard.press("Escape");
      await eventually.equal(() => tour(page).count(), 0);
      await eventually.equal(() => visitor.focused(), "As the model saw it");
    }));

  const SIZES = [
    ...WIDTHS.map((width) => [width, 800]),
    // A telephone on its side, and zooms of 200 and 400 %.
    [740, 360],
    [640, 400],
    [320, 256],
  ];
  for (const [width, height] of SIZES)
    it(`shows its target and itself at ${width} × ${height} px`, () =>
      visit({ fragment: "", width, height, details: false }, async (visitor, page) => {
        await startTour(page, "What does it forget?");
        for (let number = 1; number <= 4; number++) {
          await step(page, number);
          await page.locator("[data-toured]").waitFor();
          const box = await tour(page).boundingBox();
          assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && box.y + box.height <= height, box);
          assert.equal(await overflow(page), 0);
          if (number === 1) await eventually.deepEqual(() => visitor.axeFindings(), []);
          await tour(page)
            .getByRole("button", { name: /^(Skip|Finish)$/ })
            .click();
        }
        await eventually.equal(() => tour(page).count(), 0);
        await plan(page, /summarised/);
      }));
});
