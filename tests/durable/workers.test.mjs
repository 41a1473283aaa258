// Workers of docs/durable.md on one queue, which are killed at random moments while others start.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { seeded } from "../js/random.mjs";
import { same, timeless } from "../js/same-texts.mjs";
import { textsOf, writePrograms } from "./documents.mjs";
import { outcomeOf, randomAgent } from "./killed-run.mjs";
import { asks, decide, EFFECTS } from "./killed-worker.mjs";
import { freePort, startProgram, waitFor } from "./node.mjs";
import { skip, startPostgres } from "./postgres.mjs";
import { bankInFile } from "./yours.mjs";

/** `KILLED_RUNS=500` in front of the command runs more. */
const RUNS = Number(process.env.KILLED_RUNS ?? 6);
const SEED = Number(process.env.SEED ?? 1);
const WORKERS = 3;

/** Lets pg-boss take the workers of all jobs for dead, also those that live: as after a minute in which nobody heard of them. */
const AGE = `UPDATE pgboss.queue SET monitor_claim_on = monitor_claim_on - interval '1 minute';
  UPDATE pgboss.job SET heartbeat_on = heartbeat_on - interval '1 minute' WHERE state = 'active'`;

const LOCKS = "SELECT count(*)::int AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";

describe("workers on one queue", { skip }, () => {
  let postgres;
  let client;
  before(async () => {
    postgres = startPostgres();
    client = await postgres.connect();
    const [table] = textsOf("Where runs are kept", "sql");
    await client.query(table);
    await client.query(EFFECTS);
  });
  after(async () => {
    await client?.end();
    postgres?.stop();
  });

  const recordsOf = async (run) => {
    const { rows } = await client.query("SELECT record FROM records WHERE run = $1 ORDER BY number", [run]);
    return rows.map(({ record }) => JSON.parse(record));
  };

  test(`${RUNS} runs, killed at random moments, end as those that are not`, { timeout: 7_200_000 }, async () => {
    const random = seeded(SEED);
    const worker = pathToFileURL(join(import.meta.dirname, "killed-worker.mjs"));
    const folder = writePrograms("workers", {
      "agent.mjs": `export { agent, lookUp } from "${worker}";\nconsole.log("ready");\n`,
    });
    const port = await freePort();
    const server = startProgram(folder, "server.mjs", { ...postgres.env, PORT: port });
    const start = () => startProgram(folder, "worker.mjs", postgres.env);
    const workers = Array.from({ length: WORKERS }, start);
    const post = async (path, body) => {
      const response = await fetch(`http://localhost:${port}/${path}`, { method: "POST", body: JSON.stringify(body) });
      return response.status;
    };
    const runs = Array.from({ length: RUNS }, (_, index) => ({ seed: SEED + index, run: `run ${SEED + index}` }));
    const open = new Set(runs);
    let kills = 0;
    let taken = 0;
    const killWorkers = async () => {
      while (open.size > 0) {
        const index = random.below(WORKERS);
        await waitFor(() => workers[index].lines.includes("ready"));
        await setTimeout(random.below(2000));
        await workers[index].kill();
        kills++;
        workers[index] = start();
        await client.query(AGE);
      }
    };
    const answerCalls = async () => {
      while (open.size > 0) {
        await setTimeout(100);
        for (const each of open) {
          const records = await recordsOf(each.run);
          if (records.some(({ type, in: within }) => type === "end" && within === undefined)) open.delete(each);
          for (const call of waitingIn(records)) {
            const answer = await answerTo(each.seed, records[0].run, call);
            const path = [each.run, call.id].map(encodeURIComponent).join("/");
            // Twice, of which one is taken.
            const statuses = await Promise.all([post(path, answer), post(path, answer)]);
            assert.deepEqual(statuses.sort(), [202, 409], `${path} ${statuses}`);
            taken++;
          }
        }
      }
    };
    try {
      await server.isListening(port);
      for (const { run, seed } of runs) assert.equal(await post(encodeURIComponent(run), { seed }), 202);
      await Promise.all([killWorkers(), answerCalls()]);
    } finally {
      await Promise.all([server, ...workers].map((program) => program.kill()));
    }
    for (const { run, seed } of runs) await endsAsCalm(run, seed);
    assert.ok(kills >= RUNS / 3, `${kills} kills`);
    console.log(`${RUNS} runs: ${kills} workers killed, ${taken} answers taken`);
  });

  /** What a person answers: a decision, or what became of an interrupted call. */
  async function answerTo(seed, run, { id, tool, reason, args }) {
    if (reason === "approval") return decide(seed, args);
    const { rowCount } = await client.query("SELECT FROM effects WHERE call = $1", [`${run}/${id}`]);
    return rowCount > 0 ? outcomeOf(seed, tool, args.n) : true;
  }

  /** Asserts that a run has the bytes of one that nobody killed, and that its tools ran as often. */
  async function endsAsCalm(run, seed) {
    const done = [];
    const calm = randomAgent(seed, (...what) => done.push(what), asks);
    const calmRecords = [];
    const onRecord = (record) => calmRecords.push(JSON.parse(JSON.stringify(record)));
    let expected = await calm.run({ data: { seed }, onRecord });
    while (expected.status === "waiting") {
      const answers = Object.fromEntries(expected.waiting.map(({ id, args }) => [id, decide(seed, args)]));
      expected = await calm.resume(calmRecords, { answers, onRecord });
    }
    const records = await recordsOf(run);
    const ended = await calm.resume(records);
    same(timeless(JSON.parse(JSON.stringify(ended))), timeless(JSON.parse(JSON.stringify(expected))), run);
    const { rows } = await client.query("SELECT * FROM effects WHERE starts_with(call, $1)", [records[0].run]);
    const twice = rows.filter(({ name, times }) => name !== "look" && times > 1);
    assert.deepEqual(twice, [], `${run}: a tool ran twice`);
    const works = (list) => list.map(([name, n, id]) => `${name} ${n} ${id.slice(id.indexOf("/"))}`).sort();
    assert.deepEqual(works(rows.map(({ name, n, call }) => [name, n, call])), works(done), run);
  }

  test("a run is with one worker, also when its job was given to two", async () => {
    const folder = writePrograms("two-workers", { "yours.mjs": bankInFile });
    const port = await freePort();
    const server = startProgram(folder, "server.mjs", { ...postgres.env, PORT: port });
    const first = startProgram(folder, "worker.mjs", { ...postgres.env, WAITS_IN: "17" });
    // It also gets what is left of the other jobs.
    const ofRun = ({ lines }) => lines.filter((line) => line.startsWith("two "));
    let second;
    try {
      const body = JSON.stringify({ orders: [{ order: 17, euros: 20 }] });
      await server.isListening(port);
      await fetch(`http://localhost:${port}/two`, { method: "POST", body });
      await waitFor(() => first.lines.includes("paid"));
      second = startProgram(folder, "worker.mjs", postgres.env);
      await waitFor(async () => {
        await client.query(AGE);
        const { rows } = await client.query(LOCKS);
        return rows[0].waiting > 0;
      });
      assert.deepEqual(ofRun(second), []);
      assert.equal((await recordsOf("two")).at(-1).type, "call");
      await first.kill();
      await waitFor(() => ofRun(second).length > 0);
      assert.deepEqual(ofRun(second), ["two done [ 'refunded 17' ]"]);
    } finally {
      await Promise.all([server, first, second].map((program) => program?.kill()));
    }
  });
});

/** The calls that wait for an answer, by their ids in the run. */
function waitingIn(records) {
  const calls = new Map();
  for (const { type, in: within, id, ...about } of records) {
    const key = within === undefined ? id : `${within}/${id}`;
    if (type === "waiting" && about.reason !== "agent") calls.set(key, { id: key, ...about });
    else if (["answer", "call", "result"].includes(type)) calls.delete(key);
  }
  return [...calls.values()];
}
