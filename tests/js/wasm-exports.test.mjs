import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import binaryen from "binaryen";

// When a function of the host makes V8 drop the optimized code that called such an export, the V8 of Node 20 and 22 ends the
// process with "unreachable code".
for (const name of ["turnfold", "chat"]) {
  test(`no export of ${name}.wasm returns a lone reference`, () => {
    const module = binaryen.readBinary(readFileSync(new URL(`../../dist/${name}.wasm`, import.meta.url)));
    let functions = 0;
    const lone = [];
    for (let index = 0; index < module.getNumExports(); index++) {
      const { kind, name, value } = binaryen.getExportInfo(module.getExportByIndex(index));
      if (kind !== binaryen.ExternalFunction) continue;
      functions++;
      const { results } = binaryen.getFunctionInfo(module.getFunction(value));
      if (results === binaryen.externref) lone.push(name);
    }
    module.dispose();
    assert(functions > 20, `${functions} functions`);
    assert.deepEqual(lone, []);
  });
}
