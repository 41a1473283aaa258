// The Markdown files that are pages of the site, in reading order.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder of the project; paths of documents are relative to it. */
export const root = join(import.meta.dirname, "..", "..", "..");

const guides = [
  "turns",
  "chat",
  "typed-calls",
  "strategies",
  "costs",
  "provider-compaction",
  "proxy",
  "recall",
  "recordings",
  "sandbox",
  "models",
  "custom-strategies",
  "code-mode",
  "waiting",
  "durable",
  "playground",
];

/** The documents in groups, by their paths in the project. */
export const groups = [
  { title: "Start here", paths: ["README.md", "docs/README.md", "docs/quickstart.md"] },
  { title: "Guides", paths: guides.map((name) => `docs/${name}.md`) },
  { title: "Frameworks", paths: filesIn("docs/adapters") },
  { title: "Reference", paths: ["docs/glossary.md", "docs/errors.md", "docs/api/README.md", "docs/SKILL.md"] },
  { title: "The language", paths: filesIn("tests/language") },
  {
    title: "The project",
    paths: ["CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "docs/requirements.md"],
  },
];

/** The groups of the API reference, each with its pages; they are written by TypeDoc. */
export const reference = existsSync(join(root, "docs/api"))
  ? readdirSync(join(root, "docs/api"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => ({ title: name[0].toUpperCase() + name.slice(1), paths: filesIn(`docs/api/${name}`) }))
  : [];

function filesIn(folder) {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `${folder}/${name}`);
}

const titles = new Map([
  ["README.md", "README"],
  ["docs/README.md", "Documents"],
  ["docs/api/README.md", "API"],
]);

/** The title of a document: its first heading. */
export function titleOf(path) {
  const known = titles.get(path);
  if (known !== undefined) return known;
  const heading = /^# (.+)$/m.exec(readFileSync(join(root, path), "utf8"))?.[1];
  if (heading === undefined) throw new Error(`${path} has no heading`);
  // VitePress reads titles in the sidebar as HTML, so type parameters are shown on the page only.
  return heading
    .replace(/\\<.*$/, "")
    .replace(/[`\\]/g, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;");
}

/** The path of a document's page, without its ending. The `README.md` of a folder, except that of the project, is its index. */
export function pageOf(path) {
  return path.replace(/(?<=\/)README\.md$/, "index.md").replace(/\.md$/, "");
}
