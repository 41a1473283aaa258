import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { visit } from "./visit.mjs";

describe("strategies and limits", () => {
  it("shows other messages for each strategy, and the first ones again", () =>
    visit({}, async (visitor, page) => {
      const first = await visitor.messages();
      const seen = new Set([JSON.stringify(first)]);
      for (const name of ["rolling-window", "per-turn-summary", "none"]) {
        await visitor.choose(name);
        seen.add(JSON.stringify(await visitor.messages()));
      }
      assert.equal(seen.size, 4);
      const roles = (await visitor.messages()).map(({ role }) => role);
      assert.deepEqual(roles, ["system", "user", ...Array(5).fill(["assistant", "user"]).flat()]);
      await visitor.choose("aggressive");
      await eventually.equal(() => page.locator(".message").count(), 2);
      await visitor.choose("single-user-coalesced");
      await eventually.deepEqual(() => visitor.messages(), first);
    }));

  it("has a default in every limit, and each limit changes the messages", () =>
    visit({}, async (visitor, page) => {
      await visitor.toggleGroup("Output and turns");
      await visitor.toggleGroup("Tune");
      const limits = [
        ["single-user-coalesced", "Prints", "15", "1"],
        ["single-user-coalesced", "Tool calls", "20", "1"],
        ["single-user-coalesced", "Sample items", "3", "1"],
        ["single-user-coalesced", "Sample chars", "80", "8"],
        ["single-user-coalesced", "Print chars", "2,000", "12"],
        ["single-user-coalesced", "Turns allowed", "5", "9"],
        ["single-user-coalesced", "Turns left", "counted", "1"],
        ["rolling-window", "Turns kept", "2", "4"],
        ["aggressive", "Token budget", "1,000", "20"],
        ["single-user-coalesced", "Names", "0", null],
        ["journal", "Names", "0", null],
        ["journal", "Turns kept", "1", null],
        ["journal", "Patience", "1", null],
      ];
      for (const [strategy, label, byDefault, value] of limits) {
        await visitor.choose(strategy);
        const field = visitor.field(label);
        await eventually.equal(() => field.getAttribute("placeholder"), byDefault, label);
        // These limits have no effect on the short values and runs of the example.
        if (value === null) continue;
        const given = await field.inputValue();
        const before = await visitor.messages();
        await field.fill(value);
        await eventually.notDeepEqual(() => visitor.messages(), before, `${label} ${value}`);
        await field.fill(given);
        await eventually.deepEqual(() => visitor.messages(), before, label);
      }

      await visitor.choose("single-user-coalesced");
      await eventually.doesNotMatch(() => visitor.userMessage(), /get-inventory\(\) => /);
      await page.getByLabel("Tool results").check();
      await eventually.match(() => visitor.userMessage(), /get-inventory\(\) => /);
    }));

  it("accepts a signature, descriptions of its fields and a system prompt", () =>
    visit({}, async (visitor, page) => {
      await visitor.toggleGroup("Output and turns");
      await visitor.field("Text of field description 2").fill("In euros");
      const expected =
        /;; === expected output ===\n.*\n; {3}names: Product names, cheapest first\n; {3}total: In euros\n/;
      await eventually.match(() => visitor.userMessage(), expected);
      await visitor.toggleGroup("System prompt");
      await visitor.field("System prompt").fill("Be brief.");
      await page.locator('.message[data-role="system"] .message-toggle').click();
      await eventually.equal(async () => (await visitor.messages())[0].text, "Be brief.");
    }));
});
