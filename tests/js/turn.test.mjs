import assert from "node:assert/strict";
import { test } from "node:test";
import { Turn, toMessages } from "turnfold";
import { readClojure } from "turnfold/lisp";
import { float, fn, keyword } from "turnfold/turns";
import { refuses } from "./refuses.mjs";
import { revoked } from "./revoked.mjs";

const full = () => ({
  number: 3,
  rawResponse: "thinking…\n```clojure\n(def x 2.0)\n```",
  program: "(def x 2.0)",
  result: keyword("done"),
  prints: ["a\nb", ""],
  toolCalls: [
    { name: "search", args: { q: "x", tags: new Set(["a"]) }, result: [1], durationMs: 12.5 },
    { name: "now", error: "no clock" },
    { name: "add", args: [1, 2], result: 3 },
  ],
  memory: { x: float(2), "first name": keyword("k"), f: fn({ params: "a" }), big: 2n ** 70n },
  docs: { x: "the number", "first name": "odd" },
  defined: ["x"],
});

test("a turn has the members that it was created from", () => {
  const turn = Turn.success(full());
  assert.equal(turn.success, true);
  assert.equal(turn.number, 3);
  assert.equal(turn.result.name, "done");
  assert.deepEqual(turn.prints, ["a\nb", ""]);
  assert.deepEqual(turn.toolCalls, [
    { name: "search", args: { q: "x", tags: new Set(["a"]) }, result: [1], error: null, durationMs: 12.5 },
    { name: "now", args: null, result: null, error: "no clock" },
    { name: "add", args: [1, 2], result: 3, error: null },
  ]);
  assert.deepEqual(turn.memory, full().memory);
  assert.deepEqual(turn.docs, full().docs);
  assert.deepEqual(turn.defined, ["x"]);
});

test("absent members have defaults", () => {
  const turn = Turn.success({});
  assert.deepEqual(
    [
      turn.number,
      turn.rawResponse,
      turn.program,
      turn.result,
      turn.prints,
      turn.toolCalls,
      turn.memory,
      turn.docs,
      turn.defined,
    ],
    [1, "", null, null, [], [], {}, {}, []],
  );
  assert.equal(Turn.success({ program: "(+ 1 2)" }).rawResponse, "");
  assert.equal(Turn.success({ program: "(+ 1 2)", rawResponse: "hm" }).rawResponse, "hm");
});

test("a failed turn has a reason and a message", () => {
  const result = (given) => Turn.failure({ result: given }).result;
  assert.deepEqual(result({ reason: "timeout", message: "too long", hint: "less" }), {
    reason: "timeout",
    message: "too long",
    hint: "less",
  });
  assert.deepEqual(result("too long"), { reason: "error", message: "too long" });
  assert.deepEqual(result(new TypeError("x is null")), { reason: "error", message: "x is null" });
  assert.deepEqual(result({ message: "m" }), { reason: "error", message: "m" });
  assert.deepEqual(result({ reason: "r", message: "m", details: { at: 1 } }).details, { at: 1 });
  assert.equal(Turn.failure({ result: "x" }).success, false);
});

test("invalid input is refused with its path", () => {
  const check = (init, path, code = "invalid_turn") => refuses(() => Turn.success(init), code, path);
  check({ number: -1 }, "number");
  check({ number: 1.5 }, "number");
  check({ number: "1" }, "number");
  check({ program: 5 }, "program");
  check({ rawResponse: null, program: 5 }, "program");
  check({ prints: "text" }, "prints");
  check({ prints: ["a", 5] }, "prints[1]");
  check({ prints: new Array(2) }, "prints[0]");
  check({ toolCalls: [{}] }, "toolCalls[0].name");
  check({ toolCalls: [{ name: "" }] }, "toolCalls[0].name");
  check({ toolCalls: [{ name: "a", args: "x" }] }, "toolCalls[0].args");
  check({ toolCalls: [{ name: "a", args: new Set() }] }, "toolCalls[0].args");
  check({ toolCalls: [{ name: "a", args: keyword("k") }] }, "toolCalls[0].args");
  check({ toolCalls: [{ name: "a", durationMs: -1 }] }, "toolCalls[0].durationMs");
  check({ toolCalls: [{ name: "a", durationMs: Number.NaN }] }, "toolCalls[0].durationMs");
  check({ toolCalls: [{ name: "a", error: new Error("x") }] }, "toolCalls[0].error");
  check({ toolCalls: [{ name: "a", arguments: {} }] }, "arguments");
  check({ toolCalls: [{ name: "a", args: { q: () => 1 } }] }, "toolCalls[0].args.q", "invalid_value");
  check(
    { toolCalls: [{ name: "a", result: { rows: [Symbol("x")] } }] },
    "toolCalls[0].result.rows[0]",
    "invalid_value",
  );
  check({ memory: [1] }, "memory", "invalid_value");
  check({ memory: new Map() }, "memory", "invalid_value");
  check({ memory: { x: { items: [1, 2, () => 1] } } }, "memory.x.items[2]", "invalid_value");
  check({ docs: { f: 5 } }, "docs.f");
  check({ defined: [keyword("x")] }, "defined[0]");
  check({ tool_calls: [] }, "tool_calls");
  check(null, "the turn");
  refuses(() => Turn.failure({}), "invalid_turn", "result");
  refuses(() => Turn.failure({ result: { reason: "r" } }), "invalid_turn", "result.message");
  refuses(() => Turn.failure({ result: { reason: 5, message: "m" } }), "invalid_turn", "result.reason");
  const cyclic = { a: {} };
  cyclic.a.b = cyclic;
  check({ memory: { cyclic } }, "memory.cyclic.a.b", "cyclic_value");
});

test("later changes of the input do not change the turn", () => {
  const init = full();
  init.memory.list = [1];
  const turn = Turn.success(init);
  const saved = JSON.stringify(turn);
  init.prints.push("more");
  init.memory.list.push(2);
  init.toolCalls[0].args.q = "other";
  init.docs.x = "other";
  assert.equal(JSON.stringify(turn), saved);
  assert.deepEqual(turn.memory.list, [1]);
});

test("a turn is deeply frozen", () => {
  const turn = Turn.success(full());
  for (const change of [
    () => {
      turn.number = 4;
    },
    () => {
      turn.memory = {};
    },
    () => {
      turn.more = 1;
    },
    () => turn.prints.push("x"),
    () => turn.defined.push("x"),
    () => {
      turn.docs.y = "z";
    },
    () => {
      turn.memory.x = 1;
    },
    () => {
      turn.toolCalls[0].name = "x";
    },
    () => {
      turn.toolCalls[0].args.q = "x";
    },
    () => turn.toolCalls[0].args.tags.add("b"),
    () => {
      Turn.success({}).memory.x = 1;
    },
    () => Turn.success({}).defined.push("x"),
  ]) {
    assert.throws(change);
  }
});

test("a turn is saved and loaded to the same bytes", () => {
  const failed = Turn.failure({ number: 2, program: "(foo)", result: { reason: "r", message: "m" } });
  for (const turn of [Turn.success(full()), Turn.success({}), failed]) {
    const text = JSON.stringify(turn);
    for (const json of [turn.toJSON(), text, structuredClone(turn.toJSON()), turn]) {
      const loaded = Turn.fromJSON(json);
      assert.equal(JSON.stringify(loaded), text);
      assert.deepEqual(loaded, turn);
      assert.deepEqual(
        toMessages([loaded], null, { mission: "m" }).messages,
        toMessages([turn], null, { mission: "m" }).messages,
      );
    }
  }
});

test("absent members stay absent when a turn is saved or spread", () => {
  const turn = Turn.success({ program: "(+ 1 2)" });
  for (const copy of [turn, Turn.fromJSON(turn), Turn.success({ ...turn })]) {
    assert.equal("memory" in copy.toJSON(), false);
    assert.equal("defined" in copy.toJSON(), false);
  }
  const knows = Turn.success({ memory: {}, defined: [] });
  assert.deepEqual([Turn.fromJSON(knows).toJSON().memory, Turn.success({ ...knows }).toJSON().defined], [{}, []]);
});

test("a turn can be spread into a new one", () => {
  const turn = Turn.success(full());
  assert.deepEqual(Turn.success({ ...turn }), turn);
  assert.deepEqual(Turn.success({ ...turn, prints: [] }).prints, []);
});

test("the saved form carries a version and can be changed without harm", () => {
  const turn = Turn.success(full());
  const json = turn.toJSON();
  assert.equal(json.version, 1);
  json.memory = {};
  assert.deepEqual(turn.toJSON().memory, Turn.success(full()).toJSON().memory);
});

test("turns with the same members are deeply equal, others are not", () => {
  assert.deepEqual(Turn.success(full()), Turn.success(full()));
  assert.notDeepEqual(Turn.success(full()), Turn.success({ ...full(), memory: { x: 1 } }));
  assert.notDeepEqual(Turn.success({}), Turn.failure({ result: "x" }));
});

test("a proxy of a turn is accepted as the turn", () => {
  const turn = Turn.success(full());
  const proxy = new Proxy(turn, {});
  assert.deepEqual(proxy.toolCalls, turn.toolCalls);
  assert.equal(JSON.stringify(proxy), JSON.stringify(turn));
  assert.deepEqual(toMessages([proxy], null, { mission: "m" }), toMessages([turn], null, { mission: "m" }));
});

test("invalid saved turns are refused", () => {
  const saved = Turn.success(full()).toJSON();
  for (const json of [
    null,
    undefined,
    5,
    [],
    "{",
    "",
    {},
    { ...saved, version: 2 },
    { ...saved, success: "yes" },
    { ...saved, number: -1 },
    { ...saved, prints: [1] },
    { ...saved, toolCalls: [{ name: 1 }] },
    { ...saved, memory: [] },
    { ...saved, result: { $unknown: 1 } },
    { a: 5n },
  ]) {
    refuses(() => Turn.fromJSON(json), "invalid_turn");
  }
  const failed = Turn.failure({ result: "no" }).toJSON();
  for (const result of [null, {}, undefined]) {
    refuses(() => Turn.fromJSON({ ...failed, result }), "invalid_turn", "result");
  }
  assert.ok(refuses(() => Turn.fromJSON({ ...saved, version: 2 }), "invalid_turn").cause);
  const wrong = refuses(() => Turn.fromJSON({ ...saved, prints: [1] }), "invalid_turn", "prints[0]");
  assert.match(wrong.message, /^this is no saved turn: /);
});

test("a text that is not a saved turn is refused with the position and a hint", () => {
  const text = JSON.stringify(Turn.success({ rawResponse: "größe 😀" }));
  const error = refuses(() => Turn.fromJSON(text.replace('"prints":[]', '"prints":[}')), "invalid_turn");
  assert.equal(error.details.offset, text.indexOf('"prints":[]') + '"prints":['.length);
  assert.match(error.message, new RegExp(`, at offset ${error.details.offset}$`));
  const newer = refuses(() => Turn.fromJSON(text.replace('"version":1', '"version":2')), "invalid_turn");
  assert.match(newer.hint, /version of turnfold/);
  assert.match(refuses(() => Turn.success({ number: 2 ** 32 }), "invalid_turn").message, /from 0 to 4294967295/);
});

test("dates that JavaScript has no Date for are refused", () => {
  const saved = (millis) =>
    JSON.stringify(Turn.success({ result: 1 })).replace('"result":1', `"result":{"$date":${millis}}`);
  assert.equal(Turn.fromJSON(saved(-8.64e15)).result.getTime(), -8.64e15);
  for (const millis of ["8640000000000001", "-9223372036854775808"]) {
    refuses(() => Turn.fromJSON(saved(millis)), "invalid_turn");
  }
  refuses(() => readClojure('#inst "+275760-09-13T00:00:00.001Z"'), "parse_error");
});

test("an error of a getter or proxy is the cause of a TurnfoldError", () => {
  const boom = new Error("boom");
  const proxy = revoked();
  const init = {
    get memory() {
      throw boom;
    },
  };
  assert.equal(refuses(() => Turn.success(init), "invalid_turn").cause, boom);
  for (const given of [proxy, { number: proxy }, { prints: proxy }, { prints: [proxy] }, { docs: { a: proxy } }]) {
    refuses(() => Turn.success(given), "invalid_turn");
    refuses(() => Turn.failure(given), "invalid_turn");
  }
});
