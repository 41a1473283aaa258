// The index of the case files, and rules for all of them. `UPDATE_CONVERSATIONS=1` writes the index.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { casesIn } from "./cases.mjs";

const readme = join(import.meta.dirname, "..", "README.md");
const folders = ["conversations", "runs", "chats", "programs", "language"];
const cases = folders.flatMap((folder) => casesIn(folder).map((one) => ({ folder, ...one })));

const testsOf = ({ front }) => front.tests.split(", ");
const link = ({ folder, name, title }) => `[${title}](${folder}/${name}.md)`;

/** The lines of the index: every name with the files that test it, and every chapter with its builtins. */
function index() {
  const byName = new Map();
  for (const one of cases.filter(({ folder }) => folder !== "language")) {
    for (const name of testsOf(one)) byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  const names = [...byName].sort(([left], [right]) => (left.toLowerCase() < right.toLowerCase() ? -1 : 1));
  const chapters = cases.filter(({ folder }) => folder === "language");
  return [
    "### Options, parameters and strategies",
    "",
    ...names.flatMap(([name, list]) => [`- \`${name}\``, ...list.map((one) => `  - ${one.folder}: ${link(one)}`)]),
    "",
    "### Builtins",
    "",
    ...chapters.map(
      (one) =>
        `- ${link(one)}: ${testsOf(one)
          .map((name) => `\`${name}\``)
          .join(", ")}`,
    ),
    "",
  ].join("\n");
}

test("tests/README.md lists every case file by what it tests", () => {
  const source = readFileSync(readme, "utf8");
  const start = source.indexOf("### Options, parameters and strategies");
  assert.ok(start > 0);
  const updated = source.slice(0, start) + index();
  if (process.env.UPDATE_CONVERSATIONS) writeFileSync(readme, updated);
  else assert.equal(source, updated);
});

test("every case file has a unique title and lists the names that it tests", () => {
  for (const one of cases) {
    assert.ok(one.title, `${one.name} has no title`);
    assert.ok(
      testsOf(one).every((name) => /^\S+$/.test(name)),
      `${one.name} tests ${one.front.tests}`,
    );
    const same = cases.filter(({ folder, title }) => folder === one.folder && title === one.title);
    assert.equal(same.length, 1, `${one.title} is the title of ${same.length} files`);
  }
});

test("no builtin is in two chapters", () => {
  const builtins = cases.filter(({ folder }) => folder === "language").flatMap(testsOf);
  assert.deepEqual(
    builtins.filter((name, at) => builtins.indexOf(name) !== at),
    [],
  );
});
