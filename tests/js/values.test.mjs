import assert from "node:assert/strict";
import { test } from "node:test";
import { Turn, TurnfoldError, toMessages } from "turnfold";
import { toClojure, typeOf } from "turnfold/lisp";
import { Float, Fn, float, fn, Keyword, keyword, Ref } from "turnfold/turns";
import { copyOf } from "./copies.mjs";
import { refuses } from "./refuses.mjs";

/** Another copy of the package, as when an app has two versions. */
const other = await copyOf("index.js", "lisp.js");

test("a keyword has only a name", () => {
  const name = keyword("in-stock?");
  assert.ok(name instanceof Keyword);
  assert.equal(name.name, "in-stock?");
  assert.equal(`${name}`, ":in-stock?");
  assert.deepEqual(Object.keys(name), ["name"]);
  assert.throws(() => {
    name.name = "other";
  }, TypeError);
});

test("any name of a keyword can be read back", () => {
  for (const name of ["a", "größe", "a.b", "1", "a:b", "*x*", "_hidden", "$ref", "a'b", "x#", "日本", "a/b"]) {
    assert.equal(toClojure(keyword(name)).text, `:${name}`);
  }
  for (const name of [
    "",
    "first name",
    "a/",
    "a/b/c",
    ":a",
    "a:",
    'a"b',
    "a,b",
    "a\\b",
    "a\u0000",
    "a\u00a0b",
    "a(b",
    5,
  ]) {
    refuses(() => keyword(name), "invalid_keyword");
  }
});

test("a float computes like a number", () => {
  assert.equal(float(3) + 1, 4);
  assert.equal(`${float(3)} ${float(-0)} ${float(2.5)}`, "3.0 -0.0 2.5");
  assert.equal(typeOf(float(3)), "float");
  assert.equal(typeOf(3), "integer");
  assert.equal(toClojure([float(3), 3, 2.5, float(-0)]).text, "[3.0 3 2.5 -0.0]");
  refuses(() => float("3"), "invalid_argument");
});

test("a function is shown with its parameters", () => {
  const described = fn({ params: "x & more", doc: "Adds", returnType: "integer" });
  assert.equal(toClojure(described).text, "#fn[x & more]");
  assert.deepEqual(
    { ...described },
    {
      params: "x & more",
      doc: "Adds",
      returnType: "integer",
      source: null,
      builtin: false,
      name: null,
    },
  );
  refuses(() => fn({ params: ["x"] }), "invalid_argument");
});

test("two copies of the package accept each other's values, turns and errors", () => {
  assert.notEqual(other.Keyword, Keyword);
  for (const [theirs, ours] of [
    [other.keyword("a"), Keyword],
    [other.float(3), Float],
    [other.fn({ params: "x" }), Fn],
    [new other.Ref("var", "x"), Ref],
  ]) {
    assert.ok(theirs instanceof ours);
  }
  assert.equal(toClojure([other.keyword("a"), other.float(3)]).text, "[:a 3.0]");
  assert.ok(TurnfoldError.isInstance(refuses(() => other.typeOf(Symbol("x")), "invalid_value")));
  const theirs = other.Turn.success({ program: "(def x 1)", memory: { x: 1 } });
  const options = { mission: "m" };
  assert.deepEqual(toMessages([theirs], null, options).messages, other.toMessages([theirs], null, options).messages);
  assert.equal(JSON.stringify(Turn.fromJSON(theirs)), JSON.stringify(theirs));
});

test("TurnfoldError.isInstance is true only for errors of this package", () => {
  for (const value of [null, undefined, "invalid_value", {}, new Error("x"), { code: "invalid_value" }]) {
    assert.equal(TurnfoldError.isInstance(value), false);
  }
  const error = refuses(() => typeOf(() => 1), "invalid_value");
  assert.equal(error.name, "TurnfoldError");
  assert.match(error.stack, /^TurnfoldError: \$ is a function/);
});

test("any invalid argument is refused with a TurnfoldError", () => {
  const cycle = {};
  cycle.self = cycle;
  for (const name of [5n, cycle, null, Symbol("a"), {}]) refuses(() => keyword(name), "invalid_keyword");
  for (const init of [undefined, null, "x"]) refuses(() => fn(init), "invalid_argument");
  for (const options of [null, "x", []]) refuses(() => toClojure(1, options), "invalid_option");
});

test("values constructed without their checks are refused with their path", () => {
  class Millis {
    get [Symbol.toStringTag]() {
      return "Date";
    }
    getTime() {
      return '0},"x":{"$date":1';
    }
  }
  for (const value of [
    new Keyword("a b"),
    new Keyword(5),
    new Float('1"},{"a":"'),
    new Ref("zap", "x"),
    new Millis(),
  ]) {
    const error = refuses(() => toClojure([value]), "invalid_value", "$[0]");
    assert.ok(error.hint, error.message);
  }
});
