// What the documents are made of: their fenced blocks, headings and links, and the HTML of their pages.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Marked } from "marked";
import { root } from "./tools.mjs";

/** The documents with their pages, in the order in which somebody may read them. */
export function documents() {
  const guides = ["turns", "chat", "programs", "strategies", "sandbox", "models", "custom-strategies", "playground"];
  const chapters = readdirSync(join(root, "tests", "language")).filter((path) => path.endsWith(".md"));
  return [
    { title: "Start here", paths: ["README.md", "docs/README.md"] },
    { title: "Guides", paths: guides.map((name) => `docs/${name}.md`) },
    { title: "Reference", paths: ["docs/api.md", "docs/SKILL.md"] },
    { title: "The language", paths: chapters.sort().map((name) => `tests/language/${name}`) },
    { title: "The project", paths: ["CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/requirements.md"] },
  ];
}

/** A Markdown text with blank lines in the place of its front matter, so that lines keep their numbers. */
function withoutFrontMatter(markdown) {
  return markdown.replace(/^---\n[\s\S]*?\n---\n/, (front) => front.replace(/.+/g, ""));
}

/** The parts of a Markdown text as `marked` reads it: nested ones too, in their order. */
function* tokensOf(markdown) {
  const found = [];
  const marked = new Marked();
  marked.walkTokens(marked.lexer(withoutFrontMatter(markdown)), (token) => {
    found.push(token);
  });
  yield* found;
}

/** The fenced blocks: language, content, the line that the content begins on, and the heading above. */
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

/** Where the links and images of a document lead. */
export function linksOf(markdown) {
  return Array.from(tokensOf(markdown))
    .filter(({ type }) => type === "link" || type === "image")
    .map(({ href }) => href);
}

/** Gives each heading of a document its anchor, one after the other; the second of a name has a number behind it. */
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
 * A document as HTML. Headings have anchors; what may be wider than the page can be scrolled by keyboard.
 *
 * @param linkTo gives a link's place on the page.
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
  // A column without a name has no header.
  const wide = (table) =>
    `<div class="wide" tabindex="0" role="group" aria-label="Table">${table.replaceAll("<th></th>", "<td></td>")}</div>`;
  return marked.parse(withoutFrontMatter(markdown)).replace(/<table>[\s\S]*?<\/table>/g, wide);
}

/** A text within HTML. */
export function escapeHtml(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
