// Small windows, zoom and forced colours.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { overflow, visit } from "./visit.mjs";

/** Sizes in CSS pixels. At 400 % zoom, a window of 1280 × 1024 has 320 × 256. */
const SIZES = [
  [320, 256],
  [360, 640],
  [640, 360],
  [640, 512],
  [768, 1024],
  [1024, 768],
  [1440, 900],
  [2560, 1440],
];

/** The share of the window that the content takes. */
const contentShare = (page) =>
  page.locator("main").evaluate((main) => {
    const { top, bottom } = main.getBoundingClientRect();
    return (Math.min(bottom, innerHeight) - Math.max(top, 0)) / innerHeight;
  });

describe("the content", () => {
  for (const [width, height] of SIZES)
    for (const tab of ["turns", "chat"])
      it(`has at least 60 % of a window of ${width} × ${height}, on the tab ${tab}, once it is scrolled`, () =>
        visit({ fragment: `#tab=${tab}`, width, height }, async (_, page) => {
          await page.locator(".pane:visible").first().waitFor();
          await page.mouse.move(width / 2, height - 20);
          await eventually(async () => {
            await page.mouse.wheel(0, 150);
            const share = await contentShare(page);
            assert.ok(share >= 0.6, `${share}`);
          });
          assert.equal(await overflow(page), 0);
          // The header comes back beyond the start of the content.
          await eventually(async () => {
            await page.mouse.wheel(0, -3000);
            assert.ok((await page.locator(".header").boundingBox()).y >= 0);
          });
        }));
});

describe("hidden characters", () => {
  const text = "a\u200Bb \u202Ecba\u202C \u{E0041}, but 👨‍👩‍👧 and می‌خواهم";
  const names = ["U+200B", "U+202E", "U+202C", "U+E0041"];
  const marked = (scope) => scope.locator(".hidden-character").evaluateAll((all) => all.map((one) => one.dataset.name));

  it("are marked in messages, whose text stays the same, and in editors", async () => {
    const state = { mission: text, turns: [{ program: `(def x "${text}")` }] };
    await visit({ fragment: await linkTo(state) }, async (visitor, page) => {
      await eventually.deepEqual(() => marked(page.locator('.message .section[data-kind="mission"]')), names);
      assert.ok((await visitor.userMessage()).startsWith(text));
      await visitor.toggleTurn(1);
      const editor = page.locator('.cm-content[aria-label="Program of turn 1"]');
      await eventually.deepEqual(() => editor.locator(".hidden-character").allInnerTexts(), names);
      await eventually.deepEqual(() => visitor.axeFindings(), []);
    });
  });

  it("are marked in chats", async () => {
    const messages = JSON.stringify([{ role: "user", content: text }]);
    await visit({ fragment: await linkTo({ chat: { messages } }, "chat") }, async (_, page) => {
      const message = page.locator("#chat-message-1");
      await eventually.deepEqual(() => marked(message), names);
      assert.equal(await message.locator(".chat-text").textContent(), text);
    });
  });
});

it("forced colours distinguish what is chosen and draw bars", () =>
  visit({ forcedColors: "active" }, async (visitor, page) => {
    const background = (selector) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).backgroundColor);
    const highlight = await page.evaluate(() => {
      document.body.style.cssText = "forced-color-adjust: none; background: Highlight";
      const { backgroundColor } = getComputedStyle(document.body);
      document.body.style.cssText = "";
      return backgroundColor;
    });
    assert.equal(await background(".tabs [aria-selected=true]"), highlight);
    assert.notEqual(await background(".tabs [aria-selected=false]"), highlight);
    await visitor.showTab("Chat");
    for (const chosen of [".choice input:checked + span", ".start-from [aria-pressed=true]"])
      await eventually.equal(() => background(chosen), highlight);
    assert.notEqual(await background(".choice input:not(:checked) + span"), highlight);
    const bar = page.locator(".chat-plan .total-bar, .chat-plan .section-bar > span").first();
    await bar.waitFor();
    assert.notEqual(
      await bar.evaluate((element) => getComputedStyle(element).backgroundColor),
      await background("body"),
    );
  }));
