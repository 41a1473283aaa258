import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { answersPolicy } from "../scripts/answers-policy.mjs";
import { offlineWorker } from "../scripts/offline.mjs";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("."),
  base: "./",
  // The documents, which scripts/site.mjs builds.
  publicDir: here("../.cache/site"),
  plugins: [answersPolicy(), offlineWorker()],
  resolve: {
    alias: [
      { find: /^turnfold$/, replacement: here("../dist/index.js") },
      { find: /^turnfold\/(tokens\/\w+)$/, replacement: here("../dist/$1.js") },
    ],
  },
  build: {
    outDir: here("./dist"),
    emptyOutDir: true,
    target: "es2022",
    // Workers load the exact counters too, and have no document to preload with.
    modulePreload: { resolveDependencies: (path, files) => (/\/(?:o200k|cl100k)-/.test(path) ? [] : files) },
    // Those whose code is in the page want to be named in every copy of it.
    license: { fileName: "licences.md" },
    // The wasm is inside the package's chunk.
    chunkSizeWarningLimit: 2000,
    rolldownOptions: {
      output: {
        // The package is a chunk of its own: it carries the wasm, and stays cached when only the page changes. The exact
        // counters are loaded when somebody asks for them.
        codeSplitting: { groups: [{ name: "turnfold", test: (id) => id === here("../dist/index.js") }] },
      },
    },
  },
});
