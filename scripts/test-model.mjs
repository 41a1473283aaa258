// Tests the package with a real model on this machine, which it installs first: `npm run test:model` runs all of these tests,
// `npm run test:model -- agent` those in tests/model/agent.test.mjs, and `npm run test:model -- --install` none.
//
// It is not part of `npm test`: the model takes 210 MB, and the tests some minutes of one processor.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { installModel } from "./model.mjs";
import { main, Problem, succeeds } from "./process.mjs";
import { setup } from "./setup.mjs";
import { root } from "./tools.mjs";

const folder = join("tests", "model");
const END = ".test.mjs";

main(import.meta, async (args) => {
  const names = readdirSync(join(root, folder))
    .filter((name) => name.endsWith(END))
    .map((name) => name.slice(0, -END.length))
    .sort();
  const isInstallation = args.includes("--install");
  const unknown = args.filter((name) => name !== "--install" && !names.includes(name));
  if (unknown.length > 0) {
    throw new Problem(`There is no ${unknown.join(", ")} in ${folder}. There are: ${names.join(", ")}.`);
  }
  setup({ tests: false });
  await installModel();
  if (isInstallation) return;
  await build();
  const chosen = args.length === 0 ? names : args;
  // One file at a time: two models on the same processors are more than twice as slow.
  const options = ["--test", "--test-reporter=spec", "--test-concurrency=1", "--test-timeout=600000"];
  const files = chosen.map((name) => join(folder, name + END));
  if (!succeeds(process.execPath, [...options, ...files], { cwd: root })) process.exitCode = 1;
});
