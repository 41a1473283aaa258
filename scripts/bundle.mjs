// Bundles the JavaScript of the package: entries with the chunks that they share.
//
// Some entries contain a wasm, some import it, and some receive it from the caller. The chunks have no effects of their own: the
// modules of the entries tell them at import which wasm there is, and `sideEffects` in package.json lists those modules, so that
// bundlers keep them. The exact counters have a small wasm of their own and share no chunks: they work with any of the entries,
// and alone.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { wasms } from "./build-wasm.mjs";
import { withClassNames } from "./class-names.mjs";
import { Problem } from "./process.mjs";
import { root } from "./tools.mjs";
import { encodings, vocabularies } from "./vocabularies.mjs";

/** Paths of the modules in a folder of js, without their ending. */
const modulesIn = (folder) =>
  readdirSync(join(root, "js", folder))
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `${folder}/${basename(path, ".ts")}`);

/** Where an adapter only converts what waits. */
const wasmsOfAdapter = { "adapters/ag-ui": [] };

/**
 * The entries that bring wasms, by their paths in dist: their module in js, and the names of the wasms. Each of them contains
 * its wasms as text, or imports them in workers (`.workerd.js`).
 */
export const entries = {
  index: { module: "index", wasms: ["turnfold"] },
  lisp: { module: "lisp", wasms: ["turnfold"] },
  turns: { module: "turns", wasms: ["turns"] },
  chat: { module: "chat", wasms: ["chat"] },
  predict: { module: "predict", wasms: ["predict"] },
  audit: { module: "audit", wasms: ["turns", "chat"] },
  gateway: { module: "gateway", wasms: ["chat"] },
  ...Object.fromEntries(
    modulesIn("adapters").map((path) => [path, { module: path, wasms: wasmsOfAdapter[path] ?? ["chat"] }]),
  ),
};

/** The entries without a wasm, by their paths in dist: their modules in js. */
export const bareEntries = {
  slim: "slim",
  "lisp-slim": "lisp-slim",
  "turns-slim": "turns-slim",
  "chat-slim": "chat-slim",
  "predict-slim": "predict-slim",
  ...Object.fromEntries([...modulesIn("entries/formats"), ...modulesIn("entries/models")].map((path) => [path, path])),
};

/** The exact counters, each with a copy of everything that it needs. */
const counterBundles = encodings.flatMap((name) => [
  { out: `dist/tokens/${name}.js`, entry: `js/tokens/${name}.ts`, source: "js/tokens/source/inline.ts" },
  { out: `dist/tokens/${name}.workerd.js`, entry: `js/tokens/${name}.ts`, source: "js/tokens/source/workerd.ts" },
]);

/** The licences of the packages inside the bundles, which require their text in every copy. */
const notices = "dist/THIRD-PARTY-NOTICES.md";

/** The command line: one file for each command, as in js/cli. */
const commands = readdirSync(join(root, "js/cli")).map((name) => `cli/${name}`);

/** Modules of data, which the bundles of the counters import at the first count. */
const vocabularyBundles = encodings.map((name, index) => ({
  out: `dist/tokens/${name}.vocabulary.js`,
  entry: vocabularies[index],
}));

/** Bundles everything but the exact counters. */
export async function buildBundles() {
  for (const path of readdirSync(join(root, "dist"), { recursive: true }))
    if (/\.js(\.map)?$/.test(path) && !path.startsWith("tokens")) rmSync(join(root, "dist", path));
  const inside = new Set(await bundleEntries("dist", []));
  rmSync(join(root, "dist/cli"), { recursive: true, force: true });
  mkdirSync(join(root, "dist/cli"));
  for (const path of commands) copyFileSync(join(root, "js", path), join(root, "dist", path));
  // The vocabularies are derived from its data.
  inside.add("gpt-tokenizer");
  writeFileSync(join(root, notices), [...inside].sort().map(noticeOf).join("\n"));
}

/** Bundles the entries into a folder of their own, for tests, with more plugins. */
export async function buildTestBundles(folder, plugins) {
  rmSync(join(root, folder), { recursive: true, force: true });
  await bundleEntries(folder, plugins);
}

/** A Rollup plugin: the wasm in `folder`, which has every part of the crate, takes the places of all wasms. */
export const oneWasm = (folder) => ({
  name: "one-wasm",
  resolveId: (specifier) => (/\.cache\/[\w-]*wasm\//.test(specifier) ? join(root, folder, basename(specifier)) : null),
});

/**
 * Bundles all entries with the chunks that they share, and returns the packages inside. Rollup and not esbuild, which makes a
 * chunk for each set of entries that share modules: Node takes half a millisecond to load each of them.
 */
async function bundleEntries(folder, plugins) {
  const { rollup } = await import("rollup");
  const { nodeResolve } = await import("@rollup/plugin-node-resolve");
  const bundle = await rollup({
    input: Object.fromEntries(entryPoints.map(({ out, id }) => [out, id])),
    plugins: [...plugins, entryModules, await minifier(), nodeResolve()],
    // No module has effects but those of the entries, and js/agent/step.ts, which lets turns read steps.
    treeshake: { moduleSideEffects: (id) => id.startsWith("entry:") || id.endsWith("/agent/step.ts") },
    onwarn: ({ message }) => {
      throw new Problem(`Bundling the JavaScript gave a warning: ${message}`);
    },
  });
  let chunks;
  const { output: written } = await bundle.write({
    dir: join(root, folder),
    format: "esm",
    generatedCode: "es2015",
    entryFileNames: "[name].js",
    // In the folder of the entries with wasms, so that the paths of the wasm files are the same in both.
    chunkFileNames: "chunk-[name].js",
    manualChunks(id, graph) {
      chunks ??= chunksOfModules(graph);
      return chunks.get(id);
    },
    hoistTransitiveImports: false,
  });
  await bundle.close();
  for (const { fileName, moduleIds } of written) {
    insertText(`${folder}/${fileName}`, moduleIds);
    requireAscii(`${folder}/${fileName}`);
  }
  return packagesOf(written.flatMap(({ moduleIds }) => moduleIds));
}

/**
 * The chunk of each module. There are few, and their statements have no effects, so that bundlers drop what an app does not
 * import: a module is in the first chunk of this list that has an entry which reaches it.
 */
function chunksOfModules({ getModuleIds, getModuleInfo }) {
  const reached = (...modules) => {
    const ids = new Set();
    const visit = (id) => {
      if (ids.has(id)) return;
      ids.add(id);
      getModuleInfo(id).importedIds.forEach(visit);
    };
    for (const module of modules) visit(join(root, "js", `${module}.ts`));
    return ids;
  };
  const [turns, chat] = [reached("turns"), reached("chat")];
  const providers = reached(...modulesIn("entries/formats"), ...modulesIn("entries/models"));
  const isShared = (id) => !turns.has(id) || chat.has(id) || providers.has(id);
  const chunks = {
    core: new Set([...turns, ...reached("boundary/ascii-bytes")].filter(isShared)),
    turns,
    chat: reached("chat", "predict"),
    providers,
    gateway: reached("gateway"),
    audit: reached("audit"),
    language: reached("index", "lisp"),
  };
  const chunkOf = (id) => {
    const known = Object.keys(chunks).find((name) => chunks[name].has(id));
    if (known !== undefined) return known;
    const wasm =
      /^supplier:(.+)$/.exec(id)?.[1] ?? Object.keys(wasms).find((name) => id.includes(`/${wasms[name].folder}/`));
    if (wasm !== undefined) return wasm.includes(".") ? wasm : `${wasm}.text`;
    const adapter = /\/js\/adapters\/(\w[\w-]*)/.exec(id)?.[1];
    if (adapter !== undefined) return adapter === "shared" ? "adapters" : adapter;
    return id.startsWith("entry:") ? undefined : "core";
  };
  return new Map(Array.from(getModuleIds(), (id) => [id, chunkOf(id)]));
}

/** A Rollup plugin that compiles our sources and minifies chunks. */
async function minifier() {
  const { transform } = await import("esbuild");
  return {
    name: "minifier",
    async load(path) {
      if (embedded.test(path)) return readFileSync(path, "utf8").replace(embeddedText, textOfWasm);
      if (!/[\\/]js[\\/].+\.ts$/.test(path)) return null;
      return (await transform(sourceText(path), { loader: "ts", target, define })).code;
    },
    renderChunk: async (code) => (await transform(code, { ...minified, format: "esm" })).code,
  };
}

/** Bundles the exact counters, each with a copy of everything that it needs. */
export async function buildCounterBundles() {
  const { build } = await import("esbuild");
  for (const { out, entry, source } of counterBundles) {
    const { warnings, metafile } = await build({
      ...minified,
      absWorkingDir: root,
      bundle: true,
      format: "esm",
      platform: "neutral",
      metafile: true,
      entryPoints: [entry],
      outfile: out,
      plugins: [sources, withoutText, counterSource(source)],
    });
    if (warnings.length > 0) throw new Problem(`Bundling ${out} gave warnings; see above.`);
    const inputs = Object.keys(metafile.inputs);
    if (packagesOf(inputs).length > 0)
      throw new Problem(`${out} has packages inside, whose licences ${notices} needs.`);
    insertText(out, inputs);
    requireAscii(out);
  }
  for (const { out, entry } of vocabularyBundles)
    await build({ absWorkingDir: root, entryPoints: [entry], outfile: out, format: "esm", target });
}

/** The names of the packages that have these modules. */
function packagesOf(paths) {
  return paths.flatMap((path) => /\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
}

const target = "es2022";
const define = {
  TURNFOLD_VERSION: JSON.stringify(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version),
};
/** Node prints the whole source line of an uncaught error, so lines are not too long. */
const minified = { target, define, minify: true, lineLimit: 500, legalComments: "none" };

/** The modules that return a wasm: one has it as text, the other imports it, as workers do, which compile no bytes while they serve. */
const suppliers = {
  text: (name) => `import * as embedded from ${inRoot(`${wasms[name].folder}/embedded.js`)};
import { decodeAsciiBytes } from ${inRoot("js/boundary/ascii-bytes.ts")};
export const source = () => decodeAsciiBytes(embedded);`,
  workerd: (name) => `import module from "./${name}.wasm";
export const source = () => module;`,
};

/** The entries: their paths in dist, their modules as {@link entryModules} names them, and the texts of these. */
const entryPoints = [
  ...Object.entries(entries).flatMap(([path, entry]) =>
    Object.keys(suppliers).map((kind) => ({
      out: kind === "text" ? path : `${path}.${kind}`,
      id: `entry:${path}.${kind}`,
      text: moduleOf(entry, kind),
    })),
  ),
  ...Object.entries(bareEntries).map(([path, module]) => ({ out: path, id: `entry:${path}`, text: exportsOf(module) })),
];

/** The path of a module, for imports in texts that are no files. */
function inRoot(path) {
  return JSON.stringify(join(root, path));
}

function exportsOf(module) {
  return `export * from ${inRoot(`js/${module}.ts`)};\n`;
}

/** The module of an entry that brings wasms. */
function moduleOf({ module, wasms: names }, kind) {
  const lines = names.flatMap((name) => [
    `import { ${name}Wasm } from ${inRoot(`js/boundary/wasms/${name}.ts`)};`,
    `import { source as ${name}Source } from "supplier:${name}.${kind}";`,
  ]);
  const provided = names.map((name) => `provide(${name}Wasm, ${name}Source);`);
  return [`import { provide } from ${inRoot("js/boundary/wasm.ts")};`, ...lines, ...provided, exportsOf(module)].join(
    "\n",
  );
}

/** A Rollup plugin with the modules that are no files. */
const entryModules = {
  name: "entry-modules",
  resolveId(id) {
    if (/^(entry|supplier):/.test(id)) return id;
    return id.endsWith(".wasm") ? { id, external: true } : null;
  },
  load(id) {
    const [kind, name] = id.split(":");
    if (kind === "entry") return entryPoints.find((entry) => entry.id === id).text;
    if (kind !== "supplier") return null;
    const [wasm, form] = name.split(".");
    return suppliers[form](wasm);
  },
};

function noticeOf(name) {
  const folder = join(root, "node_modules", name);
  const { version, license, author, homepage } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((path) => /^licen[cs]e/i.test(path));
  if (file === undefined && license !== "MIT") throw new Problem(`${name} says ${license}, and has no text of it.`);
  const holder = typeof author === "string" ? author : (author?.name ?? `the authors of ${name}`);
  const text = file === undefined ? mit(holder) : readFileSync(join(folder, file), "utf8");
  return `## ${name} ${version}\n\n${homepage ?? ""}\n\n${text.trim()}\n`;
}

/** The MIT licence for packages that name it but do not include its text. */
function mit(holder) {
  const own = readFileSync(join(root, "LICENSE-MIT"), "utf8");
  return own.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`);
}

/**
 * The text of one of our sources. Classes keep their names, and characters beyond ASCII are escaped, which esbuild does not do in
 * regular expressions: engines store other sources in two bytes for each character, and parse them in twice the time.
 */
function sourceText(path) {
  return withClassNames(readFileSync(path, "utf8")).replace(/[\u0080-\uFFFF]/g, escaped);
}

/** An esbuild plugin for our own sources. */
const sources = {
  name: "sources",
  setup(build) {
    build.onLoad({ filter: /[\\/]js[\\/].+\.ts$/ }, ({ path }) => ({ contents: sourceText(path), loader: "ts" }));
  },
};

/** Placeholder for the text of a wasm until {@link insertText} inserts it: esbuild would break the text into lines. */
const textOfWasm = '"the text of the wasm"';
/** The placeholder, which esbuild may have broken where a line became too long. */
const brokenText = new RegExp([...textOfWasm].join("(?:\\\\\n)?"));

const embedded = /[\\/]embedded\.js$/;
/** The text of a wasm, as {@link embed} writes it. */
const embeddedText = /(?<=^export const text = ).*(?=;$)/m;

const withoutText = {
  name: "without-text",
  setup(build) {
    build.onLoad({ filter: embedded }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(embeddedText, textOfWasm),
    }));
  },
};

function insertText(out, inputs) {
  const path = inputs.find((input) => embedded.test(input));
  if (path === undefined) return;
  const [text] = embeddedText.exec(readFileSync(resolve(root, path), "utf8"));
  const [before, after] = readFileSync(join(root, out), "utf8").split(brokenText);
  if (after === undefined) throw new Problem(`${out} has no place for the text of the wasm.`);
  writeFileSync(join(root, out), `${before}${text}${after}`);
}

const escaped = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** An esbuild plugin: resolves the imports of the exact counters, and keeps those of .wasm files and vocabularies. */
function counterSource(source) {
  return {
    name: "counter-source",
    setup(build) {
      build.onResolve({ filter: /\/source\/inline\.ts$/ }, () => ({ path: join(root, source) }));
      build.onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path, external: true }));
      build.onResolve({ filter: /\/vocabularies\// }, ({ path }) => ({
        path: `./${basename(path, ".js")}.vocabulary.js`,
        external: true,
      }));
    },
  };
}

function requireAscii(path) {
  const other = /[\u0080-\uFFFF]/.exec(readFileSync(join(root, path), "utf8"));
  if (other !== null)
    throw new Problem(`${path} has a character that is not ASCII, ${other[0]}: write it as an escape.`);
}

/** The files that {@link buildBundles} makes, except the shared chunks. */
export const bundled = [
  ...entryPoints.map(({ out }) => `dist/${out}.js`),
  ...commands.map((path) => `dist/${path}`),
  notices,
];

/** The files that {@link buildCounterBundles} makes. */
export const bundledCounters = [...counterBundles, ...vocabularyBundles].map(({ out }) => out);
