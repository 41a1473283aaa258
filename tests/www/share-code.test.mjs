// “Copy as code” and “Copy as test” on the page. Their texts for all kinds of states are tested in tests/playground.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { passes, printed } from "../playground/run-code.mjs";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { visit } from "./visit.mjs";

const textOf = (messages) => messages.map(({ role, text }) => `── ${role}\n${text}\n\n`).join("");

describe("Copy as code and Copy as test", () => {
  it("give the messages of the Turns tab", () =>
    visit({ fragment: "#example=logs" }, async (visitor) => {
      const shown = [];
      const programs = [];
      const tests = [];
      for (const strategy of ["single-user-coalesced", "none"]) {
        await visitor.choose(strategy);
        shown.push(textOf(await visitor.allMessages()));
        programs.push(await visitor.share("Copy as code"));
        tests.push(await visitor.share("Copy as test"));
      }
      assert.deepEqual(await printed(programs), shown);
      await passes(...tests);
    }));

  it("are refused while a field is invalid", () =>
    visit({}, async (visitor, page) => {
      await visitor.toggleTurn(1);
      await visitor.write("Memory of turn 1", "{");
      const refuses = async () => {
        await visitor.press("Share");
        for (const label of ["Copy as code", "Copy as test"]) {
          await visitor.press(label);
          await visitor.sees("Something can’t be read: correct the marked fields first.");
        }
        await page.keyboard.press("Escape");
      };
      await refuses();
      // This also holds in a browser that forbids copying, which never reads the text.
      await page.evaluate(() => {
        navigator.clipboard.write = () => Promise.reject(new DOMException("no", "NotAllowedError"));
      });
      await refuses();
    }));

  it("give the result of the Chat tab, with a summary that is typed in", () =>
    visit({ fragment: "#example=support&tab=chat" }, async (visitor, page) => {
      await visitor.toggleGroup("Summaries");
      await visitor.choose("You");
      await visitor.press("Share");
      await visitor.press("Copy as code");
      await visitor.sees(/1 of 1 summary text is missing/);
      await page.keyboard.press("Escape");
      // biome-ignore lint/suspicious/noTemplateCurlyInString: text that would be code if it were not escaped.
      await visitor.field("Summary for request 1").fill("By hand:\r\n`${all}` \\ of it");
      const code = await visitor.share("Copy as code");
      const test = await visitor.share("Copy as test");
      const result = await visitor.copies(() => visitor.press("Copy the result as Turnfold"));
      assert.deepEqual(await printed([code]), [`${result}\n`]);
      await passes(test);
    }));

  it("give the outputs and the messages of the tab of typed calls", () =>
    visit({ fragment: "#tab=programs" }, async (visitor, page) => {
      await visitor.press("ReAct, with a tool");
      await visitor.sees("Opened “ReAct, with a tool”");
      const code = await visitor.share("Copy as code");
      await eventually.equal(() => visitor.copies(() => visitor.press("Copy as code")), code);
      const test = await visitor.share("Copy as test");
      await page.locator("#call-program").click();
      await visitor.sees("The call returned its outputs.");
      const outputs = JSON.parse(await visitor.copies(() => visitor.press("Copy outputs as JSON")));
      const [text] = await printed([`${code}\nconsole.log(JSON.stringify(outputs));\n`]);
      assert.deepEqual(JSON.parse(text.trimEnd().split("\n").at(-1)), outputs);
      await passes(test);
    }));

  it("are refused while a typed call can’t be made", async () =>
    visit({ fragment: await linkTo({ programs: { signature: "a ->" } }, "programs") }, async (visitor, page) => {
      await eventually.equal(() => page.getByRole("button", { name: "Copy as code", exact: true }).count(), 0);
      await visitor.press("Share");
      for (const label of ["Copy as code", "Copy as test", "Copy as Markdown"]) {
        await visitor.press(label);
        const why = "The call can’t be made yet: correct the marked fields.";
        await page.locator('.popover-said[data-done="false"]', { hasText: why }).waitFor();
        await visitor.press("Copy link");
        await page.locator('.popover-said[data-done="true"]', { hasText: "Link copied." }).waitFor();
      }
    }));
});
