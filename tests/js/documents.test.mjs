// The programs of the documents run and print what the documents say, and links lead to existing targets.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { test } from "node:test";
import { Lisp } from "turnfold";
import { root } from "../../scripts/tools.mjs";
import { groups } from "../../www/docs/.vitepress/pages.mjs";
import { anchorsOf, blocksOf, linksOf } from "./documents/markdown.mjs";
import { checkPrograms, paths, typeErrors } from "./documents/programs.mjs";
import { undocumented } from "./documents/reference.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");

test("the README's program without stand-ins runs alone and prints the message below it", () => {
  const [program, printed] = blocksOf(read("README.md")).filter(({ heading }) => heading === "Turns to messages");
  const options = { cwd: root, encoding: "utf8" };
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", program.text], options);
  assert.equal(output, `${printed.text}\n`);
  assert.ok(program.text.split("\n").length <= 30, "it is at most 30 lines long");
});

for (const path of paths) test(`the programs of ${path} run and print what it says`, () => checkPrograms(path));

test("the programs in TypeScript have no type errors", () => assert.deepEqual(typeErrors(paths), []));

/** The path of every published Markdown file. */
const texts = new Set([...groups.flatMap(({ paths }) => paths), "llms.txt"]);

/** The cells of the tables that a benchmark prints. */
function measured(bench) {
  const options = { cwd: root, encoding: "utf8" };
  const printed = execFileSync(process.execPath, [join("benches", "js", bench)], options);
  return printed.split("\n").map((line) => line.split("│").map((cell) => cell.trim().replaceAll("'", "")));
}

const number = (text) => Number(text).toLocaleString("en");

test("the tokens of chats in the documents are those that the benchmark counts", () => {
  const rows = measured("chat-strategies.bench.mjs").filter(([, index]) => /^\d+$/.test(index));
  const told = rows.map(
    ([, , , sent, share, , known, calls, asked]) =>
      `${number(sent)} | ${share} | ${known} | ${calls} | ${number(asked)} |`,
  );
  const table = read("docs/strategies.md")
    .split("\n")
    .filter((line) => / %( \| [\d,]+){2} \|$/.test(line));
  assert.deepEqual(
    table.map((line) => line.split(" | ").slice(1).join(" | ")),
    told,
  );
});

test("the tokens of runs in the documents are those that the benchmark counts", () => {
  const cells = measured("missions.bench.mjs");
  const guide = read("docs/strategies.md");
  const isRow = ([, index], width, { length }) => length === width && /^\d+$/.test(index);
  const rows = new Map(cells.filter((row) => isRow(row, 8, row)).map(([, , name, ...rest]) => [name, rest]));
  const names = {
    none: "none (`false`)",
    "single-user-coalesced": "`single-user-coalesced`",
    "rolling-window": "`rolling-window`",
    journal: "`journal`",
    "per-turn-summary": "`per-turn-summary`",
    "aggressive, 500": "`aggressive`, budget 500",
  };
  for (const [name, shown] of Object.entries(names)) {
    const [tokens, toNone, , known] = rows.get(name);
    assert.ok(guide.includes(`| ${shown} | ${number(tokens)} | ${toNone} | ${known} |`), `${name}: ${rows.get(name)}`);
  }
  const missions = cells.filter((row) => isRow(row, 11, row));
  for (const index of [7, 1, 2, 9]) {
    const [, , , turns, none, coalesced, , journal, summary] = missions[index];
    const row = `| ${turns} | ${number(none)} | ${number(coalesced)} | ${number(journal)} | ${number(summary)} |`;
    assert.ok(guide.includes(row), row);
  }
  const costs = read("docs/costs.md");
  const priced = cells.filter(([, price]) => /^[\d.]+ \/ [\d.]+$/.test(price));
  assert.equal(priced.length, 8);
  for (const row of priced) assert.ok(costs.includes(`| ${row.slice(1, -1).join(" | ")} |`), row.join(" | "));
  const [, , coalesced] = priced.find(([, price]) => price === "1.25 / 0.1");
  for (const text of [costs, read("README.md"), guide])
    assert.ok(text.includes(`${coalesced} times`), `${coalesced} times`);
  const readme = read("README.md");
  for (const [name, place] of [
    ["single-user-coalesced", 1],
    ["single-user-coalesced", 3],
    ["none", 3],
  ]) {
    assert.ok(readme.includes(rows.get(name)[place]), `${name}: ${rows.get(name)[place]}`);
  }
  assert.ok(readme.includes((missions[9][5] / missions[9][4]).toFixed(2)), "of the longest mission");
});

test("links within the documents lead to existing files and headings", () => {
  const broken = [];
  for (const path of texts) {
    for (const href of linksOf(read(path))) {
      if (/^[a-z]+:/.test(href)) continue;
      const [file, anchor] = href.split("#");
      const target = file === "" ? path : relative(root, join(root, dirname(path), decodeURIComponent(file)));
      if (!existsSync(join(root, target))) broken.push(`${path}: ${href}`);
      else if (anchor !== undefined && !anchorsOf(read(target)).includes(anchor)) broken.push(`${path}: ${href}`);
    }
  }
  assert.deepEqual(broken, []);
});

test("every export has documentation and an example", () => assert.deepEqual(undocumented(), []));

test("programs of the language in the guides run", async () => {
  const search = ({ query }) => [{ name: query, price: 12 }];
  for (const path of paths) {
    for (const { text, line, language } of blocksOf(read(path))) {
      if (language !== "clojure") continue;
      const result = await new Lisp({ data: { orders: [] }, tools: { search } }).run(text);
      assert.equal(result.error, null, `${path}:${line}`);
    }
  }
});

test("every document is a page, and is listed in docs/README.md and llms.txt", () => {
  const written = readdirSync(join(root, "docs"), { recursive: true })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => path.endsWith(".md") && !path.startsWith("api/"));
  for (const name of written) {
    assert.ok(texts.has(`docs/${name}`), `${name} is no page`);
    if (name === "README.md") continue;
    for (const [list, prefix] of [
      ["docs/README.md", ""],
      ["llms.txt", "docs/"],
    ]) {
      assert.ok(linksOf(read(list)).includes(`${prefix}${name}`), `${list} does not name ${name}`);
    }
  }
});
