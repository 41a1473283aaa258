// Reads the documents: their fenced blocks, headings and links, and the HTML of their pages.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Marked } from "marked";
import { root } from "./tools.mjs";

/** The documents in groups, in reading order. */
export function documents() {
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
  const frameworks = readdirSync(join(root, "docs", "adapters")).filter((path) => path.endsWith(".md"));
  const chapters = readdirSync(join(root, "tests", "language")).filter((path) => path.endsWith(".md"));
  return [
    { title: "Start here", paths: ["README.md", "docs/README.md"] },
    { title: "Guides", paths: guides.map((name) => `docs/${name}.md`) },
    { title: "Frameworks", paths: frameworks.sort().map((name) => `docs/adapters/${name}`) },
    { title: "Reference", paths: ["docs/api.md", "docs/SKILL.md"] },
    { title: "The language", paths: chapters.sort().map((name) => `tests/language/${name}`) },
    { title: "The project", paths: ["CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/requirements.md"] },
  ];
}

/** Replaces the lines of the front matter with blank ones, so that line numbers stay the same. */
function withoutFrontMatter(markdown) {
  return markdown.replace(/^---\n[\s\S]*?\n---\n/, (front) => front.replace(/.+/g, ""));
}

/** The tokens of a Markdown text, nested ones included, in document order. */
function* tokensOf(markdown) {
  const found = [];
  const marked = new Marked();
  marked.walkTokens(marked.lexer(withoutFrontMatter(markdown)), (token) => {
    found.push(token);
  });
  yield* found;
}

/** The fenced blocks: language, content, first line of the content (from 1), and the heading above. */
export function blocksOf(markdown) {
  const blocks = [];
  let heading = "";
  let at = 0;
  for (const token of tokensOf(markdown)) {
    if (token.type === "heading") heading = plain(token);
    if (token.type !== "code" || token.lang === undefined) continue;
    const start = markdown.indexOf(token.raw, at);
    at = start + token.raw.length;
    blocks.push({
      language: token.lang,
      text: token.text,
      line: markdown.slice(0, start).split("\n").length + 1,
      heading,
    });
  }
  return blocks;
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(markdown) {
  const anchor = anchors();
  return Array.from(tokensOf(markdown))
    .filter(({ type }) => type === "heading")
    .map((token) => anchor(plain(token)));
}

/** The targets of a document's links and images. */
export function linksOf(markdown) {
  return Array.from(tokensOf(markdown))
    .filter(({ type }) => type === "link" || type === "image")
    .map(({ href }) => href);
}

/** Returns a function that gives each heading of a document its anchor; repeated names get a number, as on GitHub. */
export function anchors() {
  const seen = new Map();
  return (heading) => {
    const name = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-");
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return count === 0 ? name : `${name}-${count}`;
  };
}

/** The text of a heading, without its marks. */
function plain({ tokens = [], text = "" }) {
  return tokens.length === 0 ? text : tokens.map(plain).join("");
}

/** The first heading of a document. */
export function titleOf(markdown) {
  for (const token of tokensOf(markdown)) if (token.type === "heading") return plain(token);
  return "";
}

/**
 * A document as HTML. Headings have anchors; tables and code blocks can be scrolled with the keyboard.
 *
 * @param linkTo maps the target of a link in the Markdown to its target on the page.
 */
export function htmlOf(markdown, linkTo) {
  const anchor = anchors();
  const marked = new Marked({
    renderer: {
      heading(token) {
        const id = anchor(plain(token));
        const text = this.parser.parseInline(token.tokens);
        if (token.depth === 1) return `<h1 id="${id}">${text}</h1>\n`;
        return `<h${token.depth} id="${id}">${text} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${token.depth}>\n`;
      },
      code({ text }) {
        return `<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre>\n`;
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(linkTo(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text }) {
        return `<img src="${escapeHtml(linkTo(href))}" alt="${escapeHtml(text)}">`;
      },
      html({ text }) {
        return escapeHtml(text);
      },
    },
  });
  // An empty header cell would be announced as a header without a name.
  const wide = (table) =>
    `<div class="wide" tabindex="0" role="group" aria-label="Table">${table.replaceAll("<th></th>", "<td></td>")}</div>`;
  return marked.parse(withoutFrontMatter(markdown)).replace(/<table>[\s\S]*?<\/table>/g, wide);
}

/** Escapes a text for use in HTML. */
export function escapeHtml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
