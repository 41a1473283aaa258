// Formats everything that `npm run lint` checks.

import { main, run } from "./process.mjs";
import { setup } from "./setup.mjs";
import { nodeProgram, root } from "./tools.mjs";

main(import.meta, () => {
  setup({ tests: true });
  run("cargo", ["fmt"], { cwd: root });
  run(...nodeProgram("@biomejs/biome/bin/biome", ["check", "--write"]), { cwd: root });
});
