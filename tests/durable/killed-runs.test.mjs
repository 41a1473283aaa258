// Runs whose process is killed at any event go on in another process: no tool that finished runs twice, and the step is that of
// a run that nobody killed.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { seeded } from "../js/random.mjs";
import { same, timeless } from "../js/same-texts.mjs";
import { randomAgent } from "./killed-run.mjs";
import { outputUnlessKilled } from "./node.mjs";

/** Each takes about a second; `KILLED_RUNS=1000` in front of the command runs more. */
const RUNS = Number(process.env.KILLED_RUNS ?? 12);

const program = join(import.meta.dirname, "killed-run.mjs");

test("a run that is killed at any event goes on: every tool runs once, and the step is the same", async () => {
  let killed = 0;
  for (let seed = 1; seed <= RUNS; seed++) {
    const random = seeded(seed);
    const done = [];
    const expected = await randomAgent(seed, (...what) => done.push(what)).run();
    const folder = mkdtempSync(join(tmpdir(), "turnfold-killed-"));
    try {
      let output = null;
      while (output === null) {
        const event = 1 + random.below(12 * (1 + done.length));
        output = await outputUnlessKilled(program, seed, join(folder, "run.db"), event);
        if (output === null) killed++;
      }
      const { step, effects } = JSON.parse(output);
      same(timeless(step), timeless(JSON.parse(JSON.stringify(expected))), `seed ${seed}`);
      const ids = effects.filter(([name]) => name !== "look").map(([, , id]) => id);
      assert.equal(new Set(ids).size, ids.length, `seed ${seed}: a tool ran twice`);
      const works = (list) =>
        [...new Set(list.map(([name, n, id]) => `${name} ${n} ${id.slice(id.indexOf("/"))}`))].sort();
      assert.deepEqual(works(effects), works(done), `seed ${seed}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  assert.ok(killed > RUNS / 2, `${killed} kills`);
});
