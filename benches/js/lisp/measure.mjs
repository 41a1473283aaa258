// One engine in a process of its own: `node measure.mjs ENGINE ROW…` writes the median milliseconds and the result of each
// row as JSON. A cold start is the first thing a process does, so that row has to be the only one.

import { engines } from "./engines.mjs";
import { orders, rows } from "./programs.mjs";

const [name, ...wanted] = process.argv.slice(2);
const engine = engines[name]();
const known = wanted.filter((row) => engine.language in rows[row]);
const measured = {};
if (known.length === 0) {
  // Nothing is measured.
} else if (known.includes("cold")) {
  const { size, [engine.language]: source } = rows.cold;
  const data = orders(size);
  const start = performance.now();
  await engine.load();
  await engine.keep(data);
  const result = await engine.run(source);
  measured.cold = { milliseconds: performance.now() - start, result: engine.plain(result) };
} else {
  await engine.load();
  for (const row of known) measured[row] = await measure(rows[row]);
}
process.stdout.write(JSON.stringify(measured));

async function measure({ size, fresh, [engine.language]: source }) {
  const data = orders(size);
  if (!fresh) await engine.keep(data);
  const work = fresh ? () => engine.fresh(source, data) : () => engine.run(source);
  const result = engine.plain(await work());
  await timesOf(work, { min: 3, time: 300 });
  const times = await timesOf(work, { min: 9, time: 500 });
  return { milliseconds: times.sort((left, right) => left - right)[times.length >> 1], result };
}

/** The time of each repetition; repeats for at least this duration and this often. */
async function timesOf(work, { min, time }) {
  const times = [];
  const end = performance.now() + time;
  while (times.length < min || performance.now() < end) {
    const start = performance.now();
    // A synchronous engine does not wait for the next tick.
    const pending = work();
    if (typeof pending?.then === "function") await pending;
    times.push(performance.now() - start);
  }
  return times;
}
