// Replaces many texts in one pass.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { textReplacer } = await load("replace-texts", "share/replace-texts.ts");
const replaced = (text, replacements) => textReplacer(new Map(Object.entries(replacements)))(text);

test("the longest text at a place is replaced, and what it contains is not replaced again", () => {
  assert.equal(replaced("ab abc abcd bcd", { ab: "1", abcd: "2", bc: "3" }), "1 1c 2 3d");
});

test("replacements are not searched again", () => {
  assert.equal(replaced("token secret", { secret: "token-1", token: "secret" }), "secret token-1");
});

test("adjacent texts, and texts at the beginning and the end, are replaced", () => {
  assert.equal(replaced("abab.ab", { ab: "x" }), "xx.x");
  assert.equal(replaced("a", { ab: "x" }), "a");
  assert.equal(replaced("", { ab: "x" }), "");
});

test("each of thousands of texts with a common prefix is replaced by its own replacement", () => {
  const names = Array.from({ length: 5000 }, (_, index) => `person${index}@corp.test`);
  const replacements = Object.fromEntries(names.map((name, index) => [name, `<${index}>`]));
  assert.equal(replaced(names.join(" "), replacements), names.map((_, index) => `<${index}>`).join(" "));
});
