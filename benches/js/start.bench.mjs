// The cost of starting: the processor time of a process of Node that imports an entry and makes a first call, compared with a
// process that does nothing. The processes run in turn, so that other load of the machine slows all of them.

import { spawnSync } from "node:child_process";
import { root } from "../../scripts/tools.mjs";

const ROUNDS = 31;

const programs = {
  "bare Node": "",
  "turnfold, a program": 'import { Lisp } from "turnfold"; await new Lisp().run("(+ 1 2)");',
  "turnfold, a rendering":
    'import { toMessages } from "turnfold"; toMessages([], null, { mission: "Find the cheapest lamp" });',
  "turnfold/turns, a rendering":
    'import { toMessages } from "turnfold/turns"; toMessages([], null, { mission: "Find the cheapest lamp" });',
  "turnfold/chat, a plan":
    'import { Conversation, planHistory } from "turnfold/chat"; planHistory(new Conversation({ messages: [{ role: "user", content: "Hello" }] }), {});',
  "turnfold/chat, no call": 'import "turnfold/chat";',
  "turnfold/turns, no call": 'import "turnfold/turns";',
};

/** Milliseconds of processor time of a process, all its threads, from its start to the end of the program. */
function processorTime(program) {
  const timed = `${program}\nconst { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000));`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "--eval", timed], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}

const names = Object.keys(programs);
for (const name of names) processorTime(programs[name]);
const rounds = Array.from({ length: ROUNDS }, () => names.map((name) => processorTime(programs[name])));
const sorted = names.map((_, index) => rounds.map((round) => round[index]).sort((a, b) => a - b));
const median = (times) => times[Math.floor(times.length / 2)];
const [bare] = sorted;
console.log(`Processor time of a process, ${ROUNDS} rounds: median, least, median beside bare Node`);
for (const [index, name] of names.entries()) {
  const times = sorted[index];
  const ratio = median(times) / median(bare);
  const more = median(times) - median(bare);
  console.log(
    `${name.padEnd(27)} ${median(times).toFixed(1).padStart(6)} ms ${times[0].toFixed(1).padStart(6)} ms   ${ratio.toFixed(2)} times, ${more.toFixed(1).padStart(5)} ms more`,
  );
}
