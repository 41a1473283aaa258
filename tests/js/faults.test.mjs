// A share of the injected faults: every kind and way in every scenario, at some of its places. All places:
// `npm run fuzz -- faults`.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./faults/injected.mjs";
import { faultsOf, WAYS } from "./faults/check.mjs";

const turnfold = await import("./everything.mjs");
/** How many places of a scenario are tried for each way to fail. */
const PLACES = 3;

// Functions that fail write to the console.
console.error = () => {};
console.warn = () => {};

const faults = await faultsOf(turnfold);
const counts = new Map();
let seed = 0;

for (const name of faults.names) {
  test(`an injected fault in ${name} costs nothing but its use`, async () => {
    for (const [kind, ways] of Object.entries(WAYS)) {
      const stride = Math.max(1, Math.ceil((await faults.places(name, kind)) / PLACES));
      for (const way of Object.keys(ways)) {
        // Each way and scenario begins at another place.
        seed += 7;
        const first = 1 + (seed % stride);
        const count = await faults.inject(name, kind, way, first, stride);
        counts.set(kind, (counts.get(kind) ?? 0) + count);
      }
    }
  });
}

test("faults of every kind were met", () => {
  for (const kind of Object.keys(WAYS)) assert.ok(counts.get(kind) > 0, kind);
});
