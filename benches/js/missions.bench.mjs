// The requests of ten recorded missions, with each strategy and with none: total tokens, the share of each request that a
// provider's cache has from the previous one, and the costs at different prices.

import assert from "node:assert/strict";
import { Step, toMessages } from "turnfold";
import { compareCosts, estimate } from "turnfold/audit";
import { bestInHindsight } from "./folds.mjs";
import { missions, recordedStep } from "./missions.mjs";

const settings = {
  none: false,
  "single-user-coalesced": true,
  "rolling-window": "rolling-window",
  journal: "journal",
  "per-turn-summary": "per-turn-summary",
  "aggressive, 500": ["aggressive", { budget: 500 }],
};

/** The requests of a run as they would have been sent with that setting. The SYSTEM message is the same in all of them. */
function requestsOf(step, compression) {
  return step.turns.map((_, index) =>
    toMessages(step.turns.slice(0, index), null, { ...step.request, compression })
      .messages.slice(1)
      .map(({ role, content }) => `<${role}>\n${content}\n`)
      .join(""),
  );
}

function sharedLength(left, right) {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  return at;
}

const totals = Object.fromEntries(
  Object.keys(settings).map((name) => [name, { tokens: 0, last: 0, sent: 0, known: 0 }]),
);
const rows = [];
const steps = [];
for (const about of missions) {
  const step = await recordedStep(about);
  assert.equal(step.ok, true, `${about.mission}: ${step.fail?.message} ${JSON.stringify(step.turns.at(-1)?.result)}`);
  assert.equal(step.turns.length, about.replies.length);
  steps.push(untimed(step));
  const row = { mission: about.mission.slice(0, 40), turns: step.turns.length };
  for (const [name, compression] of Object.entries(settings)) {
    const requests = requestsOf(step, compression);
    const counts = requests.map((text) => estimate.count(text));
    const total = totals[name];
    row[name] = counts.reduce((sum, count) => sum + count, 0);
    total.tokens += row[name];
    total.last += counts.at(-1);
    for (let index = 1; index < requests.length; index++) {
      total.sent += requests[index].length;
      total.known += sharedLength(requests[index - 1], requests[index]);
    }
  }
  rows.push(row);
}

console.log("\nTokens sent over all turns of ten recorded missions, behind the SYSTEM message (estimate)");
console.table(rows);
console.table(
  Object.entries(totals).map(([strategy, { tokens, last, sent, known }]) => ({
    strategy,
    "tokens sent": tokens,
    "to none": (tokens / totals.none.tokens).toFixed(2),
    "last requests": last,
    "known from the request before": `${((100 * known) / sent).toFixed(0)} %`,
  })),
);

/** Prices of writing a token to the cache and of reading one from it, relative to a fresh token. */
const GRID = [
  [1, 1],
  [1, 0.5],
  [1, 0.1],
  [1.25, 0.1],
  [1.25, 0.05],
  [1.25, 0.025],
  [2, 0.1],
  [1, 0.02],
];

console.log("\nCost by price (write / read), SYSTEM included, relative to no compression");
const byPrice = {};
for (const [cacheWrite, cacheRead] of GRID) {
  const prices = { cacheWrite, cacheRead, output: 0 };
  const costs = {};
  let [journal, best] = [0, 0];
  for (const step of steps) {
    for (const { name, cost } of compareCosts(step, { prices }).strategies) costs[name] = (costs[name] ?? 0) + cost;
    // The best choice is computed from sizes alone, so both are billed with a granularity of one token.
    const fine = { ...prices, granularity: 1 };
    journal += compareCosts(step, { prices: fine, strategies: { journal: "journal" } }).strategies[0].cost;
    best += bestInHindsight(step, fine);
  }
  const ratio = (name) => (costs[name] / costs.none).toFixed(2);
  byPrice[`${cacheWrite} / ${cacheRead}`] = {
    "single-user-coalesced": ratio("single-user-coalesced"),
    "rolling-window": ratio("rolling-window"),
    "per-turn-summary": ratio("per-turn-summary"),
    journal: ratio("journal"),
    "journal to the best in hindsight": (journal / best).toFixed(2),
  };
}
console.table(byPrice);

/** The step without times: its recorded pauses are not those of a real model. */
function untimed(step) {
  const saved = step.toJSON();
  return Step.fromJSON({ ...saved, turns: saved.turns.map(({ at, ...turn }) => turn) });
}
