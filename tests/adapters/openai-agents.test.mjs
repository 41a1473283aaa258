// The adapter for OpenAI's Agents SDK with the real SDK and scripted models. The programs are themselves test files.

import assert from "node:assert/strict";
import { test } from "node:test";
import { packed, passedTests } from "./frameworks.mjs";

const turnfold = packed();

for (const name of ["filter", "session", "programs"]) {
  test(`${name}.ts is type-checked and passes`, () => {
    assert.ok(passedTests(turnfold, `openai-agents/${name}.ts`) > 8);
  });
}
