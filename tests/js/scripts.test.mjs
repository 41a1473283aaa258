// The scripts that decide which tests run, and when.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { nodeTestsOf } from "../../scripts/changed.mjs";
import { withMutants } from "../../scripts/mutants.mjs";
import { closureOf } from "../../scripts/uses.mjs";

/** Runs stages whose commands print their name twice, with a pause between; returns what is printed and the outcomes. */
async function staged(stages, width) {
  const script = `
    import { runStages } from ${JSON.stringify(new URL("../../scripts/schedule.mjs", import.meta.url))};
    const print = "const [name, fails] = process.argv.slice(1); console.log(name);"
      + "setTimeout(() => { console.log(name); process.exitCode = Number(fails); }, 60)";
    const stages = ${JSON.stringify(stages)};
    const command = (name) =>
      [process.execPath, "-e", print, name, stages.find((stage) => stage.name === name).fails ? "1" : "0"];
    const results = await runStages(stages.map((stage) => ({ title: stage.name, ...stage })), ${width}, command);
    console.log(JSON.stringify(Object.fromEntries(results.map(({ name, outcome }) => [name, outcome]))));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return { text: stdout, outcomes: JSON.parse(stdout.trim().split("\n").at(-1)) };
}

test("stages run beside each other, and what each prints is printed at its end", async () => {
  const { text, outcomes } = await staged([{ name: "first" }, { name: "second" }, { name: "third" }], 2);
  assert.deepEqual(outcomes, { first: "passed", second: "passed", third: "passed" });
  for (const name of ["first", "second"])
    assert.match(text, new RegExp(`━━ ${name} \\(${name}\\)\\n${name}\\n${name}\\n`));
  assert.ok(text.indexOf("› second") < text.indexOf("━━ first"), "the second begins before the first ends");
  assert.ok(text.indexOf("third (third)") > Math.min(text.indexOf("━━ first:"), text.indexOf("━━ second:")));
});

test("a stage runs after those that it needs, not when one failed, and alone with what it uses", async () => {
  const stages = [
    { name: "build", fails: true },
    { name: "lock", uses: ["target"] },
    { name: "other", uses: ["target"] },
    { name: "page", needs: ["build"] },
    { name: "site", needs: ["page"] },
    { name: "late", needs: ["lock"] },
  ];
  const { text, outcomes } = await staged(stages, 3);
  assert.deepEqual(outcomes, {
    build: "FAILED",
    lock: "passed",
    other: "passed",
    page: "not run",
    site: "not run",
    late: "passed",
  });
  assert.ok(text.indexOf("other (other)") > text.indexOf("━━ lock: passed"));
  assert.ok(text.indexOf("late (late)") > text.indexOf("━━ lock: passed"));
});

test("a test depends on the modules of the names that it imports, on case files, and on Rust where it calls the wasm", () => {
  const files = (path) => closureOf(path);
  const language = files("tests/js/language.test.mjs");
  for (const path of ["js/sandbox/lisp.ts", "tests/language/15-dates.md", "src/lisp/builtins/dates.rs"])
    assert.ok(language.has(path), path);
  for (const path of ["js/chat/conversation.ts", "tests/chats/limits"]) assert.ok(!language.has(path), path);
  assert.equal(language.get("js/sandbox/lisp.ts"), 1, "an entry is no step");
  assert.ok(!files("tests/js/partial-json.test.mjs").has("src/wasm.rs"));
  assert.equal(files("tests/js/partial-json.test.mjs").get("js/chat/partial-json.ts"), 1, "modules that tests bundle");
  assert.ok(files("tests/playground/secrets.test.mjs").has("www/src/share/secrets.ts"));
  const cases = files("tests/it/cases.rs");
  for (const path of ["tests/it/chat.rs", "src/chat/limits.rs", "tests/language/15-dates.md"])
    assert.ok(cases.has(path), path);
  assert.ok(files("tests/it/signatures.rs").has("tests/signatures/fit.txt"), "an included file");
  assert.ok(!files("tests/it/signatures.rs").has("src/chat/limits.rs"));
});

test("the nearest tests of a module come first", () => {
  assert.equal(nodeTestsOf("js/model/retry.ts")[0].name, "tests/js/retry.test.mjs");
  assert.equal(nodeTestsOf("www/src/share/secrets.ts")[0].name, "tests/playground/secrets.test.mjs");
  assert.equal(nodeTestsOf("docs/chat.md")[0].name, "tests/js/documents.test.mjs");
});

test("names in an export list and `void 0` have no mutants", () => {
  const code = "const one = void 0; export { one };";
  assert.equal(
    withMutants(code, () => 0),
    code,
  );
});

test("code with mutants does the same without a mutant, and most mutants change it", () => {
  const code = `
    const clamp = (value, { low = 1, high = 9 } = {}) => (value < low ? low : value > high && !isNaN(value) ? high : value);
    const list = Object.freeze([3, 12, 0].filter((value) => value !== 0));
    const told = [];
    told.push("a" + "b");
    export const result = [list.map((value) => clamp(value)), Object.isFrozen(list), told, \`\${list.length - 1}\`];`;
  const mutants = [];
  const mutated = withMutants(code, (line, original, replacement) => mutants.push({ line, original, replacement }) - 1);
  const resultOf = (text, mutant) => {
    globalThis.__mutant = mutant;
    return JSON.stringify(new Function(text.replace("export const result =", "return"))());
  };
  const expected = '[[3,9],true,["ab"],"1"]';
  assert.equal(resultOf(code), expected);
  assert.equal(resultOf(mutated), expected);
  const survivors = mutants.filter((_, number) => {
    try {
      return resultOf(mutated, number) === expected;
    } catch {
      return false;
    }
  });
  delete globalThis.__mutant;
  const found = mutants.map(({ original, replacement }) => `${original} → ${replacement}`);
  for (const one of [
    "9 → 10",
    "value < low → (value) <= (low)",
    "[3, 12, 0].filter((value) => value !== 0) → [3, 12, 0]",
  ])
    assert.ok(found.includes(one), found.join(", "));
  assert.ok(mutants.some(({ original }) => original.startsWith("Object.freeze")));
  // Without effect in this program: `low`, which no value is below, and the comparisons with its bounds.
  assert.ok(
    survivors.length < mutants.length / 2,
    survivors.map(({ original, replacement }) => `${original} → ${replacement}`).join("\n"),
  );
});
