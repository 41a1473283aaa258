// What a person writes for a call that waits.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "./page.mjs";

const hand = await load("hand", "run/hand.ts");

const placeOf = ({ line, column }) => [line, column];

describe("arguments in an editor", () => {
  it("are JSON, and Clojure text where JSON would lose a type", () => {
    for (const value of [{ euros: 900, to: ["Ann", null] }, {}, { "a b": 1.5 }]) {
      const { text, language } = hand.editable(value);
      assert.equal(language, "json");
      assert.deepEqual(hand.readWritten(text, language), { value, problem: null });
    }
    for (const value of [{ ids: new Set([1, 2]) }, { id: 12345678901234567890n }, new Map([[1, 2]])]) {
      const { text, language } = hand.editable(value);
      assert.equal(language, "clojure");
      assert.deepEqual(hand.readWritten(text, language).value, value);
    }
  });

  it("that can't be read have the place of the mistake", () => {
    const [json, clojure] = [hand.readWritten('{"a": 1,\n "b": }', "json"), hand.readWritten("{:a 1\n :b", "clojure")];
    assert.deepEqual(placeOf(json.problem.place), [2, 7]);
    assert.equal(json.problem.message, "A value is missing before this");
    assert.deepEqual(placeOf(clojure.problem.place), [1, 1]);
  });

  it("that don't fit are refused at the value, or at the object in which it is missing", () => {
    const text = '{\n  "order": {"id": "x"},\n  "to-whom": 1\n}';
    const at = (message) => {
      const refused = { message: `the arguments for pay (2.0): ${message}`, place: null };
      const problem = hand.argumentProblem(text, "json", refused);
      assert.equal(problem.message, message);
      return placeOf(problem.place);
    };
    assert.deepEqual(at('order.id: expected int, got string "x"'), [2, 19]);
    assert.deepEqual(at("to-whom: expected string, got int 1"), [3, 14]);
    assert.deepEqual(at("order.euros: missing, expected int"), [2, 12]);
    assert.deepEqual(at("expected map, got list"), [1, 1]);
  });
});
