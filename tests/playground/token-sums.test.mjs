// The sums of the playground's token views.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Turn, toMessages } from "turnfold";
import { bill, estimate } from "turnfold/audit";
import { messagesAfter, optionsOf, sample, turnsOf } from "../www/sample.mjs";
import { load } from "./page.mjs";

const {
  amountNames,
  amountsOf,
  requestHistoryOf,
  differenceOf,
  fallbackOf,
  modelChoices,
  modelOf,
  money,
  percent,
  sampledTurns,
  rough,
  balanced,
  sharedWith,
  Timeline,
  troubleOf,
  wholeTurns,
} = await load(
  "token-sums",
  "turns/turn-list.ts",
  "page/numbers.ts",
  ...["settings", "request-history", "models", "shared", "counts", "timeline"].map((name) => `tokens/${name}.ts`),
);

const said = (...contents) => contents.map((content, index) => ({ role: index === 0 ? "system" : "user", content }));
const compare = (before, now) => {
  const shared = sharedWith(before, now);
  return { ...shared, ...differenceOf(before, now, shared) };
};

describe("the common start of two lists of messages", () => {
  it("ends at the first byte that differs", () => {
    const { messages, units, byte, bytes, line, column } = compare(said("söd", "a\nbär 1"), said("söd", "a\nbär 2"));
    assert.deepEqual(
      { messages, units, byte, bytes, line, column },
      { messages: 1, units: 6, byte: 7, bytes: 11, line: 2, column: 5 },
    );
  });

  it("may end inside of a character's bytes, and never inside of a character", () => {
    // é is C3 A9, è is C3 A8.
    const letters = compare(said("é"), said("è"));
    assert.deepEqual([letters.units, letters.byte], [0, 1]);
    // Both begin with F0 9F 91, and with the same half in UTF-16.
    const faces = compare(said("x👋y"), said("x👍y"));
    assert.deepEqual([faces.units, faces.byte, faces.column], [1, 4, 2]);
    const added = compare(said("x"), said("x👍"));
    assert.deepEqual([added.units, added.byte], [1, 1]);
  });

  it("has the reason of its end", () => {
    assert.equal(compare(said("a", "b"), said("a", "b")).behind, "nothing");
    assert.equal(compare(said("a"), said("a", "b")).behind, "continues");
    assert.equal(compare(said("a", "b"), said("a")).behind, "ends earlier");
    assert.equal(compare([], said("a")).behind, "continues");
    assert.equal(compare(said("a"), []).behind, "ends earlier");
    const role = compare([{ role: "user", content: "a" }], [{ role: "assistant", content: "a" }]);
    assert.deepEqual([role.behind, role.units, role.byte], ["changes", 0, 0]);
    const longer = compare(said("a", "b"), said("a", "bc"));
    assert.deepEqual([longer.behind, longer.units], ["changes", 1]);
  });
});

describe("counts of parts", () => {
  const counts = (parts, whole) =>
    balanced(
      parts.map(([tokens, separates = false]) => ({ tokens, separates })),
      whole,
    );

  it("add up to the whole, with differences assigned to separators first", () => {
    assert.deepEqual(counts([[5], [2, true], [7]], 13), [5, 1, 7]);
    assert.deepEqual(counts([[5], [2, true], [7]], 11), [5, 0, 6]);
    assert.deepEqual(counts([[5], [2, true], [7]], 20), [5, 8, 7]);
    assert.deepEqual(counts([[5], [7]], 14), [5, 9]);
    assert.deepEqual(counts([[5], [7]], 3), [3, 0]);
    assert.deepEqual(counts([], 0), []);
  });
});

describe("prices", () => {
  const settings = {
    counter: "estimate",
    view: "none",
    tint: true,
    model: "own",
    window: "",
    reserve: "",
    inputPrice: "",
    cachedPrice: "",
    writePrice: "",
    outputPrice: "",
    cacheMinimum: "",
  };

  it("and the window are those of the model unless others are entered", () => {
    const { window, prices } = amountsOf({ ...settings, model: "claude-haiku-5.5" });
    assert.equal(window, 1_000_000);
    assert.deepEqual(prices, modelOf("claude-haiku-5.5").prices);
    assert.equal(prices.tiers.length, 1);
    const entered = amountsOf({ ...settings, model: "claude-haiku-5.5", window: "200,000", outputPrice: "7" });
    assert.equal(entered.window, 200_000);
    const { tiers: _, ...base } = modelOf("claude-haiku-5.5").prices;
    assert.deepEqual(entered.prices, { ...base, output: 7 });
  });

  it("of the model “own” are unknown until the input price is entered", () => {
    assert.deepEqual(amountsOf(settings), { window: 128_000, reserve: 4096, cacheMinimum: 1024, prices: null });
    const { prices } = amountsOf({ ...settings, inputPrice: "3", cachedPrice: "0.3", cacheMinimum: "500" });
    assert.deepEqual(prices, { minimum: 500, input: 3, cacheRead: 0.3, cacheWrite: 3, output: 0 });
  });

  it("of every model are accepted by the package, with a window and a provider", () => {
    for (const name of modelChoices) {
      const { prices, window, provider, label } = modelOf(name);
      assert.ok(window >= 128_000 && label !== "");
      if (name === "own") continue;
      assert.notEqual(provider, null);
      assert.ok(bill(["a text"], prices).cost > 0, name);
      assert.ok(prices.cacheRead < prices.input && prices.input <= prices.cacheWrite && prices.input < prices.output);
    }
  });

  it("are shown as placeholders of empty fields", () => {
    const fallbacks = (model) => amountNames.map((name) => fallbackOf(name, { model }));
    assert.deepEqual(fallbacks("own"), ["128,000", "4,096", "none", "as input", "as input", "0", "1,024"]);
    assert.deepEqual(fallbacks("claude-sonnet-5.5"), ["1,000,000", "4,096", "2", "0.1", "2.5", "10", "1,024"]);
  });

  it("are parsed as typed, also with a comma", () => {
    const typed = { ...settings, inputPrice: " 2,5 ", window: "1e3", cachedPrice: "x", outputPrice: "" };
    const { window, prices } = amountsOf(typed);
    assert.deepEqual([prices.input, window, prices.cacheRead, prices.output], [2.5, 128_000, 2.5, 0]);
    assert.equal(troubleOf("inputPrice", typed), null);
    assert.match(troubleOf("window", typed), /whole number/);
    assert.match(troubleOf("cachedPrice", typed), /such as 2\.5/);
    for (const text of ["64000", "64,000", "64 000"])
      assert.equal(amountsOf({ ...settings, window: text }).window, 64_000, text);
  });

  it("and shares are formatted with significant digits", () => {
    assert.deepEqual([0.000123456, 0, 0.02, 0.123, 1.5, 12.34567, 1234.5].map(money), [
      "$0.00012",
      "$0.00",
      "$0.020",
      "$0.12",
      "$1.50",
      "$12.35",
      "$1,234.50",
    ]);
    assert.deepEqual([0, 96, 549, 31_456, 1_234_567].map(rough), ["0", "96", "550", "31,000", "1,200,000"]);
    assert.deepEqual(
      [
        [0, 7],
        [1, 1000],
        [1, 3],
        [7, 0],
      ].map(([part, whole]) => percent(part, whole)),
      ["0 %", "<1 %", "33 %", "0 %"],
    );
  });
});

describe("the points of a history", () => {
  const finished = (work) => {
    let slices = 0;
    for (;;) {
      const { done, value } = work.next();
      if (done) return { points: value, slices };
      slices++;
    }
  };
  const turn = (number, text) =>
    Turn.success({ number, program: `(def x ${number})`, memory: { x: number }, prints: [text] });

  it("has the tokens of each request", () => {
    const { points } = finished(
      new Timeline().points(requestHistoryOf(wholeTurns(turnsOf(sample)), optionsOf(sample)), estimate),
    );
    for (const [count, { turns, folded, plain }] of points.entries()) {
      assert.equal(turns, count);
      for (const [strategy, { tokens }] of [
        ["single-user-coalesced", folded],
        ["none", plain],
      ]) {
        const messages = messagesAfter(sample, count, strategy);
        assert.equal(
          tokens,
          messages.reduce((sum, { content }) => sum + estimate.count(content), 0),
        );
      }
    }
  });

  it("is recounted from the changed turn, with the same result as a full count", () => {
    const timeline = new Timeline();
    const options = { mission: "Count", maxTurns: 50 };
    let turns = Array.from({ length: 20 }, (_, index) => turn(index + 1, `line ${index}`));
    let random = 7;
    const below = (limit) => {
      random = (random * 48_271) % 2_147_483_647;
      return random % limit;
    };
    assert.equal(finished(timeline.points(requestHistoryOf(wholeTurns(turns), options), estimate)).slices, 21);
    for (let edits = 0; edits < 40; edits++) {
      const at = below(turns.length);
      const change = below(4);
      turns = [...turns];
      if (change === 0 && turns.length > 3) turns.splice(at, 1);
      else if (change === 1) turns.push(turn(turns.length + 1, `added ${edits}`));
      else turns[at] = turn(at + 1, `edited ${edits} ${"word ".repeat(below(30))}`);
      const history = requestHistoryOf(wholeTurns(turns), options);
      const { points, slices } = finished(timeline.points(history, estimate));
      assert.deepEqual(points, finished(new Timeline().points(history, estimate)).points);
      if (change > 1) assert.equal(slices, turns.length - at);
      assert.equal(
        points.at(-1).folded.tokens,
        toMessages(turns, null, options).messages.reduce((sum, { content }) => sum + estimate.count(content), 0),
      );
    }
    const other = { ...estimate, count: (text) => text.length };
    assert.equal(
      finished(timeline.points(requestHistoryOf(wholeTurns(turns), options), other)).slices,
      turns.length + 1,
    );
    assert.equal(
      finished(timeline.points(requestHistoryOf(wholeTurns(turns), { ...options }), other)).slices,
      turns.length + 1,
    );
  });

  it("is sampled in steps when it is long, with its first and last point", () => {
    assert.deepEqual(sampledTurns(0), [0]);
    assert.deepEqual(sampledTurns(3), [0, 1, 2, 3]);
    for (const turns of [199, 200, 201, 202, 999, 1000, 100_000]) {
      const places = sampledTurns(turns);
      assert.equal(places[0], 0);
      assert.equal(places.at(-1), turns);
      assert.ok(places.length <= 202);
      assert.ok(places.every((place, index) => index === 0 || place > places[index - 1]));
    }
  });
});
