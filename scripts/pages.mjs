// Builds the pages that the package ships: the playground for `turnfold studio`.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { root } from "./tools.mjs";

/** The files that the pages are made of, beside the package's sources. */
export const pageInputs = [
  ...["www/src", "www/index.html", "www/vite.config.ts", "www/tsconfig.json"],
  ...["scripts/answers-policy.mjs", "scripts/first-paint.mjs", "scripts/pages.mjs", "scripts/sandboxed.mjs"],
];

/** What {@link buildPages} makes. */
export const pages = ["dist/studio/index.html.br"];

/** Builds the page of the studio. Its files are compressed: that saves a megabyte and a half after installation. */
export async function buildPages() {
  const { build } = await import("vite");
  const outDir = join(root, ".cache", "studio");
  const configFile = join(root, "www", "vite.config.ts");
  await build({ configFile, mode: "studio", logLevel: "error", build: { outDir, emptyOutDir: true } });
  const target = join(root, "dist", "studio");
  rmSync(target, { recursive: true, force: true });
  for (const path of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
    if (!path.isFile()) continue;
    const from = join(path.parentPath, path.name);
    const to = join(target, from.slice(outDir.length));
    mkdirSync(dirname(to), { recursive: true });
    // People read the licences.
    if (path.name === "licences.md") copyFileSync(from, to);
    else writeFileSync(`${to}.br`, brotliCompressSync(readFileSync(from)));
  }
}
