// Child processes as the scripts use them: the output goes straight through, and what goes wrong is told in one sentence.

import { spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";

/** Something that the person at the keyboard has to know or do. Shown without a stack trace. */
export class Problem extends Error {}

/** Runs a command with its output passed through; answers whether it succeeded. */
export function succeeds(command, args, { env, cwd } = {}) {
  const { status, error } = spawnSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: "inherit" });
  if (error) throw new Problem(`${command} could not be started: ${error.message}`);
  return status === 0;
}

/** Runs a command that has to succeed. */
export function run(command, args, options) {
  if (!succeeds(command, args, options)) throw new Problem(`This command failed: ${[command, ...args].join(" ")}`);
}

/** What a command printed, or null when it is absent or failed. */
export function output(command, args, { cwd } = {}) {
  const { status, stdout } = spawnSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return status === 0 ? stdout.trim() : null;
}

/** Runs a script's main function when the script was started by itself, not imported. */
export async function main(meta, program) {
  if (realpathSync(process.argv[1]) !== meta.filename) return;
  try {
    await program(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}
