// Finds which files a test depends on: imports of JavaScript and TypeScript, `use` lines of Rust, and the folders that tests name.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { bareEntries, entries } from "./bundle.mjs";
import { root } from "./tools.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");
const isFile = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true;
const isFolder = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() === true;
const once = (make) => {
  const known = new Map();
  return (key) => {
    if (!known.has(key)) known.set(key, make(key));
    return known.get(key);
  };
};

/** The files of git in a folder or the file itself, with those that git does not know yet. */
export const filesIn = once((path) => {
  if (!isFolder(path)) return [path];
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => normalize(join(path, entry.parentPath.slice(join(root, path).length), entry.name)))
    .sort();
});

/**
 * The files that each file depends on, with the number of steps to each: 0 for the file itself, 1 for what it imports. What calls the
 * wasm depends on the Rust files.
 */
export const closureOf = once((start) => {
  const distances = new Map([[start, 0]]);
  for (const [path, distance] of distances)
    for (const next of usesOf(path)) if (!distances.has(next)) distances.set(next, distance + 1);
  return distances;
});

const usesOf = once((path) => {
  if (!isFile(path)) return [];
  if (path.endsWith(".rs")) return rustUses(path);
  return /\.(mjs|ts|tsx|mts)$/.test(path) ? scriptUses(path) : [];
});

const IMPORT = /(?:^|\n)\s*(import|export)\b([^;"'`]*?)\bfrom\s*"([^"]+)"|\bimport\s*\(?\s*"([^"]+)"/g;

/** The imports, exports from other modules and dynamic imports in a text: what is named, which may be empty, and from where. */
export const importsIn = (text) =>
  Array.from(text.matchAll(IMPORT), ([, keyword, names = "", from, whole]) => ({
    keyword,
    names,
    specifier: from ?? whole,
  }));

function scriptUses(path) {
  const text = read(path);
  const found = new Set();
  for (const { names, specifier } of importsIn(text))
    if (!/^\s*type\b/.test(names)) for (const target of targets(path, specifier, listed(names))) found.add(target);
  if (/^(tests|benches)\//.test(path))
    for (const file of [...namedData(path, text), ...bundledModules(path, text)]) found.add(file);
  // The glue of the wasm is generated from the Rust files.
  if (/\/\.cache\/[\w-]*wasm\//.test(text)) found.add("src/wasm.rs");
  return [...found];
}

/** The names between braces, or undefined when all are imported. */
function listed(clause) {
  const braces = /^\s*\{([\s\S]*)\}\s*$/.exec(clause)?.[1];
  return braces
    ?.split(",")
    .map((name) => name.trim().split(/\s+as\s+/)[0])
    .filter((name) => name && !/^type\s/.test(name));
}

/** The files that an import of these names, or of all names, reaches. */
function targets(path, specifier, names) {
  const module = moduleOf(path, specifier);
  if (module === undefined) return [];
  return names === undefined || !module.startsWith("js/") ? [module] : names.map((name) => definer(module, name));
}

/** The file of an import. The package, which tests import by its name or from dist, is its sources. */
function moduleOf(path, specifier) {
  if (specifier.startsWith(".")) {
    const target = normalize(join(dirname(path), specifier));
    if (target.startsWith("dist/")) return moduleOfEntry(target.slice("dist/".length).replace(/(\.workerd)?\.js$/, ""));
    return isFile(target) ? target : undefined;
  }
  const name = /^turnfold(?:\/(.+))?$/.exec(specifier);
  return name === null ? undefined : moduleOfEntry(name[1] ?? "index");
}

function moduleOfEntry(name) {
  const path = [name, name.replace("/slim", "-slim"), `entries/${name}`].find(
    (each) => each in entries || each in bareEntries,
  );
  if (path !== undefined) return `js/${entries[path]?.module ?? bareEntries[path]}.ts`;
  return isFile(`js/${name}.ts`) ? `js/${name}.ts` : undefined;
}

/** The module that defines an export: entries only pass on what others export. */
function definer(module, name) {
  for (const { keyword, names, specifier } of importsIn(read(module))) {
    if (keyword !== "export" || !specifier.startsWith(".")) continue;
    const target = moduleOf(module, specifier);
    if (target === undefined) continue;
    const alias = names.split(/[{},]/).find(
      (each) =>
        each
          .trim()
          .split(/\s+as\s+/)
          .at(-1) === name,
    );
    if (alias !== undefined) return definer(target, alias.trim().split(/\s+as\s+/)[0]);
    if (names.trim() === "*" && exportsName(target, name)) return definer(target, name);
  }
  return module;
}

const exportsName = (module, name) => new RegExp(`export\\b[^;]*\\b${name}\\b`).test(read(module));

/** The folders of case files, which tests name without `tests/`. */
const CASES = ["chats", "conversations", "language", "programs", "runs", "saved", "wire"];

/** Data that a test names by its path from the project, from `tests` or from its own folder: `casesIn("language")`. */
function namedData(path, text) {
  const found = [];
  for (const [, literal] of text.matchAll(/"([\w./-]{3,80})"/g)) {
    if (!literal.includes("/") && !literal.includes(".") && !CASES.includes(literal)) continue;
    const places = [literal, join("tests", literal), join(dirname(path), literal)].map(normalize);
    const place = places.find(
      (each) => /^(tests|docs|www\/docs|[\w-]+\.(md|txt|json))\b/.test(each) && (isFolder(each) || isFile(each)),
    );
    if (place !== undefined && place !== dirname(path))
      found.push(...filesIn(place).filter((file) => /\.(md|json|txt|jsonl)$/.test(file)));
  }
  return found;
}

const isInTests = (path) => isFile(join("tests", path)) || isFolder(join("tests", path));

/** The modules that helpers of tests bundle: `bundled("model", ["retry"])`, and the modules of the page. */
function bundledModules(path, text) {
  const found = [];
  for (const [, folder, names] of text.matchAll(/\bbundled\("([\w/]+)", \[([^\]]+)\]/g))
    for (const [, name] of names.matchAll(/"([\w/-]+)"/g)) found.push(`js/${folder}/${name}.ts`);
  if (path.startsWith("tests/playground/"))
    for (const [, name] of text.matchAll(/"([\w/-]+\.tsx?)"/g)) found.push(`www/src/${name}`);
  return found.filter(isFile);
}

/** The files of the modules that a Rust file names, and of those that it declares. */
function rustUses(path) {
  const text = read(path).replace(/\/\/.*$/gm, "");
  const inside = path.startsWith("src/")
    ? path
        .slice(4)
        .replace(/(\/mod|^lib|)\.rs$/, "")
        .split("/")
        .filter(Boolean)
    : [];
  const found = new Set();
  const add = (parts) => {
    for (let length = parts.length; length > 0; length--) {
      const file = `src/${parts.slice(0, length).join("/")}.rs`;
      if (isFile(file)) return found.add(file);
    }
  };
  const own = path.startsWith("src/") ? "crate" : "turnfold";
  for (const [, named] of text.matchAll(new RegExp(`\\b${own}::((?:\\w+::)*\\w+)`, "g"))) add(named.split("::"));
  for (const [, group] of text.matchAll(new RegExp(`\\b${own}::\\{([^}]*)`, "g")))
    for (const name of group.split(",")) add(name.trim().split("::"));
  for (const [, up, named] of text.matchAll(/\b((?:super::)+)((?:\w+::)*\w+)/g)) {
    const levels = up.split("super").length - 1;
    add([...inside.slice(0, inside.length - levels), ...named.split("::")]);
  }
  for (const [, name] of text.matchAll(/^\s*(?:pub(?:\([^)]*\))? )?mod (\w+);/gm)) {
    const folder = inside.length > 0 || path === "src/lib.rs" ? join("src", ...inside) : dirname(path);
    const file = join(folder, `${name}.rs`);
    if (isFile(file)) found.add(file);
  }
  for (const [, literal] of text.matchAll(/\binclude(?:_str|_bytes)?!\(\s*"([^"]+)"/g)) {
    const file = normalize(join(dirname(path), literal));
    if (isFile(file)) found.add(file);
  }
  if (path.startsWith("tests/it/")) {
    for (const [, names] of text.matchAll(/\bcrate::(\w+|\{[^}]*)/g))
      for (const [name] of names.matchAll(/\w+/g)) if (isFile(`tests/it/${name}.rs`)) found.add(`tests/it/${name}.rs`);
    for (const [, literal] of text.matchAll(/"(?:tests\/)?([\w/.-]+)"/g))
      if ((literal.includes("/") || CASES.includes(literal)) && isInTests(literal))
        for (const file of filesIn(join("tests", literal))) if (/\.(md|json|txt)$/.test(file)) found.add(file);
  }
  return [...found];
}
