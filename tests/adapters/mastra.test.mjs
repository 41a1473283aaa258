// The adapter to Mastra with the real framework, and a language model of the AI SDK that replies from a script.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pack } from "../packaging/tarball.mjs";
import { app, program, run } from "./frameworks.mjs";

let turnfold;
before(() => {
  turnfold = pack();
});
after(() => turnfold.remove());

/** Runs a program, and returns the values of the lines that it printed. */
function printed(name) {
  const files = { "main.ts": program(`mastra/${name}.ts`), "scripted-model.ts": program("mastra/scripted-model.ts") };
  return run(app(turnfold, `mastra-${name}`, files), "main.ts")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("agent", () => {
  console.log(JSON.stringify(printed("agent"), null, 1));
});
