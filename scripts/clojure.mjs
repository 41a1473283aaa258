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
  const manual = casesIn("language").flatMap(examples);
  const suites = casesIn("clojure/suites").map((suite) => ({ ...suite, blocks: expressions(suite) }));
  const answers = evaluate([...manual, ...suites.flatMap(({ blocks }) => blocks)]);
  const wrong = [
    ...compareManual(manual.flat(), answers),
    ...suites.flatMap((suite) => compareSuite(suite, answers, args.includes("--update"))),
  ];
  if (wrong.length > 0) throw new Problem(`${wrong.join("\n\n")}\n\n${wrong.length} are not as they are listed.`);
});

/** Takes the answers for the manual from the front of `answers`; returns a message for each that is not as it is listed. */
function compareManual(examples, answers) {
  const reasons = JSON.parse(readFileSync(join(root, "tests", "clojure", "differences.json"), "utf8"));
  const listed = new Set(reasons.flatMap(({ examples = [] }) => examples));
  const outcomes = answers.splice(0, examples.length);
  const counts = {};
  const wrong = [];
  for (const [index, { place, source, expected }] of examples.entries()) {
    const [kind, text] = outcomes[index];
    counts[kind] = (counts[kind] ?? 0) + 1;
    const isOther = kind === "differs" || kind === "error";
    if (isOther === listed.has(source)) continue;
    const problem = isOther ? "differs, and is not listed" : "is listed, and does not differ";
    wrong.push(`${place} ${problem}: ${source}\n    here:    ${expected}\n    Clojure: ${text || expected}`);
  }
  const known = new Set(examples.map(({ source }) => source));
  for (const source of listed) if (!known.has(source)) wrong.push(`is listed, and is no example: ${source}`);
  const { same = 0, differs = 0, error = 0, absent = 0, unreadable = 0 } = counts;
  console.log(
    `${examples.length} examples with a value: ${same} are the same in Clojure, ${differs + error} differ (${error} are errors there), ` +
      `${absent} use names that Clojure lacks, ${unreadable} have values that Clojure cannot read.`,
  );
  return wrong;
}

/** The expressions of a suite with Clojure's answers: one list for each code block. */
function expressions({ name, sections }) {
  const blocks = sections.flatMap((section) => section.blocks);
  return blocks.map(({ text, line }) =>
    text.split("\n").map((written, index) => {
      const [source, rest = ""] = atLast(written, " ; => ");
      const [answer] = atLast(rest, " ; here: ");
      return { place: `${name}.md:${line + index}`, line: line + index, source, answer };
    }),
  );
}

/** The parts of a text before and after the last `mark`; only the text when there is none. */
function atLast(text, mark) {
  const at = text.lastIndexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** Takes the answers for a suite from the front of `answers`; returns a message for each that is not as listed, or writes it. */
function compareSuite({ name, source, blocks }, answers, update) {
  const all = blocks.flat().map((expression) => {
    const [kind, text] = answers.shift();
    return { ...expression, found: kind === "value" ? text : "error" };
  });
  const wrong = all.filter(({ answer, found }) => answer !== found);
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
