// The command of docs/durable.md that keeps runs in SQLite.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commandsOf, textsOf, writePrograms } from "./documents.mjs";
import { nodeProgram } from "./node.mjs";
import { bankInFile } from "./yours.mjs";

/** Runs a command of the document, and returns what a terminal would show, without the place of an error. */
function run(folder, command, env = {}) {
  const [, ...args] = command.split(" ");
  const options = { cwd: folder, encoding: "utf8", env: { ...process.env, ...env } };
  const { stdout, stderr, signal } = spawnSync(...nodeProgram(...args), options);
  if (signal === "SIGKILL") return "Killed";
  return `${stdout}${/^\w*Error: .*$/m.exec(stderr)?.[0] ?? stderr}`.trimEnd();
}

test("the command begins a run, goes on after it was killed, and takes an answer once", () => {
  const folder = writePrograms("sqlite", { "yours.mjs": bankInFile });
  const [session] = textsOf("SQLite", "console");
  for (const [index, { command, printed }] of commandsOf(session).entries()) {
    const env = index === 0 ? { KILLED_AFTER: "17" } : {};
    assert.equal(run(folder, command, env), printed, command);
  }
  const paid = readFileSync(join(folder, "bank.txt"), "utf8").trim().split("\n");
  assert.deepEqual(
    paid.map((line) => JSON.parse(line).order),
    [17, 23],
  );
});

test("a second process does not get a run that another one has", async () => {
  const folder = writePrograms("sqlite-lock", { "yours.mjs": bankInFile });
  const env = { ...process.env, WAITS_IN: "17" };
  const first = spawn(...nodeProgram("refunds.mjs", "monday"), {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await new Promise((resolve) => first.stdout.once("data", resolve));
    assert.equal(run(folder, "node refunds.mjs monday"), "Error: database is locked");
  } finally {
    first.kill("SIGKILL");
  }
  await new Promise((resolve) => first.once("close", resolve));
  assert.match(run(folder, "node refunds.mjs monday"), /^monday waiting /);
});
