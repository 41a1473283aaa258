// The adapter for the AI SDK, with the versions 6 and 7 of the package `ai`. The programs are themselves test files.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { packed, passedTests } from "./frameworks.mjs";

const turnfold = packed();

/** The models of version 7 have version 4 of the specification. */
const versions = [
  { version: 6, options: {}, names: ["steps", "failures", "middleware", "approvals", "programs"] },
  {
    version: 7,
    options: {
      instead: { ai: "ai-7" },
      adapted: (text) => text.replaceAll("LanguageModelV3", "LanguageModelV4"),
    },
    names: ["steps", "failures", "middleware", "approvals", "programs", "version-7"],
  },
];

for (const { version, options, names } of versions) {
  suite(`with AI SDK ${version}`, () => {
    for (const name of names) {
      test(`${name}.ts is type-checked and passes`, () => {
        assert.ok(passedTests(turnfold, `ai-sdk/${name}.ts`, options) > 3);
      });
    }
  });
}
