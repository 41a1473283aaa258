// The playground without its views, in Node: the modules of www/src that hold the page's state.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "../../scripts/tools.mjs";

const source = join(root, "www", "src");

/** Loads imports with `?raw` as the text of the file, as Vite does. */
const rawTexts = {
  name: "raw",
  setup(build) {
    build.onResolve({ filter: /\?raw$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/\?raw$/, "")),
      namespace: "raw",
    }));
    // There is no sandbox without a browser.
    build.onResolve({ filter: /\?(sandboxed|url)$/ }, ({ path }) => ({ path, namespace: "none" }));
    build.onLoad({ filter: /./, namespace: "none" }, () => ({ contents: "", loader: "text" }));
    build.onLoad({ filter: /./, namespace: "raw" }, async ({ path }) => ({
      contents: await readFile(path, "utf8"),
      loader: "text",
    }));
  },
};

/** The modules of a page, by their names in the result of `openPage`. */
const modules = {
  agent: "run/agent.ts",
  chat: "chat/store.ts",
  chatCode: "share/chat-code.ts",
  chatPlan: "chat/plan.ts",
  chatSummaries: "chat/summaries.ts",
  chatWords: "chat/words.ts",
  differences: "turns/differences.ts",
  exampleList: "examples/list.ts",
  examples: "examples/index.ts",
  file: "share/file.ts",
  fragment: "states/fragment.ts",
  frames: "turns/frames.ts",
  omitted: "turns/omitted.ts",
  programs: "programs/store.ts",
  programsCall: "programs/calling.ts",
  programsCode: "share/programs-code.ts",
  programsProgram: "programs/program.ts",
  repl: "running/repl.ts",
  running: "running/running.ts",
  saved: "states/saved.ts",
  savedStep: "run/saved-step.ts",
  session: "run/session.ts",
  shared: "tokens/shared.ts",
  sharing: "share/link.ts",
  store: "states/store.ts",
  tab: "page/tab.ts",
  timeline: "tokens/timeline.ts",
  turnsCode: "share/turns-code.ts",
};

const folder = join(root, ".cache", "playground");

/** Bundles modules of www/src into one file. They import the package by its name. */
async function bundle(name, contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: source },
    bundle: true,
    format: "esm",
    target: "es2022",
    external: ["turnfold", "turnfold/*"],
    alias: { "turnfold/model/model-prices": join(root, "js/model/model-prices.ts") },
    plugins: [rawTexts],
    write: false,
  });
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}-${process.pid}.mjs`);
  writeFileSync(file, outputFiles[0].text);
  process.once("exit", () => rmSync(file, { force: true }));
  return pathToFileURL(file);
}

/** Bundles and imports these modules; returns all their exports. */
export async function load(name, ...paths) {
  return import(await bundle(name, paths.map((path) => `export * from "./${path}";`).join("\n")));
}

let bundled;
let lastPage = 0;

/** Opens a page with its first example, and returns its modules. */
export async function openPage() {
  bundled ??= bundle(
    "page",
    Object.entries(modules)
      .map(([name, path]) => `export * as ${name} from "./${path}";`)
      .join("\n"),
  );
  return import(`${await bundled}?${++lastPage}`);
}

/** Opens a page with a state in the form that links hold, on a tab. */
export async function openState(state, tab = "turns") {
  const page = await openPage();
  page.store.load(page.saved.fromSaved(state), null, tab);
  return page;
}

/** Opens a page with an example. */
export async function openExample(id, tab = "turns") {
  const page = await openPage();
  const example = await page.examples.loadExample(id);
  page.store.load(page.store.stateOf(example), example, tab);
  return page;
}

/** Replaces the page's frame for answers of tools; runs them in this process. */
class AnswerFrame {
  contentWindow = {
    postMessage: async ({ id, source: text, args }) => {
      const answered = await answerOf(text, args).then(
        (value) => ({ id, value }),
        (error) => ({ id, error: error.message }),
      );
      for (const handle of messageHandlers) handle({ source: this.contentWindow, data: answered });
    },
  };
  setAttribute() {}
  addEventListener(_, handle) {
    queueMicrotask(handle);
  }
  remove() {}
}

const answerOf = async (text, args) => new Function(`return (${text}\n)`)()(...args);

const messageHandlers = new Set();

/** Node 20 lacks Map.groupBy. */
Map.groupBy ??= (items, keyOf) => {
  const groups = new Map();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    if (groups.has(key)) groups.get(key).push(item);
    else groups.set(key, [item]);
  }
  return groups;
};

// The browser globals that the modules use.
Object.assign(globalThis, {
  location: new URL("http://playground.test/"),
  document: {
    activeElement: null,
    body: { append() {} },
    createElement: () => new AnswerFrame(),
    getElementById: () => null,
  },
  requestAnimationFrame: setImmediate,
  addEventListener: (type, handle) => type === "message" && messageHandlers.add(handle),
});
