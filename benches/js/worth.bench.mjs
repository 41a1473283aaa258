// What policies for histories are worth on recorded sessions: tokens and bill relative to none, and the share of what later
// requests need that they still see. `npm run bench -- worth FOLDER` measures the recordings in a folder, of any format that
// `readConversation` reads; without a folder the recorded chats of the tests.
//
//   --policies a,b    only policies whose names contain one of these texts
//   --sessions N      only the first N sessions, by name
//   --only TEXT       only sessions whose names contain the text; --without TEXT for the others
//   --prices N        only the first N prices
//   --host whole      gives the whole history with each request; the default, kept, continues with the managed conversation,
//                     which is faster
//   --processes N     splits the sessions over N processes
//
// tokens: those of the requests, and of the requests for summaries. names, lines: of the names, and of the lines of 20 characters and more, in a request's calls that occur earlier, but not in the
// last 8,000 tokens, the share that the request shows. repaid: the bill when everything missing is fetched again once. mean,
// worst, dearer: of the bills of the sessions relative to none, and how many are above none; acts: how many are different.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { Conversation, TurnfoldError } from "turnfold/audit";
import { planHistory } from "turnfold/chat";
import { o200k } from "turnfold/tokens/o200k";
import { measure, PRICES, Session } from "./worth/measure.mjs";
import { POLICIES, replay, usesPrices } from "./worth/policies.mjs";
import { sessionsIn } from "./worth/sessions.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    policies: { type: "string" },
    sessions: { type: "string" },
    only: { type: "string" },
    without: { type: "string" },
    prices: { type: "string" },
    host: { type: "string", default: "kept" },
    processes: { type: "string", default: "1" },
    part: { type: "string" },
  },
});

const { count } = await o200k();
const prices = PRICES.slice(0, Number(values.prices ?? PRICES.length));
const wanted = values.policies?.split(",");
const policies = POLICIES.filter(
  ({ name, parameters }) =>
    (name === "none" || (wanted?.some((text) => name.includes(text)) ?? true)) && isKnown(parameters),
);

/** Whether the package has the parameters. */
function isKnown(parameters = {}) {
  try {
    planHistory(new Conversation(), parameters);
    return true;
  } catch (error) {
    if (!TurnfoldError.isInstance(error)) throw error;
    process.stderr.write(`omitted: ${error.message}\n`);
    return false;
  }
}

/** Measures a session: the totals of each policy, with the costs at each price. */
async function measured(name, messages) {
  const session = new Session(name, messages, count);
  const rows = {};
  for (const policy of policies) rows[policy.name] = await measuredWith(session, policy);
  return { name, messages: messages.length, rows };
}

async function measuredWith(session, policy) {
  let result = null;
  let requests = null;
  for (const [number, price] of prices.entries()) {
    // What does not depend on prices is sent once.
    if (number === 0 || usesPrices(policy)) {
      requests = [];
      for await (const request of replay(session, policy, price, values.host)) requests.push(request);
    }
    const totals = await measure(session, requests, price);
    result ??= { ...totals, whole: { ...totals.whole, costs: [] }, beginning: { ...totals.beginning, costs: [] } };
    for (const part of ["whole", "beginning"]) result[part].costs.push(totals[part].cost);
  }
  return result;
}

const sum = (numbers) => numbers.reduce((left, right) => left + right, 0);
const digits = (number, places = 3) => (Number.isFinite(number) ? number.toFixed(places) : "–");

function table(title, part, results) {
  console.log(`\n${title}\n`);
  const header = [
    "policy",
    "tokens",
    ...prices.map(({ name }) => name),
    "names 8k",
    "lines 8k",
    "repaid",
    "mean",
    "worst",
    "dearer",
    "acts",
  ];
  console.log(`| ${header.join(" | ")} |\n|${"---|".repeat(header.length)}`);
  for (const { name } of policies) {
    const own = results.map(({ rows }) => rows[name][part]);
    const none = results.map(({ rows }) => rows.none[part]);
    const share = (of) => digits(sum(own.map(of)) / sum(none.map(of)));
    const ratios = own.map(({ costs }, index) => (none[index].costs[0] === 0 ? 1 : costs[0] / none[index].costs[0]));
    const recall = (kind) =>
      digits(sum(own.map((totals) => totals[kind][0])) / sum(own.map((totals) => totals[kind][1])));
    const cells = [
      name,
      share(({ tokens }) => tokens),
      ...prices.map((_, at) => share(({ costs }) => costs[at])),
      recall("names"),
      recall("lines"),
      digits(sum(own.map(({ repaid }) => repaid)) / sum(none.map(({ costs }) => costs[0]))),
      digits(sum(ratios) / ratios.length, 2),
      digits(Math.max(...ratios), 2),
      ratios.filter((ratio) => ratio > 1.001).length,
      ratios.filter((ratio) => Math.abs(ratio - 1) > 0.001).length,
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

/** The bills by the beginnings of the sessions' names, which name their agents. */
function tableOfKinds(results) {
  const kindOf = ({ name }) => name.split("-")[0];
  const kinds = [...new Set(results.map(kindOf))].sort();
  if (kinds.length < 2 || kinds.length === results.length) return;
  const heads = kinds.map((kind) => `${kind} (${results.filter((result) => kindOf(result) === kind).length})`);
  console.log(`\nBill at ${prices[0].name} by the beginning of the sessions' names, and the worst session\n`);
  console.log(`| policy | ${heads.join(" | ")} |\n|${"---|".repeat(kinds.length + 1)}`);
  for (const { name } of policies) {
    const cells = kinds.map((kind) => {
      const own = results.filter((result) => kindOf(result) === kind);
      const cost = (policy) => own.map(({ rows }) => rows[policy].whole.costs[0]);
      const worst = Math.max(...cost(name).map((each, index) => each / cost("none")[index]));
      return `${digits(sum(cost(name)) / sum(cost("none")), 2)}; ${digits(worst, 2)}`;
    });
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}

const listed = sessionsIn(positionals[0], values);
if (values.part !== undefined) {
  const [part, of] = values.part.split("/").map(Number);
  for (const [index, [name, read]] of listed.entries()) {
    if (index % of === part) console.log(JSON.stringify(await measured(name, read())));
  }
} else {
  const started = performance.now();
  const processes = Number(values.processes);
  let results = [];
  if (processes > 1) {
    const outputs = await Promise.all(
      Array.from({ length: processes }, (_, part) =>
        promisify(execFile)(
          process.execPath,
          [fileURLToPath(import.meta.url), ...process.argv.slice(2), "--part", `${part}/${processes}`],
          { maxBuffer: 2 ** 28 },
        ),
      ),
    );
    results = outputs
      .flatMap(({ stdout }) => stdout.trim().split("\n").filter(Boolean))
      .map((line) => JSON.parse(line));
  } else {
    for (const [name, read] of listed) {
      results.push(await measured(name, read()));
      process.stderr.write(`${name}: ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
    }
  }
  const requests = sum(results.map(({ rows }) => rows.none.whole.requests));
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`${results.length} sessions, ${requests} requests, ${seconds} s; tokens of o200k, messages only`);
  table("Whole sessions", "whole", results);
  table("Their beginnings: requests with at most 60 messages before them", "beginning", results);
  tableOfKinds(results);
}
