// npx turnfold audit FOLDER: what many sessions cost together, by model and tool, and in which of them most could be saved.

import { statSync } from "node:fs";
import { auditSessions } from "./audit-sessions.mjs";
import { writeReport } from "./report.mjs";
import { inputOf } from "./session-facts.mjs";
import { factsOf, findSessions, idOf } from "./session-folders.mjs";
import { count, counted, money, Problem, percent, print, printTable, shortCode, signed, visible } from "./terminal.mjs";

/** Whether arguments are more than one file. */
export const areMany = (paths, { all, since }) =>
  all || since !== undefined || paths.length > 1 || paths.some((path) => statOf(path)?.isDirectory());

const statOf = (path) => statSync(path, { throwIfNoEntry: false });

const UNITS = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** The time that `--since` names, in milliseconds since 1970: `7d`, `12h`, `2w` or a date. */
function sinceOf(text) {
  if (text === undefined) return undefined;
  const [, number, unit] = /^(\d+)([hdw])$/.exec(text) ?? [];
  const time = unit === undefined ? Date.parse(text) : Date.now() - Number(number) * UNITS[unit];
  if (Number.isNaN(time)) throw new Problem(`--since takes a date or a time such as 7d, 12h or 2w, got ${text}`);
  return time;
}

async function filesIn(paths, { all, since }) {
  if (all && paths.length > 0) throw new Problem("--all takes no files: it finds the sessions of this machine");
  const missing = paths.find((path) => statOf(path) === undefined);
  if (missing !== undefined) throw new Problem(`${missing} can't be read: there is no such file`);
  const folders = paths.filter((path) => statOf(path).isDirectory());
  const named = paths.filter((path) => !statOf(path).isDirectory());
  const found = all || folders.length > 0 ? await findSessions(folders) : [];
  const own = await Promise.all(named.map(async (path) => ({ id: idOf(path), path, ...(await factsOf(path)) })));
  const files = [...own, ...found].filter(({ modified }) => since === undefined || modified >= since);
  const where = all ? "in the folders of the known tools" : `in ${folders.join(", ")}`;
  if (files.length === 0)
    throw new Problem(since === undefined ? `no recording was found ${where}` : "no recording is as new as that");
  return files;
}

/**
 * Audits many recordings.
 *
 * @param paths of files and folders.
 * @param options those of the command; `prices` as the audit takes them.
 */
export async function auditMany(paths, { all, since: sinceText, html, json, prices }) {
  const since = sinceOf(sinceText);
  const files = await filesIn(paths, { all, since });
  const shows = process.stderr.isTTY;
  const onProgress = (path, done) =>
    shows && process.stderr.write(`\r\x1b[K${count(done)} of ${count(files.length)}: ${visible(path).slice(-60)}`);
  const summary = await auditSessions(files, { prices, since, plots: html !== undefined }, onProgress);
  if (shows) process.stderr.write("\r\x1b[K");
  reportProblems(summary);
  if (summary.sessions.length === 0) throw new Problem("no file has a request of its own");
  if (html !== undefined) await writeReport(html, summary);
  if (json) print(JSON.stringify(summary, (name, value) => (name === "plots" ? undefined : value), 2));
  else printSummary(summary);
  if (html !== undefined && !json) print(`\nThe report is ${html}: one file, which any browser opens.`);
}

const MAX_PROBLEMS = 5;

function reportProblems({ problems, sessions }) {
  for (const { file, problem } of problems.slice(0, MAX_PROBLEMS))
    console.error(visible(`turnfold: ${file}: ${problem}`));
  const more = problems.length - MAX_PROBLEMS;
  if (more > 0) console.error(`turnfold: ${counted(more, "more file")} can't be read; --json lists them`);
  const warned = sessions.filter(({ warnings }) => warnings.length > 0);
  for (const { file, warnings } of warned.slice(0, MAX_PROBLEMS))
    for (const warning of warnings) console.error(visible(`turnfold: ${file}: ${warning}`));
}

function printSummary(summary) {
  const { files, copies, sessions, billed, unit, cost, saved } = summary;
  const dollars = billed.dollars === null ? "no price known" : money(billed.dollars);
  const sources = new Set(sessions.map(({ source }) => source));
  const how =
    sources.size > 1 || sources.has("mixed") ? "partly estimated" : sources.has("estimated") ? "estimated" : "billed";
  print(
    `${counted(sessions.length, "session")} in ${counted(files, "file")}: ${dollars} ${how}, ${counted(billed.requests, "request")}, ${count(inputOf(billed))} tokens of input (${percent(billed.read / inputOf(billed))} read from the cache), ${count(billed.output)} of output`,
  );
  if (copies > 0) print(`${counted(copies, "file")} had only requests that other files have too; each is billed once.`);
  print("");
  printFirst(summary.models.map((row) => ({ model: row.model ?? "no model recorded", ...billOf(row) })));
  print("");
  printFirst(
    summary.byTool.map((row) => ({
      program: row.tool,
      sessions: count(row.sessions),
      ...billOf(row),
      "could be saved": priced(row.saved, unit),
    })),
  );
  printProxy(summary.proxy, summary, cost);
  print(`\nIf ${comparedOf(summary)} had used the same options:\n`);
  printTable(
    summary.strategies.map(({ code, cost: own, share, names, hasSummaries }) => ({
      options: shortCode(code),
      cost: priced(own, unit),
      change: code === "none" ? "" : signed(share),
      "names missing": `${hasSummaries ? "≤ " : ""}${count(names.missing)} of ${count(names.of)}`,
    })),
  );
  if (saved > 0)
    print(`\nWith what is recommended for each session, ${priced(saved, unit)} (${percent(saved / cost)}) less.`);
  else print("\nRecommended: change nothing");
  printShares(summary);
  printMost(summary);
}

/**
 * Prints what `turnfold proxy` saved, of its records.
 *
 * @param whole the cost of the whole histories.
 */
export function printProxy(proxy, { billed, unit }, whole) {
  if (proxy === null) return;
  const { requests, tokens, saved } = proxy;
  const cost = (amount) => `${priced(amount, unit)}${unit === "dollars" ? "" : " tokens"}`;
  print(
    `\nThe proxy sent ${count(requests)} of ${counted(billed.requests, "request")} with a shorter history, ${count(tokens)} tokens less in all: without it they would have cost ${cost(whole)}, and it saved ${cost(saved)} (${percent(saved / whole)}). Strategies are compared with the whole histories.`,
  );
}

const comparedOf = ({ compared, sessions }) =>
  compared === sessions.length ? "all sessions" : `the ${counted(compared, "session")} whose price is known`;

const billOf = (bill) => ({
  requests: count(bill.requests),
  input: count(inputOf(bill)),
  output: count(bill.output),
  cost: bill.dollars === null ? "no price known" : money(bill.dollars),
});

const priced = (cost, unit) => (unit === "dollars" ? money(cost) : count(cost));

const MAX_ROWS = 10;
const MAX_GROUPS = 20;

function printFirst(rows) {
  printTable(rows.slice(0, MAX_GROUPS));
  if (rows.length > MAX_GROUPS) print(`and ${count(rows.length - MAX_GROUPS)} more, which --json lists`);
}

function printShares({ tools }) {
  if (tools.length === 0) return;
  print("\nWhat fills the requests, by tool:\n");
  printTable(
    tools
      .slice(0, MAX_ROWS)
      .map(({ name, sent, share }) => ({ tool: name, "in all requests": count(sent), "of the input": percent(share) })),
  );
}

const MAX_TITLE = 50;

/** The sessions in which most could be saved, or those that cost most. */
function printMost({ sessions, unit }) {
  const saving = sessions.filter((session) => session.saved > 0 && session.unit === unit);
  const shown = (saving.length > 0 ? saving.sort((one, other) => other.saved - one.saved) : sessions).slice(
    0,
    MAX_ROWS,
  );
  print(saving.length > 0 ? "\nWhere most could be saved:\n" : "\nThe most expensive sessions:\n");
  printTable(
    shown.map(({ title, tool, billed, saved, cost, proxy, file, recommendation }) => ({
      session: short(title ?? file),
      program: tool,
      requests: count(billed.requests),
      cost: priced(cost - (proxy?.saved ?? 0), unit),
      "could be saved": saved === 0 ? "" : `${priced(saved, unit)} (${percent(saved / cost)})`,
      with: saved === 0 ? "" : shortCode(recommendation.code ?? ""),
      file: shortPath(file),
    })),
  );
}

const short = (text) => (text.length > MAX_TITLE ? `${text.slice(0, MAX_TITLE - 1)}…` : text);
const shortPath = (path) => (path.length > MAX_TITLE ? `…${path.slice(1 - MAX_TITLE)}` : path);
