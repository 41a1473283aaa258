// What ten recorded missions send to a model, with each strategy and with none: tokens in all, and how much of each
// request a provider's cache could know from the one before.

import assert from "node:assert/strict";
import { estimate, SubAgent, toMessages } from "turnfold";
import { missions } from "./missions.mjs";

const settings = {
  none: false,
  "single-user-coalesced": true,
  "rolling-window": "rolling-window",
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
for (const { replies, data = {}, ...about } of missions) {
  const left = [...replies];
  const agent = new SubAgent({ ...about, maxTurns: replies.length + 1, llm: () => left.shift() });
  const step = await agent.run({ data });
  assert.equal(step.ok, true, `${about.mission}: ${step.fail?.message} ${JSON.stringify(step.turns.at(-1)?.result)}`);
  assert.equal(left.length, 0);
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
