// `node --import ./scripts/use-test-build.mjs` takes the built package from the folder that TURNFOLD_BUILD names, in place of dist. MUTANT is
// the number of a mutant there (mutants.mjs).

import { register } from "node:module";

register("./test-build-hooks.mjs", import.meta.url);
if (process.env.MUTANT !== undefined) globalThis.__mutant = Number(process.env.MUTANT);
