// A page draws asynchronously, so assertions read it again until they hold.

import assert from "node:assert/strict";

/**
 * The sum of the pauses. What the attempts take is not counted: on a busy machine one of them may take longer than all pauses, and
 * the page gets as many attempts as on an idle one.
 */
const PATIENCE_MS = 20_000;
const LONGEST_PAUSE_MS = 250;

/** Repeats `attempt` until it does not throw, and returns its result; throws its last error after PATIENCE_MS of pauses. */
export async function eventually(attempt) {
  for (let pause = 10, waited = 0; ; waited += pause, pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (waited > PATIENCE_MS) throw error;
    }
    await new Promise((over) => setTimeout(over, pause));
  }
}

/** Node's assertions on the result of `read`: `await eventually.equal(() => page.title(), "Turnfold")`. */
for (const name of ["ok", "equal", "notEqual", "deepEqual", "notDeepEqual", "match", "doesNotMatch"]) {
  eventually[name] = (read, ...more) => eventually(async () => assert[name](await read(), ...more));
}
