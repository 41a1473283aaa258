// Builds the package into dist/: Rust → wasms, TypeScript → entries with the chunks that they share, and declarations.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { buildCounter, buildPackageWasm, wasmInputs, wasms } from "./build-wasm.mjs";
import { bareEntries, buildBundles, buildCounterBundles, bundled, bundledCounters, entries } from "./bundle.mjs";
import { buildPages, pageInputs, pages } from "./pages.mjs";
import { main, Problem, run, step } from "./process.mjs";
import { setup } from "./setup.mjs";
import { isCurrent, whenChanged } from "./stamp.mjs";
import { nodeProgram, root } from "./tools.mjs";
import { encodings, vocabularies, writeVocabularies } from "./vocabularies.mjs";

/** Brings dist/ up to date; takes little time when nothing changed. */
export async function build() {
  await buildParts(Object.keys(wasms));
  await whenChanged(
    "bundles",
    {
      inputs: [
        "js",
        ...Object.values(wasms).map(({ folder }) => folder),
        "package.json",
        "package-lock.json",
        "scripts/bundle.mjs",
        "scripts/class-names.mjs",
      ],
      outputs: bundled,
    },
    () => {
      step("Bundling the JavaScript");
      return buildBundles();
    },
  );
  await whenChanged(
    "declarations",
    {
      inputs: [
        "js",
        ...Object.values(wasms).map(({ folder }) => `${folder}/turnfold.d.ts`),
        "tsconfig.json",
        "tsconfig.build.json",
        "package-lock.json",
        "scripts/build.mjs",
        "scripts/bundle.mjs",
      ],
      outputs: declarations.map((path) => join("dist", path)),
    },
    buildDeclarations,
  );
  await whenChanged(
    "pages",
    {
      inputs: [...pageInputs, "js", ".cache/wasm", "scripts/class-names.mjs", "package.json", "package-lock.json"],
      outputs: pages,
    },
    () => {
      step("Building the pages of the command line");
      buildPages();
    },
  );
}

/** Brings up to date what the playground needs of dist/: its sources are those of the package. */
export function buildForPage() {
  return buildParts(["turnfold"]);
}

/**
 * Builds wasms and the exact counters. The compiler works on one processor for most of its time, so they are compiled together;
 * wasms with the same profile, whose files have the same path, one after the other.
 */
async function buildParts(names) {
  const profiles = new Set(names.map((name) => wasms[name].profile));
  await Promise.all([
    ...Array.from(profiles, async (profile) => {
      for (const name of names.filter((name) => wasms[name].profile === profile)) await buildPart(name);
    }),
    whenChanged(
      "counter",
      { inputs: wasmInputs, outputs: [".cache/counter/embedded.js", "dist/tokens/counter.wasm"] },
      buildCounter,
    ),
  ]);
  await whenChanged(
    "vocabularies",
    { inputs: ["scripts/vocabularies.mjs", "package-lock.json"], outputs: vocabularies },
    buildVocabularies,
  );
  await whenChanged(
    "counter-bundles",
    {
      inputs: ["js", ".cache/counter", ...vocabularies, "package.json", "package-lock.json", "scripts/bundle.mjs"],
      outputs: bundledCounters,
    },
    () => {
      step("Bundling the exact counters");
      return buildCounterBundles();
    },
  );
}

function buildPart(name) {
  return whenChanged(`wasm-${name}`, partOf(name), () => buildPackageWasm(name));
}

function partOf(name) {
  const files = ["turnfold.js", "turnfold.d.ts", "about.js", "embedded.js"];
  const outputs = [...files.map((path) => `${wasms[name].folder}/${path}`), `dist/${name}.wasm`];
  return { inputs: wasmInputs, outputs };
}

/** Whether the wasms in dist are those of the current Rust files. */
export const hasCurrentWasms = () => Object.keys(wasms).every((name) => isCurrent(`wasm-${name}`, partOf(name)));

function buildVocabularies() {
  step("Writing the vocabularies");
  writeVocabularies();
}

/** The declarations of the entries. */
const declarations = [
  ...Object.keys(entries),
  ...Object.keys(bareEntries),
  ...encodings.map((name) => `tokens/${name}`),
].map((path) => `${path}.d.ts`);

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

main(import.meta, async () => {
  setup({ tests: false });
  await build();
});
