// Strategies that the user writes on the page: for turns and for chats.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { passes, printed } from "../playground/run-code.mjs";
import { chatLink, plan, talk, text } from "./chat.mjs";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { visit, WIDTHS, wordsOf } from "./visit.mjs";

const EDITOR = "Code of your own strategy";

const state = {
  mission: "Count",
  turns: ["one", "two", "three"].map((word) => ({ program: `(println "${word}")`, prints: [word] })),
};

/** A strategy that shows what each turn printed. */
const prints = (line = "") => `export default {
  name: "prints",
  toMessages(turns, memory, { mission, turnsLeft }) {
    ${line}
    return [{ role: "user", content: [mission, ...turns.flatMap((turn) => turn.prints), turnsLeft].join("\\n") }];
  },
};
`;

/** A strategy that keeps some messages and drops the others. */
const keeping = (condition) => `const isKept = (messages, index) => ${condition};
export default {
  name: "keeping",
  plan(messages) {
    const all = [...messages.keys()];
    return { keep: all.filter((index) => isKept(messages, index)), drop: all.filter((index) => !isKept(messages, index)) };
  },
};
`;

const problem = (page) => page.locator(".custom .field-problem");
const rows = (page) => page.locator(".strategy-table tbody tr");
const rowOf = (page, name) => wordsOf(rows(page).filter({ has: page.getByRole("button", { name, exact: true }) }));

describe("a custom strategy of turns", () => {
  it("begins with an example, runs as it is typed, and is compared with the others", async () =>
    visit({ fragment: await linkTo(state) }, async (visitor, page) => {
      await visitor.toggleGroup("All strategies");
      await eventually.equal(() => rows(page).count(), 6);
      await visitor.choose("custom");
      await eventually.match(
        () => visitor.userMessage(),
        /;; Few turns are left: finish, and return what you have\.\n/,
      );
      await eventually.match(() => rowOf(page, "Your own"), /^Your own [\d,]+ (least )?\$/);

      await visitor.write(EDITOR, prints());
      await eventually.equal(() => visitor.userMessage(), "Count\none\ntwo\nthree\n2");
      await eventually.match(() => rowOf(page, "Your own"), /^Your own 9 least \$/);
      // Each request of the run, and an edited turn.
      await page.getByRole("slider", { name: /As the model saw it/ }).fill("1");
      await eventually.equal(() => visitor.userMessage(), "Count\none\n4");
      await page.getByRole("slider", { name: /As the model saw it/ }).fill("3");
      await visitor.toggleTurn(3);
      await visitor.write("Program of turn 3", '(println "four")');
      await eventually.equal(() => visitor.userMessage(), "Count\none\ntwo\nfour\n2");

      await visitor.choose("single-user-coalesced");
      await page.getByLabel("Compare with").selectOption("strategy custom");
      await eventually.match(() => wordsOf(page.locator(".diff-sum")), /^Against “Your own”, 9 tokens there/);
      assert.deepEqual(visitor.foreignRequests, []);
    }));

  it("costs what the built-in strategy costs whose result it returns", async () =>
    visit({ fragment: "#example=suppliers&tab=turns" }, async (visitor, page) => {
      const costOf = async (name) => (await rowOf(page, name)).match(/\$[\d.]+/)?.[0];
      await visitor.toggleGroup("All strategies");
      await visitor.choose("custom");
      for (const [name, compression] of [
        ["Journal", '["journal", options.strategyOptions]'],
        ["One message", '"single-user-coalesced"'],
      ]) {
        await visitor.write(
          EDITOR,
          `import { toMessages } from "turnfold";
export default {
  name: "same",
  toMessages: (turns, memory, options) => toMessages(turns, memory, { ...options, compression: ${compression} }),
};`,
        );
        await eventually.match(() => costOf(name), /^\$\d/);
        await eventually.equal(async () => (await costOf("Your own")) === (await costOf(name)), true);
      }
    }));

  it("shows an error at its line, and keeps the last messages", async () =>
    visit({ fragment: await linkTo(state) }, async (visitor, page) => {
      await visitor.choose("custom");
      await visitor.write(EDITOR, prints());
      await eventually.equal(() => visitor.userMessage(), "Count\none\ntwo\nthree\n2");
      for (const [line, message] of [
        ["missing();", "Line 4, column 5: missing is not defined"],
        ["const = ;", "Line 4, column 11: Unexpected token '='"],
        ["if (turns.length > 2) throw new Error('too many');", /^Line 4, column \d+: too many$/],
        ["return fetch('https://example.com/');", "returned a promise"],
        ["return [];", "returned no messages"],
      ]) {
        if (/fetch/.test(line)) visitor.ignoreErrors(/Content Security Policy|Failed to fetch/);
        await visitor.write(EDITOR, prints(line));
        await eventually.match(
          () => problem(page).first().innerText(),
          typeof message === "string" ? new RegExp(message.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")) : message,
        );
        assert.equal(await visitor.userMessage(), "Count\none\ntwo\nthree\n2");
      }
      await visitor.write(EDITOR, prints().slice(0, -4));
      await eventually.match(() => problem(page).innerText(), /^A bracket is missing, or one too many: /);
      await visitor.write(EDITOR, prints("// again"));
      await eventually.equal(() => problem(page).count(), 0);
      assert.deepEqual(visitor.foreignRequests, []);
    }));

  it("ends when it takes too long", async () =>
    visit({ fragment: await linkTo(state) }, async (visitor, page) => {
      await visitor.choose("custom");
      await visitor.write(EDITOR, prints("for (;;);"));
      await eventually.match(() => problem(page).innerText(), /did not answer within 10 seconds and was stopped/);
      await visitor.write(EDITOR, prints());
      await eventually.equal(() => visitor.userMessage(), "Count\none\ntwo\nthree\n2");
    }));

  it("in a link does not run before the reader says so", async () =>
    visit(
      { fragment: await linkTo({ ...state, strategy: "custom", customStrategy: prints() }) },
      async (visitor, page) => {
        await visitor.sees("came with a link or a file, and has not run");
        await page.waitForTimeout(500);
        assert.equal(await page.locator(".message").count(), 0);
        assert.equal(page.workers().filter((worker) => worker.url().startsWith("blob:")).length, 0);
        await visitor.press("Run the strategy");
        await eventually.equal(() => visitor.userMessage(), "Count\none\ntwo\nthree\n2");
        // The link of the page holds it too.
        await visitor.linkOnce((saved) => saved.strategy === "custom" && saved.customStrategy === prints());
      },
    ));

  it("is a module in the code of the page, which gives the same messages", async () =>
    visit({ fragment: await linkTo(state) }, async (visitor) => {
      await visitor.choose("custom");
      await eventually.match(() => visitor.userMessage(), /Few turns are left/);
      const shown = (await visitor.allMessages()).map(({ role, text }) => `── ${role}\n${text}\n\n`).join("");
      assert.deepEqual(await printed([await visitor.share("Copy as code")]), [shown]);
      await passes(await visitor.share("Copy as test"));
      const module = await visitor.copies(() => visitor.press("Copy the module of the strategy"));
      assert.match(module, /^import { toMessages } from "turnfold";\n.*\nexport default {\n/s);
    }));

  it("has its types beside it, completes their names, and fits all windows", async () =>
    visit({ fragment: await linkTo(state) }, async (visitor, page) => {
      await visitor.choose("custom");
      await page.getByText("Types", { exact: true }).click();
      await eventually.match(() => wordsOf(page.locator(".custom-types pre")), /interface CustomStrategy/);
      await eventually.match(() => visitor.userMessage(), /Few turns are left/);
      await visitor.fits(...WIDTHS);
      await visitor.write(EDITOR, "const text = (turn) => turn.pri");
      await eventually.match(() => wordsOf(page.locator(".cm-tooltip-autocomplete")), /turn\.prints/);
      visitor.ignoreErrors(/./);
    }));
});

describe("a custom strategy of chats", () => {
  it("begins with an example, runs as it is typed, and is compared with the others", () =>
    visit({ fragment: "#example=support&tab=chat" }, async (visitor, page) => {
      await visitor.choose("custom");
      await plan(page, /^10 requests for summaries: 48 summarised/);
      await visitor.toggleGroup("All strategies");
      await eventually.match(() => rowOf(page, "Your own"), /^Your own 1,200 \$/);
      await visitor.write(EDITOR, keeping('messages[index].role !== "assistant" || index > 50'));
      await eventually.match(() => problem(page).innerText(), /separates message 5 from the rest of its unit/);
      await plan(page, /^10 requests/);
      await visitor.write(EDITOR, keeping("index !== 1 || messages[1].pinned || messages.length < 9"));
      await plan(page, "Ready without a model: 2 dropped (messages 2–3), 58 kept.");
      await eventually.match(() => rowOf(page, "Your own"), /^Your own [\d,]+ (least )?\$/);
      await visitor.toggleGroup("What later calls needed");
      await page.locator('[data-plot="needs"]').waitFor();
      await visitor.choose("digest");
      await eventually.equal(() => rowOf(page, "Your own").then((words) => words.slice(0, 8)), "Your own");
      assert.deepEqual(visitor.foreignRequests, []);
    }));

  it("in a link does not run before the reader says so, and is a module in the code", async () => {
    const chat = { messages: text(talk(12)), strategy: "custom", customStrategy: keeping("index !== 3") };
    await visit({ fragment: await chatLink(chat) }, async (visitor, page) => {
      await visitor.sees("came with a link or a file, and has not run");
      assert.equal(await page.locator(".chat-plan").count(), 0);
      await visitor.press("Run the strategy");
      await plan(page, "1 dropped (message 4)");
      await passes(await visitor.share("Copy as test"));
    });
  });
});
