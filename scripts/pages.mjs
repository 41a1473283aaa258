// Builds the pages that the package ships: the playground for `turnfold studio`, and the page of `turnfold audit --html`.

import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { main, run } from "./process.mjs";
import { root } from "./tools.mjs";

/** The files that the pages are made of, beside the package's sources. */
export const pageInputs = [
  ...["www/src", "www/index.html", "www/report.html", "www/vite.config.ts", "www/tsconfig.json"],
  ...["scripts/answers-policy.mjs", "scripts/first-paint.mjs", "scripts/pages.mjs", "scripts/sandboxed.mjs"],
];

/** What {@link buildPages} makes. */
export const pages = ["dist/studio/index.html.br", "dist/report.html"];

const configFile = join(root, "www", "vite.config.ts");

/** Builds them in a process of its own: Vite sets NODE_ENV to production there, and npm would then leave out packages for development. */
export function buildPages() {
  run(process.execPath, [import.meta.filename]);
}

/** Builds the page of the studio. Its files are compressed: that saves a megabyte and a half after installation. */
async function buildStudio() {
  const { build } = await import("vite");
  const outDir = join(root, ".cache", "studio");
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

const SCRIPT = '<script type="module"></script>';

/** Builds one file with the script and the styles of the report, in which the data is missing. */
async function buildReport() {
  const { build } = await import("vite");
  const { output } = await build({
    configFile: false,
    root: join(root, "www"),
    logLevel: "error",
    publicDir: false,
    build: {
      write: false,
      target: "es2022",
      rolldownOptions: {
        input: join(root, "www", "src", "report", "main.tsx"),
        output: { codeSplitting: false },
      },
    },
  });
  const text = (isOf) => String(output.find(isOf).code ?? output.find(isOf).source).trim();
  const script = text(({ type }) => type === "chunk").replaceAll("</script", "<\\/script");
  const styles = text(({ fileName }) => fileName.endsWith(".css"));
  const hash = createHash("sha256").update(script).digest("base64");
  const page = readFileSync(join(root, "www", "report.html"), "utf8")
    .replace("script-src;", () => `script-src 'sha256-${hash}';`)
    .replace("<style></style>", () => `<style>${styles}</style>`)
    .replace(SCRIPT, () => SCRIPT.replace("><", () => `>${script}<`));
  writeFileSync(join(root, "dist", "report.html"), page);
}

main(import.meta, async () => {
  await buildStudio();
  await buildReport();
});
