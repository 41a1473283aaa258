// Child processes for the scripts. Their output is passed through; failures are reported in one sentence.

import { spawn, spawnSync } from "node:child_process";
import { realpathSync } from "node:fs";

/** An error that the user can fix. Its message is shown without a stack trace. */
export class Problem extends Error {}

/** Runs a command with its output passed through. Returns whether it succeeded. */
export function succeeds(command, args, { env, cwd } = {}) {
  const { status, error } = spawnSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: "inherit" });
  if (error) throw new Problem(`${command} could not be started: ${error.message}`);
  return status === 0;
}

/** Runs a command. Throws a {@link Problem} when it fails. */
export function run(command, args, options) {
  if (!succeeds(command, args, options)) throw new Problem(`This command failed: ${[command, ...args].join(" ")}`);
}

/** Runs a command as {@link run} does, while other commands run. */
export function runBeside(command, args, { env, cwd } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: "inherit" });
    child.on("error", ({ message }) => reject(new Problem(`${command} could not be started: ${message}`)));
    child.on("exit", (status) =>
      status === 0 ? resolve() : reject(new Problem(`This command failed: ${[command, ...args].join(" ")}`)),
    );
  });
}

/** The trimmed output of a command, or null when it is not installed or fails. */
export function output(command, args, { cwd } = {}) {
  const { status, stdout } = spawnSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return status === 0 ? stdout.trim() : null;
}

/** Runs a script's main function, unless the script was imported. */
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

/** Reports a step that may take long. */
export function step(text) {
  console.log(`› ${text}`);
}
