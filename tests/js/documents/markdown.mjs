// Reads the documents: their fenced blocks, headings and links.

import { Marked } from "marked";

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

/** The fenced blocks: language, text, first line of the text (from 1), and the heading above. */
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

/** Returns a function from each heading of a document to its anchor; repeated names get a number, as on GitHub. */
function anchors() {
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

/** The text of a heading without Markdown syntax. */
function plain({ tokens = [], text = "" }) {
  return tokens.length === 0 ? text : tokens.map(plain).join("");
}
