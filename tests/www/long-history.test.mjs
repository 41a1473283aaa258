// Work that must not grow quadratically with the length of a history; it is counted, not timed.

import assert from "node:assert/strict";
import { it } from "node:test";
import { linkTo } from "./link.mjs";
import { visit } from "./visit.mjs";

const COUNT = 400;

/** Each turn defines a name of its own. */
const state = (strategy) => ({
  mission: "Count",
  strategy,
  options: { maxTurns: String(COUNT + 5) },
  turns: Array.from({ length: COUNT }, (_, index) => ({
    program: `(def x${index} ["value ${index}"])`,
    memory: `{:x${index} ["value ${index}"]}`,
  })),
});

/**
 * Counts the bytes that the page passes to the package from an input until the messages show this text. This is one task, so
 * the later counts for the plot are not included.
 */
const countBytes = (page, text) =>
  page.evaluate((wanted) => {
    let handed = 0;
    globalThis.handed = null;
    const { encodeInto } = TextEncoder.prototype;
    TextEncoder.prototype.encodeInto = function (...given) {
      const done = encodeInto.apply(this, given);
      handed += done.written;
      return done;
    };
    document.addEventListener("beforeinput", () => {
      handed = 0;
    });
    const messages = document.querySelector(".messages");
    new MutationObserver(() => {
      if (globalThis.handed === null && messages.textContent.includes(wanted)) globalThis.handed = handed;
    }).observe(messages, { subtree: true, childList: true, characterData: true });
  }, text);

for (const strategy of ["single-user-coalesced", "rolling-window"]) {
  it(`an edit of the first of ${COUNT} definitions passes few memories to the package: ${strategy}`, async (context) =>
    visit({}, async (visitor, page) => {
      page.setDefaultTimeout(60_000);
      await page.evaluate((link) => location.assign(link), await linkTo(state(strategy)));
      await page.getByRole("heading", { name: `Turns ${COUNT}` }).waitFor();
      await visitor.toggleTurn(1);
      await countBytes(page, '"other"');
      await visitor.write("Memory of turn 1", '{:x0 ["other"]}');
      await page.waitForFunction(() => globalThis.handed !== null);
      const handed = await page.evaluate(() => globalThis.handed);
      const memory = JSON.stringify(state(strategy).turns.map((turn) => turn.memory)).length;
      context.diagnostic(`${strategy}: ${handed} bytes are handed over, the last memory has about ${memory}`);
      // All memories together have two hundred times as many bytes.
      assert.ok(handed > 0 && handed < 20 * memory, `${handed} bytes, a memory has ${memory}`);

      // At an earlier turn, the messages show the memory of that turn.
      await page.getByRole("slider", { name: "As the model saw it" }).fill("3");
      const shown = (await visitor.messages()).map(({ text }) => text).join("\n");
      assert.match(shown, /x0\b.*"other"/);
      assert.equal(shown.includes("x3"), false);
    }));
}
