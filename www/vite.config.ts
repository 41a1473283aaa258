import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { version } from "../package.json" with { type: "json" };
import { answersPolicy } from "../scripts/answers-policy.mjs";
import { withClassNames } from "../scripts/class-names.mjs";
import { firstPaint } from "../scripts/first-paint.mjs";
import { offlineWorker } from "../scripts/offline.mjs";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Where the package's sources are, with what is generated for them. */
const packaged = [here("../js/"), here("../.cache/wasm/")];

const classNames: Plugin = {
  name: "class-names",
  enforce: "pre",
  transform: (code, id) => (id.startsWith(here("../js/")) ? withClassNames(code) : null),
};

export default defineConfig({
  root: here("."),
  base: "./",
  // The documents, which scripts/site.mjs builds.
  publicDir: here("../.cache/site"),
  plugins: [classNames, answersPolicy(), firstPaint(), offlineWorker()],
  resolve: {
    alias: [
      // The wasm is a file of its own, which is compiled while it arrives. The sources in place of the bundle: what only tabs and
      // dialogs need is loaded with them, which makes the first load a fifth smaller.
      { find: /^turnfold$/, replacement: here("../js/slim.ts") },
      { find: /^turnfold\/turnfold\.wasm(?=\?url$)/, replacement: here("../dist/turnfold.wasm") },
      { find: /^turnfold\/(tokens\/\w+)$/, replacement: here("../dist/$1.js") },
    ],
  },
  define: { TURNFOLD_VERSION: JSON.stringify(version) },
  // The worker that computes costs loads the exact counters on demand.
  worker: { format: "es", plugins: () => [classNames] },
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
            {
              name: "turnfold",
              tags: ["$initial"],
              test: (id) => packaged.some((folder) => id.startsWith(folder)),
              priority: 1,
            },
            { name: "page", tags: ["$initial"] },
          ],
        },
      },
    },
  },
});
