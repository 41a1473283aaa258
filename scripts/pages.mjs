// Vite plugin, for builds and for the local server: publishes each document as an HTML page at the path of its Markdown file,
// with the same links, and the Markdown file itself beside it.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { build } from "esbuild";
import { documents, escapeHtml, htmlOf, linksOf, titleOf } from "./markdown.mjs";
import { Problem } from "./process.mjs";
import { root } from "./tools.mjs";

const read = (path) => readFileSync(join(root, path), "utf8");

/** The path of a document's page. `docs/README.md` is the index of its folder; the index of the root is the playground. */
function pageOf(path) {
  return path === "docs/README.md" ? "docs/index.html" : path.replace(/\.md$/, ".html");
}

/** All files of the site: path, and a function that makes the content. */
function* files() {
  const groups = documents();
  const known = new Set(groups.flatMap(({ paths }) => paths));
  const pictures = new Set();
  for (const path of known) {
    const markdown = read(path);
    yield [pageOf(path), () => page(path, markdown, groups, known)];
    yield [path, () => markdown];
    for (const href of linksOf(markdown)) {
      if (/^[^:#]+\.png$/.test(href)) pictures.add(posix.join(dirname(path), href));
    }
  }
  for (const path of pictures) if (existsSync(join(root, path))) yield [path, () => readFileSync(join(root, path))];
  yield ["llms.txt", () => read("llms.txt")];
  yield ["documents.css", () => bundled("www/src/documents/documents.css")];
  yield ["documents.js", () => bundled("www/src/documents/documents.ts")];
}

async function bundled(path) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [path],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022", "chrome123", "firefox120", "safari17.5"],
  });
  return outputFiles[0].text;
}

function page(path, markdown, groups, known) {
  const own = pageOf(path);
  const up = posix.relative(dirname(own), ".") || ".";
  const to = (target) => posix.relative(dirname(own), target);
  const linkTo = (href) => {
    if (/^([a-z]+:|#)/.test(href)) return href;
    const [file, anchor] = href.split("#");
    const target = posix.join(dirname(path), file);
    if (!known.has(target) && !target.endsWith(".png"))
      throw new Problem(`${path} links to ${href}, which is no page. Link to a document.`);
    return `${to(known.has(target) ? pageOf(target) : target)}${anchor === undefined ? "" : `#${anchor}`}`;
  };
  const list = groups.map(({ title, paths }) => {
    const items = paths.map((each) => {
      const current = each === path ? ' aria-current="page"' : "";
      return `<li><a href="${escapeHtml(to(pageOf(each)))}"${current}>${escapeHtml(nameOf(each))}</a></li>`;
    });
    return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
${icon()}
<title>${escapeHtml(nameOf(path))} · Turnfold</title>
<link rel="stylesheet" href="${up}/documents.css">
<link rel="alternate" type="text/markdown" href="${escapeHtml(to(path))}">
<script src="${up}/documents.js"></script>
</head>
<body>
<a class="skip" href="#document">Skip to the document</a>
<header class="bar">
<a class="home" href="${up}/docs/index.html">Turnfold</a>
<nav aria-label="Site"><a class="to-pages" href="#pages">All pages</a> <a href="${up}/index.html">Playground</a></nav>
<button type="button" id="theme" hidden>Dark theme</button>
</header>
<div class="columns">
<main id="document" class="document" tabindex="-1">
${htmlOf(markdown, linkTo)}</main>
<nav id="pages" class="pages" aria-label="Documents">
${list.join("\n")}
</nav>
</div>
</body>
</html>
`;
}

/** The icon of the playground. */
function icon() {
  return /<link\s+rel="icon"[^>]*>/.exec(read("www/index.html"))[0];
}

const names = new Map([
  ["README.md", "README"],
  ["docs/README.md", "Documents"],
]);

function nameOf(path) {
  if (!names.has(path)) names.set(path, titleOf(read(path)));
  return names.get(path);
}

/** @returns {import("vite").Plugin} */
export function documentPages() {
  return {
    name: "documents",
    async generateBundle() {
      for (const [fileName, source] of files()) {
        this.emitFile({ type: "asset", fileName, source: await source() });
      }
    },
    configureServer(server) {
      server.middlewares.use(async (request, response, next) => {
        const path = new URL(request.url, "http://localhost").pathname.slice(1);
        for (const [fileName, source] of files()) {
          if (fileName !== path) continue;
          try {
            const content = await source();
            response.setHeader("content-type", types[posix.extname(path)] ?? "text/plain; charset=utf-8");
            return response.end(content);
          } catch (error) {
            return next(error);
          }
        }
        return next();
      });
    },
  };
}

const types = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".png": "image/png",
};
