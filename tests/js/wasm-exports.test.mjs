import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import binaryen from "binaryen";

// The V8 of Node 20 and 22 ends the process with "unreachable code" when a function of the host makes it drop optimized code
// that called an export whose only result is a reference.
for (const name of ["turnfold", "turns", "chat"]) {
  test(`no export of ${name}.wasm has a reference as its only result`, () => {
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
    assert(functions > 15, `${functions} functions`);
    assert.deepEqual(lone, []);
  });
}
