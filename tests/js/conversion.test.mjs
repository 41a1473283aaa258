import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { Turn, toMessages } from "turnfold";
import { readClojure, toClojure, typeOf } from "turnfold/lisp";
import { float, fn, Keyword, keyword, Ref } from "turnfold/turns";
import { refuses } from "./refuses.mjs";
import { revoked } from "./revoked.mjs";

/** Returns the value after a conversion to the wasm and back. */
const back = (value) => Turn.success({ result: value }).result;

/** Returns the value after it was saved and loaded too. */
const loaded = (value) => Turn.fromJSON(JSON.stringify(Turn.success({ result: value }))).result;

const nested = (levels, seed = 1) => {
  let value = seed;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
};

class Point {
  constructor(x) {
    this.x = x;
  }
}

class Money {
  constructor(cents) {
    this.cents = cents;
  }
  toJSON(key) {
    return { cents: this.cents, under: key };
  }
}

test("JavaScript values become values of the language", () => {
  const check = (value, text) => assert.equal(toClojure(value).text, text);
  check(null, "nil");
  check(undefined, "nil");
  check(true, "true");
  check(-0, "0");
  check(42, "42");
  check(Number.MAX_SAFE_INTEGER, "9007199254740991");
  check(0.1, "0.1");
  check(1.5e-7, "0.00000015");
  check([Number.NaN, Infinity, -Infinity], "[##NaN ##Inf ##-Inf]");
  check(2n ** 80n, "1208925819614629174706176");
  check([5n, -9007199254740993n], "[5 -9007199254740993]");
  check('a "quoted" \\ text\n', '"a \\"quoted\\" \\\\ text\\n"');
  check([1, [2, undefined]], "[1 [2 nil]]");
  check({ name: "Laptop", "in-stock?": true }, '{:in-stock? true :name "Laptop"}');
  check({ "first name": 1 }, '{"first name" 1}');
  check({ a: undefined }, "{:a nil}");
  check(new Set([1, "x"]), '#{1 "x"}');
  check(
    new Map([
      ["a", 1],
      [keyword("b"), 2],
    ]),
    '{:b 2 "a" 1}',
  );
  check(Object.assign(Object.create(null), { a: 1 }), "{:a 1}");
});

test("holes of arrays become nil", () => {
  const sparse = [1, 2];
  sparse[4] = 3;
  assert.equal(toClojure(sparse).text, "[1 2 nil nil 3]");
});

test("values survive the conversion to the wasm and back, saved or not", () => {
  for (const value of [
    null,
    false,
    "text",
    "",
    0,
    -5,
    0.1,
    1e21,
    -1.5e300,
    Number.NaN,
    Infinity,
    2n ** 70n,
    float(3),
    float(-0),
    keyword("k"),
    new Date(0),
    new Date(-1),
    fn({ params: "a b", doc: "d" }),
    new Ref("regex", "a+"),
    new Ref("var", "x"),
    new Ref("date", "2024-02-29"),
    new Ref("date", "-000001-12-31"),
    [],
    {},
    [1, [2, { a: [] }]],
    new Set([1, "1", [1]]),
    new Map([["text key", 1]]),
    new Map([[[1, 2], { a: keyword("b") }]]),
    { nested: { deep: new Set([keyword("x")]) }, $ref: "x" },
  ]) {
    const kept =
      value instanceof Object && "$ref" in value
        ? new Map([
            [keyword("nested"), value.nested],
            [keyword("$ref"), "x"],
          ])
        : value;
    assert.deepEqual(back(value), kept);
    assert.deepEqual(loaded(value), kept);
  }
});

test("small integers come back as numbers, also when they were BigInts", () => {
  assert.equal(back(5n), 5);
  assert.ok(Object.is(back(-0), 0));
});

test("integers of up to ten thousand digits are accepted by every entry point", () => {
  const largest = "9".repeat(10_000);
  const saved = (integer) => JSON.stringify(Turn.success({})).replace('"result":null', `"result":${integer}`);
  for (const digits of [largest, `-${largest}`]) {
    assert.equal(back(BigInt(digits)), BigInt(digits));
    assert.equal(readClojure(digits), BigInt(digits));
    assert.equal(Turn.fromJSON(saved(digits)).result, BigInt(digits));
    assert.equal(toClojure(BigInt(digits)).text, digits);
  }
  for (const digits of [`${largest}9`, `-${largest}9`, "9".repeat(1_000_000)]) {
    const refused = refuses(() => typeOf({ a: [1, BigInt(digits)] }), "invalid_value", "$.a[1]");
    assert.equal(refused.message, "$.a[1] is an integer of more than 10000 digits");
    assert.match(refuses(() => readClojure(digits), "parse_error").message, /at most 10000 digits/);
    for (const json of [digits, `{"$int":"${digits}"}`]) {
      assert.match(refuses(() => Turn.fromJSON(saved(json)), "invalid_turn").message, /10000/);
    }
  }
});

test("an object with names that can't be keywords becomes a map with string keys", () => {
  assert.deepEqual(
    back({ "first name": 1, age: 2 }),
    new Map([
      ["first name", 1],
      [keyword("age"), 2],
    ]),
  );
});

test("names that begin with a dollar are not taken for tags", () => {
  for (const value of [{ $set: [1] }, { $keyword: "a" }, { $unknown: 1 }, { a: { $int: "x" } }]) {
    assert.equal(toClojure(value).text, toClojure(back(value)).text);
  }
  assert.equal(toClojure({ $keyword: "a" }).text, '{:$keyword "a"}');
});

test("__proto__ is an ordinary key", () => {
  const value = JSON.parse('{"__proto__":{"polluted":true},"a":1}');
  assert.equal(toClojure(value).text, "{:__proto__ {:polluted true} :a 1}");
  for (const result of [back(value), loaded(value)]) {
    assert.deepEqual(Object.keys(result), ["__proto__", "a"]);
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
    assert.equal(result.polluted, undefined);
    assert.deepEqual(Object.getOwnPropertyDescriptor(result, "__proto__").value, { polluted: true });
  }
  assert.equal({}.polluted, undefined);
});

test("the last of equal keys wins", () => {
  const twice = new Map([
    [keyword("a"), 1],
    [keyword("b"), 2],
    [keyword("a"), 3],
  ]);
  assert.deepEqual(back(twice), { a: 3, b: 2 });
  assert.deepEqual(back(new Set([[1], [1]])), new Set([[1]]));
});

test("toJSON is called", () => {
  assert.deepEqual(back({ price: new Money(5) }), { price: { cents: 5, under: "price" } });
  assert.deepEqual(back([new Money(5)]), [{ cents: 5, under: "0" }]);
  assert.deepEqual(back(new URL("https://example.org/")), "https://example.org/");
  assert.deepEqual(back({ toJSON: () => 7 }), 7);
  const self = { toJSON: () => self };
  refuses(() => typeOf({ self }), "invalid_value", "$.self.toJSON");
  const endless = { toJSON: () => ({ endless }) };
  refuses(() => typeOf(endless), "nesting_too_deep");
});

test("values of other realms and proxies are accepted", () => {
  const foreign = runInNewContext("({ a: [1, new Date(0), new Set([1]), new Map([['k', 1]])] })");
  assert.deepEqual(back(foreign), { a: [1, new Date(0), new Set([1]), new Map([["k", 1]])] });
  assert.deepEqual(back(new Proxy({ a: new Proxy([1, 2], {}) }, {})), { a: [1, 2] });
  assert.ok(back(new Proxy(keyword("k"), {})) instanceof Keyword);
});

test("values that the language can't represent are refused with their path", () => {
  const check = (value, path) => refuses(() => typeOf(value), "invalid_value", path);
  check(() => 1, "$");
  check({ a: [1, Symbol("s")] }, "$.a[1]");
  check({ items: [{}, { run() {} }] }, "$.items[1].run");
  check({ "first name": new Point(1) }, '$["first name"]');
  check(new Map([["key", new Point(1)]]), "$.key");
  check(new Map([[{ a: new Point(1) }, 1]]), "$[entry 0].a");
  check(new Set([1, new Point(1)]), "$[1]");
  check({ at: new Date(Number.NaN) }, "$.at");
  check([Promise.resolve(1)], "$[0]");
  check([new WeakMap()], "$[0]");
  check([new Uint8Array(2)], "$[0]");
  check([/a/], "$[0]");
  check([new Error("x")], "$[0]");
});

test("the error for an unsupported value says what to do", () => {
  assert.equal(refuses(() => typeOf([Promise.resolve(1)]), "invalid_value").hint, "await it first");
  const error = refuses(() => typeOf({ a: new Point(1) }), "invalid_value");
  assert.equal(error.message, "$.a is a Point, which has no form here");
});

test("an error that is thrown while a value is read is the cause", () => {
  const cause = new RangeError("no");
  const value = {
    list: [
      {
        get price() {
          throw cause;
        },
      },
    ],
  };
  assert.equal(refuses(() => typeOf(value), "invalid_value", "$.list[0].price").cause, cause);
  assert.ok(refuses(() => typeOf({ gone: revoked() }), "invalid_value", "$.gone").cause instanceof TypeError);
  assert.ok(refuses(() => typeOf([new Proxy(new Map(), {})]), "invalid_value", "$[0]").cause instanceof TypeError);
});

test("a getter may itself use the library", () => {
  const value = {
    get inner() {
      return toClojure([1, 2]).text;
    },
    after: 1,
  };
  assert.equal(toClojure(value).text, '{:after 1 :inner "[1 2]"}');
  const refused = {
    get inner() {
      return typeOf(() => 1);
    },
  };
  assert.equal(refuses(() => typeOf(refused), "invalid_value", "$.inner").cause.details.path, "$");
});

test("data is converted the same whether or not all of it is JSON", () => {
  const shared = { a: [1] };
  const values = [
    [1, -1, 0, -0, 1.5, 1e-7, 1e21, -1e300, 2 ** 53, 2 ** 53 - 1, Number.NaN, Number.POSITIVE_INFINITY],
    ["", "a", 'quote " and \\', "line\n\t\u0001", "é – 漢字 😀", "\ud800", "a\udc00b", "\\ud800", "\u2028"],
    [
      { a: 1, b: [true, false, null, []] },
      {},
      { "first name": 1 },
      { $int: "1" },
      { "": 1 },
      { "a:": 1 },
      { 2: 1, 1: 2 },
    ],
    [JSON.parse('{"__proto__": 1}'), Object.assign(Object.create(null), { a: 1 }), runInNewContext("({ a: [1, {}] })")],
    [shared, shared, { x: undefined }, [undefined]],
    Array.from({ length: 5 }, (_, index) => (index % 2 === 0 ? { a: 1, b: 2 } : { b: 2, a: 1 })),
    nested(150),
    nested(90, { deep: "x" }),
  ];
  // A date is not JSON, so the values beside it take the path for values that JSON can't express.
  const date = new Date(0);
  const walked = toClojure(date).text;
  for (const value of values.flatMap((items) => [...items, items])) {
    assert.equal(
      toClojure([value, date], { limit: 1_000_000 }).text,
      `[${toClojure(value, { limit: 1_000_000 }).text} ${walked}]`,
    );
    assert.deepEqual(back([value, date])[0], back(value));
    const text = JSON.stringify(Turn.success({ memory: { value } }));
    assert.equal(text, JSON.stringify(Turn.success({ memory: { date, value } })).replace(/"date":\{[^}]*\},/, ""));
  }
});

test("a toJSON on String.prototype is ignored", () => {
  Object.defineProperty(String.prototype, "toJSON", { value: () => "patched", configurable: true });
  try {
    assert.equal(toClojure({ a: "text" }).text, '{:a "text"}');
  } finally {
    delete String.prototype.toJSON;
  }
});

test("cycles are refused with the paths of both ends", () => {
  const value = { items: [1, 2, {}] };
  value.items[2].self = value.items;
  const error = refuses(() => typeOf(value), "cyclic_value", "$.items[2].self");
  assert.equal(error.message, "$.items[2].self is $.items again");
  const map = new Map();
  map.set("me", map);
  refuses(() => typeOf(map), "cyclic_value", "$.me");
  const set = new Set();
  set.add(set);
  refuses(() => typeOf(set), "cyclic_value", "$[0]");
});

test("a value that occurs twice is not a cycle", () => {
  const shared = { a: 1 };
  assert.deepEqual(back([shared, shared, { shared }]), [{ a: 1 }, { a: 1 }, { shared: { a: 1 } }]);
});

test("every entry point accepts a nesting of 1,000 levels, and not one more", () => {
  const shapes = [
    [(inner) => [inner], (inner) => `[${inner}]`],
    [(inner) => new Set([inner]), (inner) => `#{${inner}}`],
    [(inner) => ({ a: inner }), (inner) => `{:a ${inner}}`],
    [(inner) => ({ "first name": inner }), (inner) => `{"first name" ${inner}}`],
    [(inner) => new Map([[1, inner]]), (inner) => `{1 ${inner}}`],
    [(inner) => new Map([[inner, 1]]), (inner) => `{${inner} 1}`],
  ];
  const times = (count, wrap, seed) => {
    let nest = seed;
    for (let level = 0; level < count; level++) nest = wrap(nest);
    return nest;
  };
  for (const [wrap, write] of shapes) {
    const [value, text] = [(levels) => times(levels, wrap, 1), (levels) => times(levels, write, "1")];
    const asRecord = (levels) => ({ x: value(levels - 1) });
    const ways = [
      (levels) => typeOf(value(levels)),
      (levels) => toClojure(value(levels)),
      (levels) => readClojure(text(levels)),
      (levels) => toClojure(readClojure(text(levels))),
      (levels) => Turn.success({ result: value(levels) }),
      (levels) => Turn.success({ memory: asRecord(levels) }),
      (levels) => Turn.success({ toolCalls: [{ name: "f", args: asRecord(levels) }] }),
      (levels) => Turn.success({ toolCalls: [{ name: "f", result: value(levels) }] }),
      (levels) => Turn.failure({ result: { message: "m", details: value(levels - 1) } }),
      (levels) => toMessages([], asRecord(levels), { mission: "m" }),
      (levels) => toMessages([], null, { mission: "m", data: asRecord(levels) }),
    ];
    for (const way of ways) {
      const given = way(1000);
      assert.match(refuses(() => way(1001), "nesting_too_deep").message, /nested more than 1000 levels deep/);
      if (!(given instanceof Turn)) continue;
      const json = JSON.stringify(given);
      assert.equal(JSON.stringify(Turn.fromJSON(json)), json);
      assert.equal(toMessages([Turn.fromJSON(json)], null, { mission: "m" }).messages.length, 2);
    }
  }
});

test("a saved turn has the same limit of 1,000 levels", () => {
  const nest = (levels) => "[".repeat(levels) + "]".repeat(levels);
  const call = (member, levels) => `"toolCalls":[{"name":"f","${member}":${nest(levels)}}]`;
  for (const member of [
    (levels) => `"result":${nest(levels)}`,
    (levels) => `"memory":{"x":${nest(levels - 1)}}`,
    (levels) => call("args", levels),
    (levels) => call("result", levels),
  ]) {
    assert.ok(Turn.fromJSON(`{"success":true,${member(1000)}}`).success);
    const refused = refuses(() => Turn.fromJSON(`{"success":true,${member(1001)}}`), "invalid_turn");
    assert.match(refused.message, /nested .* 1000 levels deep/);
  }
});

test("a nesting of a million levels gives an error with a short message", () => {
  const error = refuses(() => typeOf(nested(1_000_000)), "nesting_too_deep");
  assert.ok(error.message.length < 100, error.message);
});

test("lone surrogates become U+FFFD", () => {
  assert.equal(back("a\ud800b"), "a\ufffdb");
  assert.equal(back("\udc00"), "\ufffd");
  assert.equal(back("😀 \\ud800"), "😀 \\ud800");
  assert.deepEqual(back({ "\ud800": 1 }), { "\ufffd": 1 });
  const turn = Turn.success({ prints: ["\ud800"], program: "\ud800", docs: { f: "\ud800" } });
  assert.deepEqual(Turn.fromJSON(JSON.stringify(turn)), turn);
});

test("values that come back are frozen", () => {
  const value = back({ list: [1], set: new Set([1]), map: new Map([["a", 1]]), date: new Date(0) });
  for (const change of [
    () => value.list.push(2),
    () => {
      value.more = 1;
    },
    () => value.set.add(2),
    () => value.map.clear(),
    () => value.date.setFullYear(1999),
  ]) {
    assert.throws(change);
  }
  assert.deepEqual(value, { list: [1], set: new Set([1]), map: new Map([["a", 1]]), date: new Date(0) });
  assert.deepEqual(structuredClone(value), value);
});
