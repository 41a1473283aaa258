// Schemas of Zod, Valibot and ArkType, for tools of the AI SDK and for objects.

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { pack } from "../packaging/tarball.mjs";
import { app, program, run } from "./frameworks.mjs";

const libraries = {
  zod: {
    line: 'tool/find(state ("open" | "paid")?, year :string, near :string | nil, limit :int?) -> {found :float}  ; Find orders',
    state: 'which orders (default "open")',
    notes: [";   year: format date", ";   near: at most 40 characters", ";   limit: 1 to 100"],
    chat: 'state: Invalid option: expected one of "open"|"paid"',
    program: "year: Invalid ISO date",
  },
  valibot: {
    line: 'tool/find(state ("open" | "paid")?, year :string, near :string | nil, limit :int?) -> :any  ; Find orders',
    state: 'which orders (default "open")',
    notes: [";   year: format date", ";   near: at most 40 characters", ";   limit: 1 to 100"],
    chat: 'state: Invalid type: Expected ("open" | "paid") but received "closed"',
    program: 'year: Invalid date: Received "soon"',
  },
  // ArkType's JSON Schema has neither defaults nor formats, and sorts members by name.
  arktype: {
    line: 'tool/find(near :string | nil, year :string, limit :int?, state ("open" | "paid")?) -> :any  ; Find orders',
    state: "which orders",
    notes: [";   near: at most 40 characters", ";   limit: 1 to 100"],
    chat: 'state: state must be which orders (was "closed")',
    program: 'year: year must be an ISO 8601 (YYYY-MM-DDTHH:mm:ss.sssZ) date (was "soon")',
  },
};

let turnfold;
before(() => {
  turnfold = pack();
});
after(() => turnfold.remove());

for (const [version, instead] of [
  ["6", {}],
  ["7", { ai: "ai-7" }],
]) {
  suite(`with version ${version} of the AI SDK`, () => {
    let byLibrary;
    let objects;
    let unlisted;
    before(() => {
      const folder = app(turnfold, `schemas-${version}`, { "main.ts": program("schemas/main.ts") }, instead);
      ({ byLibrary, objects, unlisted } = JSON.parse(run(folder, "main.ts")));
    });

    for (const [name, expected] of Object.entries(libraries)) {
      test(`models read the types and descriptions of a ${name} schema`, () => {
        const [line, ...notes] = byLibrary[name].listed;
        assert.equal(line, expected.line);
        assert.deepEqual(notes.toSorted(), [`;   state: ${expected.state}`, ...expected.notes].toSorted());
      });

      test(`functions get the output of a ${name} schema, with null for a required nullable member`, () => {
        assert.deepEqual(byLibrary[name].chat, { state: "open", year: 2026, near: null });
        assert.deepEqual(byLibrary[name].program, { state: "paid", year: 2026, near: null });
        assert.deepEqual(byLibrary[name].lisp, { found: 2026 });
      });

      test(`models read which arguments do not fit a ${name} schema`, () => {
        assert.equal(byLibrary[name].chatMisfit, `Error: the arguments of find do not fit: ${expected.chat}`);
        assert.equal(
          byLibrary[name].programMisfit,
          `Error: \`find\` failed: the arguments of find do not fit: ${expected.program}`,
        );
      });
    }

    test("an object is the output of its schema, whose JSON Schema is sent to the model", () => {
      const { schemas, ...outputs } = objects;
      assert.deepEqual(outputs, { years: [1815, 1815, 1815], names: ["Ada", "Ada", "Ada"], tags: [[], [], []] });
      assert.equal(schemas.length, 3);
      for (const { type, properties, required } of schemas) {
        assert.equal(type, "object");
        assert.deepEqual(Object.keys(properties).toSorted(), ["born", "name", "tags"]);
        assert.equal(properties.born.type, "string");
        assert.deepEqual(required.toSorted(), ["born", "name"]);
      }
    });

    test("a schema without JSON Schema validates; an error tells the model, and a warning the developer, what to do", () => {
      const advice = "wrap it in toStandardJsonSchema() of @valibot/to-json-schema";
      const warning = `the parameters of "find" are not listed for the model, because its schema gives no JSON Schema: ${advice}`;
      assert.equal(
        unlisted.line,
        "tool/find(...) -> :any  ; Find an order (parameters are not listed: the error of a call that does not fit names them)",
      );
      assert.equal(
        unlisted.error,
        'Error: `find` failed: the arguments of find do not fit: id: Invalid type: Expected number but received "x"',
      );
      assert.equal(unlisted.result, 2);
      assert.ok(unlisted.step.includes(warning));
      assert.ok(unlisted.lisp.includes(warning));
      assert.deepEqual(unlisted.agent, [
        warning,
        `the model is not sent the schema, which gives no JSON Schema: ${advice}`,
      ]);
      assert.match(unlisted.refused.message, /does not fit the schema: id: Invalid type/);
      assert.ok(unlisted.refused.hint.startsWith(advice));
    });
  });
}
