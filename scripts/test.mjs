// Runs the checks of the project: `npm test` all of them, `npm test -- rust js` the named ones, `npm test -- changed` the tests that the
// changes since the last commit can break (changed.mjs).
//
// Up to three stages run beside each other. When a stage fails, the others still run, except those that need it.

import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { testInChromium, testInFirefox } from "./browser-tests.mjs";
import { build } from "./build.mjs";
import { notingPassed, testChanged } from "./changed.mjs";
import { installJsonSchemaSuite } from "./json-schema-suite.mjs";
import { main, output, Problem, succeeds } from "./process.mjs";
import { reportCpu, runStages } from "./schedule.mjs";
import { installEngines, installPackages, installPostgres, setup } from "./setup.mjs";
import { buildPlayground, buildReference } from "./site.mjs";
import { nodeProgram, root, wasmRust, wasmTarget } from "./tools.mjs";

/**
 * In the order in which they begin where there are processors for them: the build first, because most stages need it. What a stage `uses`
 * is for one stage at a time: Cargo locks the folder of a profile, apt-get its lists, and some tests write the programs of the documents.
 */
const stages = [
  { name: "format", title: "Rust formatting", check: () => cargo("fmt", "--check") },
  {
    name: "build",
    title: "The package and its reference",
    check: () =>
      build()
        .then(buildReference)
        .then(() => true),
  },
  { name: "clippy", title: "Rust lints", uses: ["target/debug"], check: lintRust },
  { name: "rust", title: "Rust tests", uses: ["target/debug"], check: testRust },
  { name: "wasm", title: "Rust tests in a browser", uses: ["target/debug"], check: testInChromium },
  {
    name: "lint",
    title: "JavaScript formatting and lints",
    check: () => [hasNoConflictMarkers(), lintJavaScript(), hasNoUnusedExports()].every(Boolean),
  },
  {
    name: "site",
    title: "The playground and the documents",
    needs: ["build"],
    check: () => buildPlayground().then(() => true),
  },
  { name: "www", title: "The playground in Chromium", needs: ["site"], check: testPage },
  {
    name: "js",
    title: "The package in Node",
    needs: ["build"],
    uses: ["documents"],
    check: () => {
      installJsonSchemaSuite();
      return nodeTests("tests/js");
    },
  },
  { name: "adapters", title: "The adapters with their frameworks", needs: ["build"], check: testAdapters },
  {
    name: "durable",
    title: "Runs in SQLite, PostgreSQL and workerd",
    needs: ["build"],
    uses: ["apt-get"],
    check: testDurable,
  },
  {
    name: "engines",
    title: "The package and the playground in Firefox and WebKit",
    needs: ["site"],
    uses: ["target/debug", "documents", "apt-get"],
    check: () => {
      installEngines();
      return [testInFirefox(), nodeTests("tests/engines")].every(Boolean);
    },
  },
  { name: "packaging", title: "The tarball in every host", needs: ["build"], check: testPackaging },
  { name: "types", title: "Types", needs: ["build"], check: checkTypes },
  {
    name: "playground",
    title: "The playground's modules in Node",
    needs: ["build"],
    check: () => nodeTests("tests/playground"),
  },
  { name: "sizes", title: "Sizes", needs: ["site"], check: () => nodeTests("tests/sizes") },
];

/** Stages that run beside each other: more than one, because they wait, and few, because most use all processors in the end. */
const MOST_BESIDE = 3;

/** The named stages and those that they need, in the order of the list, or all of them. */
function choose(names) {
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    throw new Problem(
      `There is no stage called ${unknown.join(", ")}. The stages are: ${stages.map(({ name }) => name).join(", ")}.`,
    );
  }
  if (names.length === 0) return stages;
  const wanted = new Set(names);
  // Stages need only stages before them.
  for (const { name, needs = [] } of stages.toReversed())
    if (wanted.has(name)) for (const each of needs) wanted.add(each);
  return stages.filter(({ name }) => wanted.has(name));
}

function cargo(...args) {
  return succeeds("cargo", args, { cwd: root });
}

/**
 * Runs property tests with a fixed seed, so that a failure is caused by the change and not by new random cases. A plain
 * `cargo test` draws new cases each time.
 */
function testRust() {
  const seed = process.env.PROPTEST_RNG_SEED ?? "1";
  const env = { PROPTEST_RNG_SEED: seed };
  return notingPassed("rust ", () => succeeds("cargo", ["test"], { cwd: root, env }));
}

function node(program, ...args) {
  return succeeds(...nodeProgram(program, args), { cwd: root });
}

/** Looks for the markers of an unresolved merge in all files that git tracks, or would track, whatever their language. */
function hasNoConflictMarkers() {
  const found = output("git", ["grep", "--untracked", "-I", "-n", "-E", "^(<{7}|>{7}) "], { cwd: root });
  if (found !== null) console.error(`Conflict markers:\n${found}`);
  return found === null;
}

function lintJavaScript() {
  return node("@biomejs/biome/bin/biome", "ci", "--error-on-warnings");
}

/** Whether every module in js is used, and every export by another module or an entry. */
function hasNoUnusedExports() {
  return node("knip/bin/knip.js", "--config", "scripts/knip.json", "--include", "files,exports,types,enumMembers");
}

/** The benchmarks are native, and only two features have code of their own; the others leave modules out. */
function lintRust() {
  const lint = (targets, env) => succeeds("cargo", ["clippy", ...targets, "--", "-D", "warnings"], { cwd: root, env });
  const wasm = (...targets) => lint([...targets, "--lib", "--target", wasmTarget], wasmRust());
  const features = ["turns", "chat", "predict", "counter"];
  return (
    lint(["--all-targets"], {}) &&
    wasm("--test", "browser", "--features", "faults") &&
    features.every((name) => wasm("--features", name))
  );
}

function checkTypes() {
  return ["tsconfig.json", "www/tsconfig.json"]
    .map((path) => node("typescript/bin/tsc", "--project", path))
    .every(Boolean);
}

const TEST = ["--test", "--test-reporter=spec"];

const isTest = (path) => path.endsWith(".test.mjs") && !path.includes("node_modules");

function testPackaging() {
  installPackages(join(root, "tests", "packaging", "next"));
  return nodeTests("tests/packaging");
}

function testAdapters() {
  installPackages(join(root, "tests", "adapters"));
  return nodeTests("tests/adapters");
}

function testDurable() {
  installPostgres();
  installPackages(join(root, "tests", "durable", "stores"));
  return nodeTests("tests/durable");
}

/**
 * Runs the tests of the page in groups of files. A group waits for its browser half of the time, so one more than there are processors
 * keep all of them busy.
 */
function testPage() {
  const folder = join(root, ".cache", "page-tests");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const together = pathToFileURL(join(root, "tests", "www", "together.mjs"));
  const modules = groupsOf(testsIn("tests/www"), availableParallelism() + 1).map((files, index) => {
    const path = join(folder, `group-${index + 1}.mjs`);
    const [module, paths] = [together, files].map((value) => JSON.stringify(value, null, 2));
    writeFileSync(path, `import { testTogether } from ${module};\n\ntestTogether(${paths});\n`);
    return path;
  });
  const options = [...TEST, `--test-concurrency=${modules.length}`];
  return notingPassed("tests/www/", () => succeeds(process.execPath, [...options, ...modules], { cwd: root }));
}

/** Divides files into groups that take about as long, which the lengths of the files stand for. */
function groupsOf(paths, count) {
  const groups = Array.from({ length: count }, () => ({ files: [], bytes: 0 }));
  const sizes = paths.map((path) => [path, statSync(join(root, path)).size]);
  for (const [path, bytes] of sizes.toSorted(([, one], [, other]) => other - one)) {
    const smallest = groups.reduce((best, group) => (group.bytes < best.bytes ? group : best));
    smallest.files.push(path);
    smallest.bytes += bytes;
  }
  return groups.map(({ files }) => files);
}

/** Runs the tests of a folder, a file for each processor at a time; Node's default is one less. */
function nodeTests(folder) {
  // The timeout applies to a whole file.
  const options = [...TEST, "--test-timeout=1800000", `--test-concurrency=${availableParallelism()}`];
  return notingPassed(`${folder}/`, () => succeeds(process.execPath, [...options, ...testsIn(folder)], { cwd: root }));
}

/** The paths of the tests in a folder and its folders. */
function testsIn(folder) {
  const files = readdirSync(join(root, folder), { recursive: true }).filter(isTest);
  if (files.length === 0) throw new Problem(`There are no tests in ${folder}.`);
  return files.sort().map((path) => join(folder, path));
}

main(import.meta, async (args) => {
  const [first, ...rest] = args;
  if (first === "--stage") {
    const isPassed = await stages.find(({ name }) => name === rest[0]).check();
    reportCpu();
    if (!isPassed) process.exitCode = 1;
    return;
  }
  const chosen = first === "changed" ? [] : choose(args);
  setup({ tests: true });
  if (first === "changed") return testChanged(rest);
  const start = performance.now();
  const results = await runStages(chosen, Math.min(MOST_BESIDE, availableParallelism()), (name) => [
    process.execPath,
    join(root, "scripts", "test.mjs"),
    "--stage",
    name,
  ]);
  console.log("\n━━ Summary");
  const figure = (seconds, unit) => (seconds === undefined ? "" : `${seconds.toFixed(1)} s${unit}`).padStart(14);
  for (const { name, outcome, seconds, cpu, title } of results) {
    console.log(`${outcome.padEnd(8)} ${name.padEnd(10)} ${figure(seconds, "")} ${figure(cpu, " of CPU")}   ${title}`);
  }
  console.log(`${((performance.now() - start) / 1000).toFixed(0)} s`);
  if (results.some(({ outcome }) => outcome !== "passed")) process.exitCode = 1;
});
