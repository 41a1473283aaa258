// What is kept of each session: much less than its audit, so that thousands of them take little memory.

import { recordingFormats } from "turnfold/audit";

const MAX_TITLE = 120;

/** What results can arrive shorter by, as users read it. */
export const arrivalKinds = {
  repeated: "lines that an earlier result has",
  records: "records and other JSON",
  searches: "hits of searches",
  terminal: "output of terminals",
  numbers: "padding before line numbers",
  lines: "equal lines in a row, and others",
};

/** Instructions and facts that coding agents put before the first question. */
const NO_QUESTION = /^\s*(?:<|# AGENTS\.md|Caveat:)/;

/** The title that a recording has, or the beginning of the first question; null without both. */
function titleOf(given) {
  const words = given.replace(/\s+/g, " ").trim();
  if (words === "") return null;
  return words.length > MAX_TITLE ? `${words.slice(0, MAX_TITLE - 1)}…` : words;
}

function questionOf({ messages }) {
  const asked = messages.filter(({ role }) => role === "user").map(textOf);
  return asked.find((text) => !NO_QUESTION.test(text)) ?? asked[0] ?? "";
}

function textOf({ content }) {
  return typeof content === "string" ? content : (content.find(({ type }) => type === "text")?.text ?? "");
}

/** The name of the tool that writes a format: “Claude Code”. */
const toolOf = (format) => recordingFormats[format].replace(/^an? \w+ of /, "");

/** Reads what a recording says without an audit, and its requests. */
export async function readFacts(recording) {
  const all = [];
  let [title, question] = [undefined, undefined];
  for await (const { kind, title: own, conversation, requests } of recording.chats) {
    if (kind !== "agent") title ??= own;
    question ??= questionOf(conversation);
    for (const request of requests) all.push(request);
  }
  const models = grouped(
    all.filter(({ model }) => model !== undefined),
    ({ model }) => model,
  );
  const times = all.flatMap(({ at }) => at ?? []);
  const timeOf = (index) => times.sort((one, other) => one - other).at(index) ?? null;
  const facts = {
    tool: toolOf(recording.format),
    title: titleOf(title ?? question),
    models: models.sort(([, one], [, other]) => other.length - one.length).map(([model]) => model),
    requests: all.length,
    first: timeOf(0),
    last: timeOf(-1),
  };
  return { facts, requests: all };
}

const NOTHING = { requests: 0, fresh: 0, read: 0, written: 0, output: 0, dollars: null };

/** Adds what was billed; dollars are null while none is known. */
export function sumOfBills(bills) {
  return bills.reduce(
    (sum, { requests = 1, fresh, read, written, output, dollars }) => ({
      requests: sum.requests + requests,
      fresh: sum.fresh + fresh,
      read: sum.read + read,
      written: sum.written + written,
      output: sum.output + output,
      dollars: dollars === null ? sum.dollars : (sum.dollars ?? 0) + dollars,
    }),
    NOTHING,
  );
}

export const inputOf = ({ fresh, read, written }) => fresh + read + written;

/** Groups values by a key, in the order of the keys' first values. */
export function grouped(values, keyOf) {
  const groups = new Map();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return [...groups];
}

const MAX_SHARES = 40;

/**
 * What is kept of an audit.
 *
 * @param own tells whether a request is counted: another recording may have it too. Shares of tools are those of all.
 */
export function costsOf(audited, own = () => true) {
  const { unit, source, unpriced, strategies, recommendation, proxy } = audited;
  const counts = audited.requests.map((_, index) => own(index));
  const requests = audited.requests.filter((_, index) => counts[index]);
  const billed = sumOfBills(requests);
  const costOf = (strategy) => strategy.requests.cost.reduce((sum, cost, index) => sum + (counts[index] ? cost : 0), 0);
  const rows = strategies.map((strategy) => {
    const { code, names, hasSummaries } = strategy;
    return { code, cost: costOf(strategy), names, hasSummaries };
  });
  const [none] = rows;
  const best = rows.find(({ code }) => code === recommendation.code) ?? none;
  const input = inputOf(billed);
  const shares = (list) =>
    list.slice(0, MAX_SHARES).map(({ name, share }) => ({ name, sent: Math.round(share * input) }));
  return {
    unit,
    source,
    unpriced,
    billed,
    cost: none.cost,
    proxy,
    // Beyond what a proxy has saved.
    saved: Math.max(0, none.cost - (proxy?.saved ?? 0) - best.cost),
    recommendation: { code: recommendation.code, reason: recommendation.reason },
    models: grouped(requests, ({ model }) => model).map(([model, list]) => ({ model, ...sumOfBills(list) })),
    strategies: rows,
    tools: shares(audited.tools),
    files: shares(audited.files),
  };
}

/** What the recommended strategy would have saved, as lists show it; null for nothing. Without a price, `dollars` is null. */
export function savingOf({ unit, recommendation: { code, saved }, strategies: [none] }) {
  return code === null ? null : { code, share: saved / none.cost, dollars: unit === "dollars" ? saved : null };
}
