// The program of the README prints what the README says, and its other programs run.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";

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

/** What the programs take for given. */
const GIVEN = `
import { Turn } from "turnfold";
const turns = [];
const nextTurn = Turn.success({ program: "(def x 1)", memory: { x: 1 } });
const fetchRate = async () => 1.5;
const searchCatalog = ({ query }) => [{ id: 1, name: \`Desk \${query}\`, price: 42 }];
const loadReviews = async () => [{ stars: 5 }];
const loadOrder = async () => ({ state: "sent" });
const askModel = async () => "It was sent.";
const messages = [{ role: "user", content: "Hello" }, { role: "assistant", content: "Hello!" }];
const model = "any";
const llm = async () => "Answer: 330 m\\nMood: sure";
const create = async () => ({ choices: [{ message: { content: REPLY } }] });
const client = { chat: { completions: { create } } };
const REPLY = "\`\`\`clojure\\n(return (first (tool/search data/what)))\\n\`\`\`";
`;

test("every other program runs as it is", () => {
  const programs = blocks(readFileSync(join(root, "README.md"), "utf8")).filter(({ language }) => language === "js");
  const printed = programs.slice(1).map(({ text }) => {
    const [imports, body] = [text.match(/^import .*$/gm).join("\n"), text.replace(/^import .*$/gm, "")];
    const given = imports.includes(" Turn ") ? GIVEN.replace(/^import .*$/m, "") : GIVEN;
    // In a block, a program may take a name that is given.
    const { code } = transformSync(`${imports}\n${given}\n{\n${body}\nconsole.log("over");\n}`, { target: "es2022" });
    const options = { cwd: root, encoding: "utf8" };
    return execFileSync(process.execPath, ["--input-type=module", "--eval", code], options);
  });
  assert.equal(printed.length, 6);
  for (const text of printed) assert.match(text, /over\n$/);
  assert.match(printed[2], /Desk lamp[\s\S]*Turn 1 ok[\s\S]*Return/);
});
