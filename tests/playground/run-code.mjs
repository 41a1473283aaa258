// Runs programs and tests that the playground generates, in a project with the package installed.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { promisify } from "node:util";
import { root } from "../../scripts/tools.mjs";

const run = promisify(execFile);

/** The folder of a project with the package installed. */
let project;

before(async () => {
  project = await mkdtemp(join(tmpdir(), "turnfold-shared-"));
  await mkdir(join(project, "node_modules"));
  await symlink(root, join(project, "node_modules", "turnfold"), "junction");
  await writeFile(join(project, "package.json"), '{ "type": "module" }');
});

after(() => rm(project, { recursive: true }));

let lastFile = 0;

async function saved(text, ending) {
  const path = join(project, `file-${++lastFile}${ending}`);
  await writeFile(path, text);
  return path;
}

const MARK = "════ end of a program ════";

/** Runs programs in the project and returns the output of each. */
export async function printed(programs) {
  const paths = await Promise.all(programs.map((program) => saved(program, ".mjs")));
  const all = paths.map((path) => `await import(${JSON.stringify(path)});\nconsole.log(${JSON.stringify(MARK)});\n`);
  const main = await saved(all.join(""), ".mjs");
  const { stdout } = await run(process.execPath, [main], { cwd: project, maxBuffer: 1 << 28 });
  return stdout.split(`${MARK}\n`).slice(0, -1);
}

/** Runs test files; fails when one fails. */
export async function passes(...tests) {
  const paths = await Promise.all(tests.map((test) => saved(test, ".test.mjs")));
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap", ...paths], { cwd: project, env });
  assert.match(stdout, new RegExp(`^# pass ${tests.length}$`, "m"));
}

export const fails = (...tests) =>
  assert.rejects(passes(...tests), ({ stdout }) => new RegExp(`^# fail ${tests.length}$`, "m").test(stdout));
