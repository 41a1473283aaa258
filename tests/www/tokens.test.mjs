// Tokens on the Turns tab: sections, totals, course over the turns, the model's window, counters, and costs.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { estimate } from "turnfold/chat";
import { cl100k } from "turnfold/tokens/cl100k";
import { o200k } from "turnfold/tokens/o200k";
import { eventually } from "./eventually.mjs";
import { stateOf } from "./history.mjs";
import { linkTo, stateIn } from "./link.mjs";
import { rowsOf } from "./plots.mjs";
import { messagesAfter, numberIn, optionsOf, sample, tokensOf, turnsOf } from "./sample.mjs";
import { sharedVisit, visit, wordsOf } from "./visit.mjs";
import { assertWork, mostForAKey, stopClock } from "./work.mjs";

const fragment = await linkTo(sample);
const turnCount = sample.turns.length;
const labels = {
  "single-user-coalesced": "One message",
  journal: "Journal",
  "rolling-window": "Rolling window",
  "per-turn-summary": "A summary per turn",
  aggressive: "Token budget",
  none: "No strategy",
};
const strategies = Object.keys(labels);

const look = (page, view) => page.locator(".token-view-button", { hasText: view }).click();
const total = async (page, kind = "folded") =>
  numberIn(await page.locator(`.statistics .total[data-kind="${kind}"] strong`).textContent());
const fact = (page, name) =>
  page
    .locator(".statistics .facts > div", { has: page.getByText(name, { exact: true }) })
    .locator("dd")
    .textContent();

const RUN_PLOT = '[data-plot="run"]';

/** The numbers in the table of the plot of the turns, with the strategy and without one, after it is up to date. */
async function course(page, timeout = 30_000) {
  await page.locator(`${RUN_PLOT}:not([data-stale]) .plot-area svg`).waitFor({ timeout });
  const rows = await rowsOf(page, "run");
  const [, name] = /^With (no strategy|“[^”]+”), requests/.exec(
    await page.locator(`${RUN_PLOT} .plot-finding`).textContent(),
  );
  const turn = numberIn(rows.at(-1)["Request of turn"]);
  const columns = [
    ["Tokens", strategies.find((each) => name === `“${labels[each]}”`) ?? "none"],
    ["without a strategy", "none"],
  ];
  return columns
    .filter(([column]) => column in rows[0])
    .map(([column, name]) => {
      const tokens = rows.map((row) => numberIn(row[column]));
      const max = Math.max(...tokens);
      const at = numberIn(rows[tokens.indexOf(max)]["Request of turn"]);
      return { name, first: tokens[0], max, at, last: tokens.at(-1), turn };
    });
}

function courseOf(name, messages, counter = estimate) {
  const tokens = messages.map((each) => tokensOf(each, counter));
  const max = Math.max(...tokens);
  return { name, first: tokens[0], max, at: tokens.indexOf(max) + 1, last: tokens.at(-1), turn: tokens.length };
}

const everyTurn = (strategy, more) =>
  Array.from({ length: turnCount + 1 }, (_, count) => messagesAfter(sample, count, strategy, more?.(count)));

describe("tokens", () => {
  const onPage = sharedVisit({ fragment });

  it(
    "of the sections add up to those of their messages and of all",
    onPage(async (visitor, page) => {
      await look(page, "Sections");
      for (const strategy of ["single-user-coalesced", "none"]) {
        await visitor.choose(strategy);
        const messages = messagesAfter(sample, turnCount, strategy);
        await eventually.deepEqual(
          async () => (await visitor.messages()).filter(({ role }) => role !== "system").map(({ text }) => text),
          messages.filter(({ role }) => role !== "system").map(({ content }) => content),
        );
        await page.locator(".section-totals").waitFor();
        const rows = await page.locator(".section-totals tbody tr").evaluateAll((all) =>
          all.map(({ cells }) => ({
            name: cells[0].textContent,
            tokens: Number(cells[2].textContent.replaceAll(",", "")),
          })),
        );
        assert.ok(rows.length > 4);
        assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
        const sum = rows.reduce((all, { tokens }) => all + tokens, 0);
        assert.equal(sum, tokensOf(messages, estimate));
        assert.equal(sum, await total(page));
        await eventually.equal(
          async () => numberIn(await page.locator(".section-totals tfoot td").nth(1).textContent()),
          sum,
        );

        for (const card of await page.locator(".message:not([data-role=system])").all()) {
          const own = numberIn(await card.locator(".message-tokens").textContent());
          const parts = await card.locator(".token-bar span").evaluateAll((all) => all.map(({ title }) => title));
          const labels = await card.locator(".section-tokens").allTextContents();
          const shown = labels.reduce((all, label) => all + Number.parseInt(label, 10), 0);
          assert.ok(shown <= own && shown > own - 10, `${shown} of ${own}: ${parts}`);
        }
      }
      await look(page, "Sections");
    }),
  );

  it(
    "saved are the difference of the package's counts with and without the strategy",
    onPage(async (visitor, page) => {
      for (const strategy of strategies.slice(0, 4)) {
        await visitor.choose(strategy);
        const folded = tokensOf(messagesAfter(sample, turnCount, strategy), estimate);
        const plain = tokensOf(messagesAfter(sample, turnCount, "none"), estimate);
        await eventually.equal(() => total(page), folded);
        await eventually.equal(() => total(page, "plain"), plain);
        const difference = Math.abs(plain - folded);
        const share = Math.round((100 * difference) / plain);
        await eventually.equal(
          () => fact(page, folded > plain ? "tokens more" : "tokens saved"),
          `${difference} (${difference === 0 ? "0" : share < 1 ? "<1" : share} %)`,
        );
      }
      await visitor.choose("none");
      await eventually.equal(() => page.locator('.statistics .total[data-kind="plain"]').count(), 0);
      await eventually.equal(() => page.getByText(/tokens (saved|more)/).count(), 0);
    }),
  );

  it(
    "the views of the tokens can be opened by keyboard",
    onPage(async (_, page) => {
      const button = page.locator(".token-view-button", { hasText: "Sections" });
      await button.focus();
      await eventually.equal(() => button.getAttribute("aria-expanded"), "false");
      await page.keyboard.press("Enter");
      await page.locator(".section-totals").waitFor();
      await eventually.equal(() => button.getAttribute("aria-expanded"), "true");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Space");
      await page.locator(".window-track").waitFor();
      await eventually.equal(() => button.getAttribute("aria-expanded"), "false");
      await page.keyboard.press("Space");
      await eventually.equal(() => page.locator(".token-view").count(), 0);
    }),
  );

  it("over the turns end at the total, and follow edits", () =>
    visit({ fragment }, async (visitor, page) => {
      const [strategy] = strategies;
      const [folded, plain] = await course(page);
      assert.deepEqual(folded, courseOf(strategy, everyTurn(strategy)));
      assert.deepEqual(plain, courseOf("none", everyTurn("none")));
      assert.equal(folded.last, await total(page));
      assert.equal(plain.last, await total(page, "plain"));
      assert.equal((await rowsOf(page, "run")).length, turnCount + 1);

      await visitor.toggleTurn(3);
      await visitor
        .field("Print 1 of turn 3")
        .fill("a is two, and this is a much longer line than before it was edited");
      const [edited, editedPlain] = await course(page);
      assert.equal(edited.first, folded.first);
      assert.ok(edited.last > folded.last);
      assert.equal(edited.last, await total(page));
      assert.equal(editedPlain.last, await total(page, "plain"));

      await visitor.choose("none");
      const all = await course(page);
      assert.deepEqual(
        all.map(({ name, last }) => [name, last]),
        [["none", editedPlain.last]],
      );
    }));

  it("over the turns move the messages, by keys and by a click, and are a table", () =>
    visit({ fragment }, async (_, page) => {
      await course(page);
      const place = () => page.locator(".turn-place").textContent();
      const plot = page.locator(`${RUN_PLOT} .plot-area`);
      await plot.press("Home");
      await eventually.equal(place, `before turn 1 of ${turnCount}`);
      await plot.press("ArrowRight");
      await eventually.equal(place, `after turn 1 of ${turnCount}`);
      assert.match(await plot.getAttribute("aria-valuetext"), /^Turn 2: [\d,]+ tokens \(.*system [\d,]+/);
      const { width, height } = await plot.boundingBox();
      await plot.click({ position: { x: width - 3, y: height / 2 } });
      await eventually.equal(place, `after turn ${turnCount} of ${turnCount}`);
      const rows = await rowsOf(page, "run");
      assert.equal(rows.length, turnCount + 1);
      const sumOf = ({ "Request of turn": _, Tokens, "without a strategy": __, rewritten: ___, ...parts }) => [
        numberIn(Tokens),
        Object.values(parts).reduce((sum, tokens) => sum + numberIn(tokens), 0),
      ];
      for (const row of rows) assert.equal(...sumOf(row));
      assert.equal(numberIn(rows.at(-1).Tokens), await total(page));
    }));

  it("over the turns count back from turnsLeft", async () =>
    visit({ fragment: await linkTo({ ...sample, options: { turnsLeft: "1" } }) }, async (_, page) => {
      const left = (count) => ({ turnsLeft: 1 + turnCount - count });
      const [folded, plain] = await course(page);
      assert.deepEqual(folded, courseOf(strategies[0], everyTurn(strategies[0], left)));
      assert.deepEqual(plain, courseOf("none", everyTurn("none", left)));
    }));

  it("over the turns begin with the first turn", async () =>
    visit({ fragment: await linkTo({ mission: "Nothing yet" }) }, async (visitor, page) => {
      await page.waitForTimeout(500);
      await eventually.equal(() => page.locator(RUN_PLOT).count(), 0);
      await visitor.press("Add turn");
      const [folded] = await course(page);
      assert.equal(folded.turn, 2);
      assert.equal(folded.last, await total(page));
      await visitor.press("Delete turn 1");
      await eventually.equal(() => page.locator(RUN_PLOT).count(), 0);
    }));

  it("are shown on the Run tab", async () =>
    visit({ fragment: await linkTo(sample, "run") }, async (_, page) => {
      const [folded, plain] = await course(page);
      assert.equal(folded.last, await total(page));
      assert.equal(plain.last, await total(page, "plain"));
      assert.ok(folded.first < folded.last);
    }));
});

describe("the counter", () => {
  const vocabulary = /\/(o200k|cl100k)[.-]/;
  const loaded = (visitor) => visitor.requests.map(({ pathname }) => vocabulary.exec(pathname)?.[1]).filter(Boolean);

  for (const [name, load] of Object.entries({ o200k, cl100k })) {
    it(`${name} is loaded when it is chosen, and counts exactly`, () =>
      visit({ fragment }, async (visitor, page) => {
        await page.waitForLoadState("networkidle");
        assert.deepEqual(loaded(visitor), []);
        const before = await total(page);
        assert.equal(before, tokensOf(messagesAfter(sample), estimate));

        await page.getByLabel("Counted by").selectOption({ label: `exact, ${name}` });
        const exact = await load();
        const folded = tokensOf(messagesAfter(sample), exact);
        assert.notEqual(folded, before);
        await page.locator('.total[data-kind="folded"] strong', { hasText: folded.toLocaleString("en") }).waitFor();
        await eventually.equal(() => total(page, "plain"), tokensOf(messagesAfter(sample, turnCount, "none"), exact));
        assert.deepEqual([...new Set(loaded(visitor))], [name]);
        await eventually.equal(() => page.locator(".counter-state").innerText(), "");
        await page
          .locator('[aria-live="polite"]', { hasText: `2 messages, ${folded} tokens` })
          .waitFor({ state: "attached" });
        const [line] = await course(page);
        assert.equal(line.last, folded);
        await look(page, "Sections");
        await eventually.match(
          () => page.locator(".section-totals caption").textContent(),
          new RegExp(`counted by ${name}\\.`),
        );
        await eventually.equal(
          async () => numberIn(await page.locator(".section-totals tfoot td").nth(1).textContent()),
          folded,
        );

        await page.getByLabel("Counted by").selectOption("estimate");
        await eventually.equal(() => total(page), before);
      }));
  }

  it("shows that it is loading, and offers a retry after a failure", () =>
    visit({ fragment }, async (visitor, page) => {
      let held = [];
      await page.route(/o200k\.vocabulary/, (route) => held.push(route));
      await page.getByLabel("Counted by").selectOption("o200k");
      await visitor.sees("Loading o200k; until then these are estimates.");
      await eventually.equal(() => total(page), tokensOf(messagesAfter(sample), estimate));
      await page.waitForFunction(() => document.querySelector(".counter-state").textContent !== "");
      await eventually.ok(() => held.length > 0);
      for (const route of held) await route.abort();
      await visitor.sees(
        /o200k could not be loaded, so these are estimates: the vocabulary of o200k could not be loaded/,
      );
      // The browser itself reports the failed load.
      visitor.expectErrors(/Failed to load resource/);

      await page.unroute(/o200k\.vocabulary/);
      held = [];
      await visitor.press("try again");
      const exact = tokensOf(messagesAfter(sample), await o200k());
      await page.locator('.total[data-kind="folded"] strong', { hasText: exact.toLocaleString("en") }).waitFor();
      await eventually.equal(() => page.locator(".counter-state").innerText(), "");
    }));
});

describe("the window", () => {
  it("shows used, reserved and free tokens, and warns when it is too small", () =>
    visit({ fragment }, async (visitor, page) => {
      const tokens = tokensOf(messagesAfter(sample), estimate);
      const plain = tokensOf(messagesAfter(sample, turnCount, "none"), estimate);
      await look(page, "Window");
      await visitor.sees("used of the window");
      await eventually.equal(() => fact(page, "used of the window"), `${tokens.toLocaleString("en")} (<1 %)`);
      await eventually.equal(() => fact(page, "reserved for the reply"), "4,096");
      await eventually.equal(() => fact(page, "free"), (1_000_000 - 4_096 - tokens).toLocaleString("en"));
      await eventually.equal(() => page.locator(".over-budget").count(), 0);

      await visitor.field("Window").fill("2000");
      await visitor.field("Reserve").fill(String(2000 - tokens));
      await eventually.equal(() => fact(page, "free"), "0");
      await eventually.equal(() => page.locator(".over-budget").count(), 0);
      await visitor.field("Reserve").fill(String(2000 - tokens + 7));
      await eventually.match(() => wordsOf(page.locator(".over-budget")), /takes 7 tokens of the reserve/);
      await visitor.field("Window").fill(String(tokens - 1));
      await visitor.field("Reserve").fill("10");
      await eventually.match(
        () => wordsOf(page.locator(".over-budget")),
        /larger than the model’s window.* 11 tokens too large/,
      );
      await look(page, "Window");
      await eventually.match(() => wordsOf(page.locator(".over-budget")), /larger than the model’s window/);
      await eventually.match(() => wordsOf(page.locator(".token-view-button", { hasText: "Window" })), /100 %/);

      await look(page, "Window");
      await visitor.field("Reserve").fill("0");
      await visitor.field("Window").fill(String(plain - 1));
      await visitor.sees(
        `With “One message”, every turn up to turn ${turnCount + 1} fits; without a strategy, turn ${turnCount + 1} does not fit any more.`,
      );
    }));

  it("an invalid number is marked, and the default used", () =>
    visit({ fragment }, async (visitor, page) => {
      await look(page, "Window");
      await visitor.field("Window").fill("many");
      await visitor.sees("Write a whole number, or nothing for the default");
      await eventually.equal(() => visitor.field("Window").getAttribute("aria-invalid"), "true");
      await eventually.equal(() => fact(page, "reserved for the reply"), "4,096");
      await eventually.match(() => fact(page, "used of the window"), / \(<1 %\)$/);
      await eventually.match(() => visitor.userMessage(), /^Grüße/);
    }));
});

describe("the figure", () => {
  const line = (page) => wordsOf(page.locator(".figure-line"));
  const run = (page) => wordsOf(page.locator(".figure-run"));
  const rows = (page) =>
    page
      .locator(".strategy-table tbody tr")
      .evaluateAll((all) => all.map(({ cells }) => [...cells].map(({ textContent }) => textContent.trim())));
  /** Unfolds the table of strategies after it has all rows. */
  const computed = async (page) => {
    await page.getByRole("button", { name: /^All strategies/, expanded: false }).click();
    await page.locator(".strategy-table[aria-busy=false]").waitFor({ timeout: 60_000 });
  };
  const dollars = (amount) =>
    `$${amount.toLocaleString("en", amount >= 0.1 ? { minimumFractionDigits: 2, maximumFractionDigits: 2 } : { minimumSignificantDigits: 2, maximumSignificantDigits: 2 })}`;

  /** The package's costs for these turns. */
  async function costsOf(state, prices) {
    const { compareCosts, Step } = await import("turnfold/audit");
    const { data, ...options } = optionsOf(state, "none");
    const step = Step.fromJSON({
      version: 1,
      ok: false,
      return: null,
      fail: null,
      turns: turnsOf(state).map((turn) => turn.toJSON()),
      request: { ...options, data },
      warnings: [],
      usage: { turns: 0, durationMs: 0, toolCalls: 0, compression: {} },
      log: [],
    });
    const named = strategies.map((name) => [name, name === "none" ? false : name]);
    const compared = compareCosts(step, { prices, strategies: Object.fromEntries(named) });
    return new Map(compared.strategies.map((row) => [row.name, { ...row, cost: row.cost / 1e6 }]));
  }

  const haiku = { input: 1, cacheRead: 0.1, cacheWrite: 1.25, output: 5, minimum: 300, mechanism: "anthropic" };

  it("is a plot of the costs up to each turn, which says where they cross, and what the cache has of each request", async () =>
    visit(
      { fragment: await linkTo({ ...sample, tokens: { model: "claude-haiku-4.5", cacheMinimum: "300" } }) },
      async (_, page) => {
        await computed(page);
        const expected = await costsOf(sample, haiku);
        const plot = page.locator('[data-plot="costs"]:not([data-stale])');
        const rows = await eventually(() => rowsOf(page, "costs"));
        assert.equal(rows.length, turnCount);
        for (const name of strategies.filter((name) => name !== "journal")) {
          const { requests } = expected.get(name);
          const sums = requests.map((_, index) =>
            dollars(requests.slice(0, index + 1).reduce((sum, { cost }) => sum + cost / 1e6, 0)),
          );
          assert.deepEqual(
            rows.map((row) => row[labels[name]]),
            sums,
            name,
          );
        }
        const [own, none] = [expected.get(strategies[0]).cost, expected.get("none").cost];
        assert.ok(own > none);
        assert.match(
          await plot.locator(".plot-finding").textContent(),
          dollars(own) === dollars(none)
            ? new RegExp(`^“One message” costs as much as no strategy: .${dollars(own).slice(1)}\\.`)
            : new RegExp(
                `^“One message” costs more than no strategy (from turn \\d+ on|at every length): .${dollars(own).slice(1)} instead of .${dollars(none).slice(1)} after turn ${turnCount}\\.`,
              ),
        );
        const area = plot.locator(".plot-area");
        await area.press("Home");
        await area.press("ArrowRight");
        const after = dollars(
          expected
            .get("none")
            .requests.slice(0, 2)
            .reduce((sum, { cost }) => sum + cost / 1e6, 0),
        );
        await eventually.match(() => area.getAttribute("aria-valuetext"), /^After turn 2: /);
        assert.ok((await area.getAttribute("aria-valuetext")).includes(`No strategy ${after}`));

        await page.getByRole("radio", { name: "Cache" }).check();
        const { requests } = expected.get(strategies[0]);
        const columns = { read: "read from the cache", written: "written to it", fresh: "not cached" };
        await eventually.deepEqual(
          async () => (await rowsOf(page, "run")).map((row) => numberIn(row.Tokens)),
          requests.map(({ read, written, fresh }) => read + written + fresh),
        );
        const shares = await rowsOf(page, "run");
        for (const [name, column] of Object.entries(columns))
          assert.deepEqual(
            shares.map((row) => numberIn(row[column] ?? "0")),
            requests.map((request) => request[name]),
            column,
          );
      },
    ));

  it("has tokens, the cost of a call and of the run, and whether they fit the window", async () =>
    visit(
      { fragment: await linkTo({ ...sample, tokens: { model: "claude-haiku-4.5", cacheMinimum: "300" } }) },
      async (_, page) => {
        await computed(page);
        const expected = await costsOf(sample, haiku);
        // The journal folds by the prices of the page.
        const strategyOf = (name) => (name === "journal" ? [name, { prices: haiku }] : name);
        const tokens = (name) =>
          tokensOf(messagesAfter(sample, turnCount, strategyOf(name)), estimate).toLocaleString("en");
        const [none, folded] = [expected.get("none").cost, expected.get(strategies[0]).cost];
        assert.ok(folded > none);
        const change = (from, to) =>
          dollars(from) === dollars(to) ? dollars(to) : `${dollars(from)} → ${dollars(to)}`;
        await eventually.equal(
          () => line(page),
          `about ${tokens("none")} → ${tokens(strategies[0])} tokens nothing to save yet`,
        );
        await eventually.ok(async () =>
          (await run(page)).startsWith(
            `All ${turnCount} calls of the run: about ${change(none, folded)}, as so short a run has nothing to save yet.`,
          ),
        );
        await eventually.match(() => run(page), /Prices of \w+ \d{4}\.$/);
        const min = Math.min(...[...expected.values()].map(({ cost }) => cost));
        await eventually.deepEqual(
          () => rows(page),
          strategies.map((name) => {
            const { cost, known } = expected.get(name);
            return [
              labels[name],
              tokens(name),
              `${cost === min ? "least " : ""}${dollars(cost)}`,
              `${Math.round(100 * known)} %`,
              "yes",
            ];
          }),
        );
      },
    ));

  const onFirstPage = sharedVisit({ width: 360, height: 740, details: false });
  for (const [width, height] of [
    [360, 740],
    [768, 1024],
    [1440, 900],
    [2560, 1440],
  ]) {
    it(
      `and the first lines of the message are seen without scrolling at ${width} px`,
      onFirstPage(async (_, page) => {
        await page.setViewportSize({ width, height });
        await eventually.match(() => line(page), /^about [\d,]+ → [\d,]+ tokens/);
        const bottom = (selector) =>
          page
            .locator(selector)
            .first()
            .evaluate((element) => element.getBoundingClientRect().bottom);
        const isSeen = async (selector) => (await bottom(selector)) < (await bottom("#messages"));
        await eventually.ok(() => isSeen(".figure-line strong"));
        await eventually.ok(() => isSeen('[data-role="user"] .section[data-kind="mission"]'));
        // The table is folded into one line that names the cheapest strategy.
        await page.locator(".details-toggle").click();
        await page.getByRole("button", { name: /^All strategies least: [\w ]+, about \$/ }).waitFor();
        await eventually.equal(() => page.locator(".strategy-table").count(), 0);
        await page.locator(".details-toggle").click();
      }),
    );
  }

  const remarks = {
    "less than without the strategy": [stateOf(), /about \$.* savings of/],
    "more than without it": [histories(30), /about \$.* more than without/],
  };
  for (const [what, [history, sentence]] of Object.entries(remarks)) {
    it(`reserves the space of the costs while they are computed: ${what}`, () =>
      visit({}, async (visitor, page) => {
        // Records the text of the figure and the height of the statistics at each change of the page.
        await page.addInitScript(() => {
          globalThis.heights = new Map();
          new MutationObserver(() => {
            const said = document.querySelector(".figure-run")?.textContent;
            if (said === undefined) return;
            const { height } = document.querySelector(".statistics").getBoundingClientRect();
            globalThis.heights.set(said.includes("computing") ? "computing" : "computed", height);
          }).observe(document, { subtree: true, childList: true, characterData: true });
        });
        await visitor.openLink(await linkTo(history));
        await eventually.match(() => run(page), sentence);
        const { computing, computed } = await page.evaluate(() => Object.fromEntries(globalThis.heights));
        assert.ok(computing > 0);
        assert.equal(computed, computing);
      }));
  }

  it("says when fewer tokens cost more", async () =>
    visit({ fragment: await linkTo(histories(30)) }, async (visitor, page) => {
      await eventually.match(() => run(page), /, more than without a strategy: rewritten text misses the cache\. /);
      await visitor.choose("none");
      await eventually.match(() => line(page), /^about [\d,]+ tokens \$[\d.]+ a run/);
      await eventually.doesNotMatch(() => run(page), /more than without/);
    }));

  it("switches to a strategy by its name in the table", () =>
    visit({ fragment }, async (visitor, page) => {
      await computed(page);
      await visitor.press("Journal");
      await eventually.equal(() => visitor.strategy(), "journal");
      await eventually.equal(() => page.locator(".strategy-table button[aria-pressed=true]").textContent(), "Journal");
      const tokens = tokensOf(messagesAfter(sample, turnCount, "journal"), estimate);
      await eventually.ok(async () => (await line(page)).includes(`${tokens.toLocaleString("en")} tokens`));
    }));

  it("follows the model: its window, its prices, and entered values", () =>
    visit({ fragment }, async (visitor, page) => {
      await computed(page);
      await page.getByLabel("Model and prices").selectOption({ label: "GPT-4o" });
      await eventually.doesNotMatch(() => line(page), /fit/);
      await look(page, "Window");
      await eventually.equal(() => visitor.field("Window").getAttribute("placeholder"), "128,000");
      await visitor.field("Window").fill("1,000");
      await eventually.match(() => line(page), /does not fit its 1,000 tokens$/);
      await eventually.deepEqual(async () => [...new Set((await rows(page)).map((cells) => cells[4]))], ["no"]);
      await look(page, "Price");
      await eventually.equal(() => visitor.field("Cached").getAttribute("placeholder"), "1.25");
      await visitor.sees(/Dollars per million tokens of GPT-4o, in the package’s list of \w+ \d{4}\./);
      await page.getByLabel("Model and prices").selectOption({ label: "a model of your own" });
      await visitor.sees("Choose a model, or enter prices under Price, to see what the run costs.");
      await eventually.doesNotMatch(() => line(page), /\$/);
      await visitor.field("Input").fill("2000");
      const expected = await costsOf(sample, { input: 2000, cacheRead: 2000, cacheWrite: 2000, output: 0 });
      await eventually.ok(async () => (await run(page)).includes(`→ ${dollars(expected.get(strategies[0]).cost)},`));
      await visitor.field("Input").fill("-1");
      await visitor.sees("Write a number such as 2.5");
    }));

  it("counts a longer run in a worker, and the page stays responsive", async () =>
    visit({ fragment: await linkTo({ ...histories(60), strategy: "journal" }) }, async (visitor, page) => {
      await computed(page);
      assert.ok(page.workers().length === 1, `${page.workers().length} workers`);
      const costs = new Map((await rows(page)).map((cells) => [cells[0], Number(/\$([\d.]+)/.exec(cells[2])[1])]));
      assert.ok(costs.get("Journal") < costs.get("One message"));
      await visitor.field("Mission").fill("Count up");
      await page.locator(".strategy-table[aria-busy=true]").waitFor();
      await page.locator(".strategy-table[aria-busy=false]").waitFor({ timeout: 60_000 });
      assert.deepEqual(visitor.foreignRequests, []);
    }));

  it("has no cost before the first call", async () =>
    visit({ fragment: await linkTo({ mission: "Nothing yet" }) }, async (visitor, page) => {
      await visitor.sees("Costs are shown from the first call on.");
      await eventually.doesNotMatch(() => line(page), /\$/);
      await visitor.press("Add turn");
      await eventually.match(() => run(page), /^The one call of the run: about \$/);
    }));
});

it("settings of tokens are in the link, without default values", () =>
  visit({ fragment }, async (visitor, page) => {
    await look(page, "Window");
    await visitor.field("Window").fill("9000");
    const first = await visitor.linkOnce(({ tokens }) => tokens?.window === "9000");
    assert.deepEqual(JSON.parse(await stateIn(first)).tokens, { view: "window", window: "9000" });
    await look(page, "Price");
    await visitor.field("Input").fill("3");
    await page.getByLabel("Counted by").selectOption("o200k");
    const link = await visitor.linkOnce(({ tokens }) => tokens.counter === "o200k");
    const expected = tokensOf(messagesAfter(sample), await o200k());
    await visitor.openLink(link);
    await page.locator('.total[data-kind="folded"] strong', { hasText: expected.toLocaleString("en") }).waitFor();
    await eventually.equal(() => visitor.field("Input").inputValue(), "3");
    await look(page, "Window");
    await eventually.equal(() => visitor.field("Window").inputValue(), "9000");
    await visitor.field("Window").fill("");
    await look(page, "Price");
    await visitor.field("Input").fill("");
    await look(page, "Price");
    await page.getByLabel("Counted by").selectOption("estimate");
    await visitor.linkOnce((state) => !("tokens" in state));
  }));

function histories(length) {
  return {
    mission: "Count",
    options: { maxTurns: String(length + 5) },
    turns: Array.from({ length }, (_, index) => ({
      program: `(def x${index % 50} ${index})`,
      prints: [`x is ${index}, which is one more than it was in the turn before this one`],
      memory: `{:x${index % 50} ${index}}`,
    })),
  };
}

it("typing with fifty turns does not wait for the counts of earlier turns", async (context) =>
  visit(
    { fragment: await linkTo({ ...histories(50), tokens: { view: "sections" } }), clock: true },
    async (visitor, page) => {
      await course(page);
      await stopClock(page);
      const missions = Array.from({ length: 10 }, (_, index) => `Count ${"y".repeat(index)}`);
      const work = await mostForAKey(page, missions, (mission) => visitor.field("Mission").fill(mission));
      assertWork(context, work, { calls: 35_000, nodes: 30 });
      assert.equal(await page.locator(`${RUN_PLOT}[data-stale]`).count(), 1);
      await page.clock.resume();
      const [folded] = await course(page);
      assert.equal(folded.last, await total(page));
    },
  ));

it("a long history is sampled in steps", async () =>
  visit({ fragment: await linkTo(histories(220)) }, async (visitor, page) => {
    const [folded, plain] = await course(page, 60_000);
    assert.equal(folded.turn, 221);
    assert.equal(folded.last, await total(page));
    assert.equal(plain.last, await total(page, "plain"));
    const points = (await rowsOf(page, "run")).length;
    assert.ok(points > 50 && points <= 102, `${points} points`);
    await visitor.field("Mission").fill("Count up");
    await eventually.match(() => visitor.userMessage(), /^Count up\n/);
    const [edited] = await course(page, 60_000);
    assert.equal(edited.last, await total(page));
  }));

it(`every view of the tokens has no axe violations and fits`, async () => {
  const state = { ...sample, tokens: { inputPrice: "2", window: "1500", reserve: "many", counter: "estimate" } };
  await visit({ fragment: await linkTo(state), height: 740 }, async (visitor, page) => {
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 });
      if (width === 360) await visitor.press("Messages");
      await course(page);
      for (const view of ["Sections", "Window", "Price", "Cache"]) {
        await look(page, view);
        await page.locator(".token-view > :not(.deferred)").first().waitFor();
        await eventually.deepEqual(() => visitor.axeFindings(), [], view);
        const overflow = () =>
          page.evaluate(() =>
            ["html", "#messages", ".token-view"]
              .map((path) => document.querySelector(path))
              .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
          );
        await eventually.deepEqual(() => overflow(), [0, 0, 0], view);
      }
    }
  });
});
