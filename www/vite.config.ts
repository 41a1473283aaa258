import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { answersPolicy } from "../scripts/answers-policy.mjs";
import { firstPaint } from "../scripts/first-paint.mjs";
import { offlineWorker } from "../scripts/offline.mjs";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("."),
  base: "./",
  // The documents, which scripts/site.mjs builds.
  publicDir: here("../.cache/site"),
  plugins: [answersPolicy(), firstPaint(), offlineWorker()],
  resolve: {
    alias: [
      // The wasm is a file of its own, which is compiled while it arrives.
      { find: /^turnfold$/, replacement: here("../dist/slim.js") },
      { find: /^turnfold\/turnfold\.wasm(?=\?url$)/, replacement: here("../dist/turnfold.wasm") },
      { find: /^turnfold\/(tokens\/\w+)$/, replacement: here("../dist/$1.js") },
    ],
  },
  // The worker that computes costs loads the exact counters on demand.
  worker: { format: "es" },
  build: {
    outDir: here("./dist"),
    emptyOutDir: true,
    target: "es2022",
    // Those whose code is in the page want to be named in every copy of it.
    license: { fileName: "licences.md" },
    // The vocabularies of the exact counters.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        // The package is a chunk of its own, which stays cached when only the page changes. The exact
        // counters are loaded when somebody asks for them. What the first view needs is one chunk, which packs better than
        // the many that tabs and dialogs would share otherwise.
        codeSplitting: {
          groups: [
            { name: "turnfold", test: (id) => id === here("../dist/slim.js"), priority: 1 },
            { name: "page", tags: ["$initial"] },
          ],
        },
      },
    },
  },
});
