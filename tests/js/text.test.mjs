import assert from "node:assert/strict";
import { test } from "node:test";
import { estimate } from "turnfold/chat";
import { readClojure, toClojure, typeOf } from "turnfold/lisp";
import { refuses } from "./refuses.mjs";

test("limit and printableLimit shorten the text and set truncated", () => {
  assert.deepEqual(toClojure([1, 2, 3, 4], { limit: 2 }), {
    text: "[1 2 ...] (4 items, showing first 2)",
    truncated: true,
  });
  assert.deepEqual(toClojure([1, 2], { limit: 2 }), { text: "[1 2]", truncated: false });
  assert.deepEqual(toClojure("abcdef", { printableLimit: 3 }), { text: '"abc..."', truncated: true });
  assert.equal(toClojure([1, 2], { limit: Infinity }).text, "[1 2]");
  assert.equal(toClojure([1, 2], { limit: 2 ** 40 }).text, "[1 2]");
});

test("filterHidden omits hidden keys", () => {
  assert.equal(toClojure({ a: 1, _secret: 2 }).text, "{:_secret 2 :a 1}");
  assert.equal(toClojure({ a: 1, _secret: 2 }, { filterHidden: true }).text, "{:a 1}");
});

test("invalid options of toClojure are refused", () => {
  for (const options of [
    { limit: -1 },
    { limit: 1.5 },
    { limit: Number.NaN },
    { limit: "3" },
    { printableLimit: null },
    { filterHidden: 1 },
    { limits: 3 },
  ]) {
    refuses(() => toClojure([1], options), "invalid_option");
  }
});

test("typeOf returns type labels", () => {
  const labels = [
    [[], "list[0]"],
    [[1], "list[1]"],
    [{ a: 1 }, "map[1]"],
    [new Set([1]), "set[1]"],
    ["x", "string"],
    [1n, "integer"],
    [0.5, "float"],
    [true, "boolean"],
    [null, "nil"],
    [new Date(0), "date"],
  ];
  for (const [value, label] of labels) assert.equal(typeOf(value), label);
});

test("readClojure keeps every value", () => {
  const text = '{:a [1 2.5 3.0 "x" :k nil] "b" #{1}}';
  assert.equal(toClojure(readClojure(text)).text, text);
  refuses(() => readClojure(5), "invalid_argument");
});

test("readClojure refuses an invalid text with its position", () => {
  const error = refuses(() => readClojure('{:a "é" ]'), "parse_error");
  assert.equal(error.details.start, 8);
  refuses(() => readClojure("[".repeat(1_000_000)), "nesting_too_deep");
});

test("estimate counts tokens", () => {
  assert.equal(estimate.count(""), 0);
  assert.ok(estimate.count("(filter in-stock? products)") > 3);
  assert.ok(Number.isInteger(estimate.count("日本語".repeat(100))));
  refuses(() => estimate.count(5), "invalid_argument");
});

test("a text of several megabytes is passed to the wasm", () => {
  const text = "é".repeat(3_000_000);
  assert.equal(toClojure(text).text.length, text.length + 2);
});
