import assert from "node:assert/strict";

/** The JSON of turns or steps without times. */
export const timeless = (value) =>
  JSON.stringify(value, (key, held) => {
    if (key === "durationMs" || key === "at") return undefined;
    return typeof held === "bigint" ? `${held}n` : held;
  });

/** Asserts that long texts are equal; the message shows the first difference. */
export function same(actual, expected, place) {
  if (actual === expected) return;
  const at = [...actual].findIndex((character, index) => character !== expected[index]);
  const around = (text) => text.slice(Math.max(0, at - 200), at + 120);
  assert.fail(`${place}, at ${at}:
  ${around(actual)}
is not
  ${around(expected)}`);
}
