// The prefix shared with the previous turn's messages: tint, mark at its end, counts, and the breakpoints of a request.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { estimate } from "turnfold/chat";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { messagesAfter, numberIn, sample, sharedOf, tokensOf } from "./sample.mjs";
import { sharedVisit, visit } from "./visit.mjs";

const turnCount = sample.turns.length;
const cacheLink = (state = sample, tokens = {}) => linkTo({ ...state, tokens: { view: "cache", ...tokens } });

const fact = (page, name) =>
  page
    .locator(".cache-view .facts > div", { has: page.getByText(name, { exact: true }) })
    .locator("dd")
    .textContent();
const note = async (page) => (await page.locator(".cache-view").innerText()).replace(/\s+/g, " ");

/** The texts of a named highlight, by the number of their message. */
const highlighted = (page, name) =>
  page.evaluate((wanted) => {
    const cards = [...document.querySelectorAll(".message")];
    const texts = {};
    for (const range of CSS.highlights.get(wanted) ?? []) {
      const { startContainer: node, startOffset, endOffset } = range;
      if (node.nodeType !== Node.TEXT_NODE || range.endContainer !== node) throw new Error("a range leaves its text");
      const card = cards.indexOf(node.parentElement.closest(".message"));
      texts[card] = (texts[card] ?? "") + node.data.slice(startOffset, endOffset);
    }
    return texts;
  }, name);

/** Unfolds every message and waits until the tint is drawn. */
async function opened(visitor, page) {
  await visitor.unfold(page.locator('.message-toggle[aria-expanded="false"]'));
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
}

it("the tinted text is the part shared with the previous request", async () =>
  visit({ fragment: await cacheLink() }, async (visitor, page) => {
    for (const strategy of ["single-user-coalesced", "none"]) {
      await visitor.choose(strategy);
      await page.locator(".cache-view").waitFor();
      await opened(visitor, page);
      const before = messagesAfter(sample, turnCount - 1, strategy);
      const now = messagesAfter(sample, turnCount, strategy);
      await eventually.deepEqual(
        async () => (await visitor.messages()).map(({ text }) => text),
        now.map(({ content }) => content),
      );
      const shared = sharedOf(before, now);
      await eventually.deepEqual(() => highlighted(page, "shared-prefix"), shared.texts);

      const bytes = now.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
      await eventually.equal(
        () => fact(page, "shared bytes"),
        `${shared.bytes.toLocaleString("en")} of ${bytes.toLocaleString("en")}`,
      );
      const reusable = Object.values(shared.texts).reduce((sum, text) => sum + estimate.count(text), 0);
      const tokens = tokensOf(now, estimate);
      await eventually.equal(
        () => fact(page, "reusable tokens, by estimate"),
        `${reusable.toLocaleString("en")} of ${tokens.toLocaleString("en")} (${Math.round((100 * reusable) / tokens)} %)`,
      );
      const mark = await highlighted(page, "first-difference");
      if (shared.differs) {
        const { message, byte } = shared;
        await eventually.equal(
          () => fact(page, "first differing byte"),
          `${byte.toLocaleString("en")} of message ${message + 1}, ${now[message].role}`,
        );
        const behind = now[message].content.slice((shared.texts[message] ?? "").length);
        assert.deepEqual(mark, { [message]: /^\s*\S/u.exec(behind)[0] });
        const lines = (shared.texts[message] ?? "").split("\n");
        await eventually.match(
          () => note(page),
          new RegExp(`in line ${lines.length}, column ${[...lines.at(-1)].length + 1}\\b`),
        );
      } else {
        assert.deepEqual(mark, {});
        await eventually.match(
          () => note(page),
          /Nothing differs: this request contains all messages of the previous one/,
        );
      }
      const wholes = now.filter(({ content }, index) => shared.texts[index] === content).length;
      await eventually.equal(() => page.locator('.message[data-shared="whole"]').count(), wholes);
    }
  }));

describe("the tint", () => {
  it("follows edits, and disappears with its switch and its view", async () =>
    visit({ fragment: await cacheLink() }, async (visitor, page) => {
      await page.locator(".cache-view").waitFor();
      await visitor.field("Mission").fill("Grüße an alle");
      await opened(visitor, page);
      const state = { ...sample, mission: "Grüße an alle" };
      const { texts } = sharedOf(messagesAfter(state, turnCount - 1), messagesAfter(state));
      await eventually.deepEqual(() => highlighted(page, "shared-prefix"), texts);
      await visitor.press("Delete turn 4");
      await opened(visitor, page);
      const shorter = { ...state, turns: state.turns.slice(0, 3) };
      const fewer = sharedOf(messagesAfter(shorter, 2), messagesAfter(shorter)).texts;
      assert.notDeepEqual(fewer, texts);
      await eventually.deepEqual(() => highlighted(page, "shared-prefix"), fewer);

      const tint = page.getByLabel("Tint the shared part");
      const drawn = (isTinted) =>
        page.waitForFunction((wanted) => (CSS.highlights.get("shared-prefix")?.size ?? 0) > 0 === wanted, isTinted);
      await tint.uncheck();
      await drawn(false);
      await eventually.deepEqual(() => highlighted(page, "first-difference"), {});
      await eventually.equal(() => page.locator("[data-shared]").count(), 0);
      await tint.check();
      await drawn(true);
      await eventually.deepEqual(() => highlighted(page, "shared-prefix"), fewer);
      await page.locator(".token-view-button", { hasText: "Cache" }).click();
      await drawn(false);
      await eventually.equal(() => page.locator("[data-shared]").count(), 0);
    }));

  it("is saved in the link", async () =>
    visit({ fragment: await cacheLink(sample, { cacheMinimum: "77" }) }, async (visitor, page) => {
      await page.getByLabel("Tint the shared part").uncheck();
      await visitor.openLink(await visitor.linkOnce(({ tokens }) => tokens.tint === false));
      await page.locator(".cache-view").waitFor();
      await eventually.equal(() => page.getByLabel("Tint the shared part").isChecked(), false);
      await eventually.equal(() => page.getByLabel("Cache from").inputValue(), "77");
      await eventually.deepEqual(() => highlighted(page, "shared-prefix"), {});
    }));

  it("is a mark at the sections when the browser can't highlight texts", () =>
    visit({ fragment: "#example=shopping" }, async (_, page) => {
      await page.evaluate(() => {
        globalThis.Highlight = undefined;
      });
      await page.locator(".token-view-button", { hasText: "Cache" }).click();
      const marked = page.locator('.message[data-role="user"] .section[data-shared]');
      await marked.first().waitFor();
      await eventually.deepEqual(
        () =>
          marked.evaluateAll((sections) => sections.map((section) => [section.dataset.kind, section.dataset.shared])),
        [
          ["mission", "whole"],
          ["tool", "whole"],
          ["data", "whole"],
          ["expected", "whole"],
          ["user", "differs"],
        ],
      );
    }));

  it("shows the first difference, also in a folded message", async () =>
    visit({ fragment: await cacheLink(), height: 400 }, async (visitor, page) => {
      await page.locator('.message[data-role="user"] .message-toggle').click();
      await eventually.deepEqual(() => highlighted(page, "first-difference"), {});
      await visitor.press("Show it");
      await page.waitForFunction(() => {
        const [range] = CSS.highlights.get("first-difference") ?? [];
        if (range === undefined) return false;
        const place = document.createRange();
        place.setStart(range.startContainer, range.startOffset);
        place.setEnd(range.endContainer, range.endOffset);
        const { top, bottom } = place.getBoundingClientRect();
        return top > 60 && bottom < innerHeight;
      });
    }));

  it("is empty without a previous turn", async () =>
    visit({ fragment: await cacheLink({ ...sample, turns: [] }) }, async (visitor, page) => {
      await visitor.sees("There is no previous request");
      await eventually.deepEqual(() => highlighted(page, "shared-prefix"), {});
      const places = await page.locator(".breakpoints li").allInnerTexts();
      assert.equal(places.length, 2);
      assert.match(places[1], /^In message 2, user, after expected, at byte \d+: .*\sthe same from turn to turn$/s);
    }));

  it("is shown on the Run tab", async () =>
    visit({ fragment: await linkTo({ ...sample, tokens: { view: "cache" } }, "run") }, async (visitor, page) => {
      await page.locator(".cache-view").waitFor();
      await opened(visitor, page);
      const { 0: system, 1: user } = await highlighted(page, "shared-prefix");
      assert.equal(system, await page.locator(".message").first().locator(".section-text").textContent());
      assert.ok(user.startsWith(sample.mission));
      await eventually.match(() => note(page), /first differing byte \d/);
    }));
});

describe("breakpoints", () => {
  const copied = async (visitor) => {
    const copy = () => visitor.press("Copy as Anthropic’s system and messages, with the marks");
    return JSON.parse(await visitor.copies(copy));
  };

  /** The messages of a request, with the tokens before each of its cache marks. */
  function read({ system, messages }) {
    const list = [{ role: "system", content: system }, ...messages].map(({ role, content }) => ({
      role,
      content: typeof content === "string" ? [{ type: "text", text: content }] : content,
    }));
    const marks = [];
    let before = 0;
    const joined = list.map(({ role, content }) => {
      let text = "";
      for (const block of content) {
        assert.equal(block.type, "text");
        text += block.text;
        if (block.cache_control === undefined) continue;
        assert.deepEqual(block.cache_control, { type: "ephemeral" });
        marks.push(before + estimate.count(text));
      }
      before += estimate.count(text);
      return { role, content: text };
    });
    return { messages: joined, marks };
  }

  const onPage = sharedVisit(cacheLink(sample, { cacheMinimum: "100" }).then((fragment) => ({ fragment })));

  it(
    "are at the ends of stable parts, and are copied in a request",
    onPage(async (visitor, page) => {
      await visitor.choose("single-user-coalesced");
      const now = messagesAfter(sample);
      const [system, user] = now;
      const request = read(await copied(visitor));
      const places = await page.locator(".breakpoints li strong").allTextContents();
      assert.deepEqual(request.messages, now);
      assert.deepEqual(request.marks, places.map(numberIn));
      assert.equal(request.marks.length, 2);
      assert.equal(request.marks[0], estimate.count(system.content));
      const end = user.content.indexOf("{total :int}") + "{total :int}".length;
      assert.equal(request.marks[1], estimate.count(system.content) + estimate.count(user.content.slice(0, end)));
      await eventually.match(() => note(page), /That is at least the minimum of 100 tokens/);
    }),
  );

  it(
    "are at the end of a history that only grows",
    onPage(async (visitor) => {
      await visitor.choose("none");
      const now = messagesAfter(sample, turnCount, "none");
      const request = read(await copied(visitor));
      assert.deepEqual(request.messages, now);
      const before = tokensOf(messagesAfter(sample, turnCount - 1, "none"), estimate);
      const [system, first] = now.map(({ content }) => estimate.count(content));
      assert.deepEqual(request.marks, [system, system + first, before, tokensOf(now, estimate)]);
    }),
  );

  it("below the provider's minimum are marked as useless", async () =>
    visit({ fragment: await cacheLink(sample, { cacheMinimum: "600" }) }, async (visitor, page) => {
      await eventually.match(() => note(page), /That is at least the minimum of 600 tokens/);
      await eventually.equal(() => page.locator(".breakpoints [data-useless]").count(), 1);
      await eventually.equal(async () => read(await copied(visitor)).marks.length, 1);
      await visitor.field("Cache from").fill("4096");
      await eventually.match(() => note(page), /below the minimum of 4,096 tokens: a provider does not cache it/);
      await eventually.equal(() => page.locator(".breakpoints [data-useless]").count(), 2);
      await eventually.equal(() => page.locator(".breakpoints .copy-button").count(), 0);
    }));
});
