// A chat of megabytes, of which only the messages near the screen are in the page.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CHAT, card, chatLink, EDITOR, plan, shape, talk } from "./chat.mjs";
import { eventually } from "./eventually.mjs";
import { elements, scrollTo } from "./lists.mjs";
import { visit } from "./visit.mjs";

/** Messages of about 5 MB. */
const long = talk(20_000);

describe("a chat of 5 MB", () => {
  it("can be pasted, scrolled and edited", () =>
    visit({ fragment: CHAT, height: 900 }, async (visitor, page) => {
      await page.locator(`.cm-content[aria-label="${EDITOR}"]`).waitFor();
      await page.evaluate((text) => navigator.clipboard.writeText(text), JSON.stringify(long));
      await page.locator("h1").click();
      await page.keyboard.press("ControlOrMeta+v");
      await shape(page, "20,001 messages");
      await visitor.choose("lastNMessages");
      await plan(page, /1 request for summaries: 19,98\d summarised/);
      assert.ok((await elements(page)) < 4000, `${await elements(page)} elements`);
      await eventually(async () => {
        await scrollTo(page, "#history", "end");
        assert.equal(await card(page, 20_001).isVisible(), true);
      });
      assert.equal(await card(page, 20_001).getAttribute("aria-setsize"), "20001");

      // A typed key is shown immediately, and parsed after a pause.
      await scrollTo(page, "#history", 0);
      const editor = page.locator(`.cm-content[aria-label="${EDITOR}"]`);
      await editor.focus();
      await page.keyboard.press("ControlOrMeta+Home");
      for (let step = 0; step < '[{"role":"system","content":"'.length; step++) await page.keyboard.press("ArrowRight");
      await page.keyboard.type("Well. ");
      await eventually.match(() => editor.innerText(), /"Well\. You help\."/);
      await card(page, 1).getByText("Well. You help.").waitFor();

      // The text is not parsed before the pause, for any number of keys.
      const status = await page.evaluate(async () => {
        for (const key of "so") {
          document.execCommand("insertText", false, key);
          await new Promise((handled) => setTimeout(handled));
        }
        // This timer fires before the end of the pause.
        await new Promise((rendered) => setTimeout(rendered, 50));
        return document.querySelector(".chat-shape").textContent;
      });
      assert.equal(status, "Long texts are read after a pause in typing.");
      await card(page, 1).getByText("Well. soYou help.").waitFor();
      for (const _ of "so") await page.keyboard.press("Backspace");
      await card(page, 1).getByText("Well. You help.").waitFor();

      // The pinned message is the one on the screen, also directly after typing.
      await page.keyboard.type("So. ");
      await visitor.press("Pin message 2");
      await card(page, 1).getByText("Well. So. You help.").waitFor();
      await eventually.equal(
        () => card(page, 2).getByRole("button", { name: "Pin message 2" }).getAttribute("aria-pressed"),
        "true",
      );
      await editor.focus();
      await page.keyboard.press("ControlOrMeta+z");
      await eventually.equal(
        () => card(page, 2).getByRole("button", { name: "Pin message 2" }).getAttribute("aria-pressed"),
        "false",
      );

      // The text is invalid for a moment; nothing is lost.
      await page.keyboard.press("ControlOrMeta+Home");
      await page.keyboard.type("x");
      await visitor.sees("These are the last messages that could be read.");
      await page.keyboard.press("Backspace");
      await shape(page, "20,001 messages");
      await eventually.equal(() => page.getByText("These are the last messages that could be read.").count(), 0);
    }));

  it("has all requests for summaries of its strategy, of which few are in the page", async () =>
    visit(
      {
        fragment: await chatLink({
          messages: JSON.stringify(talk(5000)),
          strategy: "chunked",
          options: { size: "2" },
        }),
        height: 900,
      },
      async (visitor, page) => {
        await visitor.sees("2,500 requests for summaries");
        assert.ok((await elements(page)) < 5000, `${await elements(page)} elements`);
        await page.locator('.request[aria-setsize="2500"]').first().waitFor({ state: "attached" });
        await eventually.deepEqual(() => visitor.axeFindings(), []);
      },
    ));
});
