// The manual of the language, `tests/language/*.md`, through the package; the format is described in tests/it/language.rs.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Lisp, toClojure } from "turnfold";

const folder = join(import.meta.dirname, "..", "language");
const NOW = 1_709_210_096_789;

for (const name of readdirSync(folder).filter((file) => file.endsWith(".md"))) {
  test(name, (context) => {
    context.mock.timers.enable({ apis: ["Date"], now: NOW });
    let count = 0;
    for (const block of blocks(readFileSync(join(folder, name), "utf8"))) {
      const lisp = new Lisp({ keywords: "keep", limits: { timeoutMs: 60_000 } });
      for (const { line, source, value, error, prints } of block) {
        count++;
        const result = lisp.runSync(source);
        const where = `${name}:${line}: ${source.trim()}`;
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

function blocks(chapter) {
  const found = [];
  let source = null;
  for (const [index, line] of chapter.split("\n").entries()) {
    const text = line.trim();
    if (source === null) {
      if (text === "```clojure") {
        source = "";
        found.push([]);
      }
    } else if (text === "```") source = null;
    else if (text.startsWith("; prints:"))
      found.at(-1).at(-1).prints.push(text.slice("; prints:".length).replace(/^ /, ""));
    else {
      const mark = ["; => ", "; error: "].find((each) => line.includes(each));
      if (mark === undefined) {
        source += `${line}\n`;
        continue;
      }
      const place = line.lastIndexOf(mark);
      const after = line.slice(place + mark.length).trim();
      const [kind, part] = [after.split(" ", 1)[0], after.slice(after.indexOf(" ") + 1)];
      found.at(-1).push({
        line: index + 1,
        source: source + line.slice(0, place),
        value: mark === "; => " ? after : null,
        error: { kind, part: after.includes(" ") ? part.trim().replace(/^"+|"+$/g, "") : "" },
        prints: [],
      });
      source = "";
    }
  }
  return found;
}
