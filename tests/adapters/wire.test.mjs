// Random histories in the formats of the frameworks: what the frameworks' own code makes of the messages is accepted by
// strict receivers of the providers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Tally } from "../wire/tally.mjs";
import { formatRequests } from "../wire/traffic.mjs";
import { frameworks } from "./framework-receivers.mjs";

/** Seeds of a test. */
const HISTORIES = 800;

for (const [name, framework] of Object.entries(frameworks)) {
  test(`${name}: histories in every dialect, managed and repaired, are accepted`, async ({ mock }) => {
    // LangChain and the AI SDK advise against parts that other versions need.
    mock.method(console, "warn", () => {});
    mock.method(process, "emitWarning", () => {});
    const tally = new Tally();
    for (let seed = 1; seed <= HISTORIES; seed++) {
      await formatRequests(seed, (request) => tally.add(request), { [name]: framework });
    }
    assert.deepEqual(tally.faults, []);
    assert.ok(tally.accepted > HISTORIES / 3, `${tally.accepted} requests`);
  });
}
