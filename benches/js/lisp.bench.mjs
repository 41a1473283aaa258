// The speed of programs in Node, compared with SCI (as in nbb, with and without its compiler to JavaScript) and QuickJS, which
// runs the same work in JavaScript, Monty, in Python, and just-bash, with jq and awk. Each engine has a process of its own in each round; the engines take turns, so that
// other load of the machine affects all of them. Medians over the rounds, and ratios to Turnfold.
//
// `node benches/js/lisp.bench.mjs fib loop` measures these rows alone.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../scripts/process.mjs";
import { engines } from "./lisp/engines.mjs";
import { rows } from "./lisp/programs.mjs";

const ROUNDS = 3;

/** Targets: the minimum ratio of another engine's time to Turnfold's. */
const TARGETS = [
  { row: "typical", engine: "nbb (JIT)", min: 10 },
  { row: "typical", engine: "nbb (no JIT)", min: 10 },
  { row: "typical", engine: "QuickJS", min: 2 },
  { row: "fresh", engine: "QuickJS", min: 4 },
  { row: "pipeline", engine: "nbb (JIT)", min: 1 },
  { row: "group", engine: "nbb (JIT)", min: 5 },
  { row: "group", engine: "nbb (no JIT)", min: 5 },
  { row: "fib", engine: "QuickJS", min: 0.8 },
  { row: "loop", engine: "QuickJS", min: 0.8 },
];

// Without a lock file, because a registry may lack the packages of other platforms.
const peers = join(import.meta.dirname, "lisp", "peers");
if (!existsSync(join(peers, "node_modules")))
  run("npm", ["install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: peers });

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(rows);
for (const row of chosen) assert.ok(row in rows, `there is no row ${row}; there are ${Object.keys(rows).join(", ")}`);
const warm = chosen.filter((row) => row !== "cold");
const names = Object.keys(engines);
const times = Object.fromEntries(chosen.map((row) => [row, Object.fromEntries(names.map((name) => [name, []]))]));
const results = {};

for (let round = 0; round < ROUNDS; round++) {
  for (const name of names) {
    const measured = {
      ...(warm.length > 0 && measure(name, warm)),
      ...(chosen.includes("cold") && measure(name, ["cold"])),
    };
    for (const [row, { milliseconds, result }] of Object.entries(measured)) {
      results[row] ??= result;
      assert.deepEqual(result, results[row], `${name} has another result for ${row}`);
      times[row][name].push(milliseconds);
    }
  }
}

const has = (row, name) => times[row][name].length > 0;
const took = (row, name) => times[row][name].toSorted((left, right) => left - right)[ROUNDS >> 1];
const ratio = (row, name) => took(row, name) / took(row, "Turnfold");
const width = Math.max(...chosen.map((row) => rows[row].title.length));

console.log(
  `\nPrograms, milliseconds from source text to result (median of ${ROUNDS} rounds; in brackets: times Turnfold's)`,
);
console.log(`${"".padEnd(width)}${names.map((name) => name.padStart(18)).join("")}`);
for (const row of chosen) {
  const cells = names.map((name) => {
    if (!has(row, name)) return "–".padStart(18);
    return `${digits(took(row, name))}${name === "Turnfold" ? "" : ` (${digits(ratio(row, name))})`}`.padStart(18);
  });
  console.log(`${rows[row].title.padEnd(width)}${cells.join("")}`);
}

const targets = TARGETS.filter(({ row }) => chosen.includes(row));
if (targets.length > 0) console.log("\nHow many times as long others take, and at least should:");
for (const { row, engine, min } of targets) {
  const reached = ratio(row, engine);
  const title = `${rows[row].title}, ${engine}`.padEnd(width + 14);
  console.log(`${title}${digits(reached).padStart(8)}${`≥ ${min}`.padStart(8)}   ${reached >= min ? "" : "MISSED"}`);
}

function measure(name, wanted) {
  const program = join(import.meta.dirname, "lisp", "measure.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, name, ...wanted], {
    encoding: "utf8",
  });
  assert.equal(status, 0, `${name} failed: ${stderr}`);
  return JSON.parse(stdout);
}

/** Formats a number with three significant digits. */
function digits(number) {
  return number.toFixed(Math.max(0, 2 - Math.floor(Math.log10(number))));
}
