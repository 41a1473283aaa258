import { shortCode } from "../page/audit-words.ts";
import { formatted, money, percent } from "../page/numbers.ts";
import { barsPlot } from "../plots/bars.ts";
import { costFinding, courseFinding } from "../plots/findings.ts";
import { linesPlot } from "../plots/lines.ts";
import { type Look, type Plot, short } from "../plots/plot.ts";
import { rankingOf, ranksPlot } from "../plots/ranks.ts";
import type { Plots, Share } from "./data.ts";

const PARTS: Readonly<Record<keyof Plots["parts"], readonly [label: string, look: Look]>> = {
  unknown: ["in no message, such as the system prompt and tools", { class: "plot-rest" }],
  system: ["system", { class: "plot-part", "data-kind": "data" }],
  questions: ["questions", { class: "plot-part", "data-kind": "mission" }],
  answers: ["answers", { class: "plot-part", "data-kind": "program" }],
  calls: ["calls", { class: "plot-part", "data-kind": "expected" }],
  results: ["results", { class: "plot-part", "data-kind": "toolCalls" }],
};

const BILL: Readonly<Record<keyof Plots["bill"], readonly [label: string, look: Look]>> = {
  read: ["read from the cache", { class: "plot-read" }],
  written: ["written to the cache", { class: "plot-written" }],
  fresh: ["neither", { class: "plot-fresh" }],
};

/** The tokens of each request by what they are, or by how they were billed. */
export function requestsPlot({ numbers, compacted, parts, bill }: Plots, isByBill: boolean): Plot {
  const series = isByBill ? seriesOf(BILL, bill) : seriesOf(PARTS, parts);
  const tokens = numbers.map((_, index) => Object.values(bill).reduce((sum, values) => sum + (values[index] ?? 0), 0));
  return barsPlot({
    title: "Tokens of each request",
    finding: courseFinding({ unit: "request", numbers, tokens, plain: null, strategy: null }).replace(
      "With no strategy, requests go",
      "Requests go",
    ),
    unit: "request",
    numbers,
    series,
    line: null,
    folds: compacted,
    fold: "after a compaction",
  });
}

const seriesOf = <Name extends string>(
  names: Readonly<Record<Name, readonly [string, Look]>>,
  values: Readonly<Record<Name, readonly number[]>>,
) =>
  (Object.keys(names) as Name[]).map((name) => ({ label: names[name][0], look: names[name][1], values: values[name] }));

/** The cost up to each request with each strategy; null for a single request. */
export function costsPlot({ costs, numbers }: Plots, isDollars: boolean, recommended: string | null): Plot | null {
  const sums = costs.map(({ code, values }) => ({ name: code, label: shortCode(code), values }));
  if (numbers.length < 2 || sums.length < 2) return null;
  const chosen = recommended ?? "none";
  const last = ({ values }: (typeof sums)[number]): number => values.at(-1) ?? 0;
  const least = sums.reduce((best, line) => (last(line) < last(best) ? line : best));
  return linesPlot({
    title: isDollars ? "What the session costs" : "What the session costs, in tokens of input",
    finding: isDollars ? costFinding(sums, chosen, "request") : "",
    unit: "request",
    amount: isDollars ? money : short,
    lines: sums.map((line) => ({
      ...line,
      role: line.name === chosen ? "chosen" : line.name === "none" ? "none" : line === least ? "least" : "other",
    })),
  });
}

/** The code of a strategy without the names of options that all of them have. */
export const labelOf = (code: string): string =>
  code === "none" ? "as it was" : code.replace(/\b(?:compressionStrategy|compression): /, "");

/** What fills the requests, by tool and by file; null when nothing is known. */
export function fillsPlot(tools: readonly Share[], files: readonly Share[], total: number): Plot | null {
  const rankings = [
    rankingOf("By tool, calls and results", "tool", new Map(tools.map(({ name, sent }) => [name, sent]))),
    rankingOf("By file", "file", new Map(files.map(({ name, sent }) => [name, sent]))),
  ].filter(({ rows }) => rows.length > 0);
  if (rankings.length === 0) return null;
  const largest = rankings.map(({ noun, rows: [row] }) => `${noun} ${row?.[0]} (${percent(row?.[1] ?? 0, total)})`);
  return ranksPlot({
    title: "What fills the requests",
    finding: `The largest parts of ${formatted(total)} tokens: ${largest.join(", ")}.`,
    rankings,
    total,
  });
}
