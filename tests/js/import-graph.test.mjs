import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/tools.mjs";

const sources = join(root, "js");

/** The run-time imports of each file of `js` from other files, without types: paths within the folder. */
function importsByFile() {
  const files = readdirSync(sources, { recursive: true }).filter((path) => path.endsWith(".ts"));
  return new Map(files.map((path) => [path.split(sep).join("/"), importsOf(path)]));
}

function importsOf(path) {
  const text = readFileSync(join(sources, path), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const statements = text.matchAll(/^(?:import|export)\s+(?!type\b)([^;"]*?)from\s+"(\.[^"]+)"/gm);
  const paths = new Set();
  for (const [, names, specifier] of statements) {
    const listed = /^\{([\s\S]*)\}\s*$/
      .exec(names.trim())?.[1]
      .split(",")
      .map((name) => name.trim());
    if (listed?.every((name) => name === "" || name.startsWith("type "))) continue;
    const target = relative(sources, join(sources, dirname(path), specifier));
    if (!target.startsWith("..")) paths.add(target.split(sep).join("/"));
  }
  return [...paths];
}

/** A path from a node of the graph back to itself, or null. */
function circleIn(graph) {
  const done = new Set();
  const visit = (node, path) => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return null;
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...path, node]);
      if (circle !== null) return circle;
    }
    done.add(node);
    return null;
  };
  for (const node of graph.keys()) {
    const circle = visit(node, []);
    if (circle !== null) return circle;
  }
  return null;
}

test("files of js import values of each other without circles", () => {
  const graph = importsByFile();
  assert.ok(graph.size > 60, `${graph.size} files were found`);
  assert.deepEqual(graph.get("slim.ts").includes("index.ts"), true, "what a file exports again is an import");
  assert.equal(circleIn(graph), null);
});

test("folders of js import values of each other without circles", () => {
  const graph = new Map();
  for (const [path, imports] of importsByFile()) {
    const folder = dirname(path);
    // The files outside the folders are the entries, and errors, which every file may import.
    if (folder === ".") continue;
    const known = graph.get(folder) ?? new Set();
    for (const target of imports) if (dirname(target) !== folder) known.add(dirname(target));
    graph.set(folder, known);
  }
  graph.delete(".");
  assert.equal(circleIn(graph), null);
});
