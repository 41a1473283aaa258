// Runs stages beside each other, each in a process of its own.

import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./tools.mjs";

const folder = join(".cache", "stages");

/**
 * Runs stages `{ name, title, needs, uses }`, at most `width` at a time, in their order as far as the stages that they need have ended
 * and no other stage runs that uses the same. A stage is the command `command(name)`. What it prints is printed when it ends, so that
 * the output of stages is not mixed; a stage that nothing can run beside prints at once.
 *
 * Returns the stages with `outcome`, `seconds` and `cpu`, the seconds of processor time where the system tells them.
 */
export async function runStages(stages, width, command) {
  mkdirSync(join(root, folder), { recursive: true });
  const results = new Map();
  const running = new Map();
  const isOver = (name) => results.has(name) || !stages.some((stage) => stage.name === name);
  const isUsed = (what) => [...running.keys()].some((stage) => stage.uses?.includes(what));
  const ready = () =>
    stages.filter(
      (stage) =>
        !results.has(stage.name) &&
        !running.has(stage) &&
        (stage.needs ?? []).every(isOver) &&
        !stage.uses?.some(isUsed),
    );
  const passed = (name) => (results.get(name)?.outcome ?? "passed") === "passed";

  while (results.size < stages.length) {
    for (let [stage] = ready(); stage !== undefined && running.size < width; [stage] = ready()) {
      if (!(stage.needs ?? []).every(passed)) {
        results.set(stage.name, { ...stage, outcome: "not run", seconds: 0 });
        continue;
      }
      const isAlone = running.size === 0 && ready().length === 1;
      console.log(isAlone ? heading(stage) : `› ${stage.title} (${stage.name}): ${logOf(stage.name)}`);
      running.set(stage, runStage(stage, command(stage.name), isAlone));
    }
    if (running.size === 0) continue;
    const { stage, log, ...outcome } = await Promise.race(running.values());
    running.delete(stage);
    results.set(stage.name, { ...stage, ...outcome });
    if (log !== undefined) process.stdout.write(`${heading(stage)}\n${readFileSync(log, "utf8")}`);
    console.log(`━━ ${stage.name}: ${outcome.outcome} in ${outcome.seconds.toFixed(1)} s`);
  }
  return stages.map(({ name }) => results.get(name));
}

/** Where a stage writes what it prints while others run. */
const logOf = (name) => join(folder, `${name}.log`);

const heading = ({ title, name }) => `\n━━ ${title} (${name})`;

function runStage(stage, [program, ...args], isAlone) {
  const log = join(root, logOf(stage.name));
  const file = isAlone ? "inherit" : openSync(log, "w");
  const env = isAlone ? process.env : { ...process.env, NO_COLOR: "1" };
  const start = performance.now();
  const child = spawn(program, args, { cwd: root, stdio: [isAlone ? "inherit" : "ignore", file, file, "ipc"], env });
  if (!isAlone) closeSync(file);
  let cpu;
  child.on("message", (message) => {
    cpu = message.cpu;
  });
  return new Promise((resolve) => {
    const end = (outcome) =>
      resolve({ stage, outcome, seconds: (performance.now() - start) / 1000, cpu, log: isAlone ? undefined : log });
    child.on("error", ({ message }) => {
      console.error(`${stage.name} could not be started: ${message}`);
      end("FAILED");
    });
    child.on("exit", (status) => end(status === 0 ? "passed" : "FAILED"));
  });
}

/** Tells {@link runStages} the processor time of this process and of the children that it has waited for, where Linux tells it. */
export function reportCpu() {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ");
    // User and system time of the process, and the same of its children, in hundredths of a second.
    const cpu = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0);
    process.send?.({ cpu });
  } catch {
    // Other systems have no such file.
  }
}
