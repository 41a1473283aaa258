// The adapter for the AI SDK, with the versions 6 and 7 of the package `ai`. The programs are files of tests themselves.

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { pack } from "../packaging/tarball.mjs";
import { app, program, run } from "./frameworks.mjs";

let turnfold;

before(() => {
  // With it, the tests of a program would print for a runner, not for readers.
  delete process.env.NODE_TEST_CONTEXT;
  turnfold = pack();
});

after(() => turnfold.remove());

/** The models of version 7 have version 4 of the specification. */
const versions = [
  { version: 6, instead: {}, adapted: (text) => text, names: ["steps", "failures", "middleware"] },
  {
    version: 7,
    instead: { ai: "ai-7" },
    adapted: (text) => text.replaceAll("LanguageModelV3", "LanguageModelV4"),
    names: ["steps", "failures", "middleware", "version-7"],
  },
];

for (const { version, instead, adapted, names } of versions) {
  suite(`with AI SDK ${version}`, () => {
    for (const name of names) {
      test(`${name}.ts is type-checked and passes`, () => {
        const files = {
          [`${name}.ts`]: adapted(program(`ai-sdk/${name}.ts`)),
          "scripted.ts": adapted(program("ai-sdk/scripted.ts")),
        };
        const printed = run(app(turnfold, `${name}-${version}`, files, instead), `${name}.ts`);
        const [, passed] = /^# pass (\d+)$/m.exec(printed) ?? [];
        const [, failed] = /^# fail (\d+)$/m.exec(printed) ?? [];
        assert.ok(Number(passed) > 3 && failed === "0", printed);
      });
    }
  });
}
