// The frameworks that the adapters support, as published on npm, and apps that use them with the packed package.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { after, before } from "node:test";
import { transformSync } from "esbuild";
import { nodeProgram, root } from "../../scripts/tools.mjs";
import { node, pack } from "../packaging/tarball.mjs";

const installed = join(import.meta.dirname, "node_modules");

/**
 * The compiler options under which apps are checked: the strictest that users have.
 */
const compilerOptions = {
  target: "es2022",
  lib: ["es2022", "dom", "dom.iterable", "esnext.disposable"],
  module: "nodenext",
  moduleResolution: "nodenext",
  types: ["node"],
  typeRoots: [join(root, "node_modules", "@types")],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
};

/**
 * Creates an app with the packed package and all frameworks. `files` maps paths to texts; TypeScript is checked and compiled.
 *
 * @param instead frameworks that are installed under another name: `{ ai: "ai-7" }`.
 * @throws when a file has type errors.
 */
export function app(turnfold, name, files, instead = {}) {
  const folder = turnfold.app(name, files);
  const link = (from, as) => {
    const path = join(folder, "node_modules", as);
    if (existsSync(path)) return;
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(installed, from), path, "junction");
  };
  for (const [as, from] of Object.entries(instead)) link(from, as);
  for (const entry of readdirSync(installed)) {
    if (entry.startsWith(".")) continue;
    const packages = entry.startsWith("@")
      ? readdirSync(join(installed, entry)).map((each) => `${entry}/${each}`)
      : [entry];
    for (const each of packages) link(each, each);
  }
  const programs = Object.keys(files).filter((path) => path.endsWith(".ts"));
  if (programs.length === 0) return folder;
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: programs }));
  const { status, stdout } = spawnSync(...nodeProgram("typescript/bin/tsc", ["--project", folder]), {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${name} has type errors:\n${stdout}`);
  for (const path of programs) {
    const { code } = transformSync(files[path], { loader: "ts", format: "esm", target: "node20" });
    writeFileSync(join(folder, path.replace(/\.ts$/, ".js")), code);
  }
  return folder;
}

/** The text of a program in tests/adapters. */
export const program = (path) => readFileSync(join(import.meta.dirname, path), "utf8");

/** Packs the package before the tests of a file and removes it after them. */
export function packed() {
  let turnfold;
  before(() => {
    // With this variable, the test program would print for the test runner, not as text.
    delete process.env.NODE_TEST_CONTEXT;
    turnfold = pack();
  });
  after(() => turnfold.remove());
  return { app: (name, files) => turnfold.app(name, files) };
}

/**
 * Runs a program of tests/adapters in an app of its own, with the files that it imports, and returns what it printed.
 *
 * @param adapted changes the text of each file.
 */
export function outputOf(turnfold, path, { instead = {}, adapted = (text) => text } = {}) {
  const files = {};
  const add = (each) => {
    if (each in files) return;
    files[each] = adapted(program(each));
    for (const [, imported] of files[each].matchAll(/ from "(\.[^"]+)\.js";/g)) {
      add(`${posix.join(posix.dirname(each), imported)}.ts`);
    }
  };
  add(path);
  const name = [path.replace(/\W/g, "-"), ...Object.values(instead)].join("-");
  return run(app(turnfold, name, files, instead), path);
}

/** Runs a program of tests/adapters and returns the values of the JSON lines that it printed. */
export function values(turnfold, path) {
  const lines = outputOf(turnfold, path).split("\n");
  return lines.filter((line) => /^[[{]/.test(line)).map((line) => JSON.parse(line));
}

/**
 * Runs a test program of tests/adapters and returns how many tests passed.
 *
 * @throws with its output when a test failed.
 */
export function passedTests(turnfold, path, options) {
  const printed = outputOf(turnfold, path, options);
  const count = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(printed)?.[1]);
  if (count("fail") !== 0) throw new Error(`tests of ${path} fail:\n${printed}`);
  return count("pass");
}

/** Runs the compiled JavaScript of a TypeScript program of an app and returns what it printed. */
export const run = (folder, path) => node(folder, path.replace(/\.ts$/, ".js"));

/** Links the frameworks into the folder from which the programs of the documents import them. */
export function linkForDocuments() {
  const folder = join(root, ".cache", "adapters");
  mkdirSync(folder, { recursive: true });
  const link = join(folder, "node_modules");
  rmSync(link, { recursive: true, force: true });
  symlinkSync(installed, link, "junction");
}
