// The programs of docs/durable.md, as the files that their first lines name.

import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/tools.mjs";
import { blocksOf } from "../js/documents/markdown.mjs";

const blocks = blocksOf(readFileSync(join(root, "docs", "durable.md"), "utf8"));

/**
 * Writes all programs of the document into a folder, from which they find the packages that they import.
 *
 * @param others other files, by their names, in place of those of the document or beside them.
 */
export function writePrograms(name, others) {
  const folder = join(root, ".cache", "durable", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const modules = join(root, ".cache", "durable", "node_modules");
  if (!existsSync(modules)) symlinkSync(join(import.meta.dirname, "stores", "node_modules"), modules, "junction");
  for (const { language, text } of blocks) {
    const [, file] = /^\/\/ (\S+\.mjs)\n/.exec(text) ?? [];
    if (language === "js" && file !== undefined) writeFileSync(join(folder, file), `${text}\n`);
  }
  for (const [file, text] of Object.entries(others)) writeFileSync(join(folder, file), text);
  return folder;
}

/** The blocks of a language under a heading. */
export const textsOf = (heading, language) =>
  blocks.filter((block) => block.heading === heading && block.language === language).map(({ text }) => text);

/** The commands of a session, each with what it prints. */
export const commandsOf = (session) =>
  session
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command, ...printed] = part.trimEnd().split("\n");
      return { command, printed: printed.join("\n") };
    });
