// A run of an agent in a process of its own, which is killed at one of its events. Arguments: the seed of the run, a folder for its
// records and for what its tools did, and the number of the event. Prints the step when the run ends.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SubAgent } from "turnfold";
import { seeded } from "./random.mjs";

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
 * @param effect called with the name, the arguments and the `callId` of each tool that takes effect.
 */
export function randomAgent(seed, effect) {
  const tool = (name, more = {}) => ({
    signature: "(n :int) -> :int",
    run: async ({ n }, { callId }) => {
      for (let waits = (n + seed) % 3; waits > 0; waits--) await null;
      effect(name, n, callId);
      if (name === "fails") throw new Error(`no ${n}`);
      return 10 * n + seed;
    },
    ...more,
  });
  const tools = { add: tool("add"), look: tool("look", { idempotent: true }), fails: tool("fails") };
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

const lines = (file) =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    : [];

async function main(seed, folder, last) {
  const [recordsFile, effectsFile] = ["records", "effects"].map((name) => join(folder, name));
  let events = 0;
  const event = () => {
    if (++events === last) process.kill(process.pid, "SIGKILL");
  };
  const agent = randomAgent(seed, (...what) => {
    event();
    appendFileSync(effectsFile, `${JSON.stringify(what)}\n`);
    event();
  });
  const onRecord = async (record) => {
    event();
    appendFileSync(recordsFile, `${JSON.stringify(record)}\n`);
    event();
    await null;
  };
  const records = lines(recordsFile);
  let step = records.length === 0 ? await agent.run({ onRecord }) : await agent.resume(records, { onRecord });
  while (step.status === "waiting") {
    // What the outside world says of the calls that were interrupted.
    const effects = lines(effectsFile);
    const answers = step.waiting.map(({ id, tool, args: { n } }) => {
      const callId = `${lines(recordsFile)[0].run}/${id}`;
      return [id, effects.some(([, , each]) => each === callId) ? outcomeOf(seed, tool, n) : true];
    });
    step = await agent.resume(lines(recordsFile), { onRecord, answers: Object.fromEntries(answers) });
  }
  process.stdout.write(JSON.stringify(step));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(Number(process.argv[2]), process.argv[3], Number(process.argv[4]));
}
