// The types inferred from signatures as an editor shows them: members and their types, no names of helper types.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { nodeProgram, root } from "../../scripts/tools.mjs";

const folder = join(root, ".cache", `inferred-types-${process.pid}`);
after(() => rmSync(folder, { recursive: true, force: true }));

/** The declarations that the compiler emits for a program; it prints types as editors do. */
function declarations(program) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "program.ts"), program);
  const compilerOptions = {
    strict: true,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: folder,
    module: "esnext",
    moduleResolution: "bundler",
    target: "es2022",
    lib: ["es2024", "dom"],
    types: [],
    paths: { turnfold: [join(root, "dist/index.d.ts")], "turnfold/*": [join(root, "dist/*.d.ts")] },
  };
  const project = join(folder, "tsconfig.json");
  writeFileSync(project, JSON.stringify({ compilerOptions, files: ["program.ts"] }));
  const { status, stdout } = spawnSync(...nodeProgram("typescript/bin/tsc", ["--project", project]), {
    encoding: "utf8",
  });
  assert.equal(status, 0, stdout);
  return readFileSync(join(folder, "program.d.ts"), "utf8").replaceAll(/\s+/g, " ");
}

test("the inputs and the result of an agent are shown as objects", () => {
  const text = declarations(`
    import { Predict, SubAgent } from "turnfold";
    const lamps = new SubAgent({
      mission: "Find lamps",
      signature: '(what :string, sort ("price" | "name")?) -> {name :string, tags [{id :int}]}',
    });
    const step = await lamps.run({ data: { what: "lamp" } });
    export const run = lamps.run.bind(lamps);
    export const result = step.ok ? step.return : null;
    export const outputs = new Predict('review -> mood: Literal["good", "bad"], by: {id :int}').call({ review: "" });
  `);
  assert.doesNotMatch(text, /\b(Flat|Known|Read|Entry|InputsOf|OutputsOf|ResultOf|RunArguments|StepResult)\b/);
  // The compiler chooses the order of members.
  assert.match(text, /RunOptions<\{ [^>]*what: string; [^>]*\}, any>/);
  assert.match(text, /RunOptions<\{ [^>]*sort\?: "name" \| "price" \| null/);
  assert.match(text, /result: \{ name: string; tags: \{ id: number; \}\[\]; \} \| null;/);
  assert.match(text, /outputs: Promise<\{ [^>]*mood: ("good" \| "bad"|"bad" \| "good"); [^>]*\}>;/);
});
