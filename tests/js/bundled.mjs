// Bundles modules of js that the package does not export, so that they can be tested alone.

import { join } from "node:path";
import { build } from "esbuild";

/** Returns all exports of the named files of a folder of js. */
export async function bundled(folder, names) {
  const { outputFiles } = await build({
    stdin: {
      contents: names.map((name) => `export * from "./${name}.ts";`).join("\n"),
      resolveDir: join(import.meta.dirname, "..", "..", "js", folder),
    },
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
}
