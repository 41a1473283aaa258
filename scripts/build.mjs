// Builds the package into dist/: Rust → turnfold.wasm, chat.wasm and counter.wasm, TypeScript → bundles and declarations.
//
// Some bundles contain the wasm, some import it, and some receive it from the caller. Each bundle is complete: if the entries
// registered their loaders with a shared module at import, bundlers would drop the registration, because the package declares
// `sideEffects: false`. For the same reason the exact counters have a small wasm of their own: they work with any of the other
// bundles, and alone.

import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { asciiBytes } from "./ascii-bytes.mjs";
import { withClassNames } from "./class-names.mjs";
import { main, output, Problem, run } from "./process.mjs";
import { setup } from "./setup.mjs";
import { whenChanged } from "./stamp.mjs";
import { nodeProgram, root, wasmRust, wasmTarget, withoutMachinePaths, writeModule } from "./tools.mjs";
import { encodings, vocabularies, writeVocabularies } from "./vocabularies.mjs";

/**
 * Chosen by the size after brotli: `-O2` and `-Oz` give shorter but less regular code, which compresses to 1 % more.
 * Sorting functions by name puts similar ones next to each other, which saves 1.6 kB; removing sets of locals to the value
 * that they already have saves another 1.5 kB.
 */
const optimization = ["-O1", "--rse", "--vacuum", "--reorder-functions-by-name", "--strip-producers"];

/**
 * Options of LLVM that balance size and speed. There is one inlining threshold for functions that are marked `#[inline]`, as
 * many of the standard library are, and one for all others. With LLVM's own thresholds the download is 15 % larger and
 * programs are 12 % faster; with a lower threshold for marked functions, estimating tokens takes twice as long. Loops are
 * hardly unrolled, which makes the download 1.8 % smaller and programs no slower.
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

/**
 * The wasms with glue of wasm-bindgen, by the names of their files in dist. `exports` are the names by which a wasm is
 * distinguished from other wasms, because the glue accepts any.
 */
const wasms = {
  turnfold: {
    folder: ".cache/wasm",
    entry: "turnfold",
    profile: "release",
    cargo: [],
    flags: codeGeneration.map((option) => `-Cllvm-args=${option}`),
    exports: ["memory", "scratch", "__wbindgen_start", "planninghandle_new", "sandboxhandle_new"],
  },
  // Its profile in Cargo.toml optimizes for size, which sets the inlining thresholds.
  chat: {
    folder: ".cache/chat-wasm",
    entry: "turnfold/chat",
    profile: "chat",
    cargo: ["--features", "chat"],
    flags: [],
    exports: ["memory", "scratch", "__wbindgen_start", "planninghandle_new"],
  },
};

/** The sources that determine how the wasm is encoded as text. */
const asciiBytesSources = ["scripts/ascii-bytes.mjs", "scripts/ascii-bytes.wat"];

/** For the counters, which are small and run on every text: speed matters more than a kilobyte. */
const counterOptimization = ["-O3"];

const bundles = [
  { out: "dist/index.js", entry: "js/index.ts", source: "js/boundary/source/inline.ts" },
  { out: "dist/index.workerd.js", entry: "js/index.ts", source: "js/boundary/source/workerd.ts" },
  { out: "dist/slim.js", entry: "js/slim.ts", source: "js/boundary/source/none.ts" },
  { out: "dist/chat.js", entry: "js/chat.ts", source: "js/boundary/source/inline.ts", wasm: "chat" },
  { out: "dist/chat.workerd.js", entry: "js/chat.ts", source: "js/boundary/source/workerd.ts", wasm: "chat" },
  { out: "dist/chat-slim.js", entry: "js/chat-slim.ts", source: "js/boundary/source/none.ts", wasm: "chat" },
  ...encodings.flatMap((name) => [
    { out: `dist/tokens/${name}.js`, entry: `js/tokens/${name}.ts`, source: "js/tokens/source/inline.ts" },
    { out: `dist/tokens/${name}.workerd.js`, entry: `js/tokens/${name}.ts`, source: "js/tokens/source/workerd.ts" },
  ]),
];

/** The adapters to frameworks. They import the bundle of `turnfold/chat` next to them. */
const adapters = readdirSync(join(root, "js", "adapters"))
  .filter((path) => path.endsWith(".ts"))
  .map((path) => basename(path, ".ts"));
const adapterBundles = adapters.flatMap((name) => [
  { out: `dist/adapters/${name}.js`, entry: `js/adapters/${name}.ts`, chat: "../chat.js" },
  { out: `dist/adapters/${name}.workerd.js`, entry: `js/adapters/${name}.ts`, chat: "../chat.workerd.js" },
]);

/** The licences of the packages inside the bundles, which require their text in every copy. */
const notices = "dist/THIRD-PARTY-NOTICES.md";

/** Modules of data, which the bundles of the counters import at the first count. */
const vocabularyBundles = encodings.map((name, index) => ({
  out: `dist/tokens/${name}.vocabulary.js`,
  entry: vocabularies[index],
}));

/** Brings dist/ up to date; takes little time when nothing changed. */
export async function build() {
  const self = relative(root, import.meta.filename);
  for (const [name, { folder }] of Object.entries(wasms)) {
    await whenChanged(
      `wasm-${name}`,
      {
        inputs: [
          ...["src", "Cargo.toml", "Cargo.lock", "package-lock.json", "scripts/bindgen"],
          ...asciiBytesSources,
          self,
        ],
        outputs: [
          ...["turnfold.js", "turnfold.d.ts", "about.js", "embedded.js"].map((path) => `${folder}/${path}`),
          `dist/${name}.wasm`,
        ],
      },
      () => buildWasm(name),
    );
  }
  await whenChanged(
    "counter",
    {
      inputs: ["src", "Cargo.toml", "Cargo.lock", "package-lock.json", ...asciiBytesSources, self],
      outputs: [".cache/counter/embedded.js", "dist/tokens/counter.wasm"],
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
      inputs: [
        "js",
        ...Object.values(wasms).map(({ folder }) => folder),
        ".cache/counter",
        ...vocabularies,
        "package.json",
        "package-lock.json",
        self,
      ],
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

function buildWasm(name) {
  const { folder, entry, profile, cargo, flags, exports } = wasms[name];
  step(`Compiling Rust to ${name}.wasm`);
  const compiled = compile(profile, cargo, flags);

  step("Generating the JavaScript around it");
  const path = join(root, folder);
  rmSync(path, { recursive: true, force: true });
  run(bindgen(), [compiled, path, "turnfold"]);

  swapInstances(join(path, "turnfold"));

  step(`Optimizing it (wasm-opt ${optimization.join(" ")})`);
  const bound = join(path, "turnfold_bg.wasm");
  wasmOpt([...optimization, bound, "--output", bound]);

  const bytes = readFileSync(bound);
  const exported = WebAssembly.Module.exports(new WebAssembly.Module(bytes)).map((each) => each.name);
  const missing = exports.filter((each) => !exported.includes(each));
  if (missing.length > 0) throw new Problem(`${name}.wasm does not export ${missing.join(", ")}.`);
  writeModule(`${folder}/about.js`, { file: `${name}.wasm`, entry, exported: exports });
  embed(`${folder}/embedded.js`, bytes);
  mkdirSync(join(root, "dist"), { recursive: true });
  copyFileSync(bound, join(root, "dist", `${name}.wasm`));
}

/**
 * Lets the glue, which has one instance, exchange it for another of the same module. Handles know the number of their
 * instance, so that the numbers of all instances differ.
 */
function swapInstances(path) {
  const glue = readFileSync(`${path}.js`, "utf8");
  const views = Array.from(glue.matchAll(/^let (cached\w+Memory0) = null;$/gm), ([, name]) => name);
  const counted = glue.replace("    __wbg_instance_id++;\n", "    __wbg_instance_id = ++lastInstanceId;\n");
  if (counted === glue || views.length === 0)
    throw new Problem("The glue of wasm-bindgen has no instance to exchange.");
  const swap = `
let lastInstanceId = 0;

/** What the glue knows of the current instance. */
export function currentInstance() {
    return [__wbg_instance_id, wasmInstance];
}

/** Makes an instance current that was current before. */
export function useInstance([id, instance]) {
    __wbg_instance_id = id;
    wasmInstance = instance;
    wasm = instance?.exports;
    ${views.join(" = ")} = null;
}
`;
  writeFileSync(`${path}.js`, `${counted}${swap}`);
  const declarations =
    "export function currentInstance(): unknown;\nexport function useInstance(instance: unknown): void;\n";
  writeFileSync(`${path}.d.ts`, `${readFileSync(`${path}.d.ts`, "utf8")}${declarations}`);
}

/** Builds counter.wasm. It needs no wasm-bindgen: it imports nothing, and its functions take and return numbers. */
function buildCounter() {
  step("Compiling the exact counters to wasm");
  const compiled = compile("counter", ["--features", "counter"], []);
  mkdirSync(join(root, "dist", "tokens"), { recursive: true });
  const wasm = join(root, "dist", "tokens", "counter.wasm");
  wasmOpt([...counterOptimization, "--strip-debug", "--strip-producers", compiled, "--output", wasm]);
  embed(".cache/counter/embedded.js", readFileSync(wasm));
}

/** Writes a module with a wasm as text, and the wasm that decodes the text. */
function embed(path, bytes) {
  const reader = join(root, ".cache", "ascii-bytes.wasm");
  wasmOpt(["-O2", "--strip-producers", join(root, "scripts", "ascii-bytes.wat"), "--output", reader]);
  writeModule(path, { ...asciiBytes(bytes), reader: readFileSync(reader).toString("base64") });
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

/** Compiles scripts/bindgen, which takes a minute once, and returns its path. */
function bindgen() {
  const manifest = join(root, "scripts", "bindgen", "Cargo.toml");
  const target = join(root, ".cache", "bindgen");
  run("cargo", ["build", "--release", "--locked", "--quiet", "--manifest-path", manifest, "--target-dir", target], {
    cwd: root,
  });
  return join(target, "release", "bindgen");
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
  for (const { out, entry, source, wasm = "turnfold", chat } of [...bundles, ...adapterBundles]) {
    const { warnings, metafile } = await esbuild.build({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile: out,
      bundle: true,
      format: "esm",
      platform: "neutral",
      target: "es2022",
      minify: true,
      // Node prints the whole source line of an uncaught error.
      lineLimit: 500,
      sourcemap: true,
      metafile: true,
      legalComments: "none",
      define: { TURNFOLD_VERSION: JSON.stringify(version) },
      plugins: [sources, withoutText, ...(chat === undefined ? [wasmSource(source, wasm)] : [besideChat(chat)])],
    });
    if (warnings.length > 0) throw new Problem(`Bundling ${out} gave warnings; see above.`);
    insertText(out, Object.keys(metafile.inputs));
    completeMap(`${join(root, out)}.map`);
    requireAscii(out);
    if (wasm === "chat") requireExports(wasm, Object.keys(metafile.inputs));
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

/**
 * An esbuild plugin for our own sources. Classes keep their names, and characters beyond ASCII are escaped, which esbuild does
 * not do in regular expressions: engines store other sources in two bytes for each character, and parse them in twice the time.
 */
const sources = {
  name: "sources",
  setup(build) {
    build.onLoad({ filter: /[\\/]js[\\/].+\.ts$/ }, ({ path }) => {
      const named = withClassNames(readFileSync(path, "utf8"));
      return { contents: named.replace(/[\u0080-\uFFFF]/g, escaped), loader: "ts" };
    });
  },
};

/** Placeholder for the text of a wasm until {@link insertText} inserts it: esbuild would break the text into lines. */
const textOfWasm = '"the text of the wasm"';

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
  const [text] = embeddedText.exec(readFileSync(join(root, path), "utf8"));
  const [before, after] = readFileSync(join(root, out), "utf8").split(textOfWasm);
  writeFileSync(join(root, out), `${before}${text}${after}`);
}

const escaped = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** An esbuild plugin: resolves the imports that differ between entries, and keeps imports of .wasm files and vocabularies. */
function wasmSource(source, wasm) {
  const isChat = wasm === "chat";
  return {
    name: "wasm-source",
    setup(build) {
      build.onResolve({ filter: /^#(wasm|counter)-source$/ }, () => ({ path: join(root, source) }));
      build.onResolve({ filter: /^#saved-steps$/ }, () => ({
        path: join(root, "js", "recordings", isChat ? "no-saved-steps.ts" : "saved-steps.ts"),
      }));
      build.onResolve({ filter: /\/\.cache\/wasm\// }, ({ path }) => ({
        path: join(root, wasms[wasm].folder, basename(path)),
      }));
      build.onResolve({ filter: /\.wasm$/ }, ({ path }) => ({
        path: path.replace(/\bturnfold\.wasm$/, `${wasm}.wasm`),
        external: true,
      }));
      build.onResolve({ filter: /\/vocabularies\// }, ({ path }) => ({
        path: `./${basename(path, ".js")}.vocabulary.js`,
        external: true,
      }));
    },
  };
}

/** An esbuild plugin: makes an adapter import `js/chat.ts` from `path`; fails on imports of other modules that need the wasm. */
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

/** Puts our original sources into a source map, and removes the text of the wasm. */
function completeMap(path) {
  const map = JSON.parse(readFileSync(path, "utf8"));
  map.sourcesContent = map.sourcesContent.map((text, index) => {
    const source = join(dirname(path), map.sources[index]);
    if (source.endsWith("embedded.js")) return null;
    return source.startsWith(join(root, "js")) ? readFileSync(source, "utf8") : text;
  });
  writeFileSync(path, JSON.stringify(map));
}

function requireAscii(path) {
  const other = /[\u0080-\uFFFF]/.exec(readFileSync(join(root, path), "utf8"));
  if (other !== null)
    throw new Problem(`${path} has a character that is not ASCII, ${other[0]}: write it as an escape.`);
}

/** Fails when a source calls a function that the wasm does not export: the compiler checks only against turnfold.wasm. */
function requireExports(wasm, paths) {
  const declared = readFileSync(join(root, wasms[wasm].folder, "turnfold.d.ts"), "utf8");
  const exported = new Set(Array.from(declared.matchAll(/^export (?:class|function) (\w+)/gm), ([, name]) => name));
  for (const path of paths.filter((path) => path.startsWith("js/"))) {
    for (const [, name] of readFileSync(join(root, path), "utf8").matchAll(/\b(?:wasm|glue)\.(\w+)[(.]/g)) {
      if (!exported.has(name) && !name.startsWith("__") && name !== "initSync")
        throw new Problem(`${path} calls ${name}, which ${wasm}.wasm does not export.`);
    }
  }
}

/** The declarations of the entries. */
const declarations = [
  "index.d.ts",
  "slim.d.ts",
  "chat.d.ts",
  "chat-slim.d.ts",
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

/** The paths in `folder` of the entries and all their imports. Fails when a public type comes from a module that is not shipped. */
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
