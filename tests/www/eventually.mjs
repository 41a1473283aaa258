// What a page shows, it shows when it comes to it: so what is asserted of it is read again until it holds.

import assert from "node:assert/strict";

const PATIENCE_MS = 20_000;
const LONGEST_PAUSE_MS = 250;

/** Does this again until it throws nothing, and gives what it gives then; once patience is over, it fails as it failed last. */
export async function eventually(attempt) {
  const end = performance.now() + PATIENCE_MS;
  for (let pause = 10; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await new Promise((over) => setTimeout(over, pause));
  }
}

/** The assertions of Node, of what `read` gives: `await eventually.equal(() => page.title(), "Turnfold")`. */
for (const name of ["ok", "equal", "notEqual", "deepEqual", "notDeepEqual", "match", "doesNotMatch"]) {
  eventually[name] = (read, ...more) => eventually(async () => assert[name](await read(), ...more));
}
