// The colours of tokens in the messages: their bounds, their counter, and the views without colours.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cl100k } from "turnfold/tokens/cl100k";
import { o200k } from "turnfold/tokens/o200k";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { messagesAfter, sample, tokensOf } from "./sample.mjs";
import { colouredIn, colours, tokensIn } from "./token-colours.mjs";
import { visit, wordsOf } from "./visit.mjs";

const fragment = await linkTo(sample);
const [exact, older] = [await o200k(), await cl100k()];

const said = (page) => wordsOf(page.locator(".token-colours"));

const coloured = (page) => colouredIn(page, ".message");

/** The texts of the unfolded messages on the page. */
const texts = async (visitor) => (await visitor.messages()).map(({ text }) => text).filter((text) => text !== "");

/** Waits until the tokens of all unfolded messages are coloured, and returns the texts. */
const onceColoured = (visitor, page, counter = exact) =>
  eventually(async () => {
    const shown = await texts(visitor);
    assert.ok(shown.length > 0);
    assert.deepEqual(
      await coloured(page),
      shown.map((text) => tokensIn(text, counter)),
    );
    return shown;
  });

const total = (counter) => tokensOf(messagesAfter(sample), counter).toLocaleString("en");

const LINES = 3000;
/** One message of thousands of lines. */
const long = {
  ...sample,
  mission: Array.from({ length: LINES }, (_, line) => `word ${line + 1} of a mission with strawberries`).join("\n"),
};

describe("colours of tokens", () => {
  it("are those of o200k, follow edits, and are removed with the switch", () =>
    visit({ fragment, height: 3000 }, async (visitor, page) => {
      await page.locator(".figure-line").waitFor();
      assert.ok(!visitor.files.some((path) => path.includes("vocabulary")), "nothing is loaded before");
      await colours(page).check();
      await eventually.match(() => said(page), new RegExp(`^Tokens of o200k: ${total(exact)};`));
      const before = await onceColoured(visitor, page);

      await visitor.field("Mission").fill("Größe 🫨, then 數據: unbelievably tokenised");
      await eventually.match(() => visitor.userMessage(), /^Größe 🫨, then/);
      assert.notDeepEqual(await onceColoured(visitor, page), before);

      await visitor.unfold(page.locator('.message-toggle[aria-expanded="false"]'));
      await onceColoured(visitor, page);
      await visitor.choose("none");
      await eventually.ok(async () => (await onceColoured(visitor, page)).length > 2);

      await colours(page).uncheck();
      await eventually.deepEqual(() => coloured(page), []);
      await eventually.equal(() => page.locator(".token-colours").count(), 0);
    }));

  it("are those of the page's counter, which they do not change", () =>
    visit({ fragment, height: 3000 }, async (visitor, page) => {
      await colours(page).check();
      await eventually.match(() => said(page), /; the other numbers are estimates\. Count all by o200k$/);
      await onceColoured(visitor, page);
      await visitor.linkOnce((state) => !("tokens" in state) && !JSON.stringify(state).includes("olour"));
      await visitor.press("Count all by o200k");
      await eventually.equal(() => said(page), `Tokens of o200k: ${total(exact)}`);
      await eventually.equal(() => page.getByLabel("Counted by").inputValue(), "o200k");
      await page.getByLabel("Counted by").selectOption("cl100k");
      await eventually.equal(() => said(page), `Tokens of cl100k: ${total(older)}`);
      await onceColoured(visitor, page, older);
    }));

  it("are drawn only near the screen", async () =>
    visit({ fragment: await linkTo(long), height: 600 }, async (_, page) => {
      await colours(page).check();
      const isNear = (word) => eventually.ok(async () => (await coloured(page)).flat().join("").includes(word));
      await isNear("word 1 of");
      const ranges = () =>
        page.evaluate(() => [1, 2, 3, 4].reduce((sum, colour) => sum + CSS.highlights.get(`token-${colour}`).size, 0));
      assert.ok((await ranges()) < 5000);
      await page
        .locator('.section[data-kind="mission"]')
        .evaluate((mission) => mission.scrollIntoView({ block: "end" }));
      await isNear(`word ${LINES} of`);
      assert.ok((await ranges()) < 5000);
      const listed = (tokens) => `\0${tokens.join("\0")}\0`;
      const all = listed(tokensIn(messagesAfter(long).at(-1).content, exact));
      assert.ok(all.includes(listed((await coloured(page)).at(-1))));
    }));

  it("show the tint of the cache view as an underline", async () =>
    visit({ fragment: await linkTo({ ...sample, tokens: { view: "cache" } }), height: 3000 }, async (visitor, page) => {
      const drawn = () =>
        page.evaluate(() =>
          ["shared-prefix", "shared-underline"].filter((name) => (CSS.highlights.get(name)?.size ?? 0) > 0),
        );
      await eventually.deepEqual(drawn, ["shared-prefix"]);
      await colours(page).check();
      await onceColoured(visitor, page);
      await eventually.deepEqual(drawn, ["shared-underline"]);
      await colours(page).uncheck();
      await eventually.deepEqual(drawn, ["shared-prefix"]);
    }));

  it("are hidden while the messages are compared, and come back", () =>
    visit({ fragment, height: 3000 }, async (visitor, page) => {
      await colours(page).check();
      await onceColoured(visitor, page);
      await page.getByLabel("Compare with").selectOption("earlier");
      await page.locator("ins, del").first().waitFor();
      await eventually.equal(() => colours(page).count(), 0);
      await eventually.deepEqual(() => coloured(page), []);
      await page.getByLabel("Compare with").selectOption("nothing");
      await onceColoured(visitor, page);
    }));

  it("can be retried when the vocabulary could not be loaded", () =>
    visit({ fragment, height: 3000 }, async (visitor, page) => {
      await page.route(/vocabulary/, (route) => route.abort());
      await colours(page).check();
      await eventually.equal(() => said(page), "o200k could not be loaded. Try again");
      await page.unroute(/vocabulary/);
      visitor.expectErrors(/Failed to load resource/);
      await page.locator(".token-colours").getByRole("button", { name: "Try again" }).click();
      await eventually.match(() => said(page), /^Tokens of o200k: /);
      await onceColoured(visitor, page);
    }));

  it("are not offered when the browser can't highlight texts", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await page.addInitScript(() => {
        globalThis.Highlight = undefined;
      });
      await visitor.openLink(fragment);
      await page.getByLabel("Show what was left out").waitFor();
      await eventually.equal(() => colours(page).count(), 0);
    }));

  it("are switched by keyboard", () =>
    visit({ fragment }, async (_, page) => {
      await colours(page).focus();
      await page.keyboard.press("Space");
      await eventually.match(() => said(page), /^Tokens of o200k: /);
      await eventually.ok(async () => (await coloured(page)).length > 0);
      await page.keyboard.press("Space");
      await eventually.equal(() => colours(page).isChecked(), false);
      await eventually.deepEqual(() => coloured(page), []);
    }));
});
