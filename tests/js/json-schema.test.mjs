import assert from "node:assert/strict";
import { test } from "node:test";
import { toMessages } from "turnfold";
import { z } from "zod";
import { revoked } from "./revoked.mjs";

const listed = (tool) =>
  toMessages([], null, { mission: "m", tools: { f: tool } }).messages[1].content.match(/tool\/f(.*)/)[1];

const execute = () => 1;
const withSchema = (inputSchema) => listed({ inputSchema, execute });
const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });
const check = (property, type) =>
  assert.equal(withSchema(object({ a: property })), `(a ${type}) -> :any`, JSON.stringify(property));

const search = {
  type: "object",
  properties: { query: { type: "string", description: "What to look for" }, limit: { type: "integer", default: 10 } },
  required: ["query"],
  additionalProperties: false,
};
const line = "(query :string, limit :int?) -> :any";

test("a JSON Schema of the input lists its parameters", () => {
  assert.equal(withSchema(search), line);
  assert.equal(listed({ description: "Looks\nthings up", inputSchema: search, execute }), `${line}  ; Looks things up`);
  assert.equal(listed({ parameters: search }), line);
  assert.equal(withSchema({ properties: search.properties }), "(query :string?, limit :int?) -> :any");
  assert.equal(withSchema(object({})), "() -> :any");
  assert.equal(withSchema(object({ _token: { type: "string" }, q: { type: "string" } })), "(q :string) -> :any");
});

test("the schema may be wrapped as the AI SDK, Zod, ArkType and Standard Schema do it", () => {
  const targets = [];
  const input = (options) => {
    targets.push(options);
    return search;
  };
  for (const schema of [
    { jsonSchema: search, validate: execute },
    {
      get jsonSchema() {
        return search;
      },
    },
    { "~standard": { version: 1, vendor: "zod", jsonSchema: { input } }, type: "object" },
    { "~standard": { version: 1 }, toJSONSchema: () => search },
    Object.assign(() => 1, { "~standard": { version: 1 }, toJsonSchema: () => search }),
  ]) {
    assert.equal(withSchema(schema), line);
  }
  assert.deepEqual(targets, [{ target: "draft-2020-12" }]);
});

test("a schema of the result is its type, the output side of a Standard Schema", () => {
  const output = z.object({
    hits: z.array(z.object({ id: z.int() })),
    year: z.string().transform(Number).pipe(z.int()),
  });
  const lineWith = (outputSchema) => listed({ inputSchema: search, outputSchema, execute });
  assert.equal(lineWith(output), "(query :string, limit :int?) -> {hits [{id :int}], year :int}");
  assert.equal(lineWith({ type: ["integer", "null"] }), "(query :string, limit :int?) -> :int?");
  assert.equal(lineWith({ anyOf: [{ type: "array" }, { type: "null" }] }), line);
  for (const unusable of [undefined, null, 5, {}, revoked()]) assert.equal(lineWith(unusable), line);
  assert.equal(listed({ inputSchema: {}, outputSchema: output, execute }), "(...) -> :any");
});

test("types have their words", () => {
  check({ type: "string" }, ":string");
  check({ type: "integer" }, ":int");
  check({ type: "number" }, ":float");
  check({ type: "boolean" }, ":bool");
  check({ type: "array", items: { type: "string" } }, "[:string]");
  check({ type: "array" }, "[:any]");
  check({ type: "array", prefixItems: [{ type: "string" }] }, "[:any]");
  check({ items: { type: "integer" } }, "[:int]");
  check({ type: "object" }, ":map");
  check({ type: "object", additionalProperties: { type: "string" } }, ":map");
  check(object({ b: { type: "string" }, c: object({ d: { type: "integer" } }, []) }), "{b :string, c {d :int?}}");
  check({ type: "array", items: object({ id: { type: "integer" } }) }, "[{id :int}]");
});

test("constants have the type of what they are", () => {
  check({ enum: ["a", "b"] }, ":string");
  check({ type: "string", enum: ["a", "b"] }, ":string");
  check({ enum: [1, 2] }, ":int");
  check({ enum: [1, "a"] }, ":any");
  check({ enum: ["a", null] }, ":string?");
  check({ const: true }, ":bool");
  check({ const: 1.5 }, ":float");
  check({ const: { a: 1 } }, ":map");
});

test("what may be null is marked", () => {
  check({ type: ["string", "null"] }, ":string?");
  check({ type: "string", nullable: true }, ":string?");
  check({ anyOf: [{ type: "integer" }, { type: "null" }] }, ":int?");
  check({ oneOf: [{ type: "null" }, { type: "array", items: { type: "integer" } }] }, "[:int]?");
  check({ type: "array", items: { type: ["integer", "null"] } }, "[:int?]");
  check({ type: "array", items: { anyOf: [object({ b: {} }), { type: "null" }] } }, "[:any]");
  check({ type: "null" }, ":any");
});

test("one of several types is any", () => {
  check({ type: ["string", "integer"] }, ":any");
  check({ anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] }, ":any?");
  check({ anyOf: [{ const: "a" }, { const: "b" }] }, ":string");
  check({ ...object({ b: { type: "string" } }), anyOf: [{ required: ["b"] }] }, "{b :string}");
});

test("references lead to definitions of the same document", () => {
  const schema = {
    $ref: "#/$defs/Input",
    $defs: {
      Input: object({ item: { $ref: "#/$defs/It~1em%20" }, tree: { allOf: [{ $ref: "#/definitions/Tree" }] } }),
      "It/em ": { type: "object", properties: { id: { type: "integer" } } },
    },
    definitions: {
      Tree: object({ value: { type: "string" }, children: { type: "array", items: { $ref: "#/definitions/Tree" } } }),
    },
  };
  assert.equal(withSchema(schema), "(item {id :int?}, tree {value :string, children [:map]}) -> :any");
  check({ $ref: "#/$defs/Missing" }, ":any");
  check({ $ref: "https://example.org/schema" }, ":any");
  check({ $ref: "#/properties/a" }, ":any");
  check({ $ref: "#" }, ":map");
});

test("a schema that says nothing of names leaves the tool as it was", () => {
  const proxy = revoked();
  for (const schema of [
    undefined,
    null,
    5,
    "string",
    true,
    [],
    {},
    { type: "object" },
    { type: "string" },
    { type: "object", properties: null },
    { type: "object", properties: { "first name": { type: "string" } } },
    { jsonSchema: Promise.resolve(search) },
    { "~standard": { version: 1, jsonSchema: { input: () => assert.fail("no") } } },
    { toJSONSchema: () => Promise.resolve(search) },
    { $ref: "#/%" },
    () => search,
    proxy,
    { jsonSchema: proxy },
  ]) {
    assert.equal(withSchema(schema), "(...) -> :any");
  }
});

test("odd schemas end, and in a signature", () => {
  for (const odd of [null, 5, true, "x", [], { type: 5 }, { type: {} }, { anyOf: [] }, { enum: [] }, { type: [] }]) {
    check(odd, ":any");
  }
  assert.equal(withSchema({ properties: { a: {} }, required: "a" }), "(a :any?) -> :any");
  let deep = { type: "string" };
  for (let level = 0; level < 5000; level++) deep = { type: "array", items: deep };
  assert.match(withSchema(object({ a: deep })), /^\(a \[{10,20}:any\]{10,20}\) -> :any$/);
  const $defs = { L0: object({ a: { type: "string" } }) };
  for (let level = 1; level < 30; level++) {
    const inner = { $ref: `#/$defs/L${level - 1}` };
    $defs[`L${level}`] = object({ a: inner, b: inner, c: inner });
  }
  // Written out it would never end.
  assert.ok(withSchema({ ...$defs.L29, $defs }).length < 50_000);
});
