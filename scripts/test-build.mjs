// The package for tests of changes in Rust: one wasm that is compiled fast in all of its entries. dist keeps the last release build.

import { buildWasm, testWasm, wasmInputs } from "./build-wasm.mjs";
import { buildTestBundles, oneWasm } from "./bundle.mjs";
import { step } from "./process.mjs";
import { whenChanged } from "./stamp.mjs";

const folder = ".cache/tests/dist";

/** Brings it up to date. Tests use it with {@link withTestBuild}. */
export async function buildForTests() {
  const wasm = ["turnfold.js", "turnfold.d.ts", "about.js", "embedded.js"].map((name) => `${testWasm.folder}/${name}`);
  await whenChanged("test-wasm", { inputs: wasmInputs, outputs: wasm }, () => buildWasm("turnfold", testWasm));
  const inputs = ["js", testWasm.folder, "package.json", "package-lock.json", "scripts/bundle.mjs"];
  await whenChanged("test-bundles", { inputs, outputs: [`${folder}/index.js`] }, () => {
    step("Bundling the JavaScript");
    return buildTestBundles(folder, [oneWasm(testWasm.folder)]);
  });
}

/** Environment variables with which Node takes the package from a folder in place of dist. */
export const withTestBuild = (from = folder) => ({
  TURNFOLD_BUILD: from,
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --import=${new URL("./use-test-build.mjs", import.meta.url)}`,
});
