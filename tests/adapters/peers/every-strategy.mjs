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
    { compressionStrategy: digest({ keep, atLeast: 1 }), when: "always", keepAtLeast: 0 },
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
 * @param peer.send sends messages through the project's code to one receiver or to several. The results are by the
 * names of the receivers:
 * - `fault`, the error of one that does not accept the messages,
 * - `alone`, the calls without a result and the results without a call that it got,
 * - `ran`, the approved calls that the code has run.
 * @returns the number of lists that a receiver accepts as they are, and the problems that managing lists causes.
 */
export async function checkEveryStrategy(name, { next, read = (list) => list, manage, send }) {
  const problems = [];
  let accepted = 0;
  for (const [line, given] of listsOf(name).entries()) {
    // Of one message alone there is nothing to choose from.
    for (const messages of given.length === 1 ? [[...given, ...next]] : [given, [...given, ...next]]) {
      const list = await read(messages);
      const before = await send(list);
      if (Object.values(before).some(({ fault }) => fault === undefined)) accepted++;
      /** Many strategies leave the same. */
      const sent = new Map();
      for (const each of parameters) {
        const left = await manage(list, each);
        // A list without a question, which is one pair as a whole, exceeds a limit of fewer messages.
        if (left === null || left.every(({ role, type }) => (role ?? type) === "system")) continue;
        const key = JSON.stringify(left);
        if (!sent.has(key)) sent.set(key, newProblems(before, await send(left)));
        const at = `line ${line + 1}${messages.length === given.length ? "" : " and an exchange"}, ${describe(each)}`;
        problems.push(...sent.get(key).map((problem) => `${at}: ${problem}`));
      }
    }
  }
  return { accepted, problems };
}

function newProblems(before, after) {
  return Object.entries(after).flatMap(([receiver, { fault, alone, ran = [] }]) => {
    const known = before[receiver];
    const problems = alone.filter((one) => !known.alone.includes(one));
    // A receiver reports only its first fault.
    if (known.fault === undefined) {
      if (fault !== undefined) problems.push(fault);
      else if (String(ran) !== String(known.ran ?? [])) problems.push(`ran ${ran}, not ${known.ran}`);
    }
    return problems.map((problem) => `${receiver}: ${problem}`);
  });
}

/** The message of the error with which a function fails; undefined when it does not. */
export async function errorOf(act) {
  try {
    await act();
    return undefined;
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
}

/** The calls without a result, and the results without a call before them, in messages of the AI SDK. */
export function aloneIn(messages) {
  const open = new Set();
  const alone = [];
  for (const { content } of messages) {
    for (const { type, toolCallId: id } of Array.isArray(content) ? content : []) {
      if (type === "tool-call") open.add(id);
      if (type === "tool-result" && !open.delete(id)) alone.push(`result ${id}`);
    }
  }
  return [...alone, ...[...open].map((id) => `call ${id}`)];
}
