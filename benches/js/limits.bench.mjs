// How exactly the limits hold, compared with QuickJS (quickjs-emscripten, with its deadline and its memory limit): how long after
// its deadline an endless program is stopped, and by how much the engine's memory grows when a program allocates all that it
// can. Each attack runs in a process of its own, which is ended after ten seconds.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { DEADLINE, large, MEMORY, slow } from "./limits/attacks.mjs";

const GIVEN_UP = 10_000;
const ROUNDS = 3;
/** The factor by which the deadline may be exceeded. */
const TARGET = 0.1;

const width = Math.max(...[...Object.keys(slow), ...Object.keys(large)].map((name) => name.length)) + 2;

console.log(`\nTime until a program is stopped that may run for ${DEADLINE} ms, in milliseconds (median of ${ROUNDS})`);
console.log(
  `${"".padEnd(width)}${"Turnfold".padStart(12)}${"beyond".padStart(9)}${"QuickJS".padStart(12)}${"beyond".padStart(9)}`,
);
for (const [name, [, theirs]] of Object.entries(slow)) {
  const ours = median("Turnfold", "slow", name, "milliseconds");
  const cells = [ours, theirs === null ? null : median("QuickJS", "slow", name, "milliseconds")].map(time);
  console.log(`${name.padEnd(width)}${cells.join("")}${ours / DEADLINE - 1 > TARGET ? "   MISSED" : ""}`);
}

console.log(
  `\nBy how much the engine's memory grows for a program that may take ${MEMORY / 2 ** 20} MB, in MB (median of ${ROUNDS})`,
);
console.log(`${"".padEnd(width)}${"Turnfold".padStart(12)}${"QuickJS".padStart(12)}`);
for (const [name, [, theirs]] of Object.entries(large)) {
  const cells = ["Turnfold", "QuickJS"].map((engine) => {
    if (engine === "QuickJS" && theirs === null) return "–".padStart(12);
    const bytes = median(engine, "large", name, "bytes");
    return (bytes === Number.POSITIVE_INFINITY ? "hangs" : (bytes / 2 ** 20).toFixed(0)).padStart(12);
  });
  console.log(`${name.padEnd(width)}${cells.join("")}`);
}

function time(milliseconds) {
  if (milliseconds === null) return "–".padStart(12) + "".padStart(9);
  if (milliseconds === Number.POSITIVE_INFINITY) return `> ${GIVEN_UP}`.padStart(12) + "".padStart(9);
  return milliseconds.toFixed(0).padStart(12) + `${Math.round((milliseconds / DEADLINE - 1) * 100)} %`.padStart(9);
}

/** The median of a measure; infinite when the attack was not stopped in time. */
function median(engine, kind, name, measure) {
  const measured = [];
  for (let round = 0; round < ROUNDS; round++) {
    const program = join(import.meta.dirname, "limits", "measure.mjs");
    const args = [program, engine, kind, name];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: GIVEN_UP });
    if (status === null) return Number.POSITIVE_INFINITY;
    if (status !== 0) throw new Error(`${engine} failed at ${name}: ${stderr}`);
    const { outcome, ...numbers } = JSON.parse(stdout);
    if (outcome === "ended") throw new Error(`${name} comes to its end with ${engine}: it is no attack`);
    measured.push(numbers[measure]);
  }
  return measured.sort((left, right) => left - right)[ROUNDS >> 1];
}
