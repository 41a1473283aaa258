// Modules of the playground that need no page, for tests in Node.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "../../scripts/tools.mjs";

/** What these modules of www/src export together. They find the package by its name, as the page does. */
export async function load(name, ...paths) {
  const { outputFiles } = await build({
    stdin: {
      contents: paths.map((path) => `export * from "./${path}";`).join("\n"),
      resolveDir: join(root, "www", "src"),
    },
    bundle: true,
    format: "esm",
    target: "es2022",
    external: ["turnfold"],
    write: false,
  });
  const folder = join(root, ".cache", "www-modules");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}-${process.pid}.mjs`);
  writeFileSync(file, outputFiles[0].text);
  return import(pathToFileURL(file));
}
