// Vite plugin: writes the service worker of the built playground with the list of files that it caches.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./tools.mjs";

const WORKER = "www/src/offline-worker.mjs";

/** True for chunks of only exact counters and vocabularies, of the page or of its worker: a megabyte that few users need. */
const isVocabulary = ({ fileName, moduleIds = [] }) =>
  /\/(o200k|cl100k)[.-]/.test(fileName) ||
  (moduleIds.length > 0 && moduleIds.every((id) => id.replaceAll("\\", "/").includes("/dist/tokens/")));

/** @returns {import("vite").Plugin} */
export function offlineWorker() {
  return {
    name: "offline",
    apply: "build",
    async writeBundle({ dir }, bundle) {
      const assets = Object.values(bundle).filter(({ fileName }) => fileName.startsWith("assets/"));
      const names = (list) => list.map(({ fileName }) => fileName).sort();
      const optional = names(assets.filter(isVocabulary));
      const own = names(assets.filter((asset) => !isVocabulary(asset)));
      // The page is cached by its folder: some servers redirect `index.html` to it.
      const files = ["", ...own];
      const hash = createHash("sha256");
      for (const path of files)
        hash
          .update(path)
          .update("\0")
          .update(readFileSync(join(dir, path || "index.html")));
      const version = hash.digest("hex").slice(0, 16);
      const { outputFiles } = await build({
        absWorkingDir: root,
        entryPoints: [WORKER],
        bundle: true,
        minify: true,
        write: false,
        format: "iife",
        target: ["es2022"],
        define: { BUILD: JSON.stringify({ version, files, optional }) },
      });
      writeFileSync(join(dir, "offline.js"), outputFiles[0].contents);
    },
  };
}
