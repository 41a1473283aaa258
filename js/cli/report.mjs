// The page of an audit: one file with everything in it.

import { readFile, writeFile } from "node:fs/promises";
import { version } from "turnfold/audit";
import { arrivalKinds } from "./session-facts.mjs";
import { Problem, withoutSecrets } from "./terminal.mjs";

/** The built page, in which the data is missing; this file is in js/cli or dist/cli. */
const template = new URL("../../dist/report.html", import.meta.url);

const PLACE = '<script type="application/json" id="data"></script>';

/**
 * Writes a page with the sessions that `auditSessions` has measured.
 *
 * @param file the path of the page.
 */
export async function writeReport(file, summary) {
  const json = JSON.stringify({ version, made: Date.now(), ...summary }, (_, value) =>
    typeof value === "string" ? withoutSecrets(value) : value,
  );
  const page = await readFile(template, "utf8");
  // A text can't end the element.
  const filled = page.replace(PLACE, () => PLACE.replace("><", `>${json.replaceAll("<", "\\u003c")}<`));
  try {
    await writeFile(file, filled);
  } catch (error) {
    throw new Problem(`${file} can't be written: ${error.message}`);
  }
}

/** More requests are not plotted: of those that follow each other, the largest is shown. */
const MAX_POINTS = 500;

const PARTS = ["system", "unknown", "questions", "answers", "calls", "results"];
const BILL = ["read", "written", "fresh"];

/** What the page plots of a session. */
export function plotsOf({ requests, strategies, arrival, assumptions }) {
  const size = Math.ceil(requests.length / MAX_POINTS);
  const points = Array.from({ length: Math.ceil(requests.length / size) }, (_, point) => {
    const group = requests.slice(point * size, (point + 1) * size);
    const inputs = group.map(({ fresh, read, written }) => fresh + read + written);
    return {
      index: point * size + inputs.indexOf(Math.max(...inputs)),
      end: point * size + group.length,
      isCompacted: group.some(({ isCompacted }) => isCompacted),
    };
  });
  const of = (value) => points.map(({ index }) => value(requests[index]));
  return {
    numbers: points.map(({ index }) => index + 1),
    compacted: points.flatMap(({ isCompacted }, point) => (isCompacted ? [point] : [])),
    parts: Object.fromEntries(PARTS.map((part) => [part, of(({ parts }) => parts[part])])),
    bill: Object.fromEntries(BILL.map((part) => [part, of((request) => request[part])])),
    costs: strategies.map(({ code, requests: { cost } }) => ({ code, values: sumsAt(cost, points) })),
    losses: lossesOf(strategies),
    arrival: arrival.map((each) => ({ ...each, kind: arrivalKinds[each.kind] })),
    assumptions,
  };
}

/** The sums of costs up to the end of each point. */
function sumsAt(costs, points) {
  let [sum, at] = [0, 0];
  return points.map(({ end }) => {
    for (; at < end; at++) sum += costs[at];
    return Number(sum.toPrecision(6));
  });
}

/** Those of the cheapest strategy that lost anything; what a summary holds is not known. */
function lossesOf(strategies) {
  const [worst] = strategies
    .filter(({ losses, hasSummaries }) => losses.length > 0 && !hasSummaries)
    .sort((one, other) => one.costWithForgetting - other.costWithForgetting);
  return worst === undefined ? null : { code: worst.code, list: worst.losses };
}
