// The result of a plan on the Chat tab compared with the input, line by line.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CHAT, chatLink, inResult, onChat, plan, shortChat, talk, text } from "./chat.mjs";
import { eventually } from "./eventually.mjs";
import { overflow, sharedVisit, visit, WIDTHS, wordsOf } from "./visit.mjs";
import { assertWork, stopClock, workOf } from "./work.mjs";

const compare = (page) => page.getByRole("checkbox", { name: "Compare with the input, line by line" });
const lines = (page, element) =>
  page
    .locator(`.chat-result ${element} :is(.diff-line, .diff-role)`)
    .evaluateAll((all) =>
      all.map((line) => line.querySelector(".diff-text")?.textContent ?? `# ${line.lastChild.textContent}`),
    );

const messages = [
  { role: "user", content: "Look it up." },
  ...["old", "new"].flatMap((which, index) => [
    { role: "assistant", content: "", toolCalls: [{ id: `c${index}`, name: "look", args: { which } }] },
    { role: "tool", toolCallId: `c${index}`, toolName: "look", content: `The ${which} one:\n${"a line\n".repeat(30)}` },
  ]),
  { role: "assistant", content: "Both are there." },
  { role: "user", content: "Thanks." },
  { role: "assistant", content: "You are welcome." },
];

it("a cleared result is compared line by line, the other messages are unchanged", async () =>
  onChat({
    messages: text({ version: 1, messages }),
    strategy: "clearToolResults",
    options: { keep: "1", minMessages: "2", keepAtLeast: "0" },
  })(async (_, page) => {
    await plan(page, /1 cleared/);
    await inResult(page).first().waitFor();
    await compare(page).check();
    const view = page.locator(".chat-result .diff");
    await view.getByText(/^Against the input: .* added, .* removed\.$/).waitFor();
    await eventually.ok(async () =>
      (await lines(page, "del")).some((line) => line.startsWith("look returned The old one")),
    );
    await eventually.equal(async () => (await lines(page, "del")).some((line) => line.includes("new one")), false);
    await eventually.equal(() => inResult(page).count(), 0);
    // Unchanged lines are folded until they are opened.
    await view
      .getByRole("button", { name: /^… \d+ lines unchanged$/ })
      .last()
      .click();
    await view.getByText("You are welcome.").waitFor();
    await compare(page).uncheck();
    await eventually.equal(() => inResult(page).count(), messages.length);
  }));

it("summarised messages are removed lines and their summary is an added one", () =>
  visit({ fragment: CHAT, height: 1000 }, async (visitor, page) => {
    await plan(page, /^1 request/);
    await compare(page).check();
    await eventually.ok(async () => (await lines(page, "ins")).includes("Summary of 40 earlier messages:"));
    await eventually.ok(async () => (await lines(page, "ins")).includes("# user · new"));
    await eventually.equal(
      async () => (await lines(page, "del")).filter((line) => /^# .* · \d+$/.test(line)).length,
      40,
    );
    await visitor.choose("none");
    await page.getByText("no differences.").waitFor();
  }));

it("two requests are compared, of any answers and strategies, and the cache is that of the second after the first", () =>
  visit({ fragment: "#tab=chat", height: 1000 }, async (_, page) => {
    await page.getByLabel("Compare two requests").check();
    const cache = page.locator(".diff-cache");
    await eventually.match(() => wordsOf(cache), /^Cache: this one begins with all of that one\. /);
    await page.getByLabel("First request", { exact: true }).fill("7");
    await page.getByLabel("Second request", { exact: true }).fill("12");
    await eventually.match(() => wordsOf(page.locator(".diff-sum")), /^14 messages, .* there, 24 messages, .* here: /);
    await eventually.ok(async () => (await lines(page, "ins")).includes("# assistant"));
    await page.getByLabel("Second request", { exact: true }).fill("7");
    await eventually.match(() => wordsOf(cache), /^Cache: they are the same\./);
    await page.getByLabel("Strategy of the second request").selectOption("wholeHistory");
    await eventually.match(() => wordsOf(cache), /^Cache: they differ from byte 0 of message 3, line 1, on\./);
    assert.equal(await page.getByText("the cache ends here").count(), 1);
    await page.getByLabel("Compare with the input, line by line").check();
    await page
      .locator(".chat-result .diff")
      .getByText(/^Against the input/)
      .waitFor();
  }));

describe("a comparison", () => {
  const onPage = sharedVisit(
    chatLink(shortChat).then((fragment) => ({ fragment, width: 360, height: 900 })),
    async (visitor, page) => {
      await visitor.press("Plan");
      await compare(page).check();
    },
  );
  for (const width of WIDTHS)
    it(
      `fits ${width} px and has no axe violations`,
      onPage(async (visitor, page) => {
        await page.setViewportSize({ width, height: 900 });
        await page.locator(".chat-result ins").first().scrollIntoViewIfNeeded();
        await eventually.equal(() => overflow(page), 0);
        await eventually.deepEqual(() => visitor.axeFindings(), []);
      }),
    );
});

it("5 MB are compared message by message", async (context) => {
  const long = talk(2000).map((message, index) =>
    index % 2 === 1 ? { ...message, content: `${message.content}\n${"Some words of it.\n".repeat(270)}` } : message,
  );
  const chat = { messages: JSON.stringify(long), strategy: "lastNMessages", options: { n: "1000" } };
  await visit({ fragment: await chatLink(chat), clock: true }, async (_, page) => {
    await plan(page, /^1 request/);
    await inResult(page).first().waitFor();
    await page.locator(".cm-content").first().waitFor();
    await stopClock(page);
    const work = await workOf(
      page,
      () => compare(page).check(),
      () => page.locator(".chat-result .diff-sum").waitFor(),
    );
    assert.match(await wordsOf(page.locator(".chat-result .diff-sum")), /lines \(about [\d,]+ tokens\) removed/);
    assertWork(context, work, { calls: 1_200_000, nodes: 700 });
  });
});
