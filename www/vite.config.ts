import { fileURLToPath } from "node:url";
import { defineConfig, type InlineConfig, type Plugin } from "vite";
import { version } from "../package.json" with { type: "json" };
import { answersPolicy } from "../scripts/answers-policy.mjs";
import { withClassNames } from "../scripts/class-names.mjs";
import { firstPaint } from "../scripts/first-paint.mjs";
import { offlineWorker } from "../scripts/offline.mjs";
import { sandboxed } from "../scripts/sandboxed.mjs";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The folders of the package's sources and of the files generated for them. */
const packaged = [here("../js/"), here("../.cache/wasm/")];

const classNames: Plugin = {
  name: "class-names",
  enforce: "pre",
  transform: (code, id) => (id.startsWith(here("../js/")) ? withClassNames(code) : null),
};

/** The part of the configuration that holds for all scripts. */
const shared = {
  resolve: {
    alias: [
      // The wasm is a separate file, which the browser compiles while it arrives. The package is imported from its sources and
      // not from its bundle, so that code for tabs and dialogs is loaded with them: the first load is a fifth smaller.
      { find: /^turnfold$/, replacement: here("../js/index.ts") },
      { find: /^turnfold\/(turns|chat|predict|audit|lisp)$/, replacement: here("../js/$1.ts") },
      { find: /^turnfold\/((?:formats|models)\/[\w-]+)$/, replacement: here("../js/entries/$1.ts") },
      // A part of turnfold/audit that is in the first load.
      { find: /^turnfold\/(model\/model-prices)$/, replacement: here("../js/$1.ts") },
      // One wasm has everything; the modules of the others import files that the build of the page does not make.
      {
        find: /^\.\/boundary\/wasms\/(turns|chat|predict)\.ts$/,
        replacement: here("../js/boundary/wasms/turnfold.ts"),
      },
      { find: /^turnfold\/turnfold\.wasm(?=\?url$)/, replacement: here("../dist/turnfold.wasm") },
      { find: /^turnfold\/(tokens\/\w+)$/, replacement: here("../dist/$1.js") },
    ],
  },
  define: { TURNFOLD_VERSION: JSON.stringify(version) },
} satisfies InlineConfig;

/** The page of `turnfold studio`, which takes the wasm and the vocabularies from the package: js/cli/studio-server.mjs. */
const filesOfPackage: Plugin = {
  name: "files-of-package",
  enforce: "pre",
  resolveId(id) {
    const [, vocabulary] = /(\w+)\.vocabulary\.js$/.exec(id) ?? [];
    if (vocabulary !== undefined) return { id: `/assets/${vocabulary}.vocabulary.js`, external: "absolute" };
    return id.endsWith("/turnfold.wasm?url") ? "\0wasm-of-package" : null;
  },
  load: (id) => (id === "\0wasm-of-package" ? 'export default "/assets/turnfold.wasm";' : null),
};

export default defineConfig(({ mode }) => ({
  root: here("."),
  base: "./",
  // The documents, which scripts/site.mjs builds.
  publicDir: mode === "studio" ? false : here("../.cache/site"),
  plugins: [
    classNames,
    answersPolicy(),
    firstPaint(),
    mode === "studio" ? filesOfPackage : offlineWorker(),
    sandboxed({ ...shared, root: here("."), plugins: [classNames] }),
  ],
  ...shared,
  // The worker that computes costs loads the exact counters on demand.
  worker: { format: "es", plugins: () => (mode === "studio" ? [classNames, filesOfPackage] : [classNames]) },
  build: {
    outDir: here("./dist"),
    emptyOutDir: true,
    target: "es2022",
    // The licences of the bundled packages require a notice in every copy.
    license: { fileName: "licences.md" },
    // The vocabularies of the exact counters exceed the default limit.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      output: {
        // The package is a separate chunk, which stays cached when only the page changes. The exact counters are loaded when
        // they are chosen. The code of the first view is one chunk, because it compresses better than the many chunks that
        // tabs and dialogs would share otherwise.
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
}));
