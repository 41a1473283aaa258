// Audits many sessions, in threads: each one is read, measured and forgotten before the next.

import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { grouped, inputOf, sumOfBills } from "./session-facts.mjs";

/** Each thread holds a session, and waits for the larger ones before it. */
const MAX_THREADS = 4;

/** The sessions whose requests a report plots: those that cost most. */
const MAX_PLOTTED = 25;

/**
 * Audits files. A request that several of them have, as sessions that were resumed and their copies do, is counted once, in
 * the largest of these files.
 *
 * @param files as `findSessions` finds them.
 * @param options `prices`, `since` in milliseconds since 1970, and `plots` for a report.
 * @param onProgress called with a file and the number of those that are done.
 */
export async function auditSessions(files, options, onProgress = () => {}) {
  const queue = files.toSorted((one, other) => other.bytes - one.bytes);
  const claims = new Claims();
  const results = [];
  let next = 0;
  const work = async () => {
    let thread = new Thread();
    while (next < queue.length) {
      const number = next++;
      const { path } = queue[number];
      onProgress(path, results.length);
      const result = await thread.audit({ path, ...options }, (claim) => claims.take(number, claim));
      claims.pass(number);
      if (result.isOver) thread = new Thread();
      results.push({ file: path, ...result });
      keepPlotsOf(results);
    }
    await thread.end();
  };
  await Promise.all(Array.from({ length: Math.min(queue.length, availableParallelism(), MAX_THREADS) }, work));
  return summaryOf(results);
}

class Thread {
  #worker = new Worker(new URL("./session-worker.mjs", import.meta.url));

  /** @param isOwn answers which requests are counted. */
  audit(task, isOwn) {
    return new Promise((settle) => {
      const onMessage = async (message) => {
        if (message.keys !== undefined) this.#worker.postMessage({ isOwn: await isOwn(message) });
        else finish(message);
      };
      // A session that needs more memory than there is ends the thread.
      const onError = ({ message }) => finish({ problem: message, isOver: true });
      const finish = (result) => {
        this.#worker.off("message", onMessage).off("error", onError);
        settle(result);
      };
      this.#worker.on("message", onMessage).on("error", onError);
      this.#worker.postMessage({ kind: "audit", ...task });
    });
  }

  end = () => this.#worker.terminate();
}

/** Which file has each request. Files take theirs in their order, so that the result does not depend on the threads. */
class Claims {
  #taken = new Set();
  #waiting = new Map();
  #passed = new Set();
  #turn = 0;

  /** @returns for each request, whether this file is the first one with it. */
  take(number, { keys, hash }) {
    return new Promise((answer) => {
      this.#waiting.set(number, () => {
        const isCopy = this.#taken.has(hash);
        this.#taken.add(hash);
        const isOwn = keys.map((key) => !(isCopy || (key !== null && this.#taken.has(key))));
        for (const key of keys) if (key !== null) this.#taken.add(key);
        answer(isOwn);
      });
      this.#advance();
    });
  }

  /** Ends the turn of a file, also of one that could not be read. */
  pass(number) {
    this.#passed.add(number);
    this.#advance();
  }

  #advance() {
    for (;;) {
      const take = this.#waiting.get(this.#turn);
      if (take === undefined && !this.#passed.has(this.#turn)) return;
      take?.();
      this.#waiting.delete(this.#turn);
      this.#passed.delete(this.#turn++);
    }
  }
}

const costsMost = (one, other) => (other.billed.dollars ?? 0) - (one.billed.dollars ?? 0) || other.cost - one.cost;

/** Forgets the plots of all but the most expensive sessions. */
function keepPlotsOf(results) {
  const plotted = results.filter(({ plots }) => plots !== undefined);
  if (plotted.length <= MAX_PLOTTED) return;
  delete plotted.sort(costsMost).at(-1).plots;
}

/** What all sessions cost together, by model and tool, and with each strategy. */
export function summaryOf(results) {
  const problems = results.filter(({ problem }) => problem !== undefined);
  const sessions = results.filter(({ billed }) => billed !== undefined).sort(costsMost);
  const priced = sessions.filter(({ unit }) => unit === "dollars");
  const unit = priced.length > 0 ? "dollars" : "tokens";
  const counted = unit === "dollars" ? priced : sessions;
  const cost = sumOf(counted, (session) => session.cost);
  const billed = sumOfBills(sessions.map((session) => session.billed));
  const codes = [...new Set(counted.flatMap(({ strategies }) => strategies.map(({ code }) => code)))];
  return {
    files: results.length,
    /** Files of which other files have all requests. */
    copies: results.filter(({ left, billed: own }) => left !== undefined && own === undefined).length,
    problems: problems.map(({ file, problem }) => ({ file, problem })),
    unit,
    billed,
    /** The number of sessions that `cost`, `saved` and `strategies` are of: all, or those whose price is known. */
    compared: counted.length,
    cost,
    /** What proxies saved in these sessions: of each as in its audit. */
    proxy: proxiesOf(counted.flatMap((session) => session.proxy ?? [])),
    saved: sumOf(counted, (session) => session.saved),
    models: grouped(
      sessions.flatMap(({ models }) => models),
      ({ model }) => model,
    )
      .map(([model, bills]) => ({ model, ...sumOfBills(bills) }))
      .sort((one, other) => (other.dollars ?? 0) - (one.dollars ?? 0) || inputOf(other) - inputOf(one)),
    byTool: grouped(sessions, ({ tool }) => tool)
      .map(([tool, own]) => ({
        tool,
        sessions: own.length,
        saved: sumOf(own, (session) => (session.unit === unit ? session.saved : 0)),
        ...sumOfBills(own.map((session) => session.billed)),
      }))
      .sort((one, other) => (other.dollars ?? 0) - (one.dollars ?? 0) || other.requests - one.requests),
    strategies: codes.map((code) => {
      const own = counted.flatMap(({ strategies }) => strategies.find((strategy) => strategy.code === code) ?? []);
      const without = sumOf(
        counted.filter(({ strategies }) => strategies.some((strategy) => strategy.code === code)),
        (session) => session.cost,
      );
      const sum = sumOf(own, (strategy) => strategy.cost);
      const [missing, of] = [sumOf(own, ({ names }) => names.missing), sumOf(own, ({ names }) => names.of)];
      const hasSummaries = own.some((strategy) => strategy.hasSummaries);
      return { code, cost: sum, share: without === 0 ? 1 : sum / without, names: { missing, of }, hasSummaries };
    }),
    tools: sharesOf(sessions, "tools", inputOf(billed)),
    paths: sharesOf(sessions, "files", inputOf(billed)),
    sessions,
  };
}

const proxiesOf = (proxies) =>
  proxies.length === 0
    ? null
    : Object.fromEntries(["requests", "tokens", "saved"].map((name) => [name, sumOf(proxies, (each) => each[name])]));

const sumOf = (list, of) => list.reduce((sum, each) => sum + of(each), 0);

function sharesOf(sessions, name, input) {
  return grouped(
    sessions.flatMap((session) => session[name]),
    (share) => share.name,
  )
    .map(([name, shares]) => ({ name, sent: sumOf(shares, ({ sent }) => sent) }))
    .map(({ name, sent }) => ({ name, sent, share: input === 0 ? 0 : sent / input }))
    .sort((one, other) => other.sent - one.sent)
    .slice(0, 30);
}
