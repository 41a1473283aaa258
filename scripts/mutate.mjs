// Counts the changes of the code that no test notices: `npm run mutate -- 150 js/turns js/chat` tries 150 random mutants of these folders (of
// all of js without folders), and prints those that the nearest twenty tests pass. `SEED=2` in front draws others.
// `npm run mutate -- rust 3/200` tries the third of two hundred parts of the mutants of src, by cargo-mutants.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { seeded } from "../tests/js/random.mjs";
import { build, hasCurrentWasms } from "./build.mjs";
import { testWasm } from "./build-wasm.mjs";
import { buildTestBundles, oneWasm } from "./bundle.mjs";
import { nodeTestsOf } from "./changed.mjs";
import { main, output, run, succeeds } from "./process.mjs";
import { setup } from "./setup.mjs";
import { buildForTests, withTestBuild } from "./test-build.mjs";
import { root } from "./tools.mjs";
import { filesIn } from "./uses.mjs";

const folder = ".cache/mutants";
/** The nearest tests that are run for a mutant, which those of its module are among. */
const MOST_TESTS = 20;

main(import.meta, async ([first = "100", ...rest]) => {
  setup({ tests: false });
  if (first === "rust") return mutateRust(...rest);
  const isBuilt = hasCurrentWasms();
  await (isBuilt ? build() : buildForTests());
  const wasm = isBuilt ? [] : [oneWasm(testWasm.folder)];
  await mutateScripts(Number(first), rest.length > 0 ? rest : ["js"], wasm);
});

/** cargo-mutants copies the crate, so that its mutants are not in the sources. Surviving mutants are findings, not an error. */
function mutateRust(shard) {
  if (output("cargo", ["mutants", "--version"]) === null) run("cargo", ["install", "cargo-mutants", "--locked"]);
  const found = join(root, ".cache", "mutants-rust");
  mkdirSync(found, { recursive: true });
  succeeds("cargo", ["mutants", "--output", found, ...(shard ? ["--shard", shard] : [])], { cwd: root });
}

async function mutateScripts(count, folders, wasm) {
  const modules = new Set(folders.flatMap(filesIn).filter((path) => path.endsWith(".ts")));
  const mutants = [];
  const sources = {};
  const { withMutants } = await import("./mutants.mjs");
  const plugin = {
    name: "mutants",
    transform(code, id) {
      const path = id.slice(root.length + 1);
      if (!modules.has(path)) return null;
      const add = (line, original, replacement) => mutants.push({ path, line, original, replacement }) - 1;
      sources[path] = withMutants(code, add);
      return sources[path];
    },
  };
  await buildTestBundles(folder, [...wasm, plugin]);
  // For tests of modules that the package does not export, which bundle them.
  writeFileSync(join(root, folder, "modules.json"), JSON.stringify(sources));

  const random = seeded(Number(process.env.SEED ?? 1));
  const numbers = mutants.map((_, number) => number);
  const chosen = Array.from(
    { length: Math.min(count, numbers.length) },
    () => numbers.splice(random.below(numbers.length), 1)[0],
  );
  const survivors = [];
  let tried = 0;
  const worker = async () => {
    for (let number = chosen.pop(); number !== undefined; number = chosen.pop()) {
      const mutant = mutants[number];
      const killer = await killerOf(number, mutant);
      tried++;
      console.log(
        `${killer === null ? "SURVIVED" : "killed  "} ${shown(mutant)}${killer === null ? "" : `  by ${killer}`}`,
      );
      if (killer === null) survivors.push(mutant);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  console.log(
    `\n${mutants.length} mutants, of which ${tried} were tried: ${tried - survivors.length} killed, ${survivors.length} survived.`,
  );
  for (const mutant of survivors.sort((one, other) => one.path.localeCompare(other.path))) console.log(shown(mutant));
}

const short = (text) => text.replace(/\s+/g, " ").slice(0, 90);
const shown = ({ path, line, original, replacement }) =>
  `${path} (line ${line} of its JavaScript): ${short(original)} → ${short(replacement) || "nothing"}`;

/** The first test that fails with a mutant, the nearest to its module first, or null. */
async function killerOf(number, { path }) {
  for (const { name, seconds } of nodeTestsOf(path).slice(0, MOST_TESTS))
    if (!(await passes(name, number, Math.max(120, 10 * seconds)))) return name;
  return null;
}

/** Whether a test passes with a mutant, which may keep it from ending. */
function passes(path, number, seconds) {
  const env = { ...process.env, ...withTestBuild(folder), MUTANT: String(number) };
  const child = spawn(process.execPath, ["--test", "--test-reporter=dot", path], {
    cwd: root,
    env,
    stdio: "ignore",
    detached: true,
  });
  return new Promise((resolve) => {
    const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), seconds * 1000);
    child.on("close", (status) => {
      clearTimeout(timer);
      resolve(status === 0);
    });
  });
}
