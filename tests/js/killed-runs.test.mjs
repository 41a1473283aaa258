// Runs whose process is killed at any event go on in another process: no tool that finished runs twice, and the step is that of
// a run that nobody killed.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { randomAgent } from "./killed-run.mjs";
import { seeded } from "./random.mjs";
import { same, timeless } from "./same-texts.mjs";

/** Each takes about a second; `KILLED_RUNS=1000` in front of the command runs more. */
const RUNS = Number(process.env.KILLED_RUNS ?? 12);

const program = fileURLToPath(new URL("killed-run.mjs", import.meta.url));

function runUntil(seed, folder, event) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, seed, folder, event].map(String), {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (data) => {
      output += data;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, output }));
  });
}

test("a run that is killed at any event goes on: every tool runs once, and the step is the same", async () => {
  let killed = 0;
  for (let seed = 1; seed <= RUNS; seed++) {
    const random = seeded(seed);
    const done = [];
    const expected = await randomAgent(seed, (...what) => done.push(what)).run();
    const folder = mkdtempSync(join(tmpdir(), "turnfold-killed-"));
    try {
      let ended;
      do {
        ended = await runUntil(seed, folder, 1 + random.below(12 * (1 + done.length)));
        if (ended.signal === "SIGKILL") killed++;
        else assert.equal(ended.code, 0, `seed ${seed}`);
      } while (ended.signal === "SIGKILL");
      same(timeless(JSON.parse(ended.output)), timeless(JSON.parse(JSON.stringify(expected))), `seed ${seed}`);
      const effects = readFileSync(join(folder, "effects"), "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line));
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
