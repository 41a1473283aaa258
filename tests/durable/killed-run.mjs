// A run of an agent in a process of its own, which is killed at one of its events. Arguments: the seed of the run, a file of SQLite for
// its records and for what its tools did, and the number of the event. Prints the step, and what the tools did, when the run ends.

import { SubAgent } from "turnfold";
import { seeded } from "../js/random.mjs";

const fenced = (program) => `\`\`\`clojure\n${program}\n\`\`\``;

/** A random program that calls tools one after the other, side by side, in nested agents, and with errors. */
function randomProgram({ pick, below, chance }, depth, turn) {
  const call = () =>
    pick([
      () => `(tool/add {:n ${below(9)}})`,
      () => `(tool/look {:n ${below(9)}})`,
      () => `(try (tool/fails {:n ${below(9)}}) (catch Exception e (ex-message e)))`,
      () => (depth > 0 ? `(tool/clerk {:n ${below(3)}})` : `(tool/add {:n ${below(9)}})`),
      () => `(pmap (fn [i] (tool/add {:n (tool/look {:n i})})) (range ${1 + below(4)}))`,
      () => `(pcalls (fn [] (println "one") (tool/add {:n 1})) (fn [] (tool/look {:n 2}) (tool/add {:n 3})))`,
    ])();
  const lines = Array.from({ length: 1 + below(3) }, (_, index) => `(def v${turn}-${index} ${call()})`);
  if (chance(0.1)) lines.push("(tool/fails {:n 1})");
  return lines.join("\n");
}

/**
 * The agent of a seed.
 *
 * @param effect called, and awaited, with the name, the argument and the `callId` of each tool that takes effect.
 * @param needsApproval of a tool.
 */
export function randomAgent(seed, effect, needsApproval = false) {
  const tool = (name, more = {}) => ({
    signature: "(n :int) -> :int",
    run: async ({ n }, { callId }) => {
      for (let waits = (n + seed) % 3; waits > 0; waits--) await null;
      await effect(name, n, callId);
      if (name === "fails") throw new Error(`no ${n}`);
      return 10 * n + seed;
    },
    ...more,
  });
  const tools = { add: tool("add", { needsApproval }), look: tool("look", { idempotent: true }), fails: tool("fails") };
  const llm =
    (depth) =>
    ({ turn }) => {
      const random = seeded(1000 * seed + 10 * turn + depth);
      if (turn === 1 + (seed % 3)) return fenced(`${randomProgram(random, depth, turn)}\n(return "ended ${turn}")`);
      return fenced(randomProgram(random, depth, turn));
    };
  const clerk = new SubAgent({ mission: "Help.", signature: "(n :int) -> :any", tools, maxTurns: 4, llm: llm(0) });
  return new SubAgent({ mission: "Work.", tools: { ...tools, clerk }, maxTurns: 5, turnBudget: 200, llm: llm(1) });
}

/** What a tool gives for its arguments, as {@link randomAgent} has it. */
export const outcomeOf = (seed, name, n) => (name === "fails" ? { error: `no ${n}` } : { result: 10 * n + seed });

async function main(seed, file, last) {
  const { journal, open } = await import("./journal.mjs");
  const db = open(file);
  const [records, effects] = ["records", "effects"].map((name) => journal(db, name));
  let events = 0;
  const event = () => {
    if (++events === last) process.kill(process.pid, "SIGKILL");
  };
  const agent = randomAgent(seed, (...what) => {
    event();
    effects.add(what);
    event();
  });
  const onRecord = async (record) => {
    event();
    records.add(record);
    event();
    await null;
  };
  // What the outside world says of the calls that were interrupted.
  const answers = (waiting) => {
    const [{ run }] = records.lines;
    return Object.fromEntries(
      waiting.map(({ id, tool, args: { n } }) => {
        const isDone = effects.lines.some(([, , callId]) => callId === `${run}/${id}`);
        return [id, isDone ? outcomeOf(seed, tool, n) : true];
      }),
    );
  };
  let step;
  do {
    // At once, or after the run has recorded that they wait.
    const given = records.lines.length % 2 === 0 ? { answers } : {};
    step = await agent.resume([...records.lines], { onRecord, ...given });
  } while (step.status === "waiting");
  process.stdout.write(JSON.stringify({ step, effects: effects.lines }));
}

if (process.argv[1] === import.meta.filename) {
  await main(Number(process.argv[2]), process.argv[3], Number(process.argv[4]));
}
