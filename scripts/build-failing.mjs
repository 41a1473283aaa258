// The package of `npm run fuzz -- faults`: the allocations of its wasm fail when the tests say so. It is not published.

import { basename, join, relative } from "node:path";
import { buildWasm, testWasm, wasmInputs } from "./build-wasm.mjs";
import { bareEntries, entries } from "./bundle.mjs";
import { whenChanged } from "./stamp.mjs";
import { root } from "./tools.mjs";

const folder = ".cache/failing-wasm";

/** The modules whose exports it has: those of all entries but the adapters, whose names are their frameworks'. */
const modules = [...Object.values(entries).map(({ module }) => module), ...Object.values(bareEntries)].filter(
  (module) => !module.startsWith("adapters/"),
);

/** The path of its only module. */
export const failingPackage = join(root, folder, "index.mjs");

/** Brings {@link failingPackage} up to date. */
export async function buildFailing() {
  const inputs = [...wasmInputs, "js", "scripts/build-failing.mjs", "scripts/bundle.mjs"];
  const outputs = [relative(root, failingPackage)];
  await whenChanged("failing", { inputs, outputs }, async () => {
    const wasm = { ...testWasm, folder, cargo: ["--features", "faults"] };
    const path = await buildWasm("failing", wasm);
    const { build } = await import("esbuild");
    await build({
      absWorkingDir: root,
      stdin: {
        contents: `
          import { readFileSync } from "node:fs";
          import { init } from "./js/index.ts";
          ${modules.map((module) => `export * from "./js/${module}.ts";`).join("\n")}
          await init(readFileSync(${JSON.stringify(path)}));`,
        resolveDir: root,
      },
      outfile: failingPackage,
      bundle: true,
      format: "esm",
      platform: "node",
      define: { TURNFOLD_VERSION: '"0.0.0"' },
      plugins: [
        {
          name: "failing-wasm",
          setup({ onResolve }) {
            onResolve({ filter: /\/\.cache\/wasm\// }, ({ path }) => ({ path: join(root, folder, basename(path)) }));
          },
        },
      ],
    });
  });
}
