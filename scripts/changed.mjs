// `npm test -- changed` runs the tests that the changes since the last commit can break, `npm test -- changed BASE` since another commit.
//
// A test can break when it depends on a changed file (uses.mjs), unless it has passed with the same contents of all files that it depends on.
// The nearest tests run first, and none but the very nearest begins that would end after a minute; `npm test -- changed all` runs the others too.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { build, hasCurrentWasms } from "./build.mjs";
import { output, Problem, step } from "./process.mjs";
import { buildReference } from "./site.mjs";
import { readStamp, writeStamp } from "./stamp.mjs";
import { buildForTests, withTestBuild } from "./test-build.mjs";
import { nodeProgram, root } from "./tools.mjs";
import { closureOf, filesIn } from "./uses.mjs";

/** Seconds within which the tests end that a change needs. */
const SECONDS = 58;
/** The seconds for which a test is planned that has never run. */
const UNKNOWN_SECONDS = 4;

/** Runs them; the exit code says whether all passed. */
export async function testChanged(args) {
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1000;
  const isWhole = args.includes("all");
  const changed = changedFiles(args.find((arg) => arg !== "all") ?? "HEAD");
  const units = affectedUnits(changed);
  const isPage = units.some(({ kind }) => kind === "www");
  const isBuilt = hasCurrentWasms();
  const usesPackage = units.some(({ kind }) => kind === "node");
  console.log(`${changed.length} files have changed, on which ${units.length} tests depend.`);

  const failed = [];
  let passed = 0;
  const attempt = async (name, action, after = () => {}) => {
    const begin = performance.now();
    const { status, text } = await action();
    const seconds = (performance.now() - begin) / 1000;
    if (status === 0) {
      passed++;
      after(seconds);
    } else {
      failed.push(name);
      process.stdout.write(text);
    }
    console.log(`${status === 0 ? "passed" : "FAILED"} ${seconds.toFixed(1).padStart(5)} s  ${name}`);
  };

  // Rust is compiled for the native tests and for the package at the same time: each takes one processor for most of its time.
  const preparing = checksOf(changed).map(({ name, command }) => attempt(name, () => outputOf(...command)));
  if (units.some(({ kind }) => kind === "rust"))
    preparing.push(
      attempt("compiling the native tests", () => outputOf("cargo", [...CARGO, "--no-run", "--lib", "--test", "it"])),
    );
  if (isPage) preparing.push(attempt("building the playground", buildPage));
  if (usesPackage) await (isBuilt ? build() : buildForTests());
  if (units.some(({ name }) => name.endsWith("documents.test.mjs")) && !existsSync(join(root, ".cache", "api.json")))
    await buildReference();
  await Promise.all(preparing);

  const env = usesPackage && !isBuilt ? withTestBuild() : {};
  const release = isBuilt ? [] : units.filter(needsRelease);
  const waiting = units.filter((unit) => !release.includes(unit));
  // However long compiling took, the nearest test of each kind runs.
  const nearest = new Set(["rust", "node", "www"].map((kind) => waiting.find((unit) => unit.kind === kind)));
  const left = [];
  const next = () => {
    for (let unit = waiting.shift(); unit !== undefined; unit = waiting.shift()) {
      if (isWhole || nearest.has(unit) || elapsed() + unit.seconds < SECONDS) return unit;
      left.push(unit);
    }
    return undefined;
  };
  const worker = async () => {
    for (let unit = next(); unit !== undefined; unit = next()) {
      const { name, command, kind, hash } = unit;
      const action = () => outputOf(...command, kind === "node" ? env : { PROPTEST_RNG_SEED: "1" });
      await attempt(name, action, (seconds) => writeStamp(stampOf(name), JSON.stringify({ hash, seconds })));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));

  const list = (some) => some.map(({ name }) => `\n  ${name}`).join("");
  if (release.length > 0)
    console.log(`\nThese need the release build, which \`npm test -- js\` makes:${list(release)}`);
  if (left.length > 0) {
    const seconds = left.reduce((sum, unit) => sum + unit.seconds, 0) / availableParallelism();
    console.log(
      `\nThere was no time for these; \`npm test -- changed all\` runs them in ${seconds.toFixed(0)} s:${list(left)}`,
    );
  }
  console.log(
    `\n${passed} passed, ${failed.length} failed after ${elapsed().toFixed(0)} s.${failed.map((name) => `\n  ${name}`).join("")}`,
  );
  if (failed.length > 0) process.exitCode = 1;
}

const CARGO = ["test", "--quiet"];

/** The files that differ from a commit, with those that git does not know yet. */
function changedFiles(base) {
  const found = [
    output("git", ["diff", "--name-only", base], { cwd: root }),
    output("git", ["ls-files", "--others", "--exclude-standard"], { cwd: root }),
  ];
  if (found.includes(null)) throw new Problem(`git knows no commit ${base}.`);
  return [...new Set(found.join("\n").split("\n").filter(Boolean))].filter((path) => existsSync(join(root, path)));
}

/**
 * Runs tests with names of this beginning, `tests/js/` or `rust `, and notes that they have passed with the files that were there before.
 * Returns whether they have.
 */
export function notingPassed(beginning, run) {
  const units = allUnits().filter(({ name }) => name.startsWith(beginning));
  const hashes = units.map(({ files }) => hashOf(files));
  if (!run()) return false;
  for (const [index, { name }] of units.entries()) {
    const { seconds } = JSON.parse(readStamp(stampOf(name)) ?? "{}");
    writeStamp(stampOf(name), JSON.stringify({ hash: hashes[index], seconds }));
  }
  return true;
}

/** The tests in Node that depend on a file, the nearest first. */
export const nodeTestsOf = (path) => affectedUnits([path], { isKnown: true }).filter(({ kind }) => kind === "node");

/** Lints and types of changed files. */
function checksOf(changed) {
  const some = (pattern) => changed.filter((path) => pattern.test(path));
  const checks = [];
  const linted = some(/\.(mjs|ts|tsx|json|css)$/);
  const biome = ["check", "--error-on-warnings", "--no-errors-on-unmatched", ...linted];
  if (linted.length > 0) checks.push({ name: "lint", command: nodeProgram("@biomejs/biome/bin/biome", biome) });
  const types = { "tsconfig.json": /^(js|tests)\/.*\.ts$/, "www/tsconfig.json": /^(js|www)\/.*\.tsx?$/ };
  for (const [config, pattern] of Object.entries(types))
    if (some(pattern).length > 0)
      checks.push({ name: `types of ${config}`, command: nodeProgram("typescript/bin/tsc", ["--project", config]) });
  if (some(/\.rs$/).length > 0) checks.push({ name: "cargo fmt", command: ["cargo", ["fmt", "--check"]] });
  return checks;
}

/** The tests that can break, the nearest first, with the seconds that they took when they last passed; with `isKnown`, also those that passed. */
function affectedUnits(changed, { isKnown = false } = {}) {
  const affected = allUnits().flatMap((unit) => {
    const distances = changed.flatMap((path) =>
      unit.files.has(path) ? [unit.files.get(path) - kinship(unit.name, path)] : [],
    );
    if (distances.length === 0) return [];
    const { hash, seconds = UNKNOWN_SECONDS } = JSON.parse(readStamp(stampOf(unit.name)) ?? "{}");
    const own = hashOf(unit.files);
    return hash === own && !isKnown ? [] : [{ ...unit, hash: own, seconds, distance: Math.min(...distances) }];
  });
  return affected.sort((one, other) => one.distance - other.distance || one.seconds - other.seconds);
}

/** Steps by which a test is nearer that has words of its name in common with a path: `retry.test.mjs` and `model/retry.ts`. */
function kinship(name, path) {
  const words = (text) =>
    text
      .replace(/\..*$/, "")
      .split(/\W/)
      .filter((word) => word.length > 2);
  const known = new Set(words(path));
  return 3 * words(name.replace(/^.*[/ ]/, "")).filter((word) => known.has(word)).length;
}

/** All tests that a change can be checked with: `{ name, kind, command, files }`, `files` with the steps to each file. */
function allUnits() {
  const isTest = (path) => path.endsWith(".test.mjs");
  const node = [
    "tests/js",
    "tests/playground",
    ...(existsSync(join(root, "tests/adapters/node_modules")) ? ["tests/adapters"] : []),
    ...(existsSync(join(root, "tests/durable/stores/node_modules")) ? ["tests/durable"] : []),
  ];
  const page = filesIn("www/src").concat("www/index.html", "www/vite.config.ts");
  return [
    ...node
      .flatMap(filesIn)
      .filter(isTest)
      .map((path) => nodeUnit("node", path, closureOf(path))),
    // They visit the page, so that no import says which of its modules they need. Changes of the package are left to nearer tests.
    ...filesIn("tests/www")
      .filter(isTest)
      .map((path) => {
        const own = [...closureOf(path)].filter(([file]) => file.startsWith("tests/"));
        return nodeUnit("www", path, new Map([...page.map((file) => [file, 3]), ...own]));
      }),
    ...filesIn("tests/it")
      .filter((path) => /\btest\]|proptest!/.test(readFileSync(join(root, path), "utf8")))
      .map((path) => {
        const name = path.slice("tests/it/".length, -".rs".length);
        return {
          name: `rust it ${name}`,
          kind: "rust",
          command: ["cargo", [...CARGO, "--test", "it", `${name}::`]],
          files: closureOf(path),
        };
      }),
    ...readdirSync(join(root, "src"))
      .filter((name) => name.endsWith(".rs") && !["lib.rs", "wasm.rs"].includes(name))
      .map((file) => {
        const name = file.slice(0, -".rs".length);
        return {
          name: `rust lib ${name}`,
          kind: "rust",
          command: ["cargo", [...CARGO, "--lib", `${name}::`]],
          files: closureOf(`src/${file}`),
        };
      }),
  ];
}

const nodeUnit = (kind, path, files) => ({
  name: path,
  kind,
  command: [process.execPath, ["--test", "--test-reporter=spec", path]],
  files,
});

/** Whether a test reads the wasms in dist, which are not those of the current Rust files after a build for tests. */
function needsRelease({ kind, files }) {
  return (
    kind === "node" &&
    [...files.keys()].some(
      (path) => /^tests\/.*\.mjs$/.test(path) && /\.wasm\b/.test(readFileSync(join(root, path), "utf8")),
    )
  );
}

const stampOf = (name) => join("tests", name.replaceAll("/", "+").replaceAll(" ", "+"));

const contents = new Map();

function hashOf(files) {
  const hash = createHash("sha256");
  for (const path of [...files.keys()].sort()) {
    if (!contents.has(path))
      contents.set(
        path,
        existsSync(join(root, path))
          ? createHash("sha256")
              .update(readFileSync(join(root, path)))
              .digest("hex")
          : "",
      );
    hash.update(`${path}\0${contents.get(path)}\0`);
  }
  return hash.digest("hex");
}

/** The playground without the documents, unless they have been built. */
async function buildPage() {
  step("Building the playground");
  return outputOf(...nodeProgram("vite/bin/vite.js", ["build", "--config", "www/vite.config.ts"]));
}

/** Runs a command, and resolves to its exit code with what it printed. */
function outputOf(command, args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
    child.on("error", ({ message }) => resolve({ status: 1, text: `${message}\n` }));
    child.on("close", (status) => resolve({ status, text }));
  });
}
