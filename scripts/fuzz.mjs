// Fuzzes the readers of text from models and hosts: `npm run fuzz` runs each target of tests/fuzz for a minute,
// `npm run fuzz -- program 600` one target for ten minutes. It needs a nightly Rust and cargo-fuzz, and is not part of
// `npm test`.

import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { casesIn, textsOf } from "../tests/js/cases.mjs";
import { main, output, Problem, run } from "./process.mjs";
import { root } from "./tools.mjs";

const folder = join(root, "tests", "fuzz");

main(import.meta, (args) => {
  if (!output("cargo", ["+nightly", "fuzz", "--version"])) {
    throw new Problem(
      "Fuzzing needs a nightly Rust and cargo-fuzz: `rustup toolchain install nightly` and `cargo install cargo-fuzz`.",
    );
  }
  const known = readdirSync(join(folder, "fuzz_targets")).map((name) => basename(name, ".rs"));
  const seconds = args.find((arg) => /^\d+$/.test(arg)) ?? "60";
  const names = args.filter((arg) => arg !== seconds);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Problem(`There is no target ${unknown.join(", ")}. The targets are: ${known.join(", ")}.`);
  }
  for (const name of names.length > 0 ? names : known) {
    const seeds = writeSeeds(name);
    const corpus = join(root, ".cache", "fuzz", name, "corpus");
    mkdirSync(corpus, { recursive: true });
    const limits = [`-max_total_time=${seconds}`, "-timeout=30", "-print_final_stats=1"];
    run("cargo", ["+nightly", "fuzz", "run", "--fuzz-dir", folder, name, corpus, seeds, "--", ...limits], {
      cwd: root,
    });
  }
});

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
