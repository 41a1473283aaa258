// Fuzzes: `npm run fuzz` runs each target for a minute, `npm run fuzz -- builtins 600` one for ten minutes, and
// `npm run fuzz -- all 600` all of them in ten minutes. It is not part of `npm test`. There are three kinds of targets:
//
// - those of tests/fuzz/wasm run in the built package, whose memory is capped: programs of all builtins, saved states that
//   were changed, hostile servers (MCP and models), the time of a step, injected faults, how time grows with the input of each
//   function
//   (`node --min-semi-space-size=128 --max-semi-space-size=128 tests/fuzz/wasm/growth.mjs 600 NAME`
//   measures those whose names contain NAME, and with GROWTH_ALL=1 in front of it, it goes on after a finding);
// - `suspension` compares, natively, programs that are suspended at every step with the same programs without suspension;
//   `program_sizes` runs, natively, programs of every kind of form with up to 150,000 parts;
// - those of tests/fuzz/fuzz_targets are coverage-guided, and need a nightly Rust and cargo-fuzz.

import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { casesIn, textsOf } from "../tests/js/cases.mjs";
import { build } from "./build.mjs";
import { buildFailing, failingPackage } from "./build-failing.mjs";
import { main, output, Problem, run } from "./process.mjs";
import { root } from "./tools.mjs";

const folder = join(root, "tests", "fuzz");
/** Maximum memory of the wasm in pages of 64 kB. */
const PAGES = 8192;
/**
 * Objects are in the young generation until it has so many megabytes: what moves to the old one, by its size, takes several
 * times as long, so that times would not grow evenly.
 */
const YOUNG = ["--min-semi-space-size=128", "--max-semi-space-size=128"];
/** Maximum length of the inputs of coverage-guided targets in bytes. */
const MAX_LENGTH = 1 << 20;
/** The native targets, modules of tests/it, with the cases that each runs in a second, at a cautious estimate. */
const NATIVE = { suspension: 80, program_sizes: 15 };

main(import.meta, async (args) => {
  const wasm = namesIn("wasm", ".mjs").filter((name) => name !== "watch");
  const guided = namesIn("fuzz_targets", ".rs");
  const known = [...wasm, ...Object.keys(NATIVE), ...guided];
  const isGuided = output("cargo", ["+nightly", "fuzz", "--version"]) !== null;
  const total = Number(args.find((arg) => /^\d+$/.test(arg)) ?? 60);
  const named = args.filter((arg) => !/^\d+$/.test(arg));
  const isAll = named.length === 0 || named.includes("all");
  const unknown = named.filter((name) => name !== "all" && !known.includes(name));
  if (unknown.length > 0) {
    throw new Problem(`There is no target ${unknown.join(", ")}. The targets are: ${known.join(", ")}; or all.`);
  }
  const install = "`rustup toolchain install nightly` and `cargo install cargo-fuzz`";
  if (!isGuided && named.some((name) => guided.includes(name))) {
    throw new Problem(`This target needs a nightly Rust and cargo-fuzz: ${install}.`);
  }
  const names = isAll ? known.filter((name) => isGuided || !guided.includes(name)) : named;
  if (isAll && !isGuided) console.log(`Without ${guided.join(", ")}, which need ${install}.`);
  const seconds = named.includes("all") ? Math.max(1, Math.floor(total / names.length)) : total;
  if (names.some((name) => wasm.includes(name))) await build();
  for (const name of names) {
    console.log(`\n━━ ${name}, ${seconds} s`);
    if (wasm.includes(name)) {
      const script = join(folder, "wasm", `${name}.mjs`);
      if (name === "faults") {
        await buildFailing();
        run(process.execPath, [script, String(Math.ceil(seconds / 2)), failingPackage], { cwd: root });
      }
      // This target measures slices with large values, which take more memory.
      const pages = name === "slices" ? 4 * PAGES : PAGES;
      const flags = [`--wasm-max-mem-pages=${pages}`, ...(name === "growth" ? YOUNG : [])];
      run(process.execPath, [...flags, script, String(seconds)], { cwd: root });
    } else if (name in NATIVE) {
      const cases = String(seconds * NATIVE[name]);
      const test = ["test", "--release", "--test", "it", `${name}::`];
      run("cargo", test, { cwd: root, env: { FUZZ_CASES: cases } });
      console.log(`${name}: ${Number(cases).toLocaleString("en-US")} cases of each test, no finding.`);
    } else {
      const seeds = writeSeeds(name);
      const corpus = join(root, ".cache", "fuzz", name, "corpus");
      mkdirSync(corpus, { recursive: true });
      // Inputs become longer only when shorter ones find nothing more.
      const limits = [`-max_total_time=${seconds}`, `-max_len=${MAX_LENGTH}`, "-timeout=30", "-print_final_stats=1"];
      const command = ["+nightly", "fuzz", "run", "--fuzz-dir", folder, name, corpus, seeds, "--", ...limits];
      run("cargo", command, { cwd: root });
    }
  }
});

function namesIn(name, extension) {
  const files = readdirSync(join(folder, name)).filter((file) => file.endsWith(extension));
  return files.map((file) => basename(file, extension));
}

/** Writes the seeds of a target, which come from the examples of the manual, and returns their folder. */
function writeSeeds(target) {
  const seeds = join(root, ".cache", "fuzz", target, "seeds");
  mkdirSync(seeds, { recursive: true });
  for (const [index, text] of textsFor(target).entries()) writeFileSync(join(seeds, String(index)), text);
  return seeds;
}

function textsFor(target) {
  const sections = casesIn("language").flatMap((chapter) => chapter.sections);
  const blocks = sections.flatMap((section) => textsOf(section, "clojure"));
  const found = (pattern) => blocks.flatMap((code) => [...code.matchAll(pattern)].map(([, text]) => text));
  switch (target) {
    case "print_read":
      return found(/; => (.*)$/gm);
    case "regex":
      return found(/#"((?:[^"\\]|\\.)*)"/g).map(
        (pattern) => `${pattern}\nA text of 2024-02-29, with words: a1, b22 & é`,
      );
    case "json":
      return [
        ...found(/"((?:[^"\\]|\\.)*)"/g).map((text) => text.replaceAll('\\"', '"')),
        '{"a":[1,2.5,{"$set":[{"$keyword":"k"}]}],"b":{"$map":[["x",{"$int":"9007199254740993"}],[null,{"$float":"NaN"}]]}}',
        '{"success":true,"program":"(f 1)","prints":["a"],"memory":{"x":{"$fn":{"params":"a","source":"(fn [a] a)"}}}}',
      ];
    case "signature":
      return [
        "(query :string, limit :int?) -> [{id :int, title :string, price :float?}]",
        "() -> :any",
        "{name :string, tags [:keyword], meta :map}",
        "question, history: History -> answer: str, score: float",
        "text: str -> label: Literal['a', 'b'], items: list[dict[str, int]]",
      ];
    default:
      return blocks.flatMap((code) => [code, ...code.split("\n")]);
  }
}
