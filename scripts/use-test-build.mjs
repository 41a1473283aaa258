// `node --import ./scripts/use-test-build.mjs` resolves imports of the built package to its build for tests (test-build.mjs).

import { register } from "node:module";

register("./test-build-hooks.mjs", import.meta.url);
