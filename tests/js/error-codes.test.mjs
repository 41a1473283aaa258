// The codes of errors: the union in TypeScript, the codes that the wasm reports, and the table in the documents agree.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { errorCodes, errorsPage } from "../../scripts/error-codes.mjs";
import { root } from "../../scripts/tools.mjs";

const known = errorCodes();
const codes = new Set(known.map(({ code }) => code));

/** The texts of the source files of a folder, by their paths. */
function sourcesIn(folder, ending) {
  const paths = readdirSync(join(root, folder), { recursive: true }).map((path) => path.split("\\").join("/"));
  return new Map(
    paths.filter((path) => path.endsWith(ending)).map((path) => [path, readFileSync(join(root, folder, path), "utf8")]),
  );
}

/** The files with diagnostics that become errors and not only results of programs. */
const THROWN = /^(?:signature|predict)\/|^signature\.rs$|^lisp\/(?:literal|reader|written)\.rs$|^diagnostic\.rs$/;

/** The codes of the errors that the wasm reports, with the files that make them. */
function rustCodes() {
  const found = new Map();
  for (const [path, text] of sourcesIn("src", ".rs")) {
    const [code] = text.split("#[cfg(test)]");
    const patterns = [
      /(?:Failure|ChatError)::new\(\s*"([a-z_]+)"/g,
      /JsonError \{\s*code: "([a-z_]+)"/g,
      /bad_turn\("([a-z_]+)"/g,
      ...(THROWN.test(path) ? [/Diagnostic::(?:new|at)\(\s*"([a-z_]+)"/g] : []),
    ];
    for (const [, name] of patterns.flatMap((pattern) => [...code.matchAll(pattern)])) found.set(name, path);
  }
  return found;
}

test("every code has a meaning and a remedy, and is listed once, in the order of the alphabet", () => {
  assert.ok(known.length > 50, `${known.length} codes were read`);
  for (const { code, meaning, remedy } of known) assert.ok(meaning?.length > 10 && remedy?.length > 5, code);
  const names = known.map(({ code }) => code);
  assert.deepEqual(names, [...new Set(names)].sort());
});

test("the table in docs/errors.md is the current one", () => {
  assert.equal(readFileSync(join(root, "docs", "errors.md"), "utf8"), errorsPage(), "node scripts/error-codes.mjs");
});

test("every code that the wasm reports is in the union", () => {
  const reported = rustCodes();
  for (const name of ["invalid_option", "request_over_budget", "nesting_too_deep", "invalid_demo", "parse_error"]) {
    assert.ok(reported.has(name), `the patterns find ${name}`);
  }
  const missing = [...reported].filter(([name]) => !codes.has(name));
  assert.deepEqual(missing, []);
});

test("every code of the union is the code of an error", () => {
  const reported = rustCodes();
  const sources = sourcesIn("js", ".ts");
  sources.delete("error-codes.ts");
  const text = [...sources.values()].join("\n").replace(/\/\*[\s\S]*?\*\/|\/\/ .*/g, "");
  const unused = [...codes].filter((code) => !reported.has(code) && !text.includes(`"${code}"`));
  assert.deepEqual(unused, []);
});
