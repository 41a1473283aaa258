// Other copies of the package in one process, as when an app has two versions of it.

import { join } from "node:path";
import { build } from "esbuild";
import { root } from "../../scripts/tools.mjs";

const bundles = new Map();
let copies = 0;

/** Imports a new copy of entries by their paths in dist, with copies of the chunks that they share with others. */
export async function copyOf(...paths) {
  const contents = paths.map((path) => `export * from "./${path}";`).join("\n");
  if (!bundles.has(contents)) {
    const stdin = { contents, resolveDir: join(root, "dist") };
    const { outputFiles } = await build({ stdin, bundle: true, format: "esm", platform: "neutral", write: false });
    bundles.set(contents, outputFiles[0].text);
  }
  const text = `${bundles.get(contents)}\n// copy ${++copies}`;
  return import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);
}
