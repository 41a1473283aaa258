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

test("a JSON Schema of the input becomes the parameters of the signature", () => {
  assert.equal(withSchema(search), line);
  assert.equal(listed({ description: "Looks\nthings up", inputSchema: search, execute }), `${line}  ; Looks things up`);
  assert.equal(listed({ parameters: search }), line);
  assert.equal(withSchema({ properties: search.properties }), "(query :string?, limit :int?) -> :any");
  assert.equal(withSchema(object({})), "() -> :any");
  assert.equal(withSchema(object({ _token: { type: "string" }, q: { type: "string" } })), "(q :string) -> :any");
});

test("the schema may be wrapped in the form of the AI SDK, Zod, ArkType and Standard Schema", () => {
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

test("a schema of the result becomes its type, from the output side of a Standard Schema", () => {
  const output = z.object({
    hits: z.array(z.object({ id: z.int() })),
    year: z.string().transform(Number).pipe(z.int()),
  });
  const lineWith = (outputSchema) => listed({ inputSchema: search, outputSchema, execute });
  assert.equal(lineWith(output), "(query :string, limit :int?) -> {hits [{id :int}], year :int}");
  assert.equal(lineWith({ type: ["integer", "null"] }), "(query :string, limit :int?) -> :int?");
  assert.equal(lineWith({ anyOf: [{ type: "array" }, { type: "null" }] }), "(query :string, limit :int?) -> [:any]?");
  for (const unusable of [undefined, null, 5, {}, revoked()]) assert.equal(lineWith(unusable), line);
  assert.equal(listed({ inputSchema: {}, outputSchema: output, execute }), "(...) -> :any");
});

test("JSON Schema types become types of the signature", () => {
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

test("constants and enums become literals", () => {
  check({ enum: ["a", "b"] }, '"a" | "b"');
  check({ type: "string", enum: ["a", "b", "a"] }, '"a" | "b"');
  check({ enum: [1, 2.5, true, "a"] }, '1 | 2.5 | true | "a"');
  check({ const: true }, "true");
  check({ const: 1.5 }, "1.5");
  check({ type: "string", const: 'say "hi"\n' }, '"say \\"hi\\"\\n"');
  check({ anyOf: [{ const: "a" }, { enum: ["b", "c"] }] }, '"a" | "b" | "c"');
  check({ type: "array", items: { enum: ["a", "b"] } }, '["a" | "b"]');
  assert.equal(
    withSchema(object({ a: { enum: ["x", "y"] }, b: { enum: ["x"] } }, [])),
    '(a ("x" | "y")?, b "x"?) -> :any',
  );
});

test("an enum with too many or unsupported constants becomes their type", () => {
  const many = Array.from({ length: 26 }, (_, at) => `c${at}`);
  check({ type: "string", enum: many }, ":string");
  check({ enum: ["x".repeat(300)] }, ":string");
  check({ enum: many.map((_, at) => at) }, ":int");
  check({ enum: [...many, 1] }, ":any");
  check({ enum: [...many, null] }, ":string | nil");
  check({ const: { a: 1 } }, ":map");
  check({ const: [1] }, "[:any]");
  check({ enum: ["a", "\ud800"] }, ":string");
});

test("a required nullable parameter is not optional", () => {
  check({ type: ["string", "null"] }, ":string | nil");
  check({ type: "string", nullable: true }, ":string | nil");
  check({ enum: ["a", "b", null] }, '"a" | "b" | nil');
  check({ anyOf: [{ type: "integer" }, { type: "null" }] }, ":int | nil");
  check({ anyOf: [{ type: "integer" }, { enum: [null] }] }, ":int | nil");
  check({ oneOf: [{ type: "null" }, { type: "array", items: { type: "integer" } }] }, "[:int] | nil");
  check({ type: "array", items: { type: ["integer", "null"] } }, "[:int?]");
  check({ type: "array", items: { enum: ["a", "b", null] } }, '[("a" | "b")?]');
  check({ type: "array", items: { anyOf: [object({ b: {} }), { type: "null" }] } }, "[{b :any}?]");
  check({ type: "null" }, ":any");
  assert.equal(
    withSchema(object({ a: { type: ["string", "null"] }, b: { enum: ["x", "y", null] } }, [])),
    '(a :string?, b ("x" | "y")?) -> :any',
  );
});

test("a union of types becomes :any, a union of objects :map", () => {
  check({ type: ["string", "integer"] }, ":any");
  check({ anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] }, ":any");
  check({ anyOf: [{ const: "a" }, { type: "integer" }] }, ":any");
  check({ anyOf: [object({ b: { const: "x" } }), object({ b: { const: "y" } }), { type: "object" }] }, ":map");
  check({ ...object({ b: { type: "string" } }), anyOf: [{ required: ["b"] }] }, "{b :string}");
});

/** The lines below the line of the tool. */
const notes = (properties, required) => {
  const tools = { f: { inputSchema: object(properties, required), execute } };
  const [, , ...lines] = toMessages([], null, { mission: "m", tools }).messages[1].content.split("\n\n")[1].split("\n");
  return lines;
};
const note = (property) => notes({ a: property })[0]?.replace(/^; {3}a: /, "");

test("descriptions, defaults and bounds of a parameter are a line below the tool", () => {
  const many = Array.from({ length: 30 }, (_, at) => `c${at}`);
  for (const [property, line] of [
    [{ type: "string", description: " How\nto  sort " }, "How to sort"],
    [{ type: "integer", default: 10 }, "default 10"],
    [{ type: "string", default: "" }, 'default ""'],
    [{ type: ["string", "null"], default: null }, undefined],
    [{ type: "integer", minimum: 1, maximum: 100, default: 10, description: "count" }, "count (1 to 100, default 10)"],
    [{ type: "number", minimum: 0 }, "at least 0"],
    [{ type: "number", maximum: 5 }, "at most 5"],
    [{ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }, "more than 0, less than 1"],
    [{ type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1 }, "more than 0, at most 1"],
    [{ type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }, undefined],
    [{ type: "integer", multipleOf: 5 }, "a multiple of 5"],
    [{ type: "string", minLength: 1 }, "at least 1 character"],
    [{ type: "string", maxLength: 80 }, "at most 80 characters"],
    [{ type: "string", minLength: 2, maxLength: 3 }, "2 to 3 characters"],
    [{ type: "string", minLength: 2, maxLength: 2 }, "2 characters"],
    [{ type: "string", pattern: "^[A-Z]{2}$" }, "matches ^[A-Z]{2}$"],
    [{ type: "string", format: "date-time", pattern: "^…$" }, "format date-time"],
    [{ type: "string", pattern: "x".repeat(61) }, undefined],
    [{ type: "array", items: { maxLength: 9 }, minItems: 1 }, "at least 1 item, each at most 9 characters"],
    [{ type: "array", items: {}, maxItems: 5, uniqueItems: true }, "at most 5 items, no duplicates"],
    [{ type: "string", enum: many }, 'one of 30, such as "c0", "c1", "c2", "c3", "c4"'],
    [{ anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }], description: "the page" }, "the page (at least 1)"],
    [{ type: "object", default: { text: "x".repeat(60) } }, undefined],
    [{ type: "string", description: `The first sentence. ${"And more. ".repeat(20)}` }, "The first sentence."],
    [{ type: "string", description: "word ".repeat(40) }, `${"word ".repeat(23).trim()}…`],
    [{ type: "string", description: 5, format: "not a word", minLength: "1", enum: [] }, undefined],
  ]) {
    assert.equal(note(property), line, JSON.stringify(property));
  }
});

test("fields of parameters are described with their paths, in the order of the schema, and no other fields", () => {
  const since = { type: "string", description: "the first day" };
  const lines = notes({
    limit: { type: "integer", maximum: 9 },
    filters: { type: "array", items: object({ since, _raw: since }) },
    page: { $ref: "#/properties/limit", description: "from 0" },
    either: { anyOf: [object({ since }), object({ until: since })] },
    _token: since,
  });
  assert.deepEqual(lines, [";   limit: at most 9", ";   filters.since: the first day", ";   page: from 0 (at most 9)"]);
});

test("outputSchema becomes the type of the result", () => {
  const inputSchema = object({});
  const returns = (outputSchema) => listed({ inputSchema, outputSchema, execute });
  const order = object({ id: { type: "integer" }, note: { type: "string" } }, ["id"]);
  assert.equal(returns(order), "() -> {id :int, note :string?}");
  assert.equal(returns({ type: "array", items: { enum: ["a", "b"] } }), '() -> ["a" | "b"]');
  assert.equal(returns({ anyOf: [order, { type: "null" }] }), "() -> {id :int, note :string?}?");
  assert.equal(returns({ "~standard": { jsonSchema: { output: () => ({ type: "integer" }) } } }), "() -> :int");
  assert.equal(returns({ $ref: "#/nowhere" }), "() -> :any");
  assert.equal(listed({ outputSchema: { type: "integer" }, execute }), "(...) -> :any");
});

test("$ref is resolved within the document", () => {
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

test("a schema without named properties lists the tool without parameters", () => {
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

test("odd, deep and recursive schemas become a bounded signature", () => {
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
  // Without a bound its text would have 3^29 members.
  assert.ok(withSchema({ ...$defs.L29, $defs }).length < 50_000);
});
