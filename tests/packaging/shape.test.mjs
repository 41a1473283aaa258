// The contents of the tarball, and the findings of tools that read its package.json.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { nodeProgram, root } from "../../scripts/tools.mjs";
import { pack } from "./tarball.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");
const manifest = JSON.parse(read("package.json"));

let turnfold;
before(() => {
  turnfold = pack();
});
after(() => turnfold?.remove());

test("the tarball holds the entries, their chunks, the wasms, the vocabularies and the licences, and no sources or maps", () => {
  const dist = turnfold.files.filter((path) => path.startsWith("dist/") && !path.endsWith(".d.ts"));
  const both = (path) => [`dist/${path}.js`, `dist/${path}.workerd.js`];
  const adapters = ["ag-ui", "ai-sdk", "langchain", "mastra", "openai-agents"];
  const forms = ["turns", "chat", "predict", "lisp"];
  assert.deepEqual(
    dist.filter((path) => !/^dist\/(?:chunk-|studio\/assets\/)/.test(path)).sort(),
    [
      "dist/THIRD-PARTY-NOTICES.md",
      ...readdirSync(join(root, "js/cli")).map((name) => `dist/cli/${name}`),
      "dist/report.html",
      "dist/slim.js",
      ...["index.html.br", "licences.md"].map((name) => `dist/studio/${name}`),
      ...["index", ...forms, "audit", "gateway", ...adapters.map((name) => `adapters/${name}`)].flatMap(both),
      ...forms.map((name) => `dist/${name}-slim.js`),
      ...["openai", "anthropic", "gemini", "ai-sdk"].map((name) => `dist/entries/formats/${name}.js`),
      ...["openai", "anthropic", "gemini", "ai-sdk", "fetch"].map((name) => `dist/entries/models/${name}.js`),
      ...["turnfold", "turns", "chat", "predict", "tokens/counter"].map((name) => `dist/${name}.wasm`),
      ...["o200k", "cl100k"].flatMap((name) => [...both(`tokens/${name}`), `dist/tokens/${name}.vocabulary.js`]),
    ].sort(),
  );
  assert.ok(dist.filter((path) => path.startsWith("dist/chunk-")).length < 24, dist.join(" "));
  for (const path of [
    "package.json",
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "llms.txt",
    "docs/README.md",
    "docs/SKILL.md",
    "docs/api/README.md",
    "docs/playground.png",
    "tests/language/01-forms.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
  ]) {
    assert.ok(turnfold.files.includes(path), `${path} is not packed`);
  }
  const strays = turnfold.files.filter(
    (path) =>
      !/^(dist|docs)\/|^tests\/language\/[\w-]+\.md$|^(package\.json|llms\.txt|(README|ARCHITECTURE|CHANGELOG|CONTRIBUTING|SECURITY)\.md|LICENSE-\w+)$/.test(
        path,
      ),
  );
  assert.deepEqual(strays, []);
});

test("scripts are minified, and ASCII", () => {
  const bundles = turnfold.files.filter((path) => path.startsWith("dist/") && path.endsWith(".js"));
  for (const path of bundles.filter((path) => !path.endsWith(".vocabulary.js"))) {
    const text = read(path);
    assert.doesNotMatch(text, /[\u0080-\uFFFF]/, path);
    assert.doesNotMatch(text, /^\s+(?:const|let|return)\b/m, path);
  }
});

test("an uncaught error is printed without a long line of the bundle", () => {
  const app = turnfold.app("uncaught", { "main.mjs": 'import { Renderer } from "turnfold";\nnew Renderer({});\n' });
  const { stderr, status } = spawnSync(process.execPath, ["main.mjs"], { cwd: app, encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /^TurnfoldError: the option `mission` is missing$/m);
  assert.ok(stderr.length < 5000, `${stderr.length} characters`);
});

test("the package has no install scripts and no dependencies", () => {
  assert.equal(manifest.dependencies, undefined);
  assert.equal(manifest.peerDependencies, undefined);
  for (const script of ["preinstall", "install", "postinstall", "prepare"])
    assert.equal(manifest.scripts[script], undefined);
});

test("crate and package have one version", () => {
  assert.equal(/^version = "(.+)"$/m.exec(read("Cargo.toml"))[1], manifest.version);
});

for (const folder of [".", "tests/adapters", "tests/model/engine", "www/docs"]) {
  // A link to a folder is resolved without a registry.
  test(`the lock file in ${folder} names no registry`, () =>
    assert.doesNotMatch(read(join(folder, "package-lock.json")), /"resolved": "(?!node_modules\/)/));
}

test("publint finds no problem", async () => {
  const tarball = new Uint8Array(readFileSync(turnfold.tarball)).buffer;
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg, { color: false })),
    [],
  );
});

test("arethetypeswrong finds no problem", () => {
  // The wasm files are fetched, not imported, so they have no types.
  const options = [
    ...["--profile", "esm-only", "--no-emoji", "--no-color"],
    ...["--exclude-entrypoints", "./turnfold.wasm", "./turns.wasm", "./chat.wasm", "./predict.wasm"],
  ];
  const [command, args] = nodeProgram("@arethetypeswrong/cli/dist/index.js", [turnfold.tarball, ...options]);
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
});

for (const [module, moduleResolution] of [
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
]) {
  test(`its declarations have no type errors on their own, module resolution ${moduleResolution}`, () => {
    const app = turnfold.app(`types-${moduleResolution}`, {
      "main.ts":
        'import { Turn, toMessages } from "turnfold";\nimport { Conversation, planHistory } from "turnfold/chat";\nimport { init as initChat } from "turnfold/chat/slim";\nimport { init } from "turnfold/slim";\nimport { cl100k } from "turnfold/tokens/cl100k";\nimport { o200k } from "turnfold/tokens/o200k";\nconst text: string = toMessages([] as Turn[], null, { mission: "m" }).messages[0]!.content;\nexport const ready: Promise<void> = init(text).then(() => initChat(text));\nexport const outcome: string = planHistory(new Conversation(), {}).outcome;\nexport const count: Promise<number> = Promise.all([o200k(), cl100k()]).then(([a, b]) => a.count(text) + b.count(text));\n',
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          target: "es2022",
          lib: ["es2022", "dom"],
          module,
          moduleResolution,
          strict: true,
          exactOptionalPropertyTypes: true,
          types: [],
          noEmit: true,
        },
        files: ["main.ts"],
      }),
    });
    const [command, args] = nodeProgram("typescript/bin/tsc", ["--project", app]);
    const { status, stdout } = spawnSync(command, args, { encoding: "utf8" });
    assert.equal(status, 0, stdout);
  });
}
