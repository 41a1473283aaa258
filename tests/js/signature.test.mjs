// Signatures through the package: both notations, the object form, checks, schemas, Standard Schema.

import assert from "node:assert/strict";
import { test } from "node:test";
import { History } from "turnfold";
import { parseSignature } from "turnfold/predict";
import { keyword } from "turnfold/turns";
import { seeded } from "./random.mjs";
import { refuses } from "./refuses.mjs";

const pairs = (fields) => fields.map(({ name, type, optional }) => `${name}: ${type}${optional ? "?" : ""}`).join(", ");

/** Checks that a text has these inputs and outputs, and how the signature is printed. */
function reads(text, inputs, outputs, printed) {
  const signature = parseSignature(text);
  assert.equal(pairs(signature.inputs), inputs);
  assert.equal(pairs(signature.outputs), outputs);
  assert.equal(String(signature), printed);
  const again = parseSignature(String(signature));
  assert.deepEqual(
    [again.inputs, again.outputs, again.returns],
    [signature.inputs, signature.outputs, signature.returns],
  );
}

test("both notations give the same signature", () => {
  const printed = "(question :string, limit :int?) -> {answer :string, tags [:string]}";
  const inputs = "question: str, limit: int?";
  reads(printed, inputs, "answer: str, tags: list[str]", printed);
  reads(
    "question, limit: Optional[int] -> answer: str, tags: list[str]",
    inputs,
    "answer: str, tags: list[str]",
    printed,
  );
  reads(
    "question: string, limit: integer? -> answer, tags: List[text]",
    inputs,
    "answer: str, tags: list[str]",
    printed,
  );
});

test("a signature with a history is printed in the notation of programs", () => {
  for (const type of ["History", "history", "dspy.History", "Optional[History]", "History | None"]) {
    reads(
      `question, foo: ${type} -> answer: str, score: float`,
      "question: str, foo: History?",
      "answer: str, score: float",
      "question: str, foo: History -> answer: str, score: float",
    );
  }
  reads("history, q -> a", "history: str, q: str", "a: str", "(history :string, q :string) -> {a :string}");
});

test("all aliases of types are accepted", () => {
  reads(
    "a: str, b: string, c: int, d: integer, e: float, f: number, g: bool, h: boolean, i: json, j: dict, k: dict[str, int] -> z",
    "a: str, b: str, c: int, d: int, e: float, f: float, g: bool, h: bool, i: Any, j: dict, k: dict",
    "z: str",
    "(a :string, b :string, c :int, d :int, e :float, f :float, g :bool, h :bool, i :any, j :map, k :map) -> {z :string}",
  );
  reads(
    `q -> m: Literal["a", 'b', 1, 2.5, True], n: list[Optional[int]], r: [{id :int, by {name :string}?}]`,
    "q: str",
    `m: Literal["a", "b", 1, 2.5, true], n: list[Optional[int]], r: list[{id :int, by {name :string}?}]`,
    `(q :string) -> {m "a" | "b" | 1 | 2.5 | true, n [:int?], r [{id :int, by {name :string}?}]}`,
  );
});

test("the signature of a tool has a result type and no outputs", () => {
  const signature = parseSignature("(query :string) -> [{id :int}]");
  assert.deepEqual([signature.outputs, signature.returns], [[], "[{id :int}]"]);
  assert.deepEqual(signature.check([{ id: 1 }, { id: "x" }]), [
    { path: "[1].id", message: 'expected int, got string "x"' },
  ]);
  assert.equal(parseSignature(":int").returns, ":int");
});

const review = {
  inputs: [
    { name: "review", type: "str", description: "as it was sent" },
    { name: "limit", type: "int", default: 5 },
    { name: "earlier", type: "History" },
  ],
  outputs: [
    { name: "mood", type: "str", oneOf: ["good", "bad"], description: "how it sounds" },
    { name: "score", type: "float", optional: true },
  ],
  instructions: "Judge the review",
};

test("the object form has members that the notations can't express", () => {
  const signature = parseSignature(review);
  assert.equal(
    String(signature),
    'review: str, limit: Optional[int], earlier: History -> mood: Literal["good", "bad"], score: Optional[float]',
  );
  assert.equal(signature.instructions, "Judge the review");
  assert.deepEqual(signature.inputs[0], review.inputs[0]);
  assert.deepEqual(signature.inputs[1], { name: "limit", type: "int", optional: true, default: 5 });
  assert.deepEqual(signature.outputs[0], {
    name: "mood",
    type: 'Literal["good", "bad"]',
    description: "how it sounds",
    oneOf: ["good", "bad"],
  });
  const { inputs, outputs } = signature;
  assert.deepEqual(parseSignature({ inputs, outputs }).outputs, outputs);
  assert.ok(Object.isFrozen(signature) && Object.isFrozen(inputs) && Object.isFrozen(outputs[0].oneOf));
});

test("jsonSchema describes inputs or outputs, without the history", () => {
  const signature = parseSignature(review);
  assert.deepEqual(signature.jsonSchema("input"), {
    type: "object",
    properties: {
      review: { type: "string", description: "as it was sent" },
      limit: { type: ["integer", "null"] },
    },
    required: ["review", "limit"],
    additionalProperties: false,
  });
  assert.deepEqual(signature.jsonSchema(), {
    type: "object",
    properties: {
      mood: { type: "string", enum: ["good", "bad"], description: "how it sounds" },
      score: { type: ["number", "null"] },
    },
    required: ["mood", "score"],
    additionalProperties: false,
  });
});

test("check reports mismatches, and coerce converts values", () => {
  const signature = parseSignature(review);
  assert.deepEqual(signature.check({ mood: "good" }), []);
  assert.deepEqual(signature.check({ mood: "fine", score: "x" }), [
    { path: "mood", message: 'expected one of "good", "bad", got string "fine"' },
    { path: "score", message: 'expected float, got string "x"' },
  ]);
  assert.deepEqual(signature.coerce({ mood: keyword("good"), score: "4.5", more: 1 }), {
    value: { mood: "good", score: 4.5 },
    warnings: ['score: string "4.5" became float 4.5', "`more` is not declared; declared are `mood`, `score`"],
  });
  assert.deepEqual(signature.coerce({ review: "x", limit: null }, "input").value, { review: "x", limit: 5 });
  const { details } = refuses(() => signature.coerce({}), "validation_error");
  assert.deepEqual(details.problems, [{ path: "mood", message: 'missing, expected one of "good", "bad"' }]);
  refuses(() => signature.check({}, "inputs"), "invalid_argument");
});

test("coerce keeps a History among the inputs", () => {
  const signature = parseSignature(review);
  const earlier = new History([{ review: "x", mood: "bad" }]);
  assert.deepEqual(signature.check({ review: "x", earlier }, "input"), []);
  assert.equal(signature.coerce({ review: "x", earlier }, "input").value.earlier, earlier);
  refuses(() => signature.check({ review: "x", earlier: [] }, "input"), "invalid_history_value");
});

test("a signature is a Standard Schema of its outputs", () => {
  const standard = parseSignature("q -> items: [{price :float}]")["~standard"];
  assert.equal(standard.version, 1);
  assert.equal(standard.vendor, "turnfold");
  assert.deepEqual(standard.validate({ items: [{ price: "2" }] }), { value: { items: [{ price: 2 }] } });
  assert.deepEqual(standard.validate({ items: [{ price: 1 }, {}] }), {
    issues: [{ message: "missing, expected float", path: ["items", 1, "price"] }],
  });
  const cyclic = {};
  cyclic.items = cyclic;
  assert.match(standard.validate(cyclic).issues[0].message, /again/);
  assert.deepEqual(standard.jsonSchema.output(), parseSignature("q -> items: [{price :float}]").jsonSchema());
});

test("an error in a text has a position and a hint", () => {
  const at = (text, start, end, hint) => {
    const error = refuses(() => parseSignature(text), "invalid_signature");
    assert.deepEqual([error.details.start, error.details.end], [start, end], error.message);
    assert.match(String(error.hint), hint);
  };
  at("", 0, 0, /question -> answer/);
  at("question", 8, 8, /->/);
  at("a -> b -> c", 7, 9, /one `->`/);
  at("a, a -> b", 3, 4, /own name/);
  at("a, b -> a", 8, 9, /own name/);
  at("ä: strng -> b", 3, 8, /the types are/);
  at("(a :strng) -> :int", 3, 9, /:string/);
  at("-> answer", 0, 9, /question -> answer/);
  at("question ->", 0, 11, /question -> answer/);
  at("q, a: History, b: History -> c", 0, 30, /one conversation/);
  at("q -> h: History", 0, 15, /before the arrow/);
  at("h: History -> a", 0, 15, /question -> answer/);
});

test("an error in an object has a path", () => {
  const outputs = [{ name: "a", type: "str" }];
  const at = (given, path) =>
    assert.equal(refuses(() => parseSignature(given), "invalid_signature").details.path, path);
  at(5, "");
  at(null, "");
  at([], "");
  at({}, "inputs");
  at({ inputs: [], outputs, more: 1 }, "");
  at({ inputs: [], outputs }, "");
  at({ inputs: [5], outputs }, "inputs[0]");
  at({ inputs: [{ name: "q", type: "str", typ: 1 }], outputs }, "inputs[0]");
  at({ inputs: [{ name: "q", type: "strng" }], outputs }, "inputs[0].type");
  at({ inputs: [{ name: "q", type: "str", default: 5, oneOf: ["x"] }], outputs }, "");
  at(
    {
      inputs: [
        { name: "q", type: "History", default: 5 },
        { name: "p", type: "str" },
      ],
      outputs,
    },
    "",
  );
  at({ inputs: [{ name: "q r", type: "str" }], outputs }, "");
  at({ inputs: outputs, outputs, instructions: 5 }, "instructions");
  const cyclic = { name: "q", type: "str" };
  cyclic.default = cyclic;
  refuses(() => parseSignature({ inputs: [cyclic], outputs }), "cyclic_value", "inputs[0].default.default");
  const throwing = {
    get inputs() {
      throw new RangeError("boom");
    },
  };
  assert.ok(refuses(() => parseSignature(throwing), "invalid_signature").cause instanceof RangeError);
});

test("a printed signature parses back unchanged", () => {
  const { below, pick, chance } = seeded(11);
  const types = ["str", "int", "float", "bool", "Any", "dict", ":keyword", "[:int]", "{id :int, by {name :string}?}"];
  const texts = ["a", "it's", 'say "x"', "a\nb", "\u2028", "]", "\\", "é😀", ""];
  const type = (depth) => {
    const kind = below(depth > 2 ? 1 : 4);
    if (kind === 1) return `list[${type(depth + 1)}]`;
    if (kind === 2) return `Literal[${JSON.stringify(pick(texts))}, ${below(9)}, ${pick(["2.5", "True", "-1"])}]`;
    return pick(types);
  };
  for (let round = 0; round < 300; round++) {
    const names = ["a", "b_1", "c-d", "été", "_e", "F"].slice(below(3), 3 + below(4));
    const fields = names.map((name) => `${name}: ${chance(0.3) ? `Optional[${type(0)}]` : type(0)}`);
    const text = `q, ${chance(0.5) ? "h: History, " : ""}${fields[0]} -> z, ${fields.slice(1).join(", ") || "y"}`;
    const signature = parseSignature(text);
    const again = parseSignature(String(signature));
    assert.deepEqual([again.inputs, again.outputs], [signature.inputs, signature.outputs], text);
    assert.equal(String(again), String(signature));
  }
});
