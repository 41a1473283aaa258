// Builds the package into dist/: Rust → one turnfold.wasm, TypeScript → three bundles and their declarations.
//
// There are three bundles and no shared module because each entry gets at the wasm in its own way, and a module that
// registered its way at import would be dropped by bundlers: the package says `sideEffects: false`.

import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { withPlacesAsNames } from "./order-functions.mjs";
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
} from "./tools.mjs";

/** What leaves less after compression; passes that only make code shorter often make it less regular. */
const optimization = [
  "-O1",
  "--dae-optimizing",
  "--simplify-locals-nostructure",
  "--rse",
  "--vacuum",
  "--reorder-locals",
  "--reorder-functions-by-name",
];

/** What rustc emits for this target by default, and what every host in the packaging tests runs. */
const wasmFeatures = [
  "bulk-memory",
  "bulk-memory-opt",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
];

const bundles = [
  { out: "dist/index.js", entry: "js/index.ts", source: "js/source/inline.ts" },
  { out: "dist/index.workerd.js", entry: "js/index.ts", source: "js/source/workerd.ts" },
  { out: "dist/slim.js", entry: "js/slim.ts", source: "js/source/none.ts" },
];

/** The licences of what the bundles hold of others, who want to be named in every copy. */
const notices = "dist/THIRD-PARTY-NOTICES.md";

/** Brings dist/ up to date; quick when nothing changed. */
export async function build() {
  const self = relative(root, import.meta.filename);
  const order = "scripts/order-functions.mjs";
  await whenChanged(
    "wasm",
    {
      inputs: ["src", "Cargo.toml", "Cargo.lock", "package-lock.json", self, order],
      settings: wasmBindgenVersion(),
      outputs: [".cache/wasm/turnfold.js", ".cache/wasm/turnfold.d.ts", ".cache/wasm/base64.ts", "dist/turnfold.wasm"],
    },
    buildWasm,
  );
  await whenChanged(
    "bundles",
    {
      inputs: ["js", ".cache/wasm", "package.json", "package-lock.json", self],
      outputs: [...bundles.map(({ out }) => out), notices],
    },
    buildBundles,
  );
  await whenChanged(
    "declarations",
    {
      inputs: ["js", ".cache/wasm/turnfold.d.ts", "tsconfig.json", "tsconfig.build.json", "package-lock.json", self],
      outputs: ["dist/index.d.ts", "dist/slim.d.ts"],
    },
    buildDeclarations,
  );
}

function buildWasm() {
  step("Compiling Rust to wasm");
  const env = { ...wasmRust(), CARGO_ENCODED_RUSTFLAGS: withoutMachinePaths().join("\x1f") };
  run("cargo", ["build", "--release", "--lib", "--target", wasmTarget], { cwd: root, env });
  const { target_directory } = JSON.parse(
    output("cargo", ["metadata", "--format-version", "1", "--no-deps"], { cwd: root }),
  );
  const compiled = join(target_directory, wasmTarget, "release", "turnfold.wasm");

  step("Generating the JavaScript around it");
  const folder = join(root, ".cache", "wasm");
  rmSync(folder, { recursive: true, force: true });
  const glue = ["--target", "web", "--omit-default-module-path", "--experimental-reset-state-function"];
  run(wasmBindgen(), [...glue, "--out-dir", folder, "--out-name", "turnfold", compiled]);

  step(`Optimizing it (wasm-opt ${optimization.join(" ")})`);
  const bound = join(folder, "turnfold_bg.wasm");
  wasmOpt([...optimization, "--debuginfo", bound, "--output", bound]);

  step("Putting functions that are alike side by side");
  writeFileSync(bound, withPlacesAsNames(readFileSync(bound)));
  wasmOpt(["--reorder-functions-by-name", bound, "--output", bound]);

  const base64 = readFileSync(bound, "base64");
  writeFileSync(join(folder, "base64.ts"), `export const base64: string =\n  "${base64}";\n`);
  mkdirSync(join(root, "dist"), { recursive: true });
  copyFileSync(bound, join(root, "dist", "turnfold.wasm"));
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
  for (const { out, entry, source } of bundles) {
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
      plugins: [wasmSource(source)],
    });
    if (warnings.length > 0) throw new Problem(`Bundling ${out} gave warnings; see above.`);
    leaveWasmOutOfMap(`${join(root, out)}.map`);
    for (const path of Object.keys(metafile.inputs)) {
      const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
      if (name !== undefined) inside.add(name);
    }
  }
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

/** Of packages that name the licence and leave its text out. */
function mit(holder) {
  const own = readFileSync(join(root, "LICENSE-MIT"), "utf8");
  return own.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`);
}

/** Every entry's own answer to `#wasm-source`; the file that the workerd one imports stands beside it in dist/. */
function wasmSource(source) {
  return {
    name: "wasm-source",
    setup(build) {
      build.onResolve({ filter: /^#wasm-source$/ }, () => ({ path: join(root, source) }));
      build.onResolve({ filter: /\.wasm$/ }, () => ({ path: "./turnfold.wasm", external: true }));
    },
  };
}

/** A debugger wants the TypeScript, not a second copy of the wasm. */
function leaveWasmOutOfMap(path) {
  const map = JSON.parse(readFileSync(path, "utf8"));
  map.sourcesContent = map.sourcesContent.map((text, index) =>
    map.sources[index].endsWith("/base64.ts") ? null : text,
  );
  writeFileSync(path, JSON.stringify(map));
}

function buildDeclarations() {
  step("Writing the type declarations");
  const folder = join(root, ".cache", "types");
  rmSync(folder, { recursive: true, force: true });
  run(...nodeProgram("typescript/bin/tsc", ["--project", "tsconfig.build.json"]), { cwd: root });
  for (const path of readdirSync(join(root, "dist"), { recursive: true })) {
    if (path.endsWith(".d.ts")) rmSync(join(root, "dist", path));
  }
  for (const path of publicDeclarations(folder, ["index.d.ts", "slim.d.ts"])) {
    const text = readFileSync(join(folder, path), "utf8").replace(importedFile, (found) =>
      found.replace(/\.ts"$/, '.js"'),
    );
    mkdirSync(dirname(join(root, "dist", path)), { recursive: true });
    writeFileSync(join(root, "dist", path), text);
  }
}

/** `from "./turn.ts"` and `import("./turn.ts")` in a declaration. */
const importedFile = /(?:\bfrom|\bimport)[ (]+"(\..+?)"/g;

/** The entries and what they import, as paths within `folder`; the module around the glue is not among them, or the build fails. */
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
