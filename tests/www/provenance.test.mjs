// The origin of each segment of the messages, omitted items, and the messages of earlier turns.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { COUNT, renderedAfter, SOME_STRATEGIES, stateOf } from "./history.mjs";
import { linkTo } from "./link.mjs";
import { overflow, sharedVisit, visit } from "./visit.mjs";
import { assertWork, mostForAKey, stopClock } from "./work.mjs";

/** The segments that are visibly highlighted, whatever their attributes. */
const litSegments = (page) =>
  page
    .locator(".segment")
    .evaluateAll((all) =>
      all
        .filter((segment) => getComputedStyle(segment).outlineStyle === "solid")
        .map((segment) => segment.querySelector(".section-text").textContent.replace(/^\n|\n$/g, "")),
    );

const litTurns = (page) =>
  page
    .locator(".turn")
    .evaluateAll((all) =>
      all.flatMap((card) => (getComputedStyle(card).outlineStyle === "solid" ? [Number(card.dataset.turn)] : [])),
    );

/** Moves the pointer onto an element until `holds` does not throw; again when the page has moved the element. */
const hover = (page, locator, holds = () => {}) =>
  eventually(async () => {
    await locator.scrollIntoViewIfNeeded();
    const { x, y } = await locator.boundingBox();
    await page.mouse.move(x + 60, y + 6);
    assert.ok(await locator.evaluate((element) => element.matches(":hover")));
    await holds();
  });

/** Moves the pointer onto an element until it highlights these turns. */
const hoverLights = (page, locator, turns) =>
  hover(page, locator, async () => assert.deepEqual(await litTurns(page), turns));

/** Moves the pointer to a place that belongs to no turn. */
const away = (page) => page.mouse.move(2, 2);

const segmentWith = (page, text) => page.locator(".segment", { hasText: text });

const onPage = sharedVisit(linkTo(stateOf()).then((fragment) => ({ fragment })));

/** A test that only looks at the history. It begins after the last turn, with all turns folded and nothing highlighted. */
const looking = (size, journey) =>
  onPage(async (visitor, page) => {
    await page.setViewportSize({ width: 1280, height: 800, ...size });
    await visitor.choose("single-user-coalesced");
    await visitor.unfold(page.locator(".turn[data-open] .turn-toggle"));
    await page.getByRole("slider", { name: "As the model saw it" }).fill(String(COUNT));
    await page.getByRole("slider", { name: "As the model saw it" }).focus();
    await away(page);
    await journey(visitor, page);
  });

describe("from a turn to its segments", () => {
  it(
    "highlights exactly the segments of the turn under the pointer",
    looking({ height: 1500 }, async (visitor, page) => {
      for (const strategy of SOME_STRATEGIES) {
        await visitor.choose(strategy);
        const { messages, sections } = renderedAfter(COUNT, strategy);
        for (let turn = 1; turn <= COUNT; turn++) {
          await hover(page, visitor.turn(turn));
          const expected = sections
            .filter(({ turns }) => turns.includes(turn))
            .map(({ message, start, end }) => messages[message].content.slice(start, end).replace(/^\n|\n$/g, ""));
          await eventually.deepEqual(() => litSegments(page), expected, `turn ${turn}, ${strategy}`);
          await eventually.deepEqual(() => litTurns(page), [turn]);
        }
        await away(page);
        await eventually.deepEqual(() => litSegments(page), []);
      }
    }),
  );

  it("highlights the segments of the focused part of a turn, also while it is edited", async () =>
    visit({ fragment: await linkTo(stateOf()), height: 1500 }, async (visitor, page) => {
      await visitor.toggleTurn(4);
      await visitor.focusEnd("Program of turn 4");
      const all = [
        "a                             ; = integer",
        "c                             ; = integer",
        ";   search({:q 2})",
        "c is 3\ndone",
      ];
      await eventually.deepEqual(async () => (await litSegments(page)).toSorted(), all.toSorted());
      await visitor.field("Print 2 of turn 4").click();
      await eventually.deepEqual(() => litSegments(page), ["c is 3\ndone"]);
      await page.keyboard.press("End");
      await page.keyboard.type("!");
      await eventually.deepEqual(() => litSegments(page), ["c is 3\ndone!"]);
      await visitor.field("Tool of call 1 of turn 4").focus();
      await eventually.deepEqual(() => litSegments(page), [";   search({:q 2})"]);

      // While the user types, the edited turn is highlighted, not the one under the pointer.
      await hoverLights(page, visitor.turn(1), [1]);
      await page.keyboard.press("End");
      await eventually.deepEqual(() => litTurns(page), [4]);
      await page.getByRole("button", { name: "Share", exact: true }).focus();
      await eventually.deepEqual(() => litSegments(page), []);
    }));

  it("follows a turn that is moved by keyboard", async () =>
    visit({ fragment: await linkTo(stateOf()), height: 1500 }, async (visitor, page) => {
      await away(page);
      await page.getByRole("button", { name: "Move turn 5 up" }).focus();
      await page.keyboard.press("Enter");
      await visitor.focusOn("Move turn 4 up");
      await page.waitForFunction(
        () => getComputedStyle(document.querySelectorAll(".turn")[3]).outlineStyle === "solid",
      );
      await eventually.deepEqual(() => litTurns(page), [4]);
    }));
});

describe("from a segment to its turn", () => {
  it(
    "highlights the turn of a segment and the part of the turn that it shows",
    looking({ height: 1500 }, async (visitor, page) => {
      await hoverLights(page, segmentWith(page, "search({:q 1})"), [2]);
      await hoverLights(page, segmentWith(page, "c is 3"), [4]);
      await hoverLights(page, page.getByText("Count what there is").last(), []);

      await visitor.toggleTurn(4);
      await hover(page, segmentWith(page, "c is 3"));
      const litParts = () =>
        visitor
          .turn(4)
          .locator("[data-part]")
          .evaluateAll((parts) =>
            parts.filter((part) => getComputedStyle(part).outlineStyle === "solid").map(({ dataset }) => dataset.part),
          );
      await eventually.deepEqual(litParts, ["prints"]);
    }),
  );

  it(
    "scrolls for keys and clicks, but not for a moving pointer",
    looking({ height: 440 }, async (visitor, page) => {
      const history = page.locator("#history");
      const place = () => history.evaluate((pane) => pane.scrollTop);
      const isSeen = (number) =>
        visitor.turn(number).evaluate((card) => {
          const pane = card.closest(".pane").getBoundingClientRect();
          const box = card.getBoundingClientRect();
          return box.bottom > pane.top && box.top < pane.bottom;
        });
      await history.evaluate((pane) => pane.scrollTo(0, pane.scrollHeight));
      await eventually.equal(() => isSeen(1), false);
      const print = segmentWith(page, "a is 1");
      const bottom = await place();
      await hoverLights(page, print, [1]);
      await eventually.equal(() => place(), bottom);
      await print.locator(".section-text").click({ position: { x: 20, y: 6 } });
      await eventually.equal(() => isSeen(1), true);

      const messages = page.locator("#messages");
      await messages.evaluate((pane) => pane.scrollTo(0, 0));
      await hover(page, visitor.turn(1));
      await eventually.equal(() => messages.evaluate((pane) => pane.scrollTop), 0);
      await visitor.turn(1).locator(".turn-toggle").focus();
      await eventually.ok(async () => (await messages.evaluate((pane) => pane.scrollTop)) > 0);
    }),
  );

  it(
    "goes to the turn by keyboard",
    looking({}, async (_, page) => {
      const sources = page.locator(".segment .source");
      const { sections } = renderedAfter(COUNT, "single-user-coalesced");
      const from = sections.filter(({ turns }) => turns.length > 0).map(({ turns: [turn] }) => `from turn ${turn}`);
      const labels = () => sources.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
      await eventually.deepEqual(labels, from);
      await eventually.equal(() => page.locator('.message[data-role="user"] .source[tabindex="0"]').count(), 1);
      await sources.first().focus();
      const [first] = await litTurns(page);
      assert.equal(from[0], `from turn ${first}`);
      // Between them are the sources of omitted items.
      const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
      for (let presses = 0; presses < 12 && (await litTurns(page))[0] !== 2; presses++)
        await page.keyboard.press("ArrowDown");
      await eventually.equal(() => focused(), "from turn 2");
      // The last source is that of the error, at the place of the omitted error.
      await page.keyboard.press("End");
      await eventually.equal(() => focused(), "from turn 3");
      await page.keyboard.press("Enter");
      await page.waitForFunction(() => document.activeElement.matches(".turn-toggle"));
      await eventually.match(() => page.locator(".turn[data-open] .turn-toggle").innerText(), /^Turn 3/);
    }),
  );

  it(
    "shows the history when only one side fits",
    looking({}, async (visitor, page) => {
      await page.setViewportSize({ width: 360, height: 740 });
      await visitor.press("Messages");
      await segmentWith(page, "search({:q 1})").locator(".source").click();
      await page.waitForFunction(() => document.activeElement.matches(".turn-toggle"));
      await eventually.equal(() => page.locator("#history").isVisible(), true);
      await eventually.match(() => page.locator(".turn[data-open] .turn-toggle").innerText(), /^Turn 2/);
    }),
  );
});

describe("omitted items", () => {
  const limited = () => linkTo(stateOf({ options: { printlnLimit: "1", toolCallLimit: "1" } }));

  it("are shown greyed in their place, with the rule that omits them", async () =>
    visit({ fragment: await limited(), height: 1500 }, async (visitor, page) => {
      await page.locator('.message[data-role="system"] .message-toggle').click();
      const { messages, dropped } = renderedAfter(COUNT, "single-user-coalesced", {
        printlnLimit: 1,
        toolCallLimit: 1,
      });
      await eventually.deepEqual(
        async () => (await visitor.messages()).map(({ text }) => text),
        messages.map(({ content }) => content),
      );
      const box = (text) => page.locator(".omitted", { hasText: text });
      const prints = box("Only the newest prints are shown, and these are older.");
      await eventually.match(() => prints.locator("summary").innerText(), /^Left out: 2 prints/);
      await eventually.deepEqual(() => prints.locator(".omitted-text").allInnerTexts(), ["a is 1", "c is 3"]);
      const top = async (locator) => (await locator.boundingBox()).y;
      await eventually.ok(
        async () => (await top(prints)) > (await top(page.locator(".section-text", { hasText: ";; Output:" }))),
      );
      await eventually.ok(async () => (await top(prints)) < (await top(segmentWith(page, "done"))));
      const colour = (locator) => locator.evaluate((element) => getComputedStyle(element).color);
      await eventually.notEqual(
        () => colour(prints.locator(".omitted-text").first()),
        await colour(segmentWith(page, "done").locator(".section-text")),
      );
      await box("Only the newest tool calls are shown").getByText("search({:q 1})").waitFor();
      await box("The last turn succeeded").getByText("`oops` is not defined").waitFor();
      await box("A later turn gave the name another value").waitFor();

      const programs = box("What a program did is kept; its code is not.");
      await eventually.equal(() => programs.locator(".omitted-text").first().isVisible(), false);
      await programs.locator("summary").click();
      await programs.getByText("(def c (oops b))").waitFor();

      const items = await page.locator(".omitted-item").count();
      const programsBefore = await programs.getByRole("button", { name: "1 before these" }).count();
      assert.equal(items + programsBefore, dropped.length);
      await programs.getByRole("button", { name: "1 before these" }).click();
      await eventually.equal(() => page.locator(".omitted-item").count(), dropped.length);

      await hover(page, visitor.turn(1));
      const lit = await page
        .locator(".omitted-item")
        .evaluateAll((all) =>
          all
            .filter((item) => getComputedStyle(item).outlineStyle === "solid")
            .map((item) => item.querySelector(".omitted-text").textContent),
        );
      assert.deepEqual(
        lit.toSorted(),
        dropped
          .filter(({ turn }) => turn === 1)
          .map(({ text }) => text)
          .toSorted(),
      );

      await page.getByLabel("Show what was left out").uncheck();
      await eventually.equal(() => page.locator(".omitted").count(), 0);
    }));

  it("have a place in the messages", async () =>
    visit(
      { fragment: await linkTo(stateOf({ options: { printLength: "3", budget: "40" } })) },
      async (visitor, page) => {
        for (const strategy of SOME_STRATEGIES) {
          await visitor.choose(strategy);
          const compression = strategy === "aggressive" ? [strategy, { budget: 40 }] : strategy;
          const { dropped } = renderedAfter(COUNT, compression, { printLength: 3 });
          await visitor.unfold(page.locator(".omitted:not([open]) > summary"));
          await visitor.unfold(page.getByRole("button", { name: /before these$/ }));
          await eventually.deepEqual(
            async () => (await page.locator(".omitted-text").allTextContents()).toSorted(),
            dropped.map(({ text }) => text).toSorted(),
            strategy,
          );
          assert.ok(dropped.length > 0);
        }
      },
    ));
});

describe("the slider", () => {
  it(
    "shows exactly the messages of each turn",
    looking({}, async (visitor, page) => {
      const slider = page.getByRole("slider", { name: "As the model saw it" });
      for (const strategy of SOME_STRATEGIES) {
        await visitor.choose(strategy);
        await visitor.unfold(page.locator('.message-toggle[aria-expanded="false"]'));
        await eventually.equal(() => slider.inputValue(), String(COUNT));
        for (const count of [0, 3, 1, 4, 2, COUNT]) {
          await slider.fill(String(count));
          const expected = renderedAfter(count, strategy).messages.map(({ role, content }) => ({
            role,
            text: content,
          }));
          await eventually.deepEqual(() => visitor.messages(), expected, `after ${count}, ${strategy}`);
        }
      }
    }),
  );

  it(
    "works by keyboard and announces its position",
    looking({}, async (visitor, page) => {
      const slider = page.getByRole("slider", { name: "As the model saw it" });
      await slider.focus();
      await page.keyboard.press("Home");
      await eventually.equal(() => slider.getAttribute("aria-valuetext"), "before turn 1 of 5");
      await eventually.match(() => visitor.userMessage(), /Turns left: 8$/);
      await page.keyboard.press("ArrowRight");
      await eventually.equal(() => slider.getAttribute("aria-valuetext"), "after turn 1 of 5");
      await eventually.match(() => visitor.userMessage(), /a is 1\n\nTurns left: 7$/);
      await eventually.equal(() => page.getByText("not in the messages yet").count(), 4);
      await visitor.press("Go to the latest");
      await eventually.match(() => visitor.userMessage(), /Turns left: 3$/);
      await eventually.equal(() => page.getByText("not in the messages yet").count(), 0);
    }),
  );

  it("keeps its position while turns are edited, and stays at the end when turns are added", async () =>
    visit({ fragment: await linkTo(stateOf()) }, async (visitor, page) => {
      const slider = page.getByRole("slider", { name: "As the model saw it" });
      await slider.fill("2");
      const before = await visitor.userMessage();
      await visitor.toggleTurn(4);
      await visitor.field("Print 1 of turn 4").fill("unseen");
      await eventually.equal(() => visitor.userMessage(), before);
      await visitor.toggleTurn(4);
      await visitor.toggleTurn(1);
      await visitor.field("Print 1 of turn 1").fill("seen");
      await eventually.match(() => visitor.userMessage(), /;; Output:\nseen\n/);
      await visitor.press("Add turn");
      await eventually.equal(() => slider.getAttribute("aria-valuetext"), "after turn 2 of 6");
      for (const number of [6, 5, 4, 3]) await visitor.press(`Delete turn ${number}`);
      await eventually.equal(() => slider.getAttribute("aria-valuetext"), "after turn 2 of 2");
      await visitor.press("Add turn");
      await slider.fill("3");
      await visitor.press("Add turn");
      await eventually.equal(() => slider.getAttribute("aria-valuetext"), "after turn 4 of 4");
      await slider.fill("1");
      await visitor.openExample("Fifty emails, triaged unseen");
      await eventually.equal(() => slider.getAttribute("aria-valuetext"), "after turn 4 of 4");
    }));

  it("counts back from turnsLeft when that is set", async () =>
    visit({ fragment: await linkTo(stateOf({ options: { turnsLeft: "2" } })) }, async (visitor, page) => {
      await eventually.match(() => visitor.userMessage(), /Turns left: 2$/);
      await page.getByRole("slider", { name: "As the model saw it" }).fill("3");
      await eventually.match(() => visitor.userMessage(), /Turns left: 4$/);
    }));

  it("shows the request of each turn on the Run tab", async () =>
    visit({ fragment: await linkTo(stateOf(), "run") }, async (visitor, page) => {
      await visitor.sees("Next request: turn 6");
      await page.getByRole("slider", { name: "As the model saw it" }).fill("1");
      await visitor.sees("Request of turn 2");
      await eventually.equal(
        () => visitor.userMessage(),
        renderedAfter(1, "single-user-coalesced").messages[1].content,
      );
      await hover(page, visitor.turn(1));
      await eventually.deepEqual(() => litSegments(page), ["a                             ; = integer", "a is 1"]);
    }));
});

describe("a long history", () => {
  const long = (count) => ({
    mission: "Count",
    options: { maxTurns: String(count + 5) },
    turns: Array.from({ length: count }, (_, index) => ({
      program: `(def x${index % 60} (tool/search {:query "item ${index}"}))\n(println "found" ${index})`,
      prints: index % 3 === 0 ? [] : [`found ${index}`],
      calls: index % 10 === 0 ? [{ name: "search", args: `{:query "item ${index}"}`, result: "[]" }] : [],
      memory: `{:x${index % 60} [{:name "a${index}" :price ${index}} {:name "b" :price 2}]}`,
    })),
  });

  /** Types into the print of a turn, and returns the most work of the page for one key. */
  async function typeIntoPrint(page, turn, keys) {
    await page.getByRole("textbox", { name: `Print 1 of turn ${turn}`, exact: true }).focus();
    await page.keyboard.press("End");
    await stopClock(page);
    const work = await mostForAKey(page, "x".repeat(keys), (key) => page.keyboard.press(key));
    await page.clock.resume();
    return work;
  }

  for (const [strategy, calls] of [
    ["single-user-coalesced", 36_000],
    ["none", 46_000],
  ]) {
    it(`renders only the changes of a typed key, with fifty turns: ${strategy}`, async (context) =>
      visit({ fragment: await linkTo({ ...long(50), strategy }), clock: true }, async (visitor, page) => {
        await visitor.toggleTurn(30);
        const work = await typeIntoPrint(page, 30, 40);
        assertWork(context, work, { calls, nodes: 30 });
        await eventually.match(
          async () => (await visitor.messages()).map((message) => message.text).join("\n"),
          /\nfound 29x{40}\n/,
        );
        // An animation after a key would lay the page out again in each frame.
        await page.keyboard.press("x");
        const moves = () =>
          page.evaluate(() => ({
            moving: document.getAnimations().length,
            length: document.scrollingElement.scrollHeight - innerHeight,
          }));
        await eventually.deepEqual(moves, { moving: 0, length: 0 });
      }));
  }

  it("can be edited, stepped through and compared with a thousand turns", async (context) =>
    visit({ height: 900, clock: true }, async (visitor, page) => {
      page.setDefaultTimeout(60_000);
      const fragment = await linkTo(long(1000));
      await page.evaluate((link) => location.assign(link), fragment);
      await visitor.findTurn(999);
      await visitor.toggleTurn(999);
      const work = await typeIntoPrint(page, 999, 6);
      assertWork(context, work, { calls: 80_000, nodes: 30 });
      await eventually.match(() => visitor.userMessage(), /\nfound 998x{6}\n/);
      await page.getByRole("slider", { name: "As the model saw it" }).fill("500");
      await eventually.match(() => visitor.userMessage(), /\nfound 499\n\nTurns left: 505$/);
      await visitor.findTurn(500);
      await hoverLights(page, page.locator(".segment", { hasText: "found 499" }), [500]);
    }));
});

describe("highlighted and omitted items", () => {
  const onPage = sharedVisit(linkTo(stateOf({ options: { printlnLimit: "1" } })).then((fragment) => ({ fragment })));

  it(
    `has no axe violations while something is highlighted`,
    onPage(async (visitor, page) => {
      await page.setViewportSize({ width: 1280, height: 1500 });
      await page.getByRole("slider", { name: "As the model saw it" }).fill(String(COUNT));
      await visitor.unfold(page.locator(".omitted:not([open]) > summary"));
      await visitor.toggleTurn(4);
      await hover(page, visitor.turn(4));
      await eventually.deepEqual(() => visitor.axeFindings(), []);
      await hover(page, segmentWith(page, "done"));
      await page.getByRole("slider", { name: "As the model saw it" }).fill("4");
      await eventually.deepEqual(() => visitor.axeFindings(), []);
      await visitor.toggleTurn(4);
    }),
  );

  it(
    `fits 360 px`,
    onPage(async (visitor, page) => {
      await page.setViewportSize({ width: 360, height: 740 });
      await visitor.press("Messages");
      await page.getByRole("slider", { name: "As the model saw it" }).fill(String(COUNT));
      await visitor.unfold(page.locator(".omitted:not([open]) > summary"));
      await page.getByRole("slider", { name: "As the model saw it" }).fill("4");
      await eventually.equal(() => overflow(page), 0);
      const pane = page.locator("#messages");
      await eventually.equal(() => pane.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), 0);
      await eventually.deepEqual(() => visitor.axeFindings(), []);
    }),
  );
});
