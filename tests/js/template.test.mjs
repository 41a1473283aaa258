import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { T } from "turnfold";
import { keyword } from "turnfold/turns";
import { refuses } from "./refuses.mjs";

suite("a template", () => {
  test("replaces placeholders with values", () => {
    const template = T`Find {{item}} for {{ user.name }}, at most {{limit}}`;
    assert.deepEqual(template.placeholders, ["item", "user.name", "limit"]);
    assert.equal(
      template.expand({ item: "a lamp", user: { name: "Ann" }, limit: 40 }),
      "Find a lamp for Ann, at most 40",
    );
    assert.equal(T`{{a}}{{a}}`.expand({ a: "{{b}}" }), "{{b}}{{b}}");
  });

  test("writes collections as Clojure text, without hidden keys", () => {
    assert.equal(T`{{v}}`.expand({ v: { a: [1, "x"], _key: 1 } }), '{:a [1 "x"]}');
    assert.equal(T`{{v}}{{w}}{{n}}`.expand({ v: keyword("k"), w: true, n: null }), "ktrue");
  });

  test("repeats sections for lists, and removes the lines of their tags", () => {
    const template = T("Items:\n{{#items}}\n- {{name}} of {{shop}}\n{{/items}}\n{{^items}}\nnone\n{{/items}}\nEnd");
    assert.deepEqual(template.placeholders, ["items"]);
    const items = [{ name: "A" }, { name: "B", shop: "here" }];
    assert.throws(() => template.expand({ items }), { code: "missing_placeholder" });
    const own = items.map((item) => ({ shop: "there", ...item }));
    assert.equal(template.expand({ items: own }), "Items:\n- A of there\n- B of here\nEnd");
    assert.equal(template.expand({ items: [] }), "Items:\nnone\nEnd");
    assert.equal(T`{{#xs}}<{{.}}>{{/xs}}`.expand({ xs: [1, "b"] }), "<1><b>");
    assert.equal(T`{{#user}}{{name}}{{/user}}`.expand({ user: { name: "Ann" } }), "Ann");
  });

  test("inserts interpolated texts unchanged, and templates as templates", () => {
    const template = T`Say ${"{{this}}"} to {{whom}}${T` and {{other}}`}`;
    assert.deepEqual(template.placeholders, ["whom", "other"]);
    assert.equal(template.expand({ whom: "Ann", other: "Bob" }), "Say {{this}} to Ann and Bob");
  });

  test("reports missing and unused names", () => {
    const missing = refuses(() => T`Find {{item}}`.expand({}), "missing_placeholder");
    assert.deepEqual(missing.details, { name: "item", given: [], placeholders: ["item"] });
    const unused = refuses(() => T`Find {{item}}`.expand({ item: 1, itme: 2 }), "unused_value");
    assert.match(`${unused.message}; ${unused.hint}`, /no place for itme; it takes item/);
    assert.equal(refuses(() => T`{{toString}}`.expand({}), "missing_placeholder").details.name, "toString");
  });

  test("is refused when it can't be parsed", () => {
    for (const source of [
      "{{}}",
      "{{a b}}",
      "{{#a}}",
      "{{/a}}",
      "{{#a}}{{/b}}",
      "{{> partial}}",
      "{{{raw}}}",
      "{{1}}",
    ]) {
      refuses(() => T(source), "invalid_template");
    }
    refuses(() => T(5), "invalid_template");
    assert.equal(refuses(() => T("a\nb {{#c}}"), "invalid_template").details.line, 2);
  });
});
