// Editors of JSON: colours, brackets and formatting.

import { describe, it } from "node:test";
import { EDITOR, onChat, shape, talk } from "./chat.mjs";
import { eventually } from "./eventually.mjs";

/** A conversation in one very long line. */
const messages = JSON.stringify(talk(200));

const editor = (page) => page.locator(`.cm-content[aria-label="${EDITOR}"]`);
const textOf = (page) => editor(page).innerText();

describe("an editor of JSON", () => {
  it("has colours at the end of a long line, and marks no bracket as unmatched", () =>
    onChat({ messages })(async (visitor, page) => {
      await shape(page, "201 messages");
      // The bracket of the list is matched across the line, unless the line is not yet parsed when the cursor arrives.
      await eventually.equal(async () => {
        await visitor.focusEnd(EDITOR);
        await page.keyboard.press("ArrowLeft");
        await page.keyboard.press("ArrowRight");
        return (await editor(page).locator(".cm-matchingBracket").allInnerTexts()).at(-1);
      }, "]");
      await eventually.equal(() => editor(page).locator(".cm-nonmatchingBracket").count(), 0);
      await eventually.equal(() => editor(page).locator(".code-keyword").last().innerText(), '"content"');
      await eventually.match(() => editor(page).locator(".code-string").last().innerText(), /said at some length\. "$/);
    }));

  it("can be formatted, which can be undone", () =>
    onChat({ messages: '[{"role":"user","content":"Hi","id":12345678901234567890}]' })(async (visitor, page) => {
      await visitor.press(`Format ${EDITOR}`);
      const lines = '[\n  {\n    "role": "user",\n    "content": "Hi",\n    "id": 12345678901234567890\n  }\n]';
      await eventually.equal(() => textOf(page), lines);
      await visitor.pressKeys("ControlOrMeta+z");
      await eventually.equal(() => textOf(page), '[{"role":"user","content":"Hi","id":12345678901234567890}]');
      await visitor.write(EDITOR, "[{]");
      await visitor.press(`Format ${EDITOR}`);
      await visitor.sees(/^This can’t be formatted\. /);
    }));
});
