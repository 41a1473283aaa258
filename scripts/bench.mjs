// Runs the benchmarks: first the native ones of criterion, then those of the built package in Node. With a name, it runs only
// that benchmark of the package, with the arguments after the name: `npm run bench -- recall FOLDER`.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { main, run } from "./process.mjs";
import { setup } from "./setup.mjs";
import { root } from "./tools.mjs";

main(import.meta, async (args) => {
  setup({ tests: false });
  await build();
  const folder = join(root, "benches", "js");
  const programs = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".bench.mjs")) : [];
  const [chosen, ...rest] = args;
  if (programs.includes(`${chosen}.bench.mjs`)) {
    run(process.execPath, ["--expose-gc", join(folder, `${chosen}.bench.mjs`), ...rest], { cwd: process.cwd() });
    return;
  }
  run("cargo", ["bench", ...args], { cwd: root });
  for (const name of programs.sort()) run(process.execPath, ["--expose-gc", join(folder, name)], { cwd: root });
});
