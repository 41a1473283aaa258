// The table of docs/errors.md, from the comments of js/error-codes.ts: `node scripts/error-codes.mjs` writes it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { main } from "./process.mjs";
import { root } from "./tools.mjs";

const source = join(root, "js", "error-codes.ts");
const page = join(root, "docs", "errors.md");

/** The codes in the order of the source, each with its meaning and what to do about it. */
export function errorCodes() {
  const text = readFileSync(source, "utf8");
  const union = text.slice(text.indexOf("export type ErrorCode"));
  const members = [...union.matchAll(/((?: *\/\/ .*\n)+) +\| "([a-z_]+)"/g)];
  return members.map(([, comment, code]) => {
    const [meaning, remedy] = comment
      .split("\n")
      .map((line) => line.replace(/^ *\/\/ /, ""))
      .join(" ")
      .trim()
      .split(" → ");
    return { code, meaning, remedy };
  });
}

/** The text of the page, with the current table. */
export function errorsPage() {
  const rows = errorCodes().map(({ code, meaning, remedy }) => `| \`${code}\` | ${meaning} | ${remedy} |`);
  const table = ["| code | what happened | what to do |", "|---|---|---|", ...rows].join("\n");
  const replaced = /(?<=<!-- The table is written by scripts\/error-codes\.mjs\. -->\n\n)(?:\|.*\n)*/;
  return readFileSync(page, "utf8").replace(replaced, () => `${table}\n`);
}

main(import.meta, () => writeFileSync(page, errorsPage()));
