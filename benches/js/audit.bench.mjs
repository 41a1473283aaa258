// How well audits agree with the recorded usage: `npm run bench -- audit FOLDER` audits the recordings in a folder, without one those of
// the tests. A request whose id an earlier file has too, such as a copy of a session at another time, counts once.
//
//   --recordings N   only the first N recordings, the largest first
//   --strategies     replays the strategies too, and prints what they would have cost
//   --processes N    splits the recordings over N processes
//
// For each model: the requests, the share of them whose computed input is within 5 % of the recorded one, the quantiles of the
// amount of the error, the factor, and what the rules of the cache give of the bill. In the end the bills and the times.

import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { audit, readConversation } from "turnfold/audit";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    recordings: { type: "string" },
    strategies: { type: "boolean", default: false },
    processes: { type: "string", default: "1" },
    part: { type: "string" },
  },
});

const own = fileURLToPath(new URL("../../tests/js/recordings", import.meta.url));
const folder = positionals[0] ?? own;
const files = readdirSync(folder)
  .filter((name) => !name.endsWith(".mjs"))
  .map((name) => ({ name, size: statSync(join(folder, name)).size }))
  .sort((left, right) => right.size - left.size || (left.name < right.name ? -1 : 1))
  .slice(0, Number(values.recordings ?? Number.POSITIVE_INFINITY));

/** The figures of a file; null for one that can't be read. */
function audited({ name }) {
  const started = performance.now();
  try {
    const recording = readConversation(readFileSync(join(folder, name), "utf8"));
    const { billed, fit, requests, strategies, recommendation, format } = audit(
      recording,
      values.strategies ? {} : { strategies: {} },
    );
    return {
      name,
      format,
      ms: performance.now() - started,
      dollars: billed.dollars,
      ratio: fit.dollarRatio,
      factors: fit.factors,
      recommendation: recommendation.code ?? "change nothing",
      costs: strategies.map(({ code, cost, share, names }) => ({ code, cost, share, names })),
      requests: requests
        .filter(({ isRecorded }) => isRecorded)
        .map(({ id, model, computed, fresh, read, written, dollars }) => ({
          id,
          model,
          error: computed / (fresh + read + written) - 1,
          dollars,
        })),
    };
  } catch (error) {
    return { name, problem: error.message, ms: performance.now() - started };
  }
}

const sum = (numbers) => numbers.reduce((left, right) => left + right, 0);
const percent = (share, digits = 1) => (Number.isFinite(share) ? `${(100 * share).toFixed(digits)} %` : "–");
function quantile(numbers, share) {
  const sorted = [...numbers].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

function printErrors(results) {
  const seen = new Set();
  const byModel = new Map();
  for (const { requests, factors } of results) {
    for (const { id, model, error } of requests) {
      if ((id !== null && seen.has(id)) || !Number.isFinite(error)) continue;
      if (id !== null) seen.add(id);
      const known = byModel.get(model) ?? { errors: [], factors: [] };
      byModel.set(model, known);
      known.errors.push(Math.abs(error));
      known.factors.push(factors.find((each) => each.model === model)?.factor ?? 1);
    }
  }
  const row = (name, { errors, factors }) => {
    const within = errors.filter((error) => error <= 0.05).length / errors.length;
    const quantiles = [0.5, 0.9, 0.95, 0.99].map((share) => percent(quantile(errors, share)));
    const cells = [name, errors.length, percent(within), ...quantiles, quantile(factors, 0.5)?.toFixed(2) ?? "–"];
    console.log(`| ${cells.join(" | ")} |`);
  };
  console.log(
    "\n| model | requests | within 5 % | 50 % | 90 % | 95 % | 99 % | factor |\n|---|---|---|---|---|---|---|---|",
  );
  const all = [...byModel].sort(([, left], [, right]) => right.errors.length - left.errors.length);
  for (const [model, figures] of all) row(model ?? "not recorded", figures);
  const join = (name) => all.flatMap(([, figures]) => figures[name]);
  if (all.length > 1) row("all", { errors: join("errors"), factors: join("factors") });
}

function printBills(results) {
  const ratios = results.flatMap(({ ratio }) => (ratio === null ? [] : [ratio]));
  if (ratios.length > 0) {
    const near = ratios.filter((ratio) => Math.abs(ratio - 1) <= 0.05).length / ratios.length;
    const shown = [0.05, 0.25, 0.5, 0.75, 0.95].map((share) => quantile(ratios, share).toFixed(2)).join(", ");
    console.log(
      `\nComputed by billed dollars of ${ratios.length} recordings: ${percent(near, 0)} within 5 %; quantiles at 5, 25, 50, 75, 95 %: ${shown}`,
    );
  }
  if (!values.strategies) return;
  const dollars = results.filter(({ dollars }) => dollars !== null);
  const codes = [...new Set(dollars.flatMap(({ costs }) => costs.map(({ code }) => code)))];
  console.log(
    "\n| options | dollars | of none | median | worst | names missing | recommended |\n|---|---|---|---|---|---|---|",
  );
  const none = sum(dollars.map(({ costs }) => costs[0].cost));
  for (const code of codes) {
    const rows = dollars.flatMap(({ costs }) => costs.filter((row) => row.code === code));
    const cost = sum(rows.map((row) => row.cost));
    const shares = rows.map(({ share }) => share);
    const [missing, of] = [sum(rows.map(({ names }) => names.missing)), sum(rows.map(({ names }) => names.of))];
    const chosen = results.filter(
      ({ recommendation }) => recommendation === (code === "none" ? "change nothing" : code),
    ).length;
    const cells = [
      code,
      cost.toFixed(2),
      percent(cost / none),
      quantile(shares, 0.5).toFixed(2),
      Math.max(...shares).toFixed(2),
    ];
    console.log(`| ${[...cells, `${missing} of ${of}`, chosen].join(" | ")} |`);
  }
}

if (values.part !== undefined) {
  const [part, of] = values.part.split("/").map(Number);
  for (const [index, file] of files.entries()) if (index % of === part) console.log(JSON.stringify(audited(file)));
} else {
  const started = performance.now();
  const processes = Number(values.processes);
  const parts = await Promise.all(
    Array.from({ length: processes }, async (_, part) => {
      const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2), "--part", `${part}/${processes}`];
      const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 30 });
      return stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    }),
  );
  const order = new Map(files.map(({ name }, index) => [name, index]));
  const results = parts.flat().sort((left, right) => order.get(left.name) - order.get(right.name));
  const read = results.filter(({ problem }) => problem === undefined);
  const times = results.map(({ ms }) => ms);
  for (const { name, problem } of results) if (problem !== undefined) console.log(`${name} is left out: ${problem}`);
  console.log(`${read.length} recordings in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  printErrors(read);
  printBills(read);
  const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
  console.log(
    `\nTime for a recording: median ${seconds(quantile(times, 0.5))}, slowest ${seconds(Math.max(...times))}`,
  );
}
