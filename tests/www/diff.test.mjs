// Compares the messages line by line with those of one turn earlier, of another strategy, and of the opened state.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { COUNT, renderedAfter, SOME_STRATEGIES, stateOf } from "./history.mjs";
import { linkTo } from "./link.mjs";
import { sharedVisit, visit, wordsOf } from "./visit.mjs";

const compareWith = async (page, value) => {
  await page.locator(".compare select").selectOption(value);
  await page.locator(".diff").waitFor();
};

const unfold = async (page) => {
  const folds = page.locator(".diff-fold");
  while ((await folds.count()) > 0) await folds.first().click();
};

/** Every visible line: its mark and its text. */
const linesOf = (page) =>
  page.locator(".diff-line, .diff-role").evaluateAll((all) =>
    all.map((line) => {
      const sign = line.closest("ins") !== null ? "+" : line.closest("del") !== null ? "-" : " ";
      const text = line.querySelector(".diff-text")?.textContent;
      return text === undefined ? `${sign}# ${line.lastChild.textContent}` : `${sign}${text}`;
    }),
  );

const changedIn = (lines) => lines.filter((line) => !line.startsWith(" "));

/** One side of a comparison. */
const sideOf = (lines, without) => lines.filter((line) => !line.startsWith(without)).map((line) => line.slice(1));

const asLines = ({ messages }) => messages.flatMap(({ role, content }) => [`# ${role}`, ...content.split("\n")]);

/** One visit for the tests that only look at a comparison, each of which begins it anew: at the last turn, with folded lines. */
const onPage = sharedVisit(linkTo(stateOf()).then((fragment) => ({ fragment })));
const compareAnew = async (page, value, { width = 1280, height = 800 } = {}) => {
  await page.setViewportSize({ width, height });
  await page.getByRole("slider", { name: "As the model saw it" }).fill(String(COUNT));
  await page.locator(".compare select").selectOption("nothing");
  await page.locator(".diff").waitFor({ state: "detached" });
  await compareWith(page, value);
};

const summary = async (page) => (await page.locator(".diff-sum").innerText()).replace(/\s+/g, " ");

describe("the comparison with any other request", () => {
  const turnField = (page) => page.getByLabel("Turn of the other request");

  it("is with any turn and strategy, and says where the cache ends and what that costs", async () => {
    const prints = Array.from(
      { length: 100 },
      (_, line) => `line ${line} of the first print, which is long enough for a cache`,
    );
    const long = stateOf({ strategy: "none", options: { printLength: "100000" } });
    const turns = long.turns.map((turn, index) => (index === 0 ? { ...turn, prints: [prints.join("\n")] } : turn));
    await visit({ fragment: await linkTo({ ...long, turns }) }, async (_, page) => {
      const shown = () => linesOf(page);
      await compareWith(page, "turn");
      assert.equal(await turnField(page).inputValue(), String(COUNT - 1));
      await turnField(page).fill("2");
      await eventually.match(() => summary(page), /^Against this strategy after turn 2, /);
      const cache = page.locator(".diff-cache");
      await eventually.match(
        () => wordsOf(cache),
        /^Cache: this one begins with all of that one\. When this request follows that one, the provider’s cache has [\d,]+ of its [\d,]+ tokens \(\d+ %\)\. The others cost \$[\d.]+, where the cache would cost \$[\d.]+\.$/,
      );
      assert.equal(await page.getByText("the cache ends here").count(), 1);
      await unfold(page);
      assert.ok((await shown()).length > 100);

      // The same turn with two strategies: nothing of it is in the cache of a request with other first lines.
      await page.locator(".compare select").selectOption("strategy single-user-coalesced");
      await turnField(page).fill(String(COUNT));
      await eventually.match(() => summary(page), /^Against “One message” after turn 5, /);
      await eventually.match(() => wordsOf(cache), /^Cache: they differ from byte \d+ of message \d+, line \d+, on\. /);
      await eventually.match(() => summary(page), /: \d+ lines .* added, \d+ lines? .* removed/);
      await turnField(page).fill("99");
      await eventually.match(() => summary(page), /^Against “One message” after turn 5, /);
    });
  });
});

describe("the comparison with one turn earlier", () => {
  it(
    "shows added and removed lines with their tokens",
    onPage(async (_, page) => {
      await compareAnew(page, "earlier");
      await eventually.deepEqual(
        async () => changedIn(await linesOf(page)),
        ['+d                             ; = string, sample: "v"', "-Turns left: 4", "+Turns left: 3"],
      );
      await eventually.match(
        () => summary(page),
        /^Against one turn earlier, [\d,]+ tokens there, [\d,]+ tokens here: 2 lines \(about \d+ tokens\) added, 1 line \(about \d+ tokens\) removed\.$/,
      );
      const marked = await page.locator(".diff mark").allInnerTexts();
      assert.deepEqual(marked, ["4", "3"]);

      await page.getByRole("slider", { name: "As the model saw it" }).fill("4");
      await eventually.deepEqual(
        async () => changedIn(await linesOf(page)),
        [
          "+c                             ; = integer",
          "+;   search({:q 2})",
          "+c is 3",
          "+done",
          "----",
          "-Your previous attempt:",
          "-```clojure",
          "-(def c (oops b))",
          "-```",
          "-",
          "-Error: `oops` is not defined",
          "----",
          "-",
          "-Turns left: 5",
          "+Turns left: 4",
        ],
      );
    }),
  );

  it("contains both messages exactly", async () =>
    visit({ fragment: await linkTo(stateOf()) }, async (visitor, page) => {
      await compareWith(page, "earlier");
      for (const strategy of SOME_STRATEGIES) {
        await visitor.choose(strategy);
        for (const count of [COUNT, 3, 1]) {
          await page.getByRole("slider", { name: "As the model saw it" }).fill(String(count));
          await unfold(page);
          await eventually(async () => {
            const lines = await linesOf(page);
            const place = `turn ${count}, ${strategy}`;
            assert.deepEqual(sideOf(lines, "+"), asLines(renderedAfter(count - 1, strategy)), `before ${place}`);
            assert.deepEqual(sideOf(lines, "-"), asLines(renderedAfter(count, strategy)), `after ${place}`);
          });
        }
        await page.getByRole("slider", { name: "As the model saw it" }).fill("0");
        await page.getByText("There is no earlier request").waitFor();
      }
    }));

  it(
    "folds unchanged lines until they are opened",
    onPage(async (_, page) => {
      await compareAnew(page, "earlier");
      const folded = page.locator(".diff-fold");
      const [, count] = /^… (\d+) lines unchanged$/.exec(await folded.first().innerText());
      const before = (await linesOf(page)).length;
      await folded.first().focus();
      await page.keyboard.press("Enter");
      await eventually.equal(async () => (await linesOf(page)).length, before + Number(count));
    }),
  );
});

describe("the comparison with another strategy", () => {
  it("contains both messages exactly", async () =>
    visit({ fragment: await linkTo(stateOf({ strategy: "rolling-window" })) }, async (_, page) => {
      await compareWith(page, "strategy aggressive");
      await unfold(page);
      const lines = await linesOf(page);
      assert.deepEqual(sideOf(lines, "+"), asLines(renderedAfter(COUNT, "aggressive")));
      assert.deepEqual(sideOf(lines, "-"), asLines(renderedAfter(COUNT, "rolling-window")));
      await eventually.match(() => summary(page), /^Against “Token budget”, /);
    }));

  it("shows no difference to itself, and follows the choice of strategy", async () =>
    visit({ fragment: await linkTo(stateOf()) }, async (visitor, page) => {
      await compareWith(page, "strategy none");
      await eventually.ok(async () => changedIn(await linesOf(page)).includes("-# assistant"));
      await visitor.choose("none");
      await visitor.sees("no differences.");
      await eventually.deepEqual(async () => changedIn(await linesOf(page)), []);
      await page.getByLabel("Compare with").selectOption("nothing");
      await page.locator(".message").first().waitFor();
    }));

  it("says when the limits of the other strategy are invalid", async () =>
    visit({ fragment: await linkTo(stateOf({ options: { budget: "many" } })) }, async (_, page) => {
      await compareWith(page, "strategy aggressive");
      await page.getByText("The limits of this strategy can’t be read").waitFor();
    }));

  it("works on the Run tab", async () =>
    visit({ fragment: await linkTo(stateOf(), "run") }, async (_, page) => {
      await compareWith(page, "strategy none");
      await unfold(page);
      await eventually.deepEqual(
        async () => sideOf(await linesOf(page), "-"),
        asLines(renderedAfter(COUNT, "single-user-coalesced")),
      );
      await compareWith(page, "earlier");
      await eventually.deepEqual(
        async () => changedIn(await linesOf(page)).slice(-2),
        ["-Turns left: 4", "+Turns left: 3"],
      );
      await eventually.equal(() => page.locator('.compare option[value="original"]').count(), 0);
    }));
});

describe("the comparison with the opened state", () => {
  it("shows no difference at first, then every edit", async () =>
    visit({ fragment: await linkTo(stateOf()) }, async (visitor, page) => {
      await compareWith(page, "original");
      await visitor.sees("no differences.");
      await visitor.field("Mission").fill("Count what there was");
      await eventually.deepEqual(
        async () => changedIn(await linesOf(page)),
        ["-Count what there is", "+Count what there was"],
      );
      await eventually.deepEqual(() => page.locator(".diff mark").allInnerTexts(), ["is", "was"]);
      await visitor.press("Delete turn 5");
      await eventually.deepEqual(
        async () => changedIn(await linesOf(page)),
        [
          "-Count what there is",
          "+Count what there was",
          '-d                             ; = string, sample: "v"',
          "-Turns left: 3",
          "+Turns left: 4",
        ],
      );
      // Undo does not change the opened state.
      await visitor.press("Undo");
      await compareWith(page, "original");
      await eventually.deepEqual(
        async () => changedIn(await linesOf(page)),
        ["-Count what there is", "+Count what there was"],
      );
      // Both sides are compared after the same number of turns.
      await page.getByRole("slider", { name: "As the model saw it" }).fill("1");
      await eventually.deepEqual(
        async () => changedIn(await linesOf(page)),
        ["-Count what there is", "+Count what there was"],
      );
    }));

  it("follows the example that was opened last", () =>
    visit({}, async (visitor, page) => {
      await visitor.openExample("Fifty emails, triaged unseen");
      await visitor.field("Mission").fill("Triage");
      await compareWith(page, "original");
      await eventually(async () => {
        const [before, after] = changedIn(await linesOf(page));
        assert.match(before, /^-Triage the inbox: archive newsletters/);
        assert.equal(after, "+Triage");
      });
    }));
});

it("the code of the comparison is loaded on first use", () =>
  visit({}, async (visitor, page) => {
    await page.waitForLoadState("networkidle");
    const parts = () => visitor.files.filter((path) => /\/comparison-[^/]*\.js$/.test(path)).length;
    assert.equal(parts(), 0);
    await compareWith(page, "earlier");
    await page.locator(".diff-sum").waitFor();
    assert.equal(parts(), 1);
    assert.deepEqual(visitor.foreignRequests, []);
  }));

it("messages with too little in common are shown without matching lines", async () => {
  const many = (letter) => Array.from({ length: 700 }, (_, index) => `${letter}${index}`).join("\n");
  const turns = [{ program: "(report)", prints: [many("a")] }];
  const state = { mission: "Many", options: { printLength: "100000" }, turns };
  await visit({ fragment: await linkTo(state) }, async (visitor, page) => {
    await compareWith(page, "original");
    await visitor.toggleTurn(1);
    // Pasting is one change; typing as many lines would be one change each.
    const paste = (text) =>
      visitor.field("Print 1 of turn 1").evaluate((area, pasted) => {
        area.value = pasted;
        area.dispatchEvent(new Event("input", { bubbles: true }));
      }, text);
    await paste(many("b"));
    await visitor.sees("They have too little in common to be matched line by line.");
    // Lines far from the screen are not in the page.
    const seesFold = (element, text) =>
      eventually(async () => {
        const folds = await page.locator(`${element} .diff-fold`).allInnerTexts();
        if (folds.length === 0) await page.locator("#messages").evaluate((pane) => pane.scrollBy(0, 500));
        assert.match(folds.join(), text);
      });
    await seesFold("del", /^… 40\d lines more removed$/);
    await seesFold("ins", /^… 40\d lines more added$/);
    await eventually.match(() => summary(page), /: 700 lines \(.*\) added, 700 lines \(.*\) removed\./);

    await paste(`${many("a")}\n${many("b")}`);
    await visitor.sees(/: 700 lines \(.*\) added/);
    await eventually.equal(() => page.locator("del").count(), 0);
  });
});

it(
  "highlights the turn of a line and the lines of a turn",
  onPage(async (visitor, page) => {
    await compareAnew(page, "earlier", { height: 1400 });
    await visitor.turn(5).locator(".turn-toggle").hover();
    const lit = await page
      .locator(".diff-line")
      .evaluateAll((all) =>
        all
          .filter((line) => getComputedStyle(line).outlineStyle === "solid")
          .map((line) => line.querySelector(".diff-text").textContent),
      );
    assert.deepEqual(lit, ['d                             ; = string, sample: "v"']);
    // The pointer is moved again when the page has moved the line.
    await eventually(async () => {
      await page.locator("ins .diff-line").first().hover();
      assert.equal(await visitor.turn(5).evaluate((card) => getComputedStyle(card).outlineStyle), "solid");
    });
  }),
);

it(
  "marks added and removed lines with signs, not only with colours",
  onPage(async (_, page) => {
    await compareAnew(page, "strategy none");
    const signs = async (element) => new Set(await page.locator(`${element} .diff-sign`).allInnerTexts());
    await eventually.deepEqual(() => signs("ins"), new Set(["+"]));
    await eventually.deepEqual(() => signs("del"), new Set(["−"]));
  }),
);

it(
  `has no axe violations`,
  onPage(async (visitor, page) => {
    await compareAnew(page, "strategy none");
    await eventually.deepEqual(() => visitor.axeFindings(), []);
    await compareWith(page, "earlier");
    await page.locator("ins .diff-line").first().hover();
    await eventually.deepEqual(() => visitor.axeFindings(), []);
  }),
);

it(
  `fits 360 px`,
  onPage(async (visitor, page) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await visitor.press("Messages");
    await compareAnew(page, "strategy none", { width: 360, height: 740 });
    await unfold(page);
    const pane = page.locator("#messages");
    await eventually.equal(() => pane.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), 0);
    await eventually.deepEqual(() => visitor.axeFindings(), []);
  }),
);
