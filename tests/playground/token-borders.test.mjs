// Computes the ends of the visible tokens of a text from the lengths of all its tokens.

import assert from "node:assert/strict";
import { test } from "node:test";
import { o200k } from "turnfold/tokens/o200k";
import { load } from "./page.mjs";

const { endsOf } = await load("token-borders", "tokens/borders.ts");
const exact = await o200k();
const endsIn = (text) => [...endsOf(exact.tokenLengths(text))];

test("tokens end where the next ones begin", () => {
  assert.deepEqual(endsIn(""), []);
  assert.deepEqual(endsIn("Hello, world!"), [5, 6, 12, 13]);
});

test("tokens that end within a character are merged with the token that ends it", () => {
  assert.deepEqual([...endsOf([1, 0, 0, 2, 1])], [1, 3, 4]);
  assert.deepEqual(endsIn("a🫨b"), [1, 3, 4]);
});

test("the ends increase up to the length of the text, in any script", () => {
  for (const text of [
    "Größe ist nicht alles",
    "数据模型按回合工作。",
    "नमस्ते क्षि",
    "กำลังทำงาน",
    "👩‍👩‍👧‍👦🏳️‍🌈🇩🇪",
    "\ud800x\udc00",
    "𓀀𓀁 𐍈",
  ]) {
    const ends = endsIn(text);
    assert.ok(
      ends.every((end, index) => end > (ends[index - 1] ?? 0)),
      text,
    );
    assert.equal(ends.at(-1), text.length);
  }
});
