// The packed package in every host that the README promises, with that host's default settings and production builds.

import assert from "node:assert/strict";
import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { nodeResolve } from "@rollup/plugin-node-resolve";
import * as esbuild from "esbuild";
import { Miniflare } from "miniflare";
import { rollup } from "rollup";
import { build as vite } from "vite";
import webpack from "webpack";
import { openBrowser, serve } from "../browser.mjs";
import { chatting, counting, node, pack, program } from "./tarball.mjs";

const html =
  '<!doctype html><link rel="icon" href="data:,"><output></output><script type="module" src="./page.mjs"></script>';
const page = 'import { text } from "./program.mjs";\ndocument.querySelector("output").textContent = text();\n';
const print = 'import { text } from "./program.mjs";\nconsole.log(text());\n';
const slimProgram = program.replace('from "turnfold"', 'from "turnfold/slim"');

const countingPage =
  'import { text } from "./counting.mjs";\ntext().then((shown) => (document.querySelector("output").textContent = shown), (error) => queueMicrotask(() => { throw error; }));\n';
const counts = "o200k 14, cl100k 16";

let turnfold;
let browser;
let expected;

before(async () => {
  turnfold = pack();
  browser = await openBrowser();
  expected = node(turnfold.app("expected", { "program.mjs": program, "main.mjs": print }), "main.mjs").trimEnd();
});

after(async () => {
  await browser?.close();
  turnfold?.remove();
});

test("Node imports it", () => {
  assert.match(expected, /Find Ada's open orders — все заказы/);
  assert.match(expected, /^answer: 42$/m);
  assert.match(expected, /^refused: [a-z]+(_[a-z]+)*$/m);
});

test("Node requires it", () => {
  const { code } = esbuild.transformSync(program, { format: "cjs" });
  const app = turnfold.app("require", {
    "program.cjs": code,
    "main.cjs": 'console.log(require("./program.cjs").text());',
  });
  assert.equal(node(app, "main.cjs").trimEnd(), expected);
});

test("Vite builds it for production, with the wasm in one place", async () => {
  const app = turnfold.app("vite", { "program.mjs": program, "page.mjs": page, "index.html": html });
  await vite({ root: app, configFile: false, logLevel: "error" });
  assert.deepEqual(wasmFiles(join(app, "dist")), []);
  await showsExpected(join(app, "dist"));
});

test("webpack builds it for production", async () => {
  const app = turnfold.app("webpack", { "program.mjs": program, "page.mjs": page, "dist/index.html": html });
  await runWebpack({
    mode: "production",
    context: app,
    entry: "./page.mjs",
    output: { path: join(app, "dist"), filename: "page.mjs" },
  });
  assert.deepEqual(wasmFiles(join(app, "dist")), []);
  await showsExpected(join(app, "dist"));
});

test("esbuild bundles it for browsers", async () => {
  const app = turnfold.app("esbuild", { "program.mjs": program, "page.mjs": page, "dist/index.html": html });
  await bundle(app, { entryPoints: ["page.mjs"], format: "esm", minify: true, outfile: "dist/page.mjs" });
  await showsExpected(join(app, "dist"));
});

for (const format of ["esm", "cjs"]) {
  test(`esbuild bundles it into one ${format} file for Node`, async () => {
    const app = turnfold.app(`esbuild-${format}`, { "program.mjs": program, "main.mjs": print });
    const outfile = format === "esm" ? "moved/server.mjs" : "moved/server.cjs";
    await bundle(app, { entryPoints: ["main.mjs"], platform: "node", format, outfile });
    assert.equal(node(app, outfile).trimEnd(), expected);
  });
}

test("rollup bundles it", async () => {
  const app = turnfold.app("rollup", { "program.mjs": program, "page.mjs": page, "dist/index.html": html });
  const rolled = await rollup({ input: join(app, "page.mjs"), plugins: [nodeResolve({ browser: true })] });
  await rolled.write({ dir: join(app, "dist"), entryFileNames: "page.mjs" });
  await showsExpected(join(app, "dist"));
});

test("a plain page imports it through an import map", async () => {
  const app = turnfold.app("import-map", {
    "program.mjs": program,
    "page.mjs": page,
    "index.html": importMap("turnfold", "index.js"),
  });
  await showsExpected(app);
});

test("a page whose policy allows wasm and no other evaluation can use it", async () => {
  const app = turnfold.app("policy", { "program.mjs": program, "page.mjs": page, "index.html": html });
  await vite({ root: app, configFile: false, logLevel: "error" });
  await showsExpected(join(app, "dist"), {
    "content-security-policy": "default-src 'self' data:; script-src 'self' 'wasm-unsafe-eval'",
  });
});

test("on a page whose policy forbids wasm the first call throws, not the import", async () => {
  const ask = `import { TurnfoldError, typeOf } from "turnfold/lisp";
    const answer = () => {
      try {
        return typeOf(1);
      } catch (error) {
        return TurnfoldError.isInstance(error) ? error.code + ": " + error.hint : String(error);
      }
    };
    document.querySelector("output").textContent = answer();`;
  const app = turnfold.app("forbidden", { "page.mjs": ask, "index.html": html });
  await vite({ root: app, configFile: false, logLevel: "error" });
  const { shown } = await open(join(app, "dist"), { "content-security-policy": "default-src 'self' data:" });
  assert.match(shown, /^wasm_blocked: .*'wasm-unsafe-eval'/);
});

test("turnfold/slim accepts the response of a fetch", async () => {
  const start =
    'import { init } from "turnfold/slim";\nawait init(fetch(import.meta.resolve("turnfold/turnfold.wasm")));\n';
  const app = turnfold.app("slim", {
    "program.mjs": slimProgram,
    "page.mjs": start + page,
    "index.html": importMap("turnfold/slim", "slim.js"),
  });
  await showsExpected(app);
});

test("turnfold/slim accepts a URL, and Vite emits the wasm once", async () => {
  const start =
    'import wasm from "turnfold/turnfold.wasm?url";\nimport { init } from "turnfold/slim";\nawait init(new URL(wasm, location.href));\n';
  const app = turnfold.app("slim-vite", { "program.mjs": slimProgram, "page.mjs": start + page, "index.html": html });
  await vite({ root: app, configFile: false, logLevel: "error" });
  assert.equal(wasmFiles(join(app, "dist")).length, 1);
  await showsExpected(join(app, "dist"));
});

test("turnfold/slim accepts bytes in Node", () => {
  const start =
    'import { readFile } from "node:fs/promises";\nimport { init } from "turnfold/slim";\n' +
    'await init(await readFile(new URL(import.meta.resolve("turnfold/turnfold.wasm"))));\n';
  const app = turnfold.app("slim-node", { "program.mjs": slimProgram, "main.mjs": start + print });
  assert.equal(node(app, "main.mjs").trimEnd(), expected);
});

for (const compatibilityDate of ["2024-01-01", "2026-04-01"]) {
  test(`workerd runs it, compatibility date ${compatibilityDate}`, async () => {
    const worker = 'import { text } from "./program.mjs";\nexport default { fetch: () => new Response(text()) };\n';
    const app = turnfold.app(`workerd-${compatibilityDate}`, { "program.mjs": program, "worker.mjs": worker });
    await answers(app, compatibilityDate, expected);
  });
}

const chatPage = page.replace("./program.mjs", "./chatting.mjs");
const chatPrint = print.replace("./program.mjs", "./chatting.mjs");
const chat =
  /^ready; \d+ \d+; shared; user,assistant,tool,assistant,user; \{"name":"Desk lamp","price":42\.75\}; invalid_option$/;

test("Node imports and requires turnfold/chat", () => {
  const { code } = esbuild.transformSync(chatting, { format: "cjs" });
  const app = turnfold.app("chat-node", {
    "chatting.mjs": chatting,
    "chatting.cjs": code,
    "main.mjs": chatPrint,
    "main.cjs": 'console.log(require("./chatting.cjs").text());',
  });
  assert.match(node(app, "main.mjs").trimEnd(), chat);
  assert.equal(node(app, "main.cjs"), node(app, "main.mjs"));
});

test("turnfold/chat gives the same results in every host as turnfold in Node", async () => {
  const whole = { "chatting.mjs": chatting, "main.mjs": `import "turnfold";\n${chatPrint}` };
  const text = node(turnfold.app("chat-whole", whole), "main.mjs").trimEnd();
  assert.match(text, chat);

  const built = turnfold.app("chat-vite", { "chatting.mjs": chatting, "page.mjs": chatPage, "index.html": html });
  await vite({ root: built, configFile: false, logLevel: "error" });
  assert.deepEqual(wasmFiles(join(built, "dist")), []);
  await shows(text, join(built, "dist"));

  const worker = 'import { text } from "./chatting.mjs";\nexport default { fetch: () => new Response(text()) };\n';
  await answers(turnfold.app("chat-workerd", { "chatting.mjs": chatting, "worker.mjs": worker }), "2026-04-01", text);

  const start =
    'import wasm from "turnfold/chat.wasm?url";\nimport { init } from "turnfold/chat/slim";\nawait init(new URL(wasm, location.href));\n';
  const slim = turnfold.app("chat-slim", {
    "chatting.mjs": chatting.replace("turnfold/chat", "turnfold/chat/slim"),
    "page.mjs": start + chatPage,
    "index.html": html,
  });
  await vite({ root: slim, configFile: false, logLevel: "error" });
  assert.equal(wasmFiles(join(slim, "dist")).length, 1);
  await shows(text, join(slim, "dist"));
});

test("turnfold/slim and turnfold/chat/slim refuse each other's wasm and name their own", () => {
  const app = turnfold.app("chat-mistaken", {
    "main.mjs": `import { readFile } from "node:fs/promises";
      import { init } from "turnfold/slim";
      import { init as initChat } from "turnfold/chat/slim";
      const bytes = (name) => readFile(new URL(import.meta.resolve("turnfold/" + name)));
      const said = async (started) => started.then(() => "started", ({ code, hint }) => code + ": " + hint);
      console.log(await said(initChat()));
      console.log(await said(init(await bytes("chat.wasm"))));
      console.log(await said(initChat(await bytes("turnfold.wasm"))));
      console.log(await said(initChat(await bytes("chat.wasm"))));`,
  });
  assert.deepEqual(node(app, "main.mjs").trimEnd().split("\n"), [
    'not_initialized: await init(source) first, or import from "turnfold/chat"',
    "invalid_wasm: it must be the turnfold.wasm of this very version of the package",
    "invalid_wasm: it must be the chat.wasm of this very version of the package",
    "started",
  ]);
});

test("Node counts exactly, by import and by require", () => {
  const { code } = esbuild.transformSync(counting, { format: "cjs" });
  const app = turnfold.app("tokens-node", {
    "counting.mjs": counting,
    "counting.cjs": code,
    "main.mjs": 'import { text } from "./counting.mjs";\nconsole.log(await text());\n',
    "main.cjs": 'require("./counting.cjs").text().then(console.log);\n',
  });
  assert.equal(node(app, "main.mjs").trimEnd(), counts);
  assert.equal(node(app, "main.cjs").trimEnd(), counts);
});

test("Vite puts the vocabularies in scripts of their own", async () => {
  const app = turnfold.app("tokens-vite", { "counting.mjs": counting, "page.mjs": countingPage, "index.html": html });
  await vite({ root: app, configFile: false, logLevel: "error" });
  const scripts = readdirSync(join(app, "dist", "assets")).filter((path) => path.endsWith(".js"));
  assert.equal(scripts.filter((path) => path.includes("vocabulary")).length, 2);
  await shows(counts, join(app, "dist"));
});

test("webpack, rollup and esbuild bundle the exact counters", async () => {
  const files = { "counting.mjs": counting, "page.mjs": countingPage, "dist/index.html": html };
  const webpacked = turnfold.app("tokens-webpack", files);
  await runWebpack({
    mode: "production",
    context: webpacked,
    entry: "./page.mjs",
    output: { path: join(webpacked, "dist"), filename: "page.mjs" },
  });
  await shows(counts, join(webpacked, "dist"));

  const rolled = turnfold.app("tokens-rollup", files);
  const rollups = await rollup({ input: join(rolled, "page.mjs"), plugins: [nodeResolve({ browser: true })] });
  await rollups.write({ dir: join(rolled, "dist"), entryFileNames: "page.mjs" });
  await shows(counts, join(rolled, "dist"));

  const bundled = turnfold.app("tokens-esbuild", files);
  await bundle(bundled, { entryPoints: ["page.mjs"], format: "esm", minify: true, outfile: "dist/page.mjs" });
  await shows(counts, join(bundled, "dist"));
});

test("a plain page counts exactly through an import map, under a strict policy", async () => {
  const map = {
    imports: {
      "turnfold/tokens/o200k": "./node_modules/turnfold/dist/tokens/o200k.js",
      "turnfold/tokens/cl100k": "./node_modules/turnfold/dist/tokens/cl100k.js",
    },
  };
  const app = turnfold.app("tokens-import-map", {
    "counting.mjs": counting,
    "page.mjs": countingPage,
    "index.html": html.replace("<output>", `<script type="importmap">${JSON.stringify(map)}</script><output>`),
  });
  await shows(counts, app, {
    "content-security-policy": "default-src 'self' data:; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'",
  });
});

test("a missing vocabulary is an error with a code, and can be loaded later", () => {
  const app = turnfold.app("tokens-missing", {
    "main.mjs": `import { renameSync } from "node:fs";
      import { TurnfoldError } from "turnfold";
      import { o200k } from "turnfold/tokens/o200k";
      const error = await o200k().catch((error) => error);
      console.log(TurnfoldError.isInstance(error), error.code, error.details.encoding);
      const there = "./node_modules/turnfold/dist/tokens/o200k.vocabulary.js";
      renameSync("./elsewhere.js", there);
      console.log((await o200k()).count("Hello, world!"));`,
  });
  renameSync(join(app, "node_modules/turnfold/dist/tokens/o200k.vocabulary.js"), join(app, "elsewhere.js"));
  assert.equal(node(app, "main.mjs"), "true vocabulary_unavailable o200k\n4\n");
});

test("workerd manages requests with turnfold/gateway as Node does", async () => {
  const managing = `import { digest, manageRequest } from "turnfold/gateway";
export async function text() {
  const messages = [{ role: "user", content: "Why?" }];
  for (let call = 0; call < 9; call++) {
    messages.push({ role: "assistant", content: [{ type: "tool_use", id: "c" + call, name: "read", input: {} }] });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: "c" + call, content: "no prices\\n".repeat(200) }] });
  }
  const given = JSON.stringify({ model: "claude-opus-5-5", max_tokens: 9, messages });
  const { body, state, report } = await manageRequest(given, { compressionStrategy: digest(), when: "always", at: 0 });
  const again = await manageRequest(given, { compressionStrategy: digest(), when: "always", at: 1, state });
  return [report.isFolded, again.body === body, report.tokens.before, report.tokens.after, body].join("; ");
}
`;
  const print = 'import { text } from "./managing.mjs";\nconsole.log(await text());\n';
  const inNode = node(
    turnfold.app("gateway-node", { "managing.mjs": managing, "main.mjs": print }),
    "main.mjs",
  ).trimEnd();
  assert.match(inNode, /^true; true; \d+; \d+; \{"model"/);
  const worker =
    'import { text } from "./managing.mjs";\nexport default { fetch: async () => new Response(await text()) };\n';
  await answers(
    turnfold.app("gateway-workerd", { "managing.mjs": managing, "worker.mjs": worker }),
    "2026-04-01",
    inNode,
  );
});

test("workerd counts exactly", async () => {
  const worker =
    'import { text } from "./counting.mjs";\nexport default { fetch: async () => new Response(await text()) };\n';
  const app = turnfold.app("tokens-workerd", { "counting.mjs": counting, "worker.mjs": worker });
  await answers(app, "2026-04-01", counts);
});

/** Asserts that the app's worker responds with the text. */
async function answers(app, compatibilityDate, text) {
  // As wrangler does: with the condition workerd, and the wasm as a file for the runtime to compile.
  await bundle(app, {
    entryPoints: ["worker.mjs"],
    format: "esm",
    conditions: ["workerd"],
    loader: { ".wasm": "copy" },
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
  });
  const [wasm, ...others] = wasmFiles(join(app, "dist"));
  assert.deepEqual(others, []);
  const miniflare = new Miniflare({
    cf: false,
    compatibilityDate,
    modulesRoot: join(app, "dist"),
    modules: [
      { type: "ESModule", path: join(app, "dist", "worker.mjs") },
      { type: "CompiledWasm", path: join(app, "dist", wasm) },
    ],
  });
  try {
    const response = await miniflare.dispatchFetch("http://localhost/");
    assert.equal(await response.text(), text);
  } finally {
    await miniflare.dispose();
  }
}

/** Asserts that the page shows the text of program.mjs and requests only its own files. */
function showsExpected(folder, headers) {
  return shows(expected, folder, headers);
}

async function shows(text, folder, headers) {
  const { shown, problems } = await open(folder, headers);
  assert.deepEqual(problems, []);
  assert.equal(shown, text);
}

/** Opens a page; returns its text once it shows one, and all problems. */
async function open(folder, headers) {
  const server = await serve(folder, headers);
  const context = await browser.newContext();
  const problems = [];
  try {
    const tab = await context.newPage();
    tab.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${server.origin}/`) && !url.startsWith("data:")) problems.push(`asked for ${url}`);
    });
    tab.on("response", (response) => {
      if (!response.ok()) problems.push(`${response.status()} for ${response.url()}`);
    });
    const failed = new Promise((resolve) => {
      tab.on("pageerror", (error) => {
        problems.push(String(error.stack));
        resolve();
      });
    });
    await tab.goto(`${server.origin}/`, { waitUntil: "networkidle" });
    const output = tab.locator("output");
    await Promise.race([
      failed,
      tab.waitForFunction(() => document.querySelector("output").textContent !== "", null, { timeout: 60_000 }),
    ]);
    return { shown: await output.textContent(), problems };
  } finally {
    await context.close();
    await server.close();
  }
}

function importMap(name, file) {
  const imports = {
    [name]: `./node_modules/turnfold/dist/${file}`,
    "turnfold/turnfold.wasm": "./node_modules/turnfold/dist/turnfold.wasm",
  };
  return html.replace("<output>", `<script type="importmap">${JSON.stringify({ imports })}</script><output>`);
}

function bundle(app, options) {
  return esbuild.build({ absWorkingDir: app, bundle: true, logLevel: "error", ...options });
}

function runWebpack(config) {
  return new Promise((resolve, reject) => {
    // webpack's hints about page size do not matter here.
    const compiler = webpack({ ...config, performance: { hints: false } }, (error, stats) => {
      if (error) return reject(error);
      if (stats.hasErrors() || stats.hasWarnings()) return reject(new Error(stats.toString({ colors: false })));
      compiler.close(resolve);
    });
  });
}

function wasmFiles(folder) {
  return readdirSync(folder, { recursive: true }).filter((path) => path.endsWith(".wasm"));
}
