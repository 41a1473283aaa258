// Objects that are read while they arrive.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bundled } from "./bundled.mjs";
import { seeded } from "./random.mjs";

const { PartialJson } = await bundled("chat", ["partial-json"]);

/** The last partial value after each piece. */
function partials(pieces) {
  const json = new PartialJson();
  let last;
  return pieces.map((piece) => {
    last = json.add(piece) ?? last;
    return last;
  });
}

const CASES = [
  ["text before the JSON and after it is ignored", ["Here: {", '"a":1}', " and ]"], [{}, { a: 1 }, { a: 1 }]],
  [
    "texts are shown in part, keys are not",
    ['{"na', 'me":"A', "da", '"'],
    [{}, { name: "A" }, { name: "Ada" }, { name: "Ada" }],
  ],
  [
    "numbers and words are shown when something follows",
    ["[1", "2", ",tr", "ue", "]"],
    [[], [], [12], [12], [12, true]],
  ],
  ["escapes may be divided", ['["\\', "n\\u00", 'e9"]'], [[""], ["\n"], ["\né"]]],
  [
    "lists and objects end",
    ['[[1],{"a":[]}', ",2]"],
    [
      [[1], { a: [] }],
      [[1], { a: [] }, 2],
    ],
  ],
  ["what follows a mistake is ignored", ['{"a":1,', "b:2}"], [{ a: 1 }, { a: 1 }]],
  ["a text that is no JSON has no value", ["Hello", " there"], [undefined, undefined]],
  ["brackets that do not match end it", ["[1}", "2]"], [[1], [1]]],
  ["an escape that JSON does not have ends it", ['["a\\x', 'b"]'], [["a"], ["a"]]],
];

for (const [name, pieces, expected] of CASES) {
  test(name, () => assert.deepEqual(partials(pieces), expected));
}

test("__proto__ is a key like any other", () => {
  const [value] = partials(['{"__proto__":{"a":1}}']);
  assert.deepEqual(Object.keys(value), ["__proto__"]);
  assert.equal(value.a, undefined);
});

test("partial values are frozen and share their complete parts", () => {
  const [first, second] = partials(['{"a":[{"b":1}],', '"c":2}']);
  assert.ok(Object.isFrozen(first) && Object.isFrozen(second) && Object.isFrozen(first.a[0]));
  assert.equal(first.a, second.a);
});

function randomValue(random, level = 0) {
  const kind = random.below(level > 3 ? 4 : 6);
  if (kind === 0) return random.below(1e6) - 5e5;
  if (kind === 1) return [true, false, null, 1.5e-7][random.below(4)];
  if (kind < 4) return `${['a"b', "\\x\n", "ü😀", "{[,:", ""][random.below(5)]}${random.below(100)}`;
  const items = Array.from({ length: random.below(4) }, () => randomValue(random, level + 1));
  return kind === 4 ? items : Object.fromEntries(items.map((item, index) => [`k${index}"é`, item]));
}

test("the last partial value is the value, however the text is divided, and each contains the one before", () => {
  for (let seed = 0; seed < 2000; seed++) {
    const random = seeded(seed);
    const value = random.below(2) === 0 ? [randomValue(random)] : { a: randomValue(random) };
    const text = JSON.stringify(value, null, random.below(3));
    const pieces = [];
    for (let at = 0; at < text.length; ) {
      const end = at + 1 + random.below(6);
      pieces.push(text.slice(at, end));
      at = end;
    }
    const seen = partials(pieces);
    assert.deepEqual(seen.at(-1), value, `seed ${seed}`);
  }
});

test("the copies of a long list are bounded by its text", () => {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index));
  const json = new PartialJson();
  let copied = 0;
  for (let at = 0; at < text.length; at += 4) copied += json.add(text.slice(at, at + 4))?.length ?? 0;
  assert.ok(copied > 20_000 && copied < 10 * text.length, String(copied));
});
