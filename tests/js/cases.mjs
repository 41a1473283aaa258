// Reads case files for the tests of the package. tests/it/case.rs documents their format, and the module of tests/it that runs
// the files of a folder the meaning of their headings.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** The cases below a folder of `tests`, sorted by path. */
export function casesIn(folder) {
  const paths = readdirSync(join(root, folder), { recursive: true }).filter((path) => path.endsWith(".md"));
  return paths.sort().map((path) => ({
    name: path.replaceAll("\\", "/").slice(0, -".md".length),
    ...caseOf(readFileSync(join(root, folder, path), "utf8")),
  }));
}

/** Parses a file into front matter and sections; the first section is the text before the first heading. */
export function caseOf(source) {
  const lines = source.split("\n");
  const front = {};
  const sections = [{ heading: "", lines: [], prose: [], blocks: [] }];
  let at = 0;
  if (lines[0] === "---") {
    const end = lines.indexOf("---", 1);
    for (const line of lines.slice(1, end)) {
      const colon = line.indexOf(":");
      front[line.slice(0, colon)] = line.slice(colon + 1).trim();
    }
    sections[0].lines.push(...lines.slice(0, end + 1));
    at = end + 1;
  }
  for (; at < lines.length; at++) {
    const line = lines[at];
    const fence = /^`{3,}/.exec(line)?.[0];
    if (line.startsWith("## ")) sections.push({ heading: line.slice(3), lines: [], prose: [], blocks: [] });
    const section = sections.at(-1);
    section.lines.push(line);
    if (fence !== undefined) {
      const end = lines.indexOf(fence, at + 1);
      const text = lines.slice(at + 1, end).join("\n");
      section.blocks.push({ info: line.slice(fence.length), text, line: at + 2 });
      section.lines.push(...lines.slice(at + 1, end + 1));
      at = end;
    } else if (!line.startsWith("## ")) section.prose.push(line);
  }
  return { source, front, title: sections[0].prose.find((line) => line.startsWith("# "))?.slice(2), sections };
}

/** The texts of the blocks of a section with this info. */
export function textsOf({ blocks }, info) {
  return blocks.filter((block) => block.info === info).map(({ text }) => text);
}

/** A section with its blocks replaced by these; the unchanged section when `blocks` is undefined. */
export function updated({ heading, lines, prose }, blocks) {
  if (blocks === undefined) return lines.join("\n");
  const words = prose.join("\n").trim();
  return `${[`## ${heading}`, ...(words === "" ? [] : [words]), ...blocks.map(written)].join("\n\n")}\n`;
}

/** Fails when the text of a case file differs from these sections; `UPDATE_CONVERSATIONS=1` writes them into it. */
export function check(folder, { name, source }, sections) {
  const text = `${sections.join("\n").trimEnd()}\n`;
  if (process.env.UPDATE_CONVERSATIONS && text !== source) writeFileSync(join(root, folder, `${name}.md`), text);
  else assert.equal(text, source);
}

/** The block in a fence that is longer than every fence in its text. */
function written({ info, text }) {
  const runs = text.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(2, ...runs.map((run) => run.length)) + 1);
  return `${fence}${info}\n${text}\n${fence}`;
}

/** The examples of a chapter of the language, a list for each block. */
export function examplesOf(chapter) {
  const blocks = chapter.sections.flatMap((section) => section.blocks).filter(({ info }) => info === "clojure");
  return blocks.map(examplesOfBlock);
}

function examplesOfBlock({ text, line: first }) {
  const examples = [];
  let source = "";
  for (const [index, line] of text.split("\n").entries()) {
    const mark = ["; => ", "; error: "].find((each) => line.includes(each));
    if (line.trim().startsWith("; prints:")) {
      examples.at(-1).prints.push(line.trim().slice("; prints:".length).replace(/^ /, ""));
    } else if (mark === undefined) source += `${line}\n`;
    else {
      const position = line.lastIndexOf(mark);
      const after = line.slice(position + mark.length).trim();
      const [kind, part] = [after.split(" ", 1)[0], after.slice(after.indexOf(" ") + 1)];
      examples.push({
        line: first + index,
        source: source + line.slice(0, position),
        value: mark === "; => " ? after : null,
        error: { kind, part: after.includes(" ") ? part.trim().replace(/^"+|"+$/g, "") : "" },
        prints: [],
      });
      source = "";
    }
  }
  return examples;
}
