// The colours of tokens in the messages of a chat and of its result, also in texts of which only a part is shown.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cl100k } from "turnfold/tokens/cl100k";
import { o200k } from "turnfold/tokens/o200k";
import { card, chatLink, plan } from "./chat.mjs";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { elements, many, scrollTo } from "./lists.mjs";
import { colouredIn, colours, tokensIn } from "./token-colours.mjs";
import { overflow, sharedVisit, visit, wordsOf } from "./visit.mjs";

const [exact, older] = [await o200k(), await cl100k()];

const BLANK = "\n  \r\n\n";
const question = `${BLANK}  Größe 🫨, then 數據: unbelievably tokenised`;
const log = Array.from({ length: 60 }, (_, line) => `ERROR ${line} strawberries-${line * 37} overflowed`).join("\n");
const args = '{"query":"unbelievable","limit":20}';

const messages = [
  { role: "system", content: "You help with logs." },
  { role: "user", content: question },
  { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: "search", arguments: args } }] },
  { role: "tool", tool_call_id: "c1", content: log },
  { role: "assistant", content: "Sixty errors." },
];
const chat = { messages: JSON.stringify(messages, null, 2), strategy: "lastNMessages", options: { n: "20" } };

/** The original texts of both lists. */
const written = ["You help with logs.", question, args, log, "Sixty errors."];

const opening = (journey, more = {}) =>
  chatLink({ ...chat, ...more.chat }).then((fragment) =>
    visit({ fragment, height: 3000, ...more }, async (visitor, page) => {
      await page.locator(".chat-result .chat-message").first().waitFor({ state: "attached" });
      await journey(visitor, page);
    }),
  );

const coloured = (page) => colouredIn(page, ".chat-text");

/** The tokens of the shown part of a text, from the tokens of the whole text. */
function partsOf(text, shown, counter) {
  const from = text.indexOf(shown);
  assert.ok(from >= 0 && shown !== "", `${JSON.stringify(shown)} is not in the text`);
  let end = 0;
  return tokensIn(text, counter).flatMap((token) => {
    end += token.length;
    const [start, stop] = [Math.max(from, end - token.length), Math.min(from + shown.length, end)];
    return start < stop ? [text.slice(start, stop)] : [];
  });
}

/** Waits until the tokens of the shown parts of these texts, in the order of the page, are coloured. */
const onceColoured = (page, texts, counter = exact) =>
  eventually(async () => {
    const shown = await page.locator(".chat-text").allTextContents();
    assert.equal(shown.length, texts.length);
    const tokens = texts.map((text, index) => partsOf(text, shown[index], counter));
    assert.deepEqual(await coloured(page), tokens);
    return tokens.flat().length;
  });

const said = (page) => wordsOf(page.locator(".token-colours").first());

describe("colours of tokens in a chat", () => {
  it("are those of each text in both lists, stay when a text is unfolded, follow edits, and are removed with the switch", () =>
    opening(async (visitor, page) => {
      assert.ok(!visitor.files.some((path) => path.includes("vocabulary")), "nothing is loaded before");
      await colours(page).first().check();
      const both = [...written, ...written];
      const clipped = await onceColoured(page, both);
      assert.match(await said(page), /^Tokens of o200k; the numbers are estimates\.$/);

      await card(page, 4).getByRole("button", { name: /^All / }).click();
      const opened = await onceColoured(page, both);
      assert.ok(opened > clipped + 300, `${clipped} and ${opened} tokens`);
      await card(page, 4).getByRole("button", { name: "Less" }).click();
      assert.equal(await onceColoured(page, both), clipped);

      await page.getByRole("searchbox", { name: "Search the messages" }).fill("strawberries-1998");
      await page.locator(".chat-messages mark").waitFor();
      await onceColoured(page, [log, ...written]);
      await page.getByRole("searchbox", { name: "Search the messages" }).fill("");

      const edited = JSON.stringify(messages.with(1, { role: "user", content: "Strawberries, please" }));
      await visitor.write("Messages as JSON", edited);
      const texts = written.with(1, "Strawberries, please");
      await onceColoured(page, [...texts, ...texts]);

      await colours(page).last().uncheck();
      await eventually.deepEqual(() => coloured(page), []);
      await eventually.equal(() => page.locator(".token-colours").count(), 0);
    }));

  it("are those of the page's counter, and not part of links", async () =>
    visit(
      { fragment: await linkTo({ chat, tokens: { counter: "cl100k" } }, "chat"), height: 3000 },
      async (visitor, page) => {
        await colours(page).first().check();
        await onceColoured(page, [...written, ...written], older);
        assert.match(await said(page), /^Tokens of cl100k/);
        await visitor.linkOnce((state) => !JSON.stringify(state).includes("olour"));
      },
    ));

  it("do not include text that the page adds", () =>
    opening(
      async (_, page) => {
        await colours(page).first().check();
        await eventually.deepEqual(
          async () => (await coloured(page)).slice(0, 2),
          ["Unbelievably hard", "Strawberries"].map((text) => tokensIn(text, exact)),
        );
        assert.match(await card(page, 1).innerText(), /thinks: Unbelievably hard/);
      },
      {
        chat: {
          messages: JSON.stringify([
            {
              role: "assistant",
              content: [
                { type: "reasoning", text: "Unbelievably hard" },
                { type: "text", text: "Strawberries" },
              ],
            },
          ]),
        },
      },
    ));

  it("are hidden while the result is compared, and come back", () =>
    opening(async (_, page) => {
      await colours(page).first().check();
      await onceColoured(page, [...written, ...written]);
      await page.getByLabel("Compare with the input, line by line").check();
      await eventually.equal(() => colours(page).count(), 1);
      await onceColoured(page, written);
      await page.getByLabel("Compare with the input, line by line").uncheck();
      await onceColoured(page, [...written, ...written]);
    }));

  it("are drawn only near the screen", () =>
    opening(
      async (_, page) => {
        await plan(page, /kept/);
        await colours(page).first().check();
        const isNear = (word) => eventually.ok(async () => (await coloured(page)).flat().join("").includes(word));
        const ranges = () =>
          page.evaluate(() =>
            [1, 2, 3, 4].reduce((sum, one) => sum + (CSS.highlights.get(`token-${one}`)?.size ?? 0), 0),
          );
        await isNear("number 1 of many");
        assert.ok((await ranges()) < 5000);
        assert.ok((await elements(page)) < 5000);
        await scrollTo(page, "#history", "end");
        await isNear("number 3000 of many");
        assert.ok((await ranges()) < 5000);
      },
      {
        height: 700,
        chat: {
          messages: JSON.stringify(
            many(3000, (index) => ({ role: index % 2 ? "assistant" : "user", content: `number ${index + 1} of many` })),
          ),
        },
      },
    ));

  const onPage = sharedVisit(chatLink(chat).then((fragment) => ({ fragment, width: 360, height: 900 })));
  for (const width of [360, 1440])
    it(
      `fit ${width} px and have no axe violations`,
      onPage(async (visitor, page) => {
        await page.setViewportSize({ width, height: 900 });
        for (const side of width < 1000 ? ["Conversation", "Plan"] : ["Conversation"]) {
          if (width < 1000) await visitor.press(side);
          const own = page.locator(".chat", { has: page.locator(".chat-messages") });
          const list = own.nth(side === "Plan" ? 1 : 0);
          await colours(list).check();
          await list.locator(".token-colours", { hasText: "Tokens of o200k" }).waitFor();
          await eventually.equal(() => overflow(page), 0);
          await eventually.deepEqual(() => visitor.axeFindings(), []);
          await colours(list).uncheck();
        }
      }),
    );
});
