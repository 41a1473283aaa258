// Checks message lists in the shapes of another project's tests under every strategy.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  chunked,
  clearToolResults,
  digest,
  fromTimestamp,
  lastNMessages,
  wholeHistory,
  wholeHistoryMultipleSystemMessages,
} from "../../../dist/chat.js";

/** The parameters of every strategy, with 0 to 4 messages, rounds or results that it keeps. */
const parameters = [
  ...[0, 1, 2, 3, 4].flatMap((keep) => [
    { compressionStrategy: lastNMessages(keep) },
    { compressionStrategy: digest({ keep, atLeast: 1 }), keepAtLeast: 0 },
    { compressionStrategy: clearToolResults({ keep, atLeast: 1 }) },
    { maxHistorySize: keep + 1, keepAtLeast: 0 },
  ]),
  ...[1, 2, 3].map((size) => ({ compressionStrategy: chunked(size) })),
  { compressionStrategy: wholeHistory() },
  { compressionStrategy: wholeHistory(), keepAtLeast: 0 },
  { compressionStrategy: wholeHistoryMultipleSystemMessages() },
  { compressionStrategy: fromTimestamp(2) },
].map((each) => ({ minMessages: 0, ...each }));

export const llm = () => "They spoke of lamps.";

const describe = (given) => JSON.stringify(given.compressionStrategy ?? given);

/** The codes of errors about histories that the parameters can't manage. */
const UNFIT = ["pins_over_limit", "request_over_budget", "missing_timestamp"];

/** Returns the result of managing; null when the messages that must stay exceed a limit, or have no times. */
export async function unlessUnfit(manage) {
  try {
    return await manage();
  } catch (error) {
    if (UNFIT.includes(error.code)) return null;
    throw error;
  }
}

/** Reads the lists of a file; `$url`, `$bytes` and `$date` are values that JSON lacks. */
function listsOf(name) {
  const revive = (_, value) => {
    if (typeof value !== "object" || value === null) return value;
    if (value.$url !== undefined) return new URL(value.$url);
    if (value.$bytes !== undefined) return new Uint8Array([137, 80, 78, 71]);
    return value.$date === undefined ? value : new Date(value.$date);
  };
  const text = readFileSync(join(import.meta.dirname, `${name}.jsonl`), "utf8");
  const lines = text.trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line, revive));
}

/**
 * Checks each list of a file: what managing it with every strategy leaves is accepted by the project's code. Then the
 * same with an exchange after it, so that strategies reach every message of the list.
 *
 * @param peer.next the messages of the exchange, as in the file.
 * @param peer.read makes the project's messages of those in the file.
 * @param peer.manage manages a list with parameters; null for parameters that can't manage it.
 * @param peer.send sends messages through the project's code. The result has `refusal`, the error of that code, or
 * - `alone`: the calls without a result and the results without a call,
 * - `fault`: the rule of the provider that the request breaks, if there is one,
 * - `ran`: the approved calls that the code has run.
 * @returns the number of lists that the code accepts as they are, and the problems that managing them causes.
 */
export async function checkEveryStrategy(name, { next, read = (list) => list, manage, send }) {
  const problems = [];
  let accepted = 0;
  const lists = listsOf(name).flatMap((list, index) => [
    [`line ${index + 1}`, list],
    [`line ${index + 1} and an exchange`, [...list, ...next]],
  ]);
  for (const [line, given] of lists) {
    const list = await read(given);
    const before = await send(list);
    if (before.refusal !== undefined) continue;
    accepted++;
    /** Many strategies leave the same. */
    const sent = new Map();
    for (const each of parameters) {
      const messages = await manage(list, each);
      // A list without a question, which is one pair as a whole, exceeds a limit of fewer messages.
      if (messages === null || messages.length === 0) continue;
      const key = JSON.stringify(messages);
      if (!sent.has(key)) sent.set(key, newProblems(before, await send(messages)));
      problems.push(...sent.get(key).map((problem) => `${line}, ${describe(each)}: ${problem}`));
    }
  }
  return { accepted, problems };
}

function newProblems(before, { refusal, alone = [], fault, ran = [] }) {
  if (refusal !== undefined) return [refusal];
  const problems = alone.filter((one) => !before.alone.includes(one));
  // A receiver reports only the first fault.
  if (fault !== undefined && before.fault === undefined) problems.push(fault);
  if (String(ran) !== String(before.ran ?? [])) problems.push(`ran ${ran}, not ${before.ran}`);
  return problems;
}
