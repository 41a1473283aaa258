#!/usr/bin/env node
// npx turnfold COMMAND: a command is a file of this folder with `USAGE` and `run`, and is loaded when it is called.

import { Problem, print, visible } from "./terminal.mjs";

const COMMANDS = {
  audit: () => import("./audit.mjs"),
  proxy: () => import("./proxy.mjs"),
  studio: () => import("./studio.mjs"),
};

async function usage() {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  return commands.map(({ USAGE }) => USAGE).join("\n\n");
}

async function main([name, ...rest]) {
  if (name === "--help") {
    print(await usage());
    return;
  }
  if (!Object.hasOwn(COMMANDS, name ?? "")) {
    const what = name === undefined || name.startsWith("-") ? "there is no command" : `there is no command "${name}"`;
    throw new Problem(`${what}\n\n${await usage()}`);
  }
  await (await COMMANDS[name]()).run(rest);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const isExpected = error instanceof Problem || error.name === "TurnfoldError";
  if (!isExpected) throw error;
  console.error(visible(`turnfold: ${error.message}${error.hint ? `\n  ${error.hint}` : ""}`));
  process.exitCode = error instanceof Problem ? 2 : 1;
}
