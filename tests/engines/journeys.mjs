// The main journeys through the playground, and the surface of the package, in one browser.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { eventually } from "../www/eventually.mjs";
import { linkTo } from "../www/link.mjs";
import { Page, servePlayground } from "./page.mjs";
import { keys, skipOf, startEngine } from "./webdriver.mjs";

/** The tests of a browser. */
export function testEngine(name) {
  describe(`the playground in ${name}`, { skip: skipOf(name) }, () => {
    let site;
    let page;

    before(async () => {
      site = await servePlayground();
      page = new Page(await startEngine(name), site.origin);
      await page.window.resize(1280, 900);
    });

    after(async () => {
      await page?.window.close();
      await site?.close();
      await site?.remove();
    });

    afterEach(() => page.hasNoErrors());

    it("shows the first message, the tokens over the turns and the costs", async () => {
      await page.open();
      assert.match(await page.userMessage(), /^Find well-reviewed electronics/);
      await page.press("Details");
      await page.find('[data-plot="run"]:not([data-stale]) .plot-area svg');
      await page.sees(".figure-run", /^All \d+ calls of the run: about .*\$/);
      const files = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
      assert.equal(files.filter((url) => url.endsWith(".wasm")).length, 1, "the wasm is loaded once");
    });

    it("shows a changed mission in the message, and the text area is as high as its text", async () => {
      await page.open();
      const mission = "Name the cheapest lamp that buyers liked. ".repeat(3);
      await page.write(await page.find("textarea", "Mission"), mission);
      await eventually.match(() => page.userMessage(), new RegExp(`^${mission.trim()}\n`));
      await page.window.resize(360, 800);
      await page.press("History");
      const field = await page.find("textarea", "Mission");
      await eventually.equal(() => page.evaluate((area) => area.scrollHeight - area.clientHeight, field), 0);
      await page.window.resize(1280, 900);
    });

    it("undoes and redoes what was typed into an editor", async () => {
      await page.open();
      const editor = '.cm-content[aria-label="Memory of turn 4"]';
      await page.click('.turn[data-turn="4"] .turn-toggle');
      const field = await page.editor("Memory of turn 4");
      const first = await page.text(editor);
      const now = await page.evaluate(() => {
        const stopped = Date.now();
        window.Date.now = () => stopped;
        return stopped;
      });
      await page.write(field, "{:candidates [1]}");
      // A pause between the keys ends a change.
      await page.evaluate((now) => {
        window.Date.now = () => now + 10_000;
      }, now);
      await page.window.press(keys.end);
      await page.window.press(keys.arrowLeft);
      await page.window.type(" :more 2");
      await eventually.match(() => page.userMessage(), /\nmore +; = integer\n/);
      await page.shortcut("z");
      await page.sees(editor, /^\{:candidates \[1\]\}$/);
      await page.shortcut("z");
      await eventually.equal(() => page.text(editor), first);
      await page.shortcut(keys.shift, "z");
      await page.sees(editor, /^\{:candidates \[1\]\}$/);
    });

    it("runs the programs of all turns", async () => {
      const turns = [{ program: "(def a 40)" }, { program: "(def b (+ a (tool/two)))" }];
      await page.open(await linkTo({ tools: [{ name: "two", answer: "() => 2" }], turns }));
      await page.press("Run all");
      await eventually.match(() => page.userMessage(), /\nb +; = integer, sample: 42\n/);
    });

    it("shows the result and the costs of an agent", async () => {
      await page.open("#example=expenses&tab=run");
      await page.press("Run");
      await page.sees(".result", /Result ?returned ?4 turns/);
      await page.press("Details");
      await page.sees(".figure-run", /^All 4 calls of the run: about .*\$/);
    });

    it("goes on with an agent that waits, after an approval and an answer", async () => {
      await page.open("#example=refunds&tab=run");
      await page.press("Run");
      await page.sees(".open-call", /refund/);
      await page.press("Approve: refund");
      await page.sees(".waiting-note", /Done: refund approved/);
      await page.press("Answer: sign");
      await page.press("Answer the call");
      await page.sees(".result", /:refunded \[17 21 23\]/);
    });

    it("runs programs on the REPL, which show that a tool's function has a syntax error", async () => {
      const tools = [{ name: "torn", answer: "() => nope(" }];
      await page.open(await linkTo({ tools }, "repl"));
      const program = await page.editor("Program");
      await page.write(program, "(* 6 7)");
      await page.press("Run");
      await page.sees(".run", /value ?42/i);
      await page.write(program, "(tool/torn)");
      await page.shortcut(keys.enter);
      // Firefox does not say what the error is.
      await page.sees(".run", /`torn` failed: (it has a syntax error|Unexpected token)/);
    });

    it("compresses a chat", async () => {
      await page.open("#tab=chat");
      const sentence = await page.text(".chat-plan .plan-sentence");
      await page.choose("chunked");
      await eventually.notEqual(() => page.text(".chat-plan .plan-sentence"), sentence);
      await page.sees(".chat-result", /messages/);
    });

    it("shares a state, and opens the link", async () => {
      await page.open();
      await page.write(await page.find("textarea", "Mission"), "Find lamps");
      await eventually.match(() => page.userMessage(), /^Find lamps\n/);
      // The clipboard of another program is out of reach of the tests.
      await page.evaluate(() => {
        navigator.clipboard.write = async ([item]) => {
          const blob = await item.getType("text/plain");
          window.copied = await blob.text();
        };
      });
      await page.press("Share");
      await page.press("Copy link");
      await page.sees(".popover-said", /copied/);
      const link = await page.evaluate(() => window.copied);
      await page.open(new URL(link).hash);
      assert.match(await page.userMessage(), /^Find lamps\n/);
    });

    it("shows what the provider's cache can reuse", async () => {
      await page.open(await linkTo({ mission: "Count", turns: [{ program: "(def a 1)" }], tokens: { view: "cache" } }));
      await page.press("Details");
      await page.sees(".cache-view .facts", /tokens/);
    });

    it("works offline after the first visit", async () => {
      await page.open();
      await page.evaluate(() => navigator.serviceWorker.ready);
      await eventually.ok(() => page.evaluate(() => navigator.serviceWorker.controller !== null));
      await site.close();
      await page.open();
      await page.click('.turn[data-turn="1"] .turn-toggle');
      await page.find(".cm-content", "Program of turn 1");
      await page.press("Share");
      await page.find("button", "Copy link");
      await page.showTab("Chat");
      await page.find(".chat-plan .plan-sentence");
    });
  });
}
