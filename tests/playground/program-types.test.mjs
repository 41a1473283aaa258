// The types that the tab of typed calls prints equal those that the compiler infers.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { build } from "esbuild";
import { nodeProgram, root } from "../../scripts/tools.mjs";
import * as turnfold from "../js/everything.mjs";

const folder = join(root, ".cache", `program-types-${process.pid}`);
let typesOf;

before(async () => {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, "typescript.mjs");
  await build({ entryPoints: [join(root, "www/src/programs/typescript.ts")], outfile, format: "esm" });
  ({ typesOf } = await import(outfile));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const texts = [
  "question -> answer",
  "question, history: History -> answer: str, score: float",
  'review: str -> mood: Literal["good", "bad"], score: float, sure: bool',
  'q: Literal["a b", 1, True, "with ] and, "]?, n: int? -> m: list[Literal["x", "y"]], o: Optional[Literal["z"]]',
  "a: list[list[str]], b: list[Optional[int]], c: Optional[list[dict]] -> d: list[list[str]], e: list[Optional[float]]",
  "j: json, k: list[Any], m: dict[str, int] -> x: Any, y: list[json], z: dict, w: Optional[Any]",
  "(query :string, limit :int?) -> {items [{id :int, tags [:string], note :string?}], total :float}",
  "(q {a :int, b {c :string?}}?, m :map, k :keyword, any :any, l [[:keyword]]) -> {k :keyword, r {s {t [:int]?}}?}",
  "q: {id :int, of [{x :float?}]?}, with-dash: str -> r: list[{name :string}]",
  "q, _hidden: int -> a: :keyword, b: [:any]",
  "質問: str -> 答え: str",
  `(s "open" | "paid", n (1 | 2)?, b true | nil, t [("x" | "y")?], q {r :int | nil}) -> {s "a", t ["a" | "b"], u [[:int]?]}`,
  `q: "x" | "y" -> a: {b ("x" | 1)?}, c: [:int?], d: 1 | 2 | None`,
];

it("for both notations, with every type", () => {
  const cases = texts.map((text, index) => {
    const types = typesOf(turnfold.parseSignature(text)).replace(/^import .*\n/, "");
    return `namespace Case${index} {
${types}
const inputs: Same<Inputs, InputsOf<${JSON.stringify(text)}>> = true;
const outputs: Same<Outputs, OutputsOf<${JSON.stringify(text)}>> = true;
void [inputs, outputs];
}`;
  });
  const head = `import type { History, InputsOf, Keyword, OutputsOf, Value } from "turnfold";
export type Named = [History, Keyword, Value];
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
`;
  writeFileSync(join(folder, "cases.ts"), head + cases.join("\n"));
  const options = {
    strict: true,
    noEmit: true,
    module: "esnext",
    moduleResolution: "bundler",
    target: "es2022",
    lib: ["es2024", "dom"],
    types: [],
    paths: { turnfold: [join(root, "dist/index.d.ts")], "turnfold/*": [join(root, "dist/*.d.ts")] },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["cases.ts"] }));
  const { stdout, status } = spawnSync(...nodeProgram("typescript/bin/tsc", ["-p", folder]), { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});

it("with defaults, and the import of what they name", () => {
  const signature = turnfold.parseSignature({
    inputs: [
      { name: "question", type: "str" },
      { name: "limit", type: "int", default: 3 },
      { name: "history", type: "History" },
    ],
    outputs: [{ name: "count", type: "int", default: 1 }],
  });
  assert.equal(
    typesOf(signature),
    `import type { History } from "turnfold";

type Inputs = {
  question: string;
  limit?: number | null;
  history?: History | null;
};

type Outputs = {
  count: number;
};`,
  );
  assert.doesNotMatch(typesOf(turnfold.parseSignature("q -> a")), /import/);
});
