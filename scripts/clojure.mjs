// Compares the language with Clojure: `npm run test:clojure`. Debian's package `clojure` is installed where there is none and
// it can be.
//
// The manual's examples have the values of this language; those with another value in Clojure must be listed in
// tests/clojure/differences.json with the reason. Examples that use names that Clojure lacks are not compared. The suites in
// tests/clojure/suites have the answers of Clojure, and `npm run test:clojure -- --update` writes them; tests/it/suites.rs
// compares them with the language, without Clojure.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { casesIn, examplesOf } from "../tests/js/cases.mjs";
import { main, Problem } from "./process.mjs";
import { installClojure } from "./setup.mjs";
import { root } from "./tools.mjs";

main(import.meta, (args) => {
  installClojure();
  const suites = casesIn("clojure/suites").map((suite) => ({ ...suite, blocks: expressions(suite) }));
  const blocks = casesIn("language").flatMap(examples);
  const answers = evaluate([...blocks, ...suites.flatMap((suite) => suite.blocks)]);
  const all = blocks.flat();
  const outcomes = answers.splice(0, all.length);
  const wrong = suites.flatMap((suite) => compareSuite(suite, answers, args.includes("--update")));
  const reasons = JSON.parse(readFileSync(join(root, "tests", "clojure", "differences.json"), "utf8"));
  const listed = new Set(reasons.flatMap(({ examples = [] }) => examples));
  const seen = new Set();
  const counts = {};
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
  if (wrong.length > 0) throw new Problem(`${wrong.join("\n\n")}\n\n${wrong.length} are not as they are listed.`);
});

/** The expressions of a suite with Clojure's answers: one list for each code block. */
function expressions({ name, sections }) {
  return sections
    .flatMap((section) => section.blocks)
    .map(({ text, line }) =>
      text.split("\n").map((written, index) => {
        const end = written.lastIndexOf(" ; => ");
        const [source, rest] = end < 0 ? [written, ""] : [written.slice(0, end), written.slice(end + 6)];
        const mark = rest.lastIndexOf(" ; here: ");
        return {
          place: `${name}.md:${line + index}`,
          line: line + index,
          source,
          answer: mark < 0 ? rest : rest.slice(0, mark),
        };
      }),
    );
}

/** Takes the answers for a suite from the front of `answers`, and returns the messages for those that differ, or writes them. */
function compareSuite({ name, source, blocks }, answers, update) {
  const all = blocks.flat();
  const found = answers.splice(0, all.length).map(([kind, text]) => (kind === "value" ? text : "error"));
  const differing = all.map((expression, index) => ({ ...expression, found: found[index] }));
  const wrong = differing.filter(({ answer, found }) => answer !== found);
  console.log(`${name}: ${all.length - wrong.length} of ${all.length} expressions have the listed answer in Clojure.`);
  if (update && wrong.length > 0) {
    const lines = source.split("\n");
    for (const { line, source, found } of wrong) lines[line - 1] = `${source} ; => ${found}`;
    writeFileSync(join(root, "tests", "clojure", "suites", `${name}.md`), lines.join("\n"));
    return [];
  }
  return wrong.map(
    ({ place, source, answer, found }) => `${place} ${source}\n    listed:  ${answer}\n    Clojure: ${found}`,
  );
}

/** The examples with a value: one list for each code block. */
function examples(chapter) {
  const location = (line) => `${chapter.name}.md:${line}`;
  return examplesOf(chapter).map((block) =>
    block
      .filter(({ value }) => value !== null)
      .map(({ line, source, value }) => ({ place: location(line), source: source.trim(), expected: value })),
  );
}

/** What Clojure gives for each example of the blocks: a kind and a text (see compare.clj). */
function evaluate(blocks) {
  const folder = join(root, ".cache", "clojure");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "examples.edn");
  const entry = ({ source, expected }) =>
    `{:source ${quoted(source)}${expected === undefined ? "" : ` :expected ${quoted(expected)}`}}`;
  writeFileSync(file, `[${blocks.map((block) => `[${block.map(entry).join("\n")}]`).join("\n")}]`);
  const program = join(root, "tests", "clojure", "compare.clj");
  const { status, stdout, stderr } = spawnSync("clojure", [program, file], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
    env: { ...process.env, TZ: "UTC" },
  });
  if (status !== 0) throw new Problem(`Clojure failed: ${stderr}`);
  const answers = stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t"));
  const count = blocks.flat().length;
  if (answers.length !== count) throw new Problem(`Clojure answered ${answers.length} of ${count} examples.`);
  return answers;
}

/** A Clojure string literal. Clojure reads the escapes of JSON. */
function quoted(text) {
  return JSON.stringify(text);
}
