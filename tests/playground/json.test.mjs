// The playground's formatting of JSON.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load } from "./page.mjs";

const { formatted, JsonProblem } = await load("json", "chat/json.ts");

describe("formatted", () => {
  it("writes the text of JSON.stringify for any white space in the input", () => {
    const values = [
      [],
      {},
      [[], {}, [[]]],
      { a: 1, b: [true, null, 'x, [y] {z} \\ " é'], c: { d: {} } },
      "x",
      -1.5e3,
      [
        { role: "user", content: "Hi" },
        { role: "assistant", content: [{ type: "text", text: ":\n" }] },
      ],
    ];
    for (const value of values)
      for (const space of [0, 1, 7, "\t"])
        assert.equal(formatted(JSON.stringify(value, null, space)), JSON.stringify(value, null, 2));
    assert.equal(formatted("\n[ ]"), "[]");
    assert.equal(formatted('{"a"\n:\n{ }}'), '{\n  "a": {}\n}');
  });

  it("keeps the notation of values: large numbers, escapes, duplicate names", () => {
    assert.equal(
      formatted('{"id":12345678901234567890,"t":"\\u00e9\\/","id":1.0,"\\u0061" : 2}'),
      '{\n  "id": 12345678901234567890,\n  "t": "\\u00e9\\/",\n  "id": 1.0,\n  "\\u0061": 2\n}',
    );
  });

  it("refuses what is not JSON", () => {
    for (const text of ["", "[1,]", "{'a': 1}", "[1"]) assert.throws(() => formatted(text), JsonProblem);
  });
});
