// The program of the README prints what the README says.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** The fenced blocks of a Markdown text: language and content. */
function blocks(markdown) {
  const found = markdown.matchAll(/^(`{3,})(\w*)\n([\s\S]*?)\n\1$/gm);
  return Array.from(found, ([, , language, text]) => ({ language, text }));
}

test("the complete program prints the message below it", () => {
  const readme = blocks(readFileSync(join(root, "README.md"), "utf8"));
  const program = readme.findIndex(({ language }) => language === "js");
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", readme[program].text], {
    cwd: root,
    encoding: "utf8",
  });
  assert.equal(printed, `${readme[program + 1].text}\n`);
  assert.ok(readme[program].text.split("\n").length <= 30, "it is at most 30 lines long");
});
