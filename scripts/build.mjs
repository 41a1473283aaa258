// Builds the package into dist/: Rust → turnfold.wasm and counter.wasm, TypeScript → bundles and their declarations.
//
// Each entry loads the wasm differently. A shared module that entries register their loader with at import would be dropped by
// bundlers, because the package declares `sideEffects: false`; so there are three bundles. The exact counters have a small
// wasm of their own for the same reason: they work beside any of the three, and alone.

import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { main, output, Problem, run } from "./process.mjs";
import { setup } from "./setup.mjs";
import { whenChanged } from "./stamp.mjs";
import {
  nodeProgram,
  root,
  wasmBindgen,
  wasmBindgenVersion,
  wasmRust,
  wasmTarget,
  withoutMachinePaths,
  writeBase64,
} from "./tools.mjs";
import { encodings, vocabularies, writeVocabularies } from "./vocabularies.mjs";

/**
 * Chosen by the size after brotli: `-O2` and `-Oz` give shorter but less regular code, which compresses to 1 % more.
 * Functions in the order of their names stand beside similar ones, which takes 1.6 kB less; without sets of locals to the
 * value that they have, it is another 1.5 kB.
 */
const optimization = ["-O1", "--rse", "--vacuum", "--reorder-functions-by-name", "--strip-producers"];

/**
 * Options of LLVM that decide between size and speed. Functions are inlined below a threshold, those that are marked for it,
 * as many of the standard library are, below another: with LLVM's own thresholds the download is 15 % larger and programs are
 * 12 % faster; with a lower one for marked functions estimates of tokens take twice as long. Loops are hardly unrolled, which
 * takes 1.8 % from the download and nothing from the speed.
 */
const codeGeneration = [
  "-inline-threshold=55",
  "-inlinehint-threshold=180",
  "-inlinecold-threshold=5",
  "-unroll-threshold=30",
  "-unroll-runtime=false",
];

/** The features that rustc uses by default; every host in the packaging tests supports them. */
const wasmFeatures = [
  "bulk-memory",
  "bulk-memory-opt",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
];

/** For the counters, which are small and run for every text: speed is worth more than a kilobyte. */
const counterOptimization = ["-O3"];

const bundles = [
  { out: "dist/index.js", entry: "js/index.ts", source: "js/boundary/source/inline.ts" },
  { out: "dist/index.workerd.js", entry: "js/index.ts", source: "js/boundary/source/workerd.ts" },
  { out: "dist/slim.js", entry: "js/slim.ts", source: "js/boundary/source/none.ts" },
  { out: "dist/chat.js", entry: "js/chat.ts", source: "js/boundary/source/inline.ts" },
  { out: "dist/chat.workerd.js", entry: "js/chat.ts", source: "js/boundary/source/workerd.ts" },
  ...encodings.flatMap((name) => [
    { out: `dist/tokens/${name}.js`, entry: `js/tokens/${name}.ts`, source: "js/tokens/source/inline.ts" },
    { out: `dist/tokens/${name}.workerd.js`, entry: `js/tokens/${name}.ts`, source: "js/tokens/source/workerd.ts" },
  ]),
];

/** The adapters to frameworks. They import the bundle of `turnfold/chat` that stands beside them. */
const adapters = readdirSync(join(root, "js", "adapters"))
  .filter((path) => path.endsWith(".ts"))
  .map((path) => basename(path, ".ts"));
const adapterBundles = adapters.flatMap((name) => [
  { out: `dist/adapters/${name}.js`, entry: `js/adapters/${name}.ts`, chat: "../chat.js" },
  { out: `dist/adapters/${name}.workerd.js`, entry: `js/adapters/${name}.ts`, chat: "../chat.workerd.js" },
]);

/** The licences of the packages inside the bundles, which require their text in every copy. */
const notices = "dist/THIRD-PARTY-NOTICES.md";

/** Modules of data, which the bundles of the counters import at their first count. */
const vocabularyBundles = encodings.map((name, index) => ({
  out: `dist/tokens/${name}.vocabulary.js`,
  entry: vocabularies[index],
}));

/** Brings dist/ up to date; quick when nothing changed. */
export async function build() {
  const self = relative(root, import.meta.filename);
  await whenChanged(
    "wasm",
    {
      inputs: ["src", "Cargo.toml", "Cargo.lock", "package-lock.json", self],
      settings: wasmBindgenVersion(),
      outputs: [".cache/wasm/turnfold.js", ".cache/wasm/turnfold.d.ts", ".cache/wasm/base64.js", "dist/turnfold.wasm"],
    },
    buildWasm,
  );
  await whenChanged(
    "counter",
    {
      inputs: ["src", "Cargo.toml", "Cargo.lock", "package-lock.json", self],
      outputs: [".cache/counter/base64.js", "dist/tokens/counter.wasm"],
    },
    buildCounter,
  );
  await whenChanged(
    "vocabularies",
    { inputs: ["scripts/vocabularies.mjs", "package-lock.json"], outputs: vocabularies },
    buildVocabularies,
  );
  await whenChanged(
    "bundles",
    {
      inputs: ["js", ".cache/wasm", ".cache/counter", ...vocabularies, "package.json", "package-lock.json", self],
      outputs: [...[...bundles, ...adapterBundles, ...vocabularyBundles].map(({ out }) => out), notices],
    },
    buildBundles,
  );
  await whenChanged(
    "declarations",
    {
      inputs: ["js", ".cache/wasm/turnfold.d.ts", "tsconfig.json", "tsconfig.build.json", "package-lock.json", self],
      outputs: declarations.map((path) => join("dist", path)),
    },
    buildDeclarations,
  );
}

function buildWasm() {
  step("Compiling Rust to wasm");
  const compiled = compile(
    "release",
    [],
    codeGeneration.map((option) => `-Cllvm-args=${option}`),
  );

  step("Generating the JavaScript around it");
  const folder = join(root, ".cache", "wasm");
  rmSync(folder, { recursive: true, force: true });
  const glue = ["--target", "web", "--omit-default-module-path", "--experimental-reset-state-function"];
  run(wasmBindgen(), [...glue, "--out-dir", folder, "--out-name", "turnfold", compiled]);

  step(`Optimizing it (wasm-opt ${optimization.join(" ")})`);
  const bound = join(folder, "turnfold_bg.wasm");
  wasmOpt([...optimization, bound, "--output", bound]);

  writeBase64(".cache/wasm/base64.js", readFileSync(bound));
  mkdirSync(join(root, "dist"), { recursive: true });
  copyFileSync(bound, join(root, "dist", "turnfold.wasm"));
}

/** Needs no wasm-bindgen: it imports nothing and its functions take and return numbers. */
function buildCounter() {
  step("Compiling the exact counters to wasm");
  const compiled = compile("counter", ["--features", "counter"], []);
  mkdirSync(join(root, "dist", "tokens"), { recursive: true });
  const wasm = join(root, "dist", "tokens", "counter.wasm");
  wasmOpt([...counterOptimization, "--strip-debug", "--strip-producers", compiled, "--output", wasm]);
  writeBase64(".cache/counter/base64.js", readFileSync(wasm));
}

function buildVocabularies() {
  step("Writing the vocabularies");
  writeVocabularies();
}

/** Compiles the library with a profile of Cargo.toml and returns the path of the wasm. */
function compile(profile, options, flags) {
  const env = { ...wasmRust(), CARGO_ENCODED_RUSTFLAGS: [...withoutMachinePaths(), ...flags].join("\x1f") };
  run("cargo", ["build", "--profile", profile, "--lib", "--target", wasmTarget, ...options], { cwd: root, env });
  const { target_directory } = JSON.parse(
    output("cargo", ["metadata", "--format-version", "1", "--no-deps"], { cwd: root }),
  );
  return join(target_directory, wasmTarget, profile, "turnfold.wasm");
}

function wasmOpt(args) {
  const features = wasmFeatures.map((feature) => `--enable-${feature}`);
  run(...nodeProgram("binaryen/bin/wasm-opt", [...features, ...args]));
}

async function buildBundles() {
  step("Bundling the JavaScript");
  const esbuild = await import("esbuild");
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const inside = new Set();
  for (const { out, entry, source, chat } of [...bundles, ...adapterBundles]) {
    const { warnings, metafile } = await esbuild.build({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile: out,
      bundle: true,
      format: "esm",
      platform: "neutral",
      target: "es2022",
      sourcemap: true,
      metafile: true,
      legalComments: "none",
      define: { TURNFOLD_VERSION: JSON.stringify(version) },
      plugins: [chat === undefined ? wasmSource(source) : besideChat(chat)],
    });
    if (warnings.length > 0) throw new Problem(`Bundling ${out} gave warnings; see above.`);
    if (chat === undefined) leaveWasmOutOfMap(`${join(root, out)}.map`);
    for (const path of Object.keys(metafile.inputs)) {
      const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
      if (name !== undefined) inside.add(name);
    }
  }
  for (const { out, entry } of vocabularyBundles)
    await esbuild.build({ absWorkingDir: root, entryPoints: [entry], outfile: out, format: "esm", target: "es2022" });
  // The vocabularies are derived from its data.
  inside.add("gpt-tokenizer");
  writeFileSync(join(root, notices), [...inside].sort().map(noticeOf).join("\n"));
}

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

/** An esbuild plugin: resolves `#wasm-source` to the loader of the entry, and keeps imports of .wasm files and vocabularies. */
function wasmSource(source) {
  return {
    name: "wasm-source",
    setup(build) {
      build.onResolve({ filter: /^#(wasm|counter)-source$/ }, () => ({ path: join(root, source) }));
      build.onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path, external: true }));
      build.onResolve({ filter: /\/vocabularies\// }, ({ path }) => ({
        path: `./${basename(path, ".js")}.vocabulary.js`,
        external: true,
      }));
    },
  };
}

/** An esbuild plugin: an adapter imports the entry `js/chat.ts` from `path`, and nothing else of the package that needs the wasm. */
function besideChat(path) {
  return {
    name: "beside-chat",
    setup(build) {
      build.onResolve({ filter: /\/chat\.ts$/ }, () => ({ path, external: true }));
      build.onResolve({ filter: /\/boundary\/wasm\.ts$|^#/ }, ({ importer, path: imported }) => ({
        errors: [{ text: `${relative(root, importer)} brings ${imported} into an adapter: import from ../chat.ts` }],
      }));
    },
  };
}

/** Removes the base64 of the wasm from a source map. */
function leaveWasmOutOfMap(path) {
  const map = JSON.parse(readFileSync(path, "utf8"));
  map.sourcesContent = map.sourcesContent.map((text, index) =>
    map.sources[index].endsWith("/base64.js") ? null : text,
  );
  writeFileSync(path, JSON.stringify(map));
}

/** The declarations of the entries. */
const declarations = [
  "index.d.ts",
  "slim.d.ts",
  "chat.d.ts",
  ...adapters.map((name) => `adapters/${name}.d.ts`),
  ...encodings.map((name) => `tokens/${name}.d.ts`),
];

function buildDeclarations() {
  step("Writing the type declarations");
  const folder = join(root, ".cache", "types");
  rmSync(folder, { recursive: true, force: true });
  run(...nodeProgram("typescript/bin/tsc", ["--project", "tsconfig.build.json"]), { cwd: root });
  for (const path of readdirSync(join(root, "dist"), { recursive: true })) {
    if (path.endsWith(".d.ts")) rmSync(join(root, "dist", path));
  }
  for (const path of publicDeclarations(folder, declarations)) {
    const text = readFileSync(join(folder, path), "utf8").replace(importedFile, (found) =>
      found.replace(/\.ts"$/, '.js"'),
    );
    mkdirSync(dirname(join(root, "dist", path)), { recursive: true });
    writeFileSync(join(root, "dist", path), text);
  }
}

/** `from "./turn.ts"` and `import("./turn.ts")` in a declaration. */
const importedFile = /(?:\bfrom|\bimport)[ (]+"(\..+?)"/g;

/** The paths within `folder` of the entries and all they import. Fails when a public type comes from a module that is not shipped. */
function publicDeclarations(folder, entries) {
  const found = new Set();
  const visit = (path) => {
    if (found.has(path)) return;
    found.add(path);
    const text = readFileSync(join(folder, path), "utf8");
    for (const [, specifier] of text.matchAll(importedFile)) {
      const target = relative(folder, join(folder, dirname(path), specifier.replace(/\.[jt]s$/, ".d.ts")));
      if (!existsSync(join(folder, target)))
        throw new Problem(
          `${path.replace(".d.ts", ".ts")} shows users a type from ${specifier}, which is not shipped.`,
        );
      visit(target);
    }
  };
  entries.forEach(visit);
  return found;
}

function step(text) {
  console.log(`› ${text}`);
}

main(import.meta, async () => {
  setup({ tests: false });
  await build();
});
