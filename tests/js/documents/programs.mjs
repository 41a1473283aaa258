// Joins the programs of a document so that they can be run and type-checked. Each continues from the ones before it, as a
// reader would type them; names that a document uses without declaring them are in its prelude, the module of its name in this
// folder.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { format, inspect } from "node:util";
import { build } from "esbuild";
import { parseSync } from "vite";
import { nodeProgram, root } from "../../../scripts/tools.mjs";
import { blocksOf } from "./markdown.mjs";
import { examples, exportsOf } from "./reference.mjs";

/** The folder for the programs of a document: for adapters it is beside the frameworks, for others within the package. */
const folderOf = (path) => join(root, ".cache", path.startsWith("docs/adapters/") ? "adapters" : "documents");

/** The documents whose programs run with the frameworks in tests/adapters. */
export const adapterPaths = readdirSync(join(root, "docs", "adapters"))
  .filter((path) => path.endsWith(".md"))
  .map((path) => `docs/adapters/${path}`);

/** The other documents whose programs run. */
export const paths = [
  "README.md",
  ...[
    "quickstart",
    "turns",
    "chat",
    "typed-calls",
    "strategies",
    "costs",
    "provider-compaction",
    "proxy",
    "sandbox",
    "models",
    "custom-strategies",
    "playground",
    "code-mode",
    "waiting",
    "errors",
    "SKILL",
  ].map((name) => `docs/${name}.md`),
  // Written by `write`.
  ".cache/documents/api.md",
];

/** True for a block that is compared with the output of the program before it in the same section. */
const isOutput = ({ language }) => language === "text";
const isProgram = ({ language }) => language === "js" || language === "ts";

/** A document's programs, each with its documented output. */
function programsOf(path) {
  const programs = [];
  for (const block of blocksOf(readFileSync(join(root, path), "utf8"))) {
    if (isProgram(block)) programs.push({ ...block, output: undefined });
    const last = programs.at(-1);
    if (isOutput(block) && last?.heading === block.heading && last.output === undefined) last.output = block.text;
  }
  return programs;
}

/**
 * Writes a document's programs as one program with nested blocks, so that each program sees earlier declarations and may
 * declare a name again.
 *
 * @returns the path, and a function from its lines to the lines of the document, for TypeScript.
 */
export function write(path) {
  const name = basename(path, ".md");
  const folder = folderOf(path);
  const isAdapter = adapterPaths.includes(path);
  const prelude = join(root, "tests", isAdapter ? "adapters" : "js", "documents", `${name}.prelude.ts`);
  const imports = new Imports();
  // The examples of one export continue from each other; those of another export start anew.
  const isReference = name === "api";
  if (isReference) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(root, path), examples());
    imports.addExports(exportsOf());
  }
  if (existsSync(prelude)) imports.addPrelude(namesOf(prelude), prelude);
  const body = [];
  const origins = [];
  const programs = programsOf(path);
  let open = 0;
  for (const [index, { language, text, line, heading }] of programs.entries()) {
    const isApart = isReference && heading !== programs[index - 1]?.heading;
    body.push(`${isApart ? "}".repeat(open) : ""}at(${line}); {`);
    open = isApart ? 1 : open + 1;
    for (const [row, each] of withoutImports(text, `${name}.${language}`, imports).split("\n").entries()) {
      origins[body.length] = language === "ts" ? line + row : undefined;
      body.push(each);
    }
  }
  body.push(`at(-1);${"}".repeat(open)}`);
  const head = [...imports.lines(), "declare const at: (line: number) => void;"];
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, `${head.join("\n")}\n${body.join("\n")}\n`);
  return { file, originOf: (line) => origins[line - 1 - head.length] };
}

/** The names of a module's exports. */
function namesOf(path) {
  const { module } = parseSync(path, readFileSync(path, "utf8"));
  return module.staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name));
}

/** Removes the imports from the text and keeps the line numbers. */
function withoutImports(text, name, imports) {
  const { program, errors } = parseSync(name, text, { sourceType: "module" });
  if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}\n${text}`);
  let rest = text;
  for (const node of program.body.toReversed()) {
    if (node.type !== "ImportDeclaration") continue;
    imports.add(node);
    const lines = text.slice(node.start, node.end).replace(/[^\n]/g, "");
    rest = rest.slice(0, node.start) + lines + rest.slice(node.end);
  }
  return rest;
}

/** The imports of all programs of a document. A name must refer to one export; an import replaces a name of the prelude. */
class Imports {
  names = new Map();
  /** The preludes, which are loaded also if no program uses a name of theirs: they may start a server. */
  preludes = [];

  add(node) {
    for (const { type, local, imported, importKind } of node.specifiers) {
      const from =
        type === "ImportDefaultSpecifier" ? "default" : type === "ImportNamespaceSpecifier" ? "*" : imported.name;
      const isType = node.importKind === "type" || importKind === "type";
      const before = this.names.get(local.name);
      const module = node.source.value;
      if (before && !before.isReplaceable && (before.module !== module || before.from !== from))
        throw new Error(`${local.name} is imported from ${before.module} and from ${module}`);
      this.names.set(local.name, { module, from, isType: isType && (before?.isType ?? true) });
    }
  }

  addPrelude(names, module) {
    this.preludes.push(module);
    for (const from of names) this.names.set(from, { module, from, isType: false, isReplaceable: true });
  }

  addExports(exports) {
    for (const { name, specifier, isValue } of exports)
      this.names.set(name, { module: specifier, from: name, isType: !isValue, isReplaceable: true });
  }

  lines() {
    const named = Array.from(this.names, ([local, { module, from, isType }]) => {
      const what = from === "*" ? `* as ${local}` : from === local ? `{ ${local} }` : `{ ${from} as ${local} }`;
      return `import ${isType ? "type " : ""}${what} from ${JSON.stringify(module)};`;
    });
    return [...this.preludes.map((module) => `import ${JSON.stringify(module)};`), ...named];
  }
}

/** A line with its documented value: `expression; // => value`. */
const SHOWN = /^(\s*)(?:const (\w+) = )?(.+?);\s*\/\/ => (.*)$/;

/** Bundles a document's programs as a module that calls `at` with each program's line and `shows` with each documented value. */
export async function runnable(path, host = hosts.node) {
  const { file } = write(path);
  const source = readFileSync(file, "utf8").split("\n").map(withShown).join("\n");
  const out = file.replace(/\.ts$/, `.${host.platform}.mjs`);
  await build({
    stdin: { contents: source, loader: "ts", resolveDir: dirname(file), sourcefile: path },
    outfile: out,
    bundle: true,
    format: "esm",
    logLevel: "silent",
    // package.json says that modules have no side effects; those of preludes do.
    ignoreAnnotations: true,
    ...host,
  });
  return out;
}

/** The modules of Node that preludes use, for a browser that loads files from the root of the project. */
const modulesOfNode = {
  "node:fs/promises": 'export const readFile = async (path) => (await fetch("/" + path)).arrayBuffer();',
  "node:test": "export const after = () => {};",
};

export const hosts = {
  node: { platform: "node", target: "node20", packages: "external" },
  browser: {
    platform: "browser",
    target: "es2022",
    external: ["turnfold", "turnfold/*"],
    plugins: [
      {
        name: "modules-of-node",
        setup(build) {
          build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "node" }));
          build.onLoad({ filter: /./, namespace: "node" }, ({ path }) => ({ contents: modulesOfNode[path] }));
        },
      },
    ],
  },
};

function withShown(line) {
  const [, indent, name, expression, value] = SHOWN.exec(line) ?? [];
  if (expression === undefined) return line;
  const expectedText = JSON.stringify(value);
  if (name === undefined) return `${indent}shows((${expression}), ${expectedText});`;
  return `${indent}const ${name} = ${expression}; shows(${name}, ${expectedText});`;
}

/** Runs the programs of a document; returns the prints and the documented values of each by its line. */
async function outcomes(path) {
  const found = new Map();
  let current;
  globalThis.at = (line) => {
    current = { prints: [], shown: [] };
    found.set(line, current);
  };
  globalThis.shows = (value, expectedText) => {
    current.shown.push({ expectedText, value: inspect(value, { depth: 9, breakLength: Number.POSITIVE_INFINITY }) });
  };
  const { log } = console;
  console.log = (...values) => current.prints.push(format(...values));
  try {
    await import(pathToFileURL(await runnable(path)));
  } catch (error) {
    const [last] = Array.from(found.keys()).slice(-1);
    throw new Error(`the program at line ${last} failed: ${error.stack}`, { cause: error });
  } finally {
    console.log = log;
  }
  assert.ok(found.has(-1), "all programs ran");
  return found;
}

/** Runs the programs of a document and compares their output with the documented output. */
export async function checkPrograms(path) {
  const found = await outcomes(path);
  const programs = programsOf(path);
  assert.ok(programs.length > 0);
  for (const { line, output } of programs) {
    const { prints, shown } = found.get(line);
    if (output !== undefined) assert.equal(prints.join("\n"), output, `${path}:${line} prints`);
    for (const { expectedText, value } of shown) assert.equal(value, expectedText, `${path}:${line}`);
  }
}

/** The type errors of the TypeScript programs, a line each, with their places in the documents, which are in one folder. */
export function typeErrors(paths) {
  const written = paths.map((path) => ({ path, ...write(path) }));
  const folder = folderOf(paths[0]);
  const config = {
    extends: relative(folder, join(root, "tsconfig.json")),
    compilerOptions: {
      types: ["node"],
      noUnusedLocals: false,
      noUnusedParameters: false,
      resolveJsonModule: true,
      allowJs: true,
    },
    include: [],
    files: written.map(({ file }) => basename(file)),
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const { stdout } = spawnSync(...nodeProgram("typescript/bin/tsc", ["--project", join(folder, "tsconfig.json")]), {
    cwd: folder,
    encoding: "utf8",
  });
  return stdout.split("\n").flatMap((line) => {
    const [, file, at, message] = /^(.*?)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
    if (file === undefined) return [];
    const document = written.find((each) => basename(each.file) === basename(file));
    if (document === undefined) return [line];
    const origin = document.originOf(Number(at));
    return origin === undefined ? [] : [`${document.path}:${origin}: ${message}`];
  });
}
