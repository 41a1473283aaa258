// The costs of agents that work in turns, by price: runs with the sizes of recorded ones, with the journal, with the rules of
// other systems, and with the best choice in hindsight. Then, on random runs, how much worse than the best choice the rule is.

import { readFileSync } from "node:fs";
import { Renderer, Turn } from "turnfold";
import { bill } from "turnfold/audit";
import { seeded } from "../../tests/js/random.mjs";
import { bestInHindsight, MINIMUM, sizesOf } from "./folds.mjs";

const GRID = [
  [1, 1],
  [1, 0.5],
  [1, 0.1],
  [1.25, 0.1],
  [1.25, 0.05],
  [1, 0.02],
];
const digits = (number) => Number(number.toFixed(3));
const sum = (numbers) => numbers.reduce((left, right) => left + right, 0);
const pricesOf = ([cacheWrite, cacheRead]) => ({ cacheWrite, cacheRead, output: 0, minimum: MINIMUM });

/** The cost of folding when `folds` returns true, which depends on sizes alone: the rules of other systems. */
function costOf({ head, states, pairs }, requests, prices, folds) {
  let [fold, cost, sent] = [null, 0, 0];
  const at = (request, last) =>
    last === null ? head + pairs[request] : head + states[last] + pairs[request] - pairs[last - 1];
  for (let request = 0; request < requests; request++) {
    let known = sent;
    if (request > 1 && folds(at(request, fold), request, fold, at(request, request))) {
      fold = request;
      known = Math.min(known, head);
    }
    const whole = at(request, fold);
    const read = whole < MINIMUM || known < MINIMUM ? 0 : Math.min(known, whole);
    cost += whole < MINIMUM ? whole : prices.cacheRead * read + prices.cacheWrite * (whole - read);
    sent = whole;
  }
  return cost;
}

/** The usual rule: folds when the saving, over as many requests as since the last fold, exceeds the price of the fold. */
const breakEven = (prices) => (whole, request, fold, folded) =>
  prices.cacheRead * (whole - folded) * (request - (fold ?? 0)) > prices.cacheWrite * folded;

const others = (prices) => ({
  "every request": () => true,
  "every 10 turns": (_, request) => request % 10 === 0,
  "threshold 24k": (whole) => whole > 24_000,
  "watermark 8k to 0.7": (whole, _, __, folded) => whole > 8000 && folded < 0.7 * 8000,
  "break-even gate": breakEven(prices),
});

// --- runs with the sizes of recorded ones

const WORDS = "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa".split(
  " ",
);

/** A text of about `tokens` tokens. */
function text(tokens, seed) {
  const words = [];
  for (let index = 0; index < 0.78 * tokens; index++)
    words.push(WORDS[(seed * 7 + index * 13 + ((index * index) % 17)) % WORDS.length]);
  return words.join(" ");
}

/**
 * Turns with the sizes of real ones: each assistant message with its results is a turn, with prose of at most 200 tokens, a program with
 * a call of at most 120, and prints of at most 450; each turn defines a name, every third one a name that exists already.
 */
function recordedTurns() {
  const file = new URL("../../tests/corpora/recorded-runs.jsonl", import.meta.url);
  const runs = [];
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    let turns = [];
    const end = () => {
      for (let from = 0; from + 15 <= turns.length; from += 120) runs.push(turns.slice(from, from + 120));
      turns = [];
    };
    for (const [kind, tokens, , callTokens, , compacted] of JSON.parse(line).messages) {
      if (compacted === 1) end();
      if (kind === "a") turns.push({ prose: tokens, program: callTokens, prints: [] });
      else turns.at(-1)?.prints.push(tokens);
    }
    end();
  }
  return runs.map((turns, run) => ({
    request: { mission: "Do it.", maxTurns: turns.length },
    turns: madeTurns(turns, run),
  }));
}

function madeTurns(turns, run) {
  let memory = {};
  return turns.map(({ prose, program: size, prints }, index) => {
    const name = index % 3 === 2 ? `value-${Math.floor(index / 6)}` : `value-${run}-${index}`;
    memory = { ...memory, [name]: text(8, index) };
    const program = `(def ${name} (tool/read {:path "${text(Math.min(100, Math.max(5, size)), index + run)}"}))`;
    let left = 450;
    const cut = prints.map((tokens, place) => {
      const most = Math.min(left, tokens);
      left -= most;
      return text(most, index * 3 + run + place);
    });
    return Turn.success({
      number: index + 1,
      program,
      rawResponse: `${text(Math.min(200, prose), index + 5)}\n\`\`\`clojure\n${program}\n\`\`\``,
      prints: cut.filter((print) => print !== ""),
      toolCalls: [{ name: "read", args: { path: text(10, index) }, result: "x" }],
      memory,
      defined: [name],
    });
  });
}

/** The cost of a run with a strategy of the package, the number of folds, and the tokens sent and tokens known from before. */
function rendered({ turns, request }, compression, prices) {
  const renderer = new Renderer({ ...request, compression });
  let folds = 0;
  const requests = turns.map((turn) => {
    const { messages, stats } = renderer.render();
    if (stats.cache !== undefined && !["notYet", "tooLate"].includes(stats.cache.reason)) folds++;
    renderer.push(turn);
    return messages;
  });
  renderer.dispose();
  return { ...bill(requests, prices), folds };
}

const runs = recordedTurns();
const sizes = runs.map(sizesOf);
const count = sum(runs.map(({ turns }) => turns.length));
console.log(`\n${runs.length} runs with the sizes of recorded ones, ${count} turns: cost relative to no compression`);
for (const pair of GRID) {
  const prices = { ...pricesOf(pair), granularity: 1 };
  const figures = {};
  let none;
  const add = (name, costs, more = {}) => {
    none ??= costs;
    const ratios = costs.map((cost, index) => cost / none[index]).sort((left, right) => left - right);
    figures[name] = {
      total: digits(sum(costs) / sum(none)),
      median: digits(ratios[ratios.length >> 1]),
      worst: digits(ratios.at(-1)),
      "dearer than none": digits(ratios.filter((ratio) => ratio > 1.0001).length / ratios.length),
      ...more,
    };
  };
  for (const [name, compression] of [
    ["none", false],
    ["journal", ["journal", { prices }]],
    ["default fold", true],
  ]) {
    const bills = runs.map((run) => rendered(run, compression, prices));
    const tokens = bills.map(({ read, written, fresh }) => read + written + fresh);
    add(
      name,
      bills.map(({ cost }) => cost),
      {
        tokens: Math.round(sum(tokens) / 1000),
        known: digits(sum(bills.map(({ read }) => read)) / sum(tokens)),
        folds: sum(bills.map(({ folds }) => folds)),
      },
    );
  }
  for (const [name, folds] of Object.entries(others(prices))) {
    add(
      `${name} (by sizes)`,
      runs.map(({ turns }, index) => costOf(sizes[index], turns.length, prices, folds)),
    );
  }
  add(
    "best in hindsight (by sizes)",
    runs.map((run) => bestInHindsight(run, prices)),
  );
  console.log(`\nwrite ${pair[0]}, read ${pair[1]}; tokens in thousands`);
  console.table(figures);
}

// --- how much worse than the best choice the rule can be

console.log("\nThe rule against the best choice in hindsight, on what is avoidable");
const instances = 100_000;
const ratios = [];
for (let seed = 1; seed <= instances; seed++) {
  const random = seeded(seed);
  const requests = 2 + random.below(40);
  const price = 1 + random.below(500);
  const growth = Array.from({ length: requests }, () => random.below(20));
  ratios.push(byRule(growth, price) / byBestChoice(growth, price));
}
ratios.sort((left, right) => left - right);
console.log(
  `${instances} random runs: at most ${digits(ratios.at(-1))} times, median ${digits(ratios[instances >> 1])}, mean ${digits(sum(ratios) / instances)}`,
);

/** Rent grows with the text that is not folded; a fold has a constant price and ends the rent of the text before it. */
function byRule(growth, price) {
  let [rent, debt, cost] = [0, 0, 0];
  for (const more of growth) {
    rent += more;
    if (debt + rent >= price && rent > 0) {
      cost += price;
      [rent, debt] = [0, 0];
    } else {
      cost += rent;
      debt += rent;
    }
  }
  return Math.max(cost, 1e-9);
}

function byBestChoice(growth, price) {
  let costs = new Map([[0, 0]]);
  for (const more of growth) {
    const next = new Map();
    const keep = (rent, cost) => {
      if (cost < (next.get(rent) ?? Number.POSITIVE_INFINITY)) next.set(rent, cost);
    };
    for (const [rent, cost] of costs) {
      keep(rent + more, cost + rent + more);
      keep(0, cost + price);
    }
    costs = next;
  }
  return Math.max(Math.min(...costs.values()), 1e-9);
}
