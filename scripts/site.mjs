// Builds the API reference from the declarations, by TypeDoc, the site of the documents, by VitePress, and the playground, by Vite.
//
// Both tools are in a separate package, www/docs: VitePress needs an older Vite than the playground, TypeDoc an older compiler than
// the package.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { main, run } from "./process.mjs";
import { installPackages, setup } from "./setup.mjs";
import { whenChanged } from "./stamp.mjs";
import { nodeProgram, root } from "./tools.mjs";

const folder = join(root, "www", "docs");

/** Writes docs/api and .cache/api.json. Needs the declarations in dist. */
export async function buildReference() {
  installPackages(folder);
  const declarations = readdirSync(join(root, "dist"), { recursive: true })
    .filter((path) => path.endsWith(".d.ts"))
    .map((path) => join("dist", path));
  await whenChanged(
    "reference",
    {
      inputs: [...declarations.sort(), "www/docs/typedoc.json", "www/docs/tsconfig.json", "www/docs/package-lock.json"],
      outputs: ["docs/api/README.md", ".cache/api.json"],
    },
    () => {
      console.log("› Writing the API reference");
      rmSync(join(root, "docs", "api"), { recursive: true, force: true });
      program("typedoc/bin/typedoc", ["--logLevel", "Error"]);
    },
  );
}

/** Writes the site into .cache/site, from where the playground's build takes it. */
export async function buildSite() {
  await buildReference();
  const own = readdirSync(folder).filter((name) => name !== "node_modules" && !name.startsWith("."));
  const documents = [
    "README.md",
    "CHANGELOG.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "llms.txt",
    "docs",
    "tests/language",
  ];
  await whenChanged(
    "site",
    {
      inputs: [
        ...documents,
        ...own.map((name) => `www/docs/${name}`),
        ...["config.ts", "examples.mjs", "pages.mjs", "playground.ts", "theme"].map(
          (name) => `www/docs/.vitepress/${name}`,
        ),
        "scripts/site.mjs",
      ],
      settings: [process.env.SITE_BASE, process.env.SITE_ORIGIN],
      outputs: [".cache/site/docs/index.html"],
    },
    () => {
      console.log("› Building the documents");
      // VitePress empties the folder and doesn't remove it; a server that watches the folder goes on serving what is in it.
      program("vitepress/bin/vitepress.js", ["build", "."]);
    },
  );
}

/** Builds the playground into www/dist, with the site inside. */
export async function buildPlayground() {
  await buildSite();
  await whenChanged(
    "playground",
    {
      inputs: [
        ...["www/src", "www/index.html", "www/vite.config.ts", "www/tsconfig.json", "js", ".cache/site", ".cache/wasm"],
        ...["dist/turnfold.wasm", "dist/tokens", "package.json", "package-lock.json", "scripts/answers-policy.mjs"],
        ...["scripts/class-names.mjs", "scripts/first-paint.mjs", "scripts/offline.mjs", "scripts/site.mjs"],
      ],
      outputs: ["www/dist/index.html"],
    },
    () => {
      console.log("› Building the playground");
      run(...nodeProgram("vite/bin/vite.js", ["build", "--config", "www/vite.config.ts"]), { cwd: root });
    },
  );
}

function program(path, args) {
  run(process.execPath, [join(folder, "node_modules", path), ...args], { cwd: folder });
}

main(import.meta, async () => {
  setup({ tests: false });
  await build();
  await buildSite();
});
