// The documents as a site, at the paths of their Markdown files: guides, the reference, the chapters of the language, and the
// files of the project.

import { createHash } from "node:crypto";
import { cpSync } from "node:fs";
import { join, posix } from "node:path";
import { type DefaultTheme, defineConfig, type HeadConfig, type MarkdownRenderer, type UserConfig } from "vitepress";
import { guideExamples } from "./examples.mjs";
import { groups, pageOf, reference, root, titleOf } from "./pages.mjs";
import { linkOf } from "./playground.ts";

type VitePlugin = Extract<NonNullable<NonNullable<UserConfig["vite"]>["plugins"]>[number], { name: string }>;

/** The path below which the site is served; it ends with a slash. */
const base = process.env.SITE_BASE ?? "/";

const pages = [...groups, ...reference].flatMap(({ paths }) => paths);

/** The path of each document on the site. Its Markdown is published beside its page, for tools that read Markdown. */
const rewrites = Object.fromEntries(
  pages.filter((path) => `${pageOf(path)}.md` !== path).map((path) => [path, `${pageOf(path)}.md`]),
);

// With its ending: VitePress takes the last part of `turnfold.T` for an ending, and adds none.
const item = (path: string): DefaultTheme.SidebarItem => ({ text: titleOf(path), link: `/${pageOf(path)}.html` });

/** The anchor of a heading, as on GitHub. */
const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");

/** A Vite plugin. Documents are outside of the folder with the packages that render them, so it resolves Vue from this folder. */
const resolvedHere: VitePlugin = {
  name: "resolved-here",
  enforce: "pre",
  resolveId(source, importer, options) {
    if (!/^vue(\/|$)/.test(source)) return null;
    // Server rendering runs in Node, which finds the packages itself.
    if (options.ssr) return { id: source, external: true };
    if (importer?.includes("node_modules")) return null;
    return this.resolve(source, import.meta.filename, { ...options, skipSelf: true });
  },
};

export default defineConfig({
  title: "Turnfold",
  description: "Keeps an LLM agent's conversation short without losing what the agent learned.",
  lang: "en",
  base,
  srcDir: root,
  srcExclude: [
    "**/node_modules/**",
    "{.cache,benches,dist,js,scripts,src,target,www}/**",
    "tests/*.md",
    "tests/!(language)/**",
  ],
  rewrites,
  outDir: join(root, ".cache", "site"),
  cacheDir: join(root, ".cache", "vitepress"),
  assetsDir: "documents",
  metaChunk: true,
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: `${base}logo.svg` }],
    ["meta", { name: "referrer", content: "no-referrer" }],
    ["meta", { property: "og:type", content: "article" }],
  ],
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    languageAlias: { text: "txt" },
    anchor: { slugify: slugOf },
    config(markdown) {
      keepBraces(markdown);
      skipEmptyHeaders(markdown);
      linkPages(markdown);
      linkPrograms(markdown);
      linkExamples(markdown);
    },
  },
  themeConfig: {
    logo: "/logo.svg",
    nav: [
      { text: "Guides", link: "/docs/", activeMatch: "^/docs/(?!api)" },
      { text: "API", link: "/docs/api/", activeMatch: "^/docs/api" },
      { text: "Language", link: `/${pageOf(groups[4].paths[0])}`, activeMatch: "^/tests/language" },
      { text: "Playground", link: "/index.html", target: "_self" },
    ],
    sidebar: {
      "/": groups.map(({ title, paths }) => ({ text: title, items: paths.map(item) })),
      "/docs/api/": [
        { text: "API", items: [item("docs/README.md"), item("docs/api/README.md")] },
        ...reference.map(({ title, paths }) => ({ text: title, items: paths.map(item) })),
      ],
    },
    outline: [2, 3],
    search: { provider: "local" },
  },
  transformHead: ({ pageData }) => socialHead(pageData.title),
  transformHtml: withPolicy,
  buildEnd: ({ outDir }) => {
    for (const path of [...pages, "llms.txt", "docs/playground.png"]) cpSync(join(root, path), join(outDir, path));
  },
  vite: {
    publicDir: join(root, "www", "docs", "public"),
    plugins: [resolvedHere],
    build: { chunkSizeWarningLimit: 2000 },
  },
});

/** Escapes double braces in texts and inline code, so that Vue does not evaluate them as expressions. */
function keepBraces(markdown: MarkdownRenderer): void {
  const { rules } = markdown.renderer;
  for (const name of ["text", "code_inline"] as const) {
    const render = rules[name];
    if (render === undefined) throw new Error(`VitePress renders no ${name}`);
    rules[name] = (...given) => render(...given).replaceAll("{{", "&#123;&#123;");
  }
}

/** Turns empty header cells into data cells: a screen reader would announce a header without a name. */
function skipEmptyHeaders(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("empty-headers", ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== "th_open" || tokens[index + 1]?.content !== "") continue;
      for (const each of [token, tokens[index + 2]]) if (each !== undefined) each.tag = "td";
    }
  });
}

/** Makes links to the `README.md` of a folder lead to the index of the folder. */
function linkPages(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("pages", ({ tokens, env }) => {
    const folder = posix.dirname(env.relativePath as string);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet("href");
      if (token.type !== "link_open" || href === null || /^([a-z]+:|#)/.test(href)) continue;
      const [file = "", anchor] = href.split("#");
      const target = posix.join(folder, file);
      if (target in rewrites) {
        const page = posix.relative(folder, rewrites[target]) + (anchor === undefined ? "" : `#${anchor}`);
        token.attrSet("href", page);
      }
    }
  });
}

/** Adds a link that opens the program in the playground after each program of the language and each typed call. */
function linkPrograms(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules;
  if (fence === undefined) throw new Error("VitePress renders no fences");
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const html = fence(tokens, index, options, env, self);
    const { info, content } = tokens[index];
    const link = linkOf(info.trim(), content.trimEnd());
    if (link === null) return html;
    const href = markdown.utils.escapeHtml(base + link);
    return `${html}<p class="open"><a href="${href}" target="_self">Open in the playground</a></p>\n`;
  };
}

/** Adds a link that opens the example of a guide in the playground after its first paragraph. */
function linkExamples(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("examples", ({ tokens, env, Token }) => {
    const example = guideExamples[posix.basename(env.relativePath as string, ".md")];
    const end = tokens.findIndex(({ type, level }) => type === "paragraph_close" && level === 0);
    if (example === undefined || posix.dirname(env.relativePath as string) !== "docs" || end < 0) return;
    const link = new Token("html_block", "", 0);
    const href = markdown.utils.escapeHtml(`${base}index.html${example.fragment}`);
    link.content = `<p class="open"><a href="${href}" target="_self">Open in the playground: ${example.what}</a></p>\n`;
    tokens.splice(end + 1, 0, link);
  });
}

/** The metadata from which other sites make the preview of a link to the page. */
function socialHead(title: string): HeadConfig[] {
  const site = process.env.SITE_ORIGIN;
  const head: HeadConfig[] = [["meta", { property: "og:title", content: title }]];
  // The address of a preview image must be absolute.
  if (site !== undefined) {
    head.push(
      ["meta", { property: "og:image", content: new URL(`${base}card.png`, site).href }],
      ["meta", { name: "twitter:card", content: "summary_large_image" }],
    );
  }
  return head;
}

/** Adds a content security policy that allows only the inline scripts of the page and the scripts of the site. */
function withPolicy(html: string): string {
  const scripts = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(([, text = ""]) => text);
  const hashes = scripts.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  const policy = [
    "default-src 'self'",
    `script-src 'self' ${hashes.join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return html.replace("<head>", `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`);
}
