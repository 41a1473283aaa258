// Failures that no input causes: the page says what failed, and why.

import assert from "node:assert/strict";
import { it } from "node:test";
import { eventually } from "./eventually.mjs";
import { visit } from "./visit.mjs";

const notice = (page) => page.locator('.notice[data-tone="problem"]').innerText();

it("costs that can’t be computed say why", () =>
  visit({}, async (visitor, page) => {
    const body = "throw new TypeError('no costs today');";
    await page.route(/costs-worker-/, (route) => route.fulfill({ body, contentType: "text/javascript" }));
    await visitor.openExample("Support chat, 60 messages");
    await page.getByText("The costs could not be computed: no costs today. Reload the page to try again.").waitFor();
    visitor.expectErrors(/no costs today/);
  }));

it("a part that can’t be loaded says why, and can be requested again", () =>
  visit({}, async (visitor, page) => {
    await page.route(/\/repl-[^/]*\.js/, (route) => route.abort());
    await visitor.showTab("REPL");
    await visitor.sees(/^The REPL tab could not be loaded: Failed to fetch dynamically imported module/);
    visitor.expectErrors(/Failed to load resource/);
    await page.unroute(/\/repl-[^/]*\.js/);
  }));

it("a part that loads for long can be requested again", () =>
  visit({ clock: true }, async (visitor, page) => {
    await page.route(/\/repl-[^/]*\.js/, () => {});
    await visitor.showTab("REPL");
    await visitor.sees("Loading …");
    await page.clock.fastForward(10_000);
    await visitor.sees("The REPL tab is slow to load.");
    await page.getByRole("tabpanel").getByRole("button", { name: "Try again" }).waitFor();
  }));

it("stored work that can’t be read is reported, and the first example is shown", () =>
  visit({ fragment: "" }, async (visitor, page) => {
    const stored = [{ id: "1", name: "Mine", at: 0, fragment: "#v1=AAAA" }];
    await page.evaluate((list) => localStorage.setItem("turnfold-kept", JSON.stringify(list)), stored);
    await page.reload();
    await eventually.match(() => notice(page), /^Your stored work can’t be read: it is incomplete or was changed\./);
    await eventually.match(async () => (await visitor.messages())[1].text, /^Check November’s invoices/);
  }));

it("an error that nothing handles is shown", () =>
  visit({}, async (visitor, page) => {
    for (const failing of [
      "setTimeout(() => { throw new Error('unexpected') })",
      "void Promise.reject(new Error('unexpected'))",
    ]) {
      await page.evaluate(failing);
      await eventually.match(
        () => notice(page),
        /^Something on this page failed: unexpected\. Your work is still here/,
      );
      await visitor.press("Close this note");
    }
    visitor.expectErrors(/unexpected/);
    assert.equal(await page.locator(".notice").count(), 0);
  }));
