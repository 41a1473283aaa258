// Injected faults: each place of each scenario fails once in each way. 64 passes, of which each tries every 64th place, so
// that a run of a minute tries places everywhere; a run of a quarter of an hour tries all. With the path of a package
// whose allocations fail when the tests say so, the places of memory are all allocations, and no others are tried.

import "../../js/faults/injected.mjs";
import { faultsOf, WAYS } from "../../js/faults/check.mjs";

const PASSES = 64;
const [seconds = "60", path] = process.argv.slice(2);
const end = performance.now() + Number(seconds) * 1000;
const print = console.log;
// Functions that fail write to the console.
console.error = () => {};
console.warn = () => {};

const faults = await faultsOf(await import(path ?? "../../js/everything.mjs"));
const counts = new Map();
let passes = 0;
pass: for (; passes < PASSES; passes++) {
  // The passes in an order in which the places of the first ones are far apart.
  const first = 1 + ((passes * 37) % PASSES);
  for (const name of faults.names) {
    for (const [kind, ways] of Object.entries(WAYS)) {
      if (path !== undefined && kind !== "memory") continue;
      for (const way of Object.keys(ways)) {
        if (performance.now() > end) break pass;
        const row = counts.get(name) ?? {};
        counts.set(name, { ...row, [kind]: (row[kind] ?? 0) + (await faults.inject(name, kind, way, first, PASSES)) });
      }
    }
  }
}
const sum = (row) => Object.values(row).reduce((total, count) => total + count, 0);
const total = [...counts.values()].reduce((all, row) => all + sum(row), 0);
for (const [name, row] of counts) {
  print(
    `${name}: ${Object.entries(row)
      .flatMap(([kind, count]) => (count > 0 ? [`${kind} ${count}`] : []))
      .join(", ")}`,
  );
}
print(`faults: ${total.toLocaleString("en-US")} faults, ${passes} of ${PASSES} passes, no finding.`);
