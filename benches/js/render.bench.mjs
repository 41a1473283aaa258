// Rendering in Node, compared with `JSON.stringify` of the same history and a plain JavaScript
// function that writes the same message. Medians of one run, and ratios to them.

import assert from "node:assert/strict";
import { Renderer, Turn, toMessages } from "turnfold";
import { options, turnInit } from "./history.mjs";
import { plainRender } from "./plain-render.mjs";

/** The median time of `work` in microseconds, after the engine has run it often enough to optimize it. */
function median(work, options) {
  return medians([work], options)[0];
}

/** The same for several functions in turn, so that other load of the machine affects all of them. */
function medians(works, { rounds = 60, warmUp = true } = {}) {
  const warm = performance.now() + 200 * works.length;
  for (let round = 0; warmUp && round < 3000 && performance.now() < warm; round++)
    for (const work of works) work(round);
  const times = works.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, work] of works.entries()) {
      const start = performance.now();
      work(round);
      times[index].push(performance.now() - start);
    }
  }
  return times.map((list) => list.sort((left, right) => left - right)[list.length >> 1] * 1000);
}

/** Adds turns to another history, so that the code of pushing is warm when it is measured. */
function warmUpPushes() {
  const renderer = new Renderer(options);
  for (let number = 0; number < 1000; number++) {
    renderer.push(Turn.success(turnInit(number)));
    read(renderer.render());
  }
  renderer.dispose();
}

/** Reads the text of the messages, as a host does to send them. */
function read(rendered) {
  const text = rendered.messages[1].content;
  return text.length + text.charCodeAt(text.length - 1);
}

warmUpPushes();
const rows = [];
for (const size of [5, 100, 1_000, 10_000]) {
  const inits = Array.from({ length: size }, (_, number) => turnInit(number));
  const plain = inits.map((init) => ({ ...init, success: true }));
  const turns = inits.map((init) => Turn.success(init));
  const renderer = new Renderer(options, turns);
  assert.equal(renderer.render().messages[1].content, plainRender(plain, options));

  const row = { turns: size };
  const newTurns = () => {
    const made = inits.map((init) => Turn.success(init));
    return read(toMessages(made, null, options));
  };
  row["new turns, first time"] = median(newTurns, { rounds: 1, warmUp: false });
  // Measured in turn, so that their ratios compare the same moments.
  [row["JSON.stringify"], row["plain JS"], row.again, row.toMessages, row["toMessages of new turns"]] = medians(
    [
      () => JSON.stringify(plain).length,
      () => plainRender(plain, options).length,
      () => read(renderer.render()),
      () => read(toMessages(turns, null, options)),
      newTurns,
    ],
    { rounds: size > 1000 ? 15 : 60 },
  );
  const edited = [0, 1].map((more) => Turn.success(turnInit((size >> 1) + more)));
  row["after an edit in the middle"] = median((round) => {
    renderer.replace(size >> 1, edited[round & 1]);
    return read(renderer.render());
  });
  // Each round adds a turn, so the history of the last ones is longer by the number of rounds.
  const added = Array.from({ length: 120 }, (_, number) => Turn.success(turnInit(size + number)));
  row["one push"] = median((round) => renderer.push(added[round]), { warmUp: false });
  row["one push and render"] = median(
    (round) => {
      renderer.push(added[60 + round]);
      return read(renderer.render());
    },
    { warmUp: false },
  );
  const journal = new Renderer({ ...options, compression: "journal" }, turns);
  journal.render();
  row["one push and render, journal"] = median(
    (round) => {
      journal.push(added[round]);
      return journal.render().messages.length;
    },
    { rounds: 120, warmUp: false },
  );
  journal.dispose();
  renderer.dispose();
  rows.push(row);
}

const names = Object.keys(rows[0]).slice(1);
const width = Math.max(...names.map((name) => name.length));
console.log(`\nRendering, microseconds (median of one run; in brackets: how many times faster than plain JS)`);
console.log(`${"turns".padEnd(width)} ${rows.map((row) => String(row.turns).padStart(20)).join("")}`);
for (const name of names) {
  const cells = rows.map((row) => `${row[name].toFixed(1)} (${(row["plain JS"] / row[name]).toFixed(2)})`.padStart(20));
  console.log(`${name.padEnd(width)} ${cells.join("")}`);
}
const ratios = (of) => rows.map((row) => of(row).toFixed(2)).join(", ");
console.log(
  `toMessages takes ${ratios((row) => row.toMessages / row["one push and render"])} times what Renderer does after a push`,
);
console.log(
  `new turns take ${ratios((row) => row["toMessages of new turns"] / (row["JSON.stringify"] + row["plain JS"]))} times ` +
    `what JSON.stringify and plain JS do`,
);
