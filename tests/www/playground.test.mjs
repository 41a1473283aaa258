import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { eventually } from "./eventually.mjs";
import { sharedVisit, visit } from "./visit.mjs";

const FIRST_LOAD_BUDGET = 130_000;

const onPage = sharedVisit({});

describe("the initial page", () => {
  it(
    "shows the shopping agent: five turns, one recovered error",
    onPage(async (visitor, page) => {
      await eventually.equal(() => page.locator(".turn").count(), 5);
      await eventually.equal(() => page.locator('.turn[data-outcome="failure"]').count(), 1);
      const text = await visitor.userMessage();
      assert.match(text, /^Find well-reviewed electronics/);
      assert.match(text, /\n\(in-stock\? \[item\]\) +; "True when the item can be ordered" -> boolean\n/);
      assert.match(
        text,
        /;; Tool calls made:\n; {3}search-reviews\(\{:category "Electronics"\}\)\n; {3}get-inventory\(\)\n/,
      );
      assert.match(
        text,
        /;; Output:\nCandidates: Mouse, Monitor\nMouse: 25 EUR, 4.2 stars\nMonitor: 340 EUR, 4.6 stars\n/,
      );
      assert.doesNotMatch(text, /Your previous attempt/);
      assert.match(text, /Turns left: 3$/);

      const user = page.locator('.message[data-role="user"]');
      const names = await user.locator(".section-name").allTextContents();
      assert.deepEqual(names, ["mission", "tools", "data", "expected", "defined", "calls", "printed", "turns left"]);
      const counts = await user.locator(".section-tokens").allTextContents();
      assert.ok(counts.every((count) => Number.parseInt(count, 10) > 0));
    }),
  );

  it(
    "shows omitted items with their reason in a sentence",
    onPage(async (visitor, page) => {
      const error = page.locator(".drop-group summary").filter({ hasText: "1 error The last turn succeeded" });
      await error.click();
      await visitor.sees("`in-stock` is not defined");
      await error.click();
    }),
  );

  it("can open another example, and undo that", () =>
    visit({}, async (visitor, page) => {
      await visitor.openExample("Fifty emails, triaged unseen");
      await eventually.match(() => visitor.userMessage(), /^Triage the inbox/);
      await eventually.match(() => page.locator(".facts").textContent(), /calls shown20 of 38/);
      await page.waitForFunction(() => location.hash === "#example=emails");
      await visitor.press("Undo");
      await eventually.match(() => visitor.userMessage(), /^Find well-reviewed/);

      await visitor.openExample("Log analysis, final turn, error standing");
      const text = await visitor.userMessage();
      assert.match(text, /Your previous attempt:\n```clojure\n\(def worst/);
      assert.match(text, /Hint: write `\(sort-by :price coll\)`/);
      assert.match(text, /FINAL TURN - you must call \(return result\) or \(fail reason\) now\.$/);
    }));

  it("is loaded only from the page's own server, and the editor with the first unfolded turn", (context) =>
    visit({}, async (visitor, page) => {
      await page.waitForLoadState("networkidle");
      const editor = /\/editor-[^/]*\.js$/;
      assert.equal(visitor.files.filter((path) => editor.test(path)).length, 0);
      const own = visitor.files.filter((path) => !path.includes("turnfold-"));
      const sizes = await Promise.all(own.map(async (path) => gzipSync(await readFile(path), { level: 9 }).length));
      const size = sizes.reduce((sum, bytes) => sum + bytes);
      context.diagnostic(`${(size / 1000).toFixed(1)} kB gzip beside the package`);
      assert.ok(size < FIRST_LOAD_BUDGET, `${size} bytes`);

      await visitor.toggleTurn(2);
      await page.locator('.cm-content[aria-label="Program of turn 2"]').waitFor();
      assert.equal(visitor.files.filter((path) => editor.test(path)).length, 1);
      assert.deepEqual(visitor.foreignRequests, []);
    }));
});

it("a tab loads its code when it is shown first", () =>
  visit({}, async (visitor) => {
    for (const [name, text] of [
      ["Run", "Next request: turn 6"],
      ["Chat", /^Detected: AI SDK/],
      ["Typed calls", /^Read as arrow form/],
    ]) {
      const before = visitor.files.length;
      await visitor.showTab(name);
      await visitor.sees(text);
      assert.ok(visitor.files.length > before, name);
    }
    assert.deepEqual(visitor.foreignRequests, []);
  }));

it("copies a message exactly", () =>
  visit({ fragment: "#example=logs" }, async (visitor, page) => {
    await visitor.press("Copy message 2, user");
    await visitor.sees("Copied");
    await eventually.equal(() => page.evaluate(() => navigator.clipboard.readText()), await visitor.userMessage());
  }));

it(
  "licences.md names all packages in the page",
  onPage(async (_, page) => {
    const licences = await page.evaluate(async () => (await fetch("./licences.md")).text());
    for (const name of ["@codemirror/view", "@preact/signals", "diff", "preact"])
      assert.match(licences, new RegExp(`^## ${name} - [\\d.]+ \\([\\w-]+\\)$`, "m"), name);
  }),
);
