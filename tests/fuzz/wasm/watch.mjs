// Shared by all fuzzers of the package: the memories of the wasm, findings, and the count at the end.

import { seeded } from "../../js/random.mjs";
import { memories } from "../../js/wasm-memories.mjs";

export { memories };

/** Reports an input that shows a defect, and ends the process. */
export function finding(what, input, seed) {
  console.error(`\nFinding: ${what}\nSeed: ${seed}\nInput:\n${input}`);
  process.exit(1);
}

/**
 * Calls `once` with one seed after the other until the time is over, and prints the number of inputs.
 *
 * @param once takes a random generator and returns the outcome under which the input is counted, such as the kind of an error.
 */
export async function fuzz(name, once) {
  const [seconds = "60", first = String(Date.now() % 2 ** 32)] = process.argv.slice(2);
  const end = performance.now() + Number(seconds) * 1000;
  const counts = new Map();
  let inputs = 0;
  for (let seed = Number(first); performance.now() < end; seed++) {
    const outcome = await once(seeded(seed), seed);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    inputs++;
    // Values that are no longer used are freed between tasks.
    if (inputs % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    if (memories.length > 1) finding("the instance of the wasm was replaced", "see the seed", seed);
  }
  const listed = [...counts].sort((left, right) => right[1] - left[1]).map(([what, count]) => `${what} ${count}`);
  console.log(`${name}: ${inputs.toLocaleString("en-US")} inputs in ${seconds} s, no finding. ${listed.join(", ")}`);
}
