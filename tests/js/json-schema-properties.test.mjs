// Properties of any JSON Schema of a tool: it is listed as a signature that parses back unchanged, and the signature accepts
// every call that fits the schema.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Validator } from "@cfworker/json-schema";
import { Lisp, toMessages } from "turnfold";
import { parseSignature } from "turnfold/predict";
import { seeded } from "./random.mjs";

const RUNS = 800;

const TEXTS = ["a", "b c", 'q"x', "\n", "\\", "é", "\u2028", "|", "?", ")", "😀", "\ud800", "", "true", "1", "'", "}"];
const NUMBERS = [0, -0, 7, -3, 1e21, 1e-7, 2 ** 53 + 2, 0.1];
const NAMES = ["a", "b", "_c", "d-e", "f1", "type"];
const TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"];
const FACTS = ["minimum", "maximum", "minLength", "maxItems", "format", "nullable", "exclusiveMinimum", "multipleOf"];

const scalarOf = ({ pick }) => pick([pick(TEXTS), pick(NUMBERS), true, false, null]);
const listOf = (random, max, make) => Array.from({ length: random.below(max + 1) }, make);

function schemaOf(random, depth = 0) {
  const { below, pick, chance } = random;
  const inner = () => schemaOf(random, depth + 1);
  const kinds = {
    typed: () => ({ type: pick([...TYPES, ["string", "null"], ["integer", "string"]]) }),
    enum: () => ({ enum: listOf(random, 4, () => scalarOf(random)) }),
    texts: () => ({ type: "string", enum: [pick(TEXTS), pick(TEXTS)] }),
    const: () => ({ const: scalarOf(random) }),
    any: () => ({}),
    list: () => ({ type: "array", items: inner() }),
    object: () => {
      const properties = Object.fromEntries(listOf(random, 4, () => [pick(NAMES), inner()]));
      return { type: "object", properties, required: Object.keys(properties).filter(() => chance(0.5)) };
    },
    choice: () => ({ [pick(["anyOf", "oneOf", "allOf"])]: [inner(), ...listOf(random, 2, inner)] }),
  };
  const schema = kinds[pick(Object.keys(kinds).slice(0, depth > 3 ? 5 : undefined))]();
  if (chance(0.3)) schema.description = pick([...TEXTS, "x".repeat(200), "word ".repeat(50)]);
  if (chance(0.2)) schema.default = scalarOf(random);
  if (chance(0.2)) schema[pick(FACTS)] = pick([scalarOf(random), below(9), true]);
  return schema;
}

/** A value that may fit the schema. */
function exampleOf(random, schema) {
  const { pick, chance } = random;
  if (schema.enum?.length > 0) return pick(schema.enum);
  if (schema.const !== undefined) return schema.const;
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices !== undefined) return exampleOf(random, pick(choices));
  const values = {
    string: () => pick(TEXTS),
    integer: () => pick([0, 7, -3]),
    number: () => pick(NUMBERS),
    boolean: () => chance(0.5),
    null: () => null,
    array: () => listOf(random, 2, () => exampleOf(random, schema.items ?? {})),
    object: () => {
      const { properties = {}, required = [] } = schema;
      const names = Object.keys(properties).filter((name) => required.includes(name) || chance(0.5));
      return Object.fromEntries(names.map((name) => [name, exampleOf(random, properties[name])]));
    },
  };
  return values[pick([schema.type ?? TYPES].flat())]();
}

const toolOf = (random) => {
  const properties = { x: schemaOf(random), y: schemaOf(random) };
  const inputSchema = { type: "object", properties, required: random.pick([[], ["x"], ["x", "y"]]) };
  return { inputSchema, outputSchema: schemaOf(random), execute: () => true };
};

test("a schema is listed as a signature that parses back unchanged", () => {
  for (let run = 0; run < RUNS; run++) {
    const tool = toolOf(seeded(run));
    const text = toMessages([], null, { mission: "m", tools: { f: tool } }).messages[1].content;
    const [, signature] = /^tool\/f([^\n]*)$/m.exec(text.replaceAll("\u2028", " "));
    assert.equal(String(parseSignature(signature)), signature, JSON.stringify(tool));
  }
});

test("the signature accepts a call that fits the schema", () => {
  let fits = 0;
  for (let run = 0; run < RUNS; run++) {
    const random = seeded(run);
    const { inputSchema, execute } = toolOf(random);
    const json = JSON.stringify(exampleOf(random, inputSchema));
    // A lone surrogate can't be passed to the wasm.
    if (json.includes("\\ud800")) continue;
    const args = JSON.parse(json);
    try {
      if (!new Validator(inputSchema, "2020-12").validate(args).valid) continue;
    } catch {
      // No validator can compile this schema.
      continue;
    }
    fits++;
    const lisp = new Lisp({ tools: { f: { inputSchema, execute } }, data: { args } });
    const { ok, error } = lisp.runSync("(tool/f data/args)");
    assert.ok(ok, `${error?.message}\n${JSON.stringify(inputSchema)}\n${JSON.stringify(args)}`);
  }
  assert.ok(fits > RUNS / 4, `${fits} calls fit`);
});
