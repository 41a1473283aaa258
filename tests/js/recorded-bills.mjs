// How well `bill` predicts what a provider billed for the runs in tests/corpora/recorded-runs.jsonl.

import { readFileSync } from "node:fs";
import { bill } from "turnfold/audit";

/** Counts the tokens that a text names: `#7;` has seven tokens. */
const SIZES = {
  name: "sizes",
  method: "exact",
  count: (text) => [...text.matchAll(/#(\d+);/g)].reduce((sum, [, tokens]) => sum + Number(tokens), 0),
};

/** The recorded coding agent's cache of five minutes, with a breakpoint at the end of each request. */
const PRICES = { mechanism: "anthropic", granularity: 1 };

/**
 * The billed requests of a run: their pieces with sizes, their times and their bills. A summary that the client wrote starts
 * the pieces anew.
 */
function requestsOf({ messages }) {
  const requests = [];
  let sent = [];
  let at = 0;
  for (const [index, [kind, text, , callTokens, gap, compacted, billed]] of messages.entries()) {
    at += 1000 * (gap ?? 0);
    if (compacted === 1) sent = [];
    if (kind === "a" && Array.isArray(billed)) requests.push({ pieces: [...sent], at, billed });
    sent.push({ index, tokens: text + callTokens });
  }
  return requests;
}

const inputOf = ([fresh, read, written]) => fresh + read + written;
const median = (numbers) => [...numbers].sort((left, right) => left - right)[numbers.length >> 1];

/**
 * Predicts the bills of every run that has some, with one tokenizer factor for all runs and one prefix (system prompt and
 * tools) for each run.
 *
 * @returns the billed and the predicted share of input read from the cache, for each run and for all.
 */
export function predictions() {
  const file = new URL("../corpora/recorded-runs.jsonl", import.meta.url);
  const runs = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .map((run) => ({ name: `${run.source} ${run.run}`, requests: requestsOf(run) }))
    .filter(({ requests }) => requests.length > 0);
  const factor = tokenizerFactor(runs);
  const all = { input: 0, read: 0, predictedInput: 0, predictedRead: 0 };
  const rows = [];
  for (const { name, requests } of runs) {
    const size = (request) => factor * request.pieces.reduce((sum, { tokens }) => sum + tokens, 0);
    const prefix = Math.max(0, Math.round(median(requests.map((request) => inputOf(request.billed) - size(request)))));
    const predicted = bill(
      requests.map(({ pieces, at }) => ({ messages: textOf(prefix, pieces, factor), at })),
      PRICES,
      { counter: SIZES },
    );
    const input = requests.reduce((sum, { billed }) => sum + inputOf(billed), 0);
    const read = requests.reduce((sum, { billed: [, read] }) => sum + read, 0);
    all.input += input;
    all.read += read;
    all.predictedInput += predicted.read + predicted.written + predicted.fresh;
    all.predictedRead += predicted.read;
    rows.push({ name, requests: requests.length, billed: read / input, predicted: predicted.known });
  }
  return { runs: rows, factor, billed: all.read / all.input, predicted: all.predictedRead / all.predictedInput };
}

const textOf = (prefix, pieces, factor) =>
  `prefix #${prefix};${pieces.map(({ index, tokens }) => `${index} #${Math.round(factor * tokens)};`).join("")}`;

/** The provider's tokens per token of o200k, from the growth of consecutive requests. */
function tokenizerFactor(runs) {
  let [grown, sizes] = [0, 0];
  for (const { requests } of runs) {
    for (let index = 1; index < requests.length; index++) {
      const [before, now] = [requests[index - 1], requests[index]];
      const size = ({ pieces }) => pieces.reduce((sum, { tokens }) => sum + tokens, 0);
      if (now.pieces.length <= before.pieces.length) continue;
      const growth = inputOf(now.billed) - inputOf(before.billed);
      if (growth <= 0) continue;
      grown += growth;
      sizes += size(now) - size(before);
    }
  }
  return grown / sizes;
}
