// Bundles modules of js that the package does not export, so that they can be tested alone.

import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { root } from "../../scripts/tools.mjs";

const { MUTANT, TURNFOLD_BUILD } = process.env;
/** Modules with mutants, by their paths. */
const mutated =
  MUTANT === undefined ? {} : JSON.parse(readFileSync(join(root, TURNFOLD_BUILD, "modules.json"), "utf8"));

/** An esbuild plugin: the modules have the mutants while one is tried. */
export const withMutants = {
  name: "mutants",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const contents = mutated[relative(root, path)];
      return contents === undefined ? undefined : { contents, loader: "js" };
    });
  },
};

/** Returns all exports of the named files of a folder of js. */
export async function bundled(folder, names) {
  const { outputFiles } = await build({
    stdin: {
      contents: names.map((name) => `export * from "./${name}.ts";`).join("\n"),
      resolveDir: join(root, "js", folder),
    },
    plugins: [withMutants],
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}
