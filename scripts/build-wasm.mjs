// Builds the wasms of the package: Rust → wasm-bindgen → wasm-opt → .cache, with each wasm as a text, and dist.

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asciiBytes } from "./ascii-bytes.mjs";
import { output, Problem, run, runBeside, step } from "./process.mjs";
import { nodeProgram, root, wasmRust, wasmTarget, withoutMachinePaths, writeModule } from "./tools.mjs";

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
 * distinguished from other wasms, because the glue accepts any. `parts` are those of the crate that it has, as
 * js/boundary/wasm.ts names them.
 */
export const wasms = {
  turnfold: {
    folder: ".cache/wasm",
    entry: "turnfold",
    parts: ["core", "turns", "signatures", "chat", "predict", "language"],
    profile: "release",
    cargo: [],
    flags: codeGeneration.map((option) => `-Cllvm-args=${option}`),
    exports: ["memory", "scratch", "__wbindgen_start", "planninghandle_new", "sandboxhandle_new"],
  },
  // The profile of the parts in Cargo.toml optimizes for size, which sets the inlining thresholds.
  turns: {
    folder: ".cache/turns-wasm",
    entry: "turnfold/turns",
    parts: ["core", "turns"],
    profile: "part",
    cargo: ["--features", "turns"],
    flags: [],
    exports: ["memory", "scratch", "__wbindgen_start", "rendererhandle_new"],
  },
  chat: {
    folder: ".cache/chat-wasm",
    entry: "turnfold/chat",
    parts: ["core", "signatures", "chat"],
    profile: "part",
    cargo: ["--features", "chat"],
    flags: [],
    exports: ["memory", "scratch", "__wbindgen_start", "planninghandle_new"],
  },
  predict: {
    folder: ".cache/predict-wasm",
    entry: "turnfold/predict",
    parts: ["core", "signatures", "predict"],
    profile: "part",
    cargo: ["--features", "predict"],
    flags: [],
    exports: ["memory", "scratch", "__wbindgen_start", "programRequest"],
  },
};

/** The wasm with all parts, compiled in a sixth of the time for tests: larger, slower, and in a folder of its own. */
export const testWasm = {
  ...wasms.turnfold,
  folder: ".cache/tests/wasm",
  profile: "tests",
  flags: [],
  isOptimized: false,
};

/** What determines a wasm, its glue and its text. */
export const wasmInputs = [
  ...["src", "Cargo.toml", "Cargo.lock", "package-lock.json", "scripts/bindgen"],
  ...["scripts/ascii-bytes.mjs", "scripts/ascii-bytes.wat", "scripts/build-wasm.mjs"],
];

/** For the counters, which are small and run on every text: speed matters more than a kilobyte. */
const counterOptimization = ["-O3"];

/** Builds one of {@link wasms}, and copies it to dist. */
export async function buildPackageWasm(name) {
  const path = await buildWasm(name, wasms[name]);
  mkdirSync(join(root, "dist"), { recursive: true });
  copyFileSync(path, join(root, "dist", `${name}.wasm`));
}

/** Builds a wasm with its glue, and returns its path. */
export async function buildWasm(name, { folder, entry, parts, profile, cargo, flags, exports, isOptimized = true }) {
  step(`Compiling Rust to ${name}.wasm`);
  const compiled = await compile(profile, cargo, flags);

  step("Generating the JavaScript around it");
  const path = join(root, folder);
  rmSync(path, { recursive: true, force: true });
  run(bindgen(), [compiled, path, "turnfold"]);

  swapInstances(join(path, "turnfold"));

  const bound = join(path, "turnfold_bg.wasm");
  if (isOptimized) {
    step(`Optimizing it (wasm-opt ${optimization.join(" ")})`);
    wasmOpt([...optimization, bound, "--output", bound]);
  }

  const bytes = readFileSync(bound);
  const exported = WebAssembly.Module.exports(new WebAssembly.Module(bytes)).map((each) => each.name);
  const missing = exports.filter((each) => !exported.includes(each));
  if (missing.length > 0) throw new Problem(`${name}.wasm does not export ${missing.join(", ")}.`);
  writeModule(`${folder}/about.js`, { file: `${name}.wasm`, entry, parts, exported: exports });
  embed(`${folder}/embedded.js`, bytes);
  return bound;
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
export async function buildCounter() {
  step("Compiling the exact counters to wasm");
  const compiled = await compile("counter", ["--features", "counter"], []);
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

/** Compiles the library with a profile of Cargo.toml and returns the path of the wasm. */
async function compile(profile, options, flags) {
  const env = { ...wasmRust(), CARGO_ENCODED_RUSTFLAGS: [...withoutMachinePaths(), ...flags].join("\x1f") };
  await runBeside("cargo", ["build", "--profile", profile, "--lib", "--target", wasmTarget, ...options], {
    cwd: root,
    env,
  });
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
