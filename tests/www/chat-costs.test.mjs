// The figures of a plan on the Chat tab: tokens, costs, the model's window, and strategies side by side.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as turnfold from "../js/everything.mjs";
import { card, chatLink, onChat, plan, sentence, shortChat, talk, text, words } from "./chat.mjs";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { overflow, visit, WIDTHS, wordsOf } from "./visit.mjs";

const line = (page) => wordsOf(page.locator(".figure-line"));
const run = (page) => wordsOf(page.locator(".figure-run"));
/** Unfolds the table of strategies after it has all rows. */
const computed = async (page) => {
  await page.getByRole("button", { name: /^All strategies/, expanded: false }).click();
  await page.locator(".strategy-table[aria-busy=false]").waitFor({ timeout: 60_000 });
};
const model = (page, label) => page.getByLabel("Model and prices").selectOption({ label });
const after = (page) => words(page.locator(".chat-plan .total").nth(1));

const messages = talk(60).map((message) => ({ ...message, content: message.content.repeat(6) }));
const conversation = new turnfold.Conversation({ messages });
const haiku = { mechanism: "anthropic", input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5, minimum: 1024 };
const rough = (tokens) => tokens.toLocaleString("en", { maximumSignificantDigits: 2 });

/** `count` calls with results of `size` words. */
const rounds = (count, size = 40) => [
  { role: "user", content: "Look around." },
  ...Array.from({ length: count }, (_, index) => [
    { role: "assistant", content: "", toolCalls: [{ id: `c${index}`, name: "look", args: { place: index } }] },
    { role: "tool", toolCallId: `c${index}`, toolName: "look", content: `Saw ${"many things ".repeat(size)}${index}.` },
    { role: "assistant", content: `That was place ${index}.` },
  ]).flat(),
  { role: "user", content: "And now?" },
];

describe("the figure of a chat", () => {
  const state = { messages: text(messages), strategy: "lastNMessages", options: { n: "10" } };

  it("has the tokens and costs of compareCosts, for any source of summaries", async () =>
    visit(
      {
        fragment: await linkTo({ chat: { ...state, scripted: "So." }, tokens: { model: "claude-haiku-4.5" } }, "chat"),
      },
      async (visitor, page) => {
        const parameters = { compressionStrategy: turnfold.lastNMessages(10) };
        const planned = turnfold.planHistory(conversation, parameters);
        const summary = "of ".repeat(planned.requests[0].expectedTokens);
        const { before, after: expected } = turnfold.applyPlan(planned, [summary]).report.tokens;
        await eventually.ok(async () =>
          (await line(page)).startsWith(`about ${before.toLocaleString("en")} → ${rough(expected)} tokens`),
        );
        await eventually.ok(async () => (await after(page)).includes(`about ${rough(expected)} tokens`));
        await visitor.sees(/tokens and costs assume 15 % of what each replaces/);
        await visitor.sees("The summaries are the scripted text: those of a model are longer.");
        await computed(page);
        const { strategies } = turnfold.compareCosts(conversation, {
          prices: haiku,
          strategies: { none: {}, lastNMessages: parameters },
        });
        const cost = (name) => strategies.find((each) => each.name === name).cost / 1e6;
        const summaries = strategies.find(({ name }) => name === "lastNMessages").summaries;
        const dollars = (amount) => (amount >= 0.1 ? `$${amount.toFixed(2)}` : `$${amount.toPrecision(2)}`);
        assert.ok(cost("none") > 0.01 && cost("lastNMessages") > cost("none"));
        await eventually.ok(async () =>
          (await run(page)).startsWith(
            `All 30 calls of the run and ${summaries} requests for summaries: about ${dollars(cost("none"))} → ${dollars(cost("lastNMessages"))}, more than without a strategy: `,
          ),
        );
        const shown = await page
          .locator(".strategy-table tbody tr")
          .evaluateAll((rows) => rows.map(({ cells }) => [...cells].map(({ textContent }) => textContent.trim())));
        assert.deepEqual(
          shown.map(([name]) => name),
          [
            "Keep the last messages",
            "One summary",
            "A summary per group",
            "Clear old tool results",
            "Digest",
            "No strategy",
          ],
        );
        assert.equal(shown.at(-1)[1], before.toLocaleString("en"));
        await visitor.press("One summary");
        await plan(page, /^1 request for summaries: 60 summarised|^1 request for summaries/);
        await eventually.ok(() =>
          page
            .getByRole("combobox", { name: "Strategy" })
            .inputValue()
            .then((name) => name === "wholeHistory"),
        );
      },
    ));

  it("counts written summaries instead of the estimate", () =>
    onChat({ ...state, summarizer: "typed" })(async (visitor, page) => {
      await visitor.sees(/No model has written the summaries yet/);
      await visitor.field("Summary for request 1").fill("They talked at some length about a few tokens.");
      const planned = turnfold.planHistory(conversation, { compressionStrategy: turnfold.lastNMessages(10) });
      const { report } = turnfold.applyPlan(planned, ["They talked at some length about a few tokens."]);
      await eventually.ok(async () =>
        (await line(page)).includes(`→ ${report.tokens.after.toLocaleString("en")} tokens`),
      );
      await eventually.equal(() => page.getByText(/No model has written/).count(), 0);
    }));

  it("has the window and the prices of the model", () =>
    onChat(shortChat)(async (visitor, page) => {
      await model(page, "GPT-4o");
      await eventually.doesNotMatch(() => line(page), /fit/);
      await page.locator(".token-view-button", { hasText: "Window" }).click();
      await visitor.sees("used of the window");
      await page.locator(".token-view-button", { hasText: "Price" }).click();
      await visitor.sees(/Dollars per million tokens of GPT-4o/);
      await eventually.equal(() => page.locator(".token-view-button").count(), 2);
      await eventually.deepEqual(() => visitor.axeFindings(), []);
    }));
});

describe("a plan that can’t work", () => {
  it("shows the problem and a remedy", async () => {
    const long = talk(40).map((message) => ({ ...message, content: message.content.repeat(300) }));
    await visit(
      {
        fragment: await linkTo(
          { chat: { messages: text(long), strategy: "wholeHistory" }, tokens: { model: "gpt-4o" } },
          "chat",
        ),
      },
      async (visitor, page) => {
        const said = page.locator(".plan-too-large");
        await eventually.match(
          () => words(said),
          /^This plan can’t work with GPT-4o: a request for a summary has about [\d,]+0,000 tokens, and the model takes 128,000\./,
        );
        await eventually.match(() => line(page), /does not fit its 128,000 tokens$/);
        await visitor.press("Split it into parts of 96,000 tokens");
        await plan(page, /^[2-9] requests for summaries/);
        await eventually.equal(() => said.count(), 0);
        await visitor.toggleGroup("Summaries");
        await visitor.field("Tokens a request").fill("");
        await said.getByRole("button", { name: "Digest", exact: true }).click();
        await eventually.equal(() => visitor.strategy(), "digest");
        await eventually.equal(() => said.count(), 0);
        await visitor.choose("wholeHistory");
        await said.waitFor();
        await model(page, "GPT-6.2 Sol");
        await eventually.equal(() => said.count(), 0);
      },
    );
  });
});

describe("the plan in words", () => {
  it("names a range in place of hundreds of numbers", () =>
    onChat({ messages: text(rounds(230)), strategy: "clearToolResults" })(async (visitor, page) => {
      await plan(page, /^Ready without a model: 227 cleared \(messages among 3–681\), 465 kept\.$/);
      await eventually.match(() => words(card(page, 3)), /cleared/);
      // Adjacent messages with the same fate are one piece of the strip, and the pieces fill it.
      await eventually.ok(async () => (await page.locator(".strip rect").count()) > 400);
      const { drawn, width } = await page.locator(".strip svg").evaluate((svg) => ({
        width: svg.getBoundingClientRect().width,
        drawn: [...svg.querySelectorAll("rect")].reduce((sum, rect) => sum + rect.getBoundingClientRect().width, 0),
      }));
      assert.ok(width > 100 && Math.abs(drawn - width) < 1, `${drawn} of ${width}`);
      await visitor.choose("none");
      await eventually.equal(() => page.locator(".strip rect").count(), 1);
      await eventually.match(() => page.locator(".strip title").textContent(), /^Messages 1–692: [\d,]+ tokens$/);
    }));

  it("does not mention a history of 0 messages", async () => {
    const only = [{ role: "system", content: "You help." }];
    await onChat({ messages: text(only), strategy: "lastNMessages" })(async (visitor, page) => {
      await eventually.equal(
        () => sentence(page),
        "No strategy runs: there are only system messages, which always stay.",
      );
      await eventually.equal(() => page.getByText(/has 0 messages/).count(), 0);
      await visitor.write("Messages as JSON", "[]");
      await visitor.sees("There are no messages yet: paste some, or open an example.");
      await eventually.equal(() => page.locator(".chat-plan, .figure").count(), 0);
    });
  });
});

describe("options of strategies", () => {
  it("of digest are shown for digest only, and change the plan", () =>
    onChat({ messages: text(rounds(40)), strategy: "digest" })(async (visitor, page) => {
      const fields = ["Rounds kept", "Saved at least", "Names listed", "Result chars"];
      const defaults = ["1", "2,000", "200", "80"];
      for (const [index, label] of fields.entries())
        await eventually.equal(() => visitor.field(label).getAttribute("placeholder"), defaults[index]);
      const first = await sentence(page);
      await visitor.field("Rounds kept").fill("30");
      await eventually.notEqual(() => sentence(page), first);
      const planned = turnfold.planHistory(new turnfold.Conversation({ messages: rounds(40) }), {
        compressionStrategy: turnfold.digest({ keep: 30 }),
      });
      const count = planned.messages.filter(({ fate }) => fate === "kept").length;
      await eventually.match(() => sentence(page), new RegExp(`${count} kept|^Nothing changes`));
      await eventually.equal(() => page.getByRole("checkbox", { name: "Clear old tool results first" }).count(), 0);
    }));

  it("worthIt runs a strategy when it pays at the prices of the page, and has a patience", () =>
    onChat({ messages: text(messages), strategy: "lastNMessages", options: { n: "4" }, when: "worthIt" })(
      async (visitor, page) => {
        const planned = (patience) =>
          turnfold.planHistory(conversation, {
            compressionStrategy: turnfold.lastNMessages(4),
            when: "worthIt",
            prices: { mechanism: "anthropic", input: 2, cacheRead: 0.1, cacheWrite: 2.5, output: 10, minimum: 1024 },
            ...(patience === undefined ? {} : { patience }),
          }).outcome;
        const shows = (outcome) => (outcome === "summarize" ? /^1 request for summaries/ : /^No strategy runs/);
        await plan(page, shows(planned()));
        await visitor.toggleGroup("Limits");
        await eventually.equal(() => visitor.field("Patience").getAttribute("placeholder"), "1");
        assert.notEqual(planned(0.001), planned(1000));
        await visitor.field("Patience").fill("0.001");
        await plan(page, shows(planned(0.001)));
        await visitor.field("Patience").fill("1000");
        await plan(page, shows(planned(1000)));
        await eventually.match(
          () => sentence(page),
          /^No strategy runs: it is not worth it yet: folding costs \$0\.0\d+ more .* not folding has cost \$0\.0\d+\.$/,
        );
        await visitor.field("Patience").fill("soon");
        await visitor.sees("Write a number such as 0.5, or nothing for the default");
      },
    ));
});

it("the figure fits a narrow and a wide window, in light and dark", async () =>
  visit({ fragment: await chatLink(shortChat), width: 360, height: 900 }, async (visitor, page) => {
    await visitor.press("Plan");
    await computed(page);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await page.locator(".figure-run").scrollIntoViewIfNeeded();
      await eventually.equal(() => overflow(page), 0);
      await eventually.deepEqual(() => visitor.axeFindings(), [], String(width));
    }
  }));
