// Runs the manual of the language, `tests/language/*.md`, through the package; tests/it/language.rs documents its format.

import assert from "node:assert/strict";
import test from "node:test";
import { Lisp, toClojure } from "turnfold/lisp";
import { casesIn, examplesOf } from "./cases.mjs";

const NOW = 1_709_210_096_789;

for (const chapter of casesIn("language")) {
  const { name, title } = chapter;
  test(`${name}: ${title}`, (context) => {
    context.mock.timers.enable({ apis: ["Date"], now: NOW });
    let count = 0;
    for (const block of examplesOf(chapter)) {
      const lisp = new Lisp({ keywords: "keep", limits: { timeoutMs: 60_000 } });
      for (const { line, source, value, error, prints } of block) {
        count++;
        const result = lisp.runSync(source);
        const where = `${name}.md:${line}: ${source.trim()}`;
        if (value === null) {
          assert.equal(result.error?.kind, error.kind, where);
          assert.ok(
            `${result.error.message}\n${result.error.hint}`.includes(error.part),
            `${where}\n${result.error.message}`,
          );
        } else {
          assert.equal(result.error, null, `${where}\n${result.error?.message}`);
          assert.equal(toClojure(result.value).text, value, where);
        }
        assert.deepEqual(result.prints, prints, where);
      }
      lisp.dispose();
    }
    assert.ok(count > 0);
  });
}
