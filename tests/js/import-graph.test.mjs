import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/tools.mjs";
import { importsIn } from "../../scripts/uses.mjs";

const sources = join(root, "js");

/**
 * A turn's calls have the steps of nested agents, and a step has turns. This module has the only import by which turns
 * refer to runs, a type.
 */
const NESTED_STEP = "turns/nested-step.ts";

/** The imports of each file of `js` from other files, of values and of types: paths within the folder. */
function importsByFile() {
  const files = readdirSync(sources, { recursive: true })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => path.endsWith(".ts"));
  return new Map(files.map((path) => [path, importsOf(path)]));
}

function importsOf(path) {
  const text = readFileSync(join(sources, path), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const specifiers = importsIn(text).flatMap(({ specifier }) => (specifier.startsWith(".") ? [specifier] : []));
  const targets = specifiers.map((specifier) => relative(sources, join(sources, dirname(path), specifier)));
  return new Set(targets.filter((target) => !target.startsWith("..")).map((target) => target.split(sep).join("/")));
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

test("files of js import each other without circles", () => {
  const graph = importsByFile();
  assert.ok(graph.size > 60, `${graph.size} files were found`);
  assert.equal(graph.get("slim.ts").has("index.ts"), true, "what a file exports again is an import");
  assert.equal(graph.get("model/model.ts").has("model/usage.ts"), true, "a type is an import");
  assert.deepEqual([...graph.get(NESTED_STEP)], ["agent/step.ts"]);
  graph.set(NESTED_STEP, new Set());
  assert.equal(circleIn(graph), null);
});

test("folders of js import each other without circles", () => {
  const graph = new Map();
  for (const [path, imports] of importsByFile()) {
    const folder = dirname(path);
    // The files outside the folders are the entries, and errors, which every file may import.
    if (folder === "." || path === NESTED_STEP) continue;
    const known = graph.get(folder) ?? new Set();
    for (const target of imports) if (dirname(target) !== folder) known.add(dirname(target));
    graph.set(folder, known);
  }
  graph.delete(".");
  assert.equal(circleIn(graph), null);
});
