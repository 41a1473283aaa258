// All recorded runs, up to 30 requests of each (`REQUESTS=all`: every request, about ten minutes), managed for a host that passes
// the whole history each time: the tokens that are sent, and the share that is the same as in the previous request. Every
// invariant of tests/js/recorded-runs.mjs is asserted for every request.

import { recordedRuns, replay, strategies } from "../../tests/js/recorded-runs.mjs";

const LIMIT = 32_000;
const runs = recordedRuns();

const REQUESTS = process.env.REQUESTS ?? "30";
const MAX_REQUESTS = REQUESTS === "all" ? Number.POSITIVE_INFINITY : Number(REQUESTS);
const stepOf = ({ messages }) =>
  Math.max(1, Math.ceil(messages.filter(({ role }) => role === "assistant").length / MAX_REQUESTS));

const limits = {
  "no limit": {},
  [`maxTokens ${LIMIT}, target 1`]: { maxTokens: { limit: LIMIT, target: 1 } },
  [`maxTokens ${LIMIT}`]: { maxTokens: { limit: LIMIT } },
};

console.log(
  `\n${runs.length} recorded runs, ${REQUESTS === "all" ? "every request" : `up to ${REQUESTS} requests of each`}: tokens sent in thousands, the share known from the request measured before, requests that did not fit`,
);
const width = Math.max(...Object.keys(strategies).map((name) => name.length));
console.log(
  `${"".padEnd(width)}${Object.keys(limits)
    .map((name) => name.padStart(28))
    .join("")}`,
);
for (const [name, parameters] of Object.entries(strategies)) {
  const cells = [];
  for (const [limit, more] of Object.entries(limits)) {
    const isAlways = limit === "no limit" && name !== "none" && !name.startsWith("clear");
    // Without a limit, strategies with summaries would request one before every request.
    if (isAlways) {
      cells.push("–".padStart(28));
      continue;
    }
    const total = { sent: 0, shared: 0, refused: 0 };
    for (const run of runs) {
      const { sent, shared, refused } = replay(run, { ...parameters, ...more }, { step: stepOf(run) });
      // Lets the memory of conversations be freed, which happens between two tasks.
      await new Promise((resolve) => setTimeout(resolve));
      total.sent += sent;
      total.shared += shared;
      total.refused += refused;
    }
    const share = `${((100 * total.shared) / total.sent).toFixed(0)} %`;
    cells.push(`${Math.round(total.sent / 1000)} ${share} ${total.refused}`.padStart(28));
  }
  console.log(`${name.padEnd(width)}${cells.join("")}`);
}
