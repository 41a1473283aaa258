// Which Markdown files are pages, in the order in which they are read.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder of the project, which the paths of documents begin at. */
export const root = join(import.meta.dirname, "..", "..", "..");

const guides = [
  "turns",
  "chat",
  "programs",
  "strategies",
  "costs",
  "recall",
  "sandbox",
  "models",
  "custom-strategies",
  "playground",
];

/** The documents in groups, by their paths in the project. */
export const groups = [
  { title: "Start here", paths: ["README.md", "docs/README.md"] },
  { title: "Guides", paths: guides.map((name) => `docs/${name}.md`) },
  { title: "Frameworks", paths: filesIn("docs/adapters") },
  { title: "Reference", paths: ["docs/api/README.md", "docs/SKILL.md"] },
  { title: "The language", paths: filesIn("tests/language") },
  { title: "The project", paths: ["CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/requirements.md"] },
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
  // VitePress takes titles in the list for HTML; parameters of types are left to the page.
  return heading
    .replace(/\\<.*$/, "")
    .replace(/[`\\]/g, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;");
}

/** The path of a document's page, without its ending. `README.md` of a folder is its index, but for that of the project. */
export function pageOf(path) {
  return path.replace(/(?<=\/)README\.md$/, "index.md").replace(/\.md$/, "");
}
