// Runs the checks of the project one after the other: `npm test` all of them, `npm test -- rust js` the named ones.
//
// When a stage fails, the others still run, except that those that need the package are skipped when it did not build.

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { installJsonSchemaSuite } from "./json-schema-suite.mjs";
import { main, output, Problem, succeeds } from "./process.mjs";
import { installEngines, installPackages, setup } from "./setup.mjs";
import { buildReference, buildSite } from "./site.mjs";
import {
  chromedriver,
  chromium,
  engines,
  firefox,
  geckodriver,
  nodeProgram,
  root,
  wasmBindgen,
  wasmPack,
  wasmRust,
  wasmTarget,
} from "./tools.mjs";

const stages = [
  { name: "format", title: "Rust formatting", check: () => cargo("fmt", "--check") },
  { name: "clippy", title: "Rust lints", check: lintRust },
  {
    name: "lint",
    title: "JavaScript formatting and lints",
    check: () => [hasNoConflictMarkers(), lintJavaScript(), hasNoUnusedExports()].every(Boolean),
  },
  { name: "rust", title: "Rust tests", check: testRust },
  { name: "wasm", title: "Rust tests in a browser", check: testInChromium },
  { name: "build", title: "The package", check: () => build().then(() => true) },
  { name: "types", title: "Types", check: checkTypes, needsBuild: true },
  {
    name: "js",
    title: "The package in Node",
    check: () => {
      installJsonSchemaSuite();
      return buildReference().then(() => nodeTests("tests/js"));
    },
    needsBuild: true,
  },
  {
    name: "playground",
    title: "The playground's modules in Node",
    check: () => nodeTests("tests/playground"),
    needsBuild: true,
  },
  {
    name: "packaging",
    title: "The tarball in every host",
    check: () => buildReference().then(testPackaging),
    needsBuild: true,
  },
  { name: "adapters", title: "The adapters with their frameworks", check: testAdapters, needsBuild: true },
  { name: "www", title: "The playground", check: () => withPlayground(testPage), needsBuild: true },
  {
    name: "engines",
    title: "The package and the playground in Firefox and WebKit",
    check: () => {
      installEngines();
      return withPlayground(() => [testInFirefox(), nodeTests("tests/engines")].every(Boolean));
    },
    needsBuild: true,
  },
  { name: "sizes", title: "Sizes", check: () => withPlayground(() => nodeTests("tests/sizes")), needsBuild: true },
];

main(import.meta, async (names) => {
  const chosen = choose(names);
  setup({ tests: true });
  const results = [];
  let buildFailed = false;
  for (const stage of chosen) {
    console.log(`\n━━ ${stage.title} (${stage.name})`);
    const start = performance.now();
    const outcome = stage.needsBuild && buildFailed ? "not run" : await outcomeOf(stage);
    if (stage.name === "build") buildFailed = outcome !== "passed";
    results.push({ ...stage, outcome, seconds: (performance.now() - start) / 1000 });
  }
  console.log("\n━━ Summary");
  for (const { name, outcome, seconds, title } of results) {
    console.log(`${outcome.padEnd(8)} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(6)} s   ${title}`);
  }
  if (results.some(({ outcome }) => outcome !== "passed")) process.exitCode = 1;
});

/** The named stages in the order of the list, or all of them; stages that need the package add its build. */
function choose(names) {
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    throw new Problem(
      `There is no stage called ${unknown.join(", ")}. The stages are: ${stages.map(({ name }) => name).join(", ")}.`,
    );
  }
  if (names.length === 0) return stages;
  const wanted = stages.filter(({ name }) => names.includes(name));
  return stages.filter(
    (stage) => wanted.includes(stage) || (stage.name === "build" && wanted.some(({ needsBuild }) => needsBuild)),
  );
}

async function outcomeOf({ check }) {
  try {
    return (await check()) ? "passed" : "FAILED";
  } catch (error) {
    console.error(error instanceof Problem ? error.message : error);
    return "FAILED";
  }
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
  return succeeds("cargo", ["test"], { cwd: root, env });
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

function lintRust() {
  const lint = (targets, env) => succeeds("cargo", ["clippy", ...targets, "--", "-D", "warnings"], { cwd: root, env });
  // Benchmarks are native only.
  return (
    lint(["--all-targets"], {}) &&
    lint(["--lib", "--tests", "--target", wasmTarget], wasmRust()) &&
    ["turns", "chat", "predict", "counter", "faults"].every((name) =>
      lint(["--lib", "--features", name, "--target", wasmTarget], wasmRust()),
    )
  );
}

/** Runs wasm-pack with the browser of the other browser tests. */
function testInChromium() {
  const capabilities = JSON.parse(readFileSync(join(root, "webdriver.json"), "utf8"));
  capabilities["goog:chromeOptions"].binary = chromium();
  return testWasm(capabilities, ["--chrome", "--chromedriver", chromedriver()]);
}

/** Runs wasm-pack with Firefox, unless it is missing. */
function testInFirefox() {
  if (engines().Firefox.length > 0) return true;
  const capabilities = { "moz:firefoxOptions": { binary: firefox(), args: ["-headless"] } };
  return testWasm(capabilities, ["--firefox", "--geckodriver", geckodriver()]);
}

function testWasm(capabilities, driver) {
  const settings = join(root, ".cache", "webdriver.json");
  mkdirSync(dirname(settings), { recursive: true });
  writeFileSync(settings, JSON.stringify(capabilities));

  const PATH = [dirname(wasmBindgen()), process.env.PATH].join(delimiter);
  const env = {
    ...wasmRust(),
    PATH,
    WASM_BINDGEN_TEST_WEBDRIVER_JSON: settings,
    // Seconds for all tests; the default of 20 is too short for Firefox.
    WASM_BINDGEN_TEST_TIMEOUT: "300",
  };
  return succeeds(wasmPack(), ["test", "--headless", ...driver, "--mode", "no-install"], { cwd: root, env });
}

function checkTypes() {
  return ["tsconfig.json", "www/tsconfig.json"]
    .map((path) => node("typescript/bin/tsc", "--project", path))
    .every(Boolean);
}

async function withPlayground(check) {
  await buildSite();
  return node("vite/bin/vite.js", "build", "--config", "www/vite.config.ts") && check();
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
  return succeeds(process.execPath, [...TEST, `--test-concurrency=${modules.length}`, ...modules], { cwd: root });
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
  return succeeds(process.execPath, [...options, ...testsIn(folder)], { cwd: root });
}

/** The paths of the tests in a folder and its folders. */
function testsIn(folder) {
  const files = readdirSync(join(root, folder), { recursive: true }).filter(isTest);
  if (files.length === 0) throw new Problem(`There are no tests in ${folder}.`);
  return files.sort().map((path) => join(folder, path));
}
