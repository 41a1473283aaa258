// Compares the values of the manual's examples with Clojure's: `npm run test:clojure`. It needs a `clojure` on the PATH, such
// as Debian's package of that name, and is not part of `npm test`.
//
// Examples that use names that Clojure lacks are not compared. Examples with another value in Clojure must be listed in
// tests/clojure/differences.json with the reason.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { casesIn, examplesOf } from "../tests/js/cases.mjs";
import { main, Problem } from "./process.mjs";
import { root } from "./tools.mjs";

main(import.meta, () => {
  const blocks = casesIn("language").flatMap(examples);
  const all = blocks.flat();
  const outcomes = evaluate(blocks);
  if (outcomes.length !== all.length)
    throw new Problem(`Clojure answered ${outcomes.length} of ${all.length} examples.`);
  const reasons = JSON.parse(readFileSync(join(root, "tests", "clojure", "differences.json"), "utf8"));
  const listed = new Set(reasons.flatMap(({ examples }) => examples));
  const seen = new Set();
  const counts = {};
  const wrong = [];
  for (const [index, { place, source, expected }] of all.entries()) {
    const [kind, text] = outcomes[index];
    counts[kind] = (counts[kind] ?? 0) + 1;
    seen.add(source);
    const isOther = kind === "differs" || kind === "error";
    if (isOther === listed.has(source)) continue;
    const problem = isOther ? "differs, and is not listed" : "is listed, and does not differ";
    wrong.push(`${place} ${problem}: ${source}\n    here:    ${expected}\n    Clojure: ${text || expected}`);
  }
  for (const source of listed) if (!seen.has(source)) wrong.push(`is listed, and is no example: ${source}`);
  const { same = 0, differs = 0, error = 0, absent = 0, unreadable = 0 } = counts;
  console.log(
    `${all.length} examples with a value: ${same} are the same in Clojure, ${differs + error} differ (${error} are errors there), ` +
      `${absent} use names that Clojure lacks, ${unreadable} have values that Clojure cannot read.`,
  );
  if (wrong.length > 0)
    throw new Problem(`${wrong.join("\n\n")}\n\n${wrong.length} examples are not as they are listed.`);
});

/** The examples with a value: one list for each code block. */
function examples(chapter) {
  const location = (line) => `${chapter.name}.md:${line}`;
  return examplesOf(chapter).map((block) =>
    block
      .filter(({ value }) => value !== null)
      .map(({ line, source, value }) => ({ place: location(line), source: source.trim(), expected: value })),
  );
}

function evaluate(blocks) {
  const folder = join(root, ".cache", "clojure");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "examples.edn");
  const maps = blocks.map((block) =>
    block.map(({ source, expected }) => `{:source ${quoted(source)} :expected ${quoted(expected)}}`).join("\n"),
  );
  writeFileSync(file, `[${maps.map((block) => `[${block}]`).join("\n")}]`);
  const program = join(root, "tests", "clojure", "compare.clj");
  const { status, error, stdout, stderr } = spawnSync("clojure", [program, file], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
    env: { ...process.env, TZ: "UTC" },
  });
  if (error)
    throw new Problem("There is no `clojure` to compare with: install Debian's package `clojure`, or Clojure's own.");
  if (status !== 0) throw new Problem(`Clojure failed: ${stderr}`);
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t"));
}

/** A Clojure string literal. Clojure reads the escapes of JSON. */
function quoted(text) {
  return JSON.stringify(text);
}
