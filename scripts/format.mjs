// Formats everything that `npm run lint` checks.

import { main, run } from "./process.mjs";
import { needRustComponent, setup } from "./setup.mjs";
import { nodeProgram, root } from "./tools.mjs";

main(import.meta, () => {
  setup({ tests: false });
  needRustComponent("rustfmt");
  run("cargo", ["fmt"], { cwd: root });
  run(...nodeProgram("@biomejs/biome/bin/biome", ["check", "--write"]), { cwd: root });
});
