// The adapter for OpenAI's Agents SDK with the real SDK and scripted models. The programs are files of tests themselves.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pack } from "../packaging/tarball.mjs";
import { app, program, run } from "./frameworks.mjs";

let turnfold;

before(() => {
  // With it, the tests of a program would print for a runner, not for readers.
  delete process.env.NODE_TEST_CONTEXT;
  turnfold = pack();
});

after(() => turnfold.remove());

for (const name of ["filter", "session"]) {
  test(`${name}.ts is type-checked and passes`, () => {
    const files = {
      [`${name}.ts`]: program(`openai-agents/${name}.ts`),
      "scripted.ts": program("openai-agents/scripted.ts"),
    };
    const printed = run(app(turnfold, `openai-agents-${name}`, files), `${name}.ts`);
    const [, passed] = /^# pass (\d+)$/m.exec(printed) ?? [];
    const [, failed] = /^# fail (\d+)$/m.exec(printed) ?? [];
    assert.ok(Number(passed) > 8 && failed === "0", printed);
  });
}
