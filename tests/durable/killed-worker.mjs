// What the workers of docs/durable.md import in the test that kills them: random agents, whose tools write what they do to a table. It has
// the `callId` of each call as its key, as the outside world would.

import { createRequire } from "node:module";
import { join } from "node:path";
import { outcomeOf, randomAgent } from "./killed-run.mjs";

const { Pool } = createRequire(join(import.meta.dirname, "stores", "package.json"))("pg");

export const EFFECTS = "CREATE TABLE effects (call text PRIMARY KEY, name text, n integer, times integer)";

const pool = new Pool({ max: 4 });

const agentOf = (seed) =>
  randomAgent(
    seed,
    (name, n, callId) =>
      pool.query(
        "INSERT INTO effects VALUES ($1, $2, $3, 1) ON CONFLICT (call) DO UPDATE SET times = effects.times + 1",
        [callId, name, n],
      ),
    asks,
  );

/** Whether a tool asks for an approval. */
export const asks = ({ n }) => n > 5;

/** What a person decides. */
export const decide = (seed, { n }) => ((seed + n) % 5 === 0 ? { result: -n } : true);

/** An agent for each run, by the seed that is its input. */
export const agent = {
  resume: (records, options) => agentOf((records[0] ?? options).data.seed).resume(records, options),
  answer: (records, answers) => agentOf(records[0].data.seed).answer(records, answers),
};

/** What became of some of the calls that were interrupted; a person looks up the others. */
export async function lookUp(waiting, records) {
  const [{ run, data }] = records;
  const answers = {};
  for (const { id, tool, reason, args } of waiting) {
    if (reason !== "interrupted" || args.n % 2 === 0) continue;
    const { rowCount } = await pool.query("SELECT FROM effects WHERE call = $1", [`${run}/${id}`]);
    answers[id] = rowCount > 0 ? outcomeOf(data.seed, tool, args.n) : true;
  }
  return answers;
}
