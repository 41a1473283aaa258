// The pages of the documents beside the playground, and the picture of the playground in the README.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { it } from "node:test";
import { root } from "../../scripts/tools.mjs";
import { eventually } from "./eventually.mjs";
import { overflow, visit } from "./visit.mjs";

const site = join(root, "www", "dist");

/** Visits a page of the documents; the visit began at the playground. */
const read = (path, options, journey) =>
  visit(options, async (visitor, page) => {
    await page.goto(new URL(path, page.url()).href);
    await journey(visitor, page);
  });

it("leads from the playground to a guide and back", () =>
  visit({}, async (visitor, page) => {
    await page.getByRole("link", { name: "Docs", exact: true }).click();
    await page.getByRole("heading", { name: "Turnfold: the documents", level: 1 }).waitFor();
    const list = page.getByRole("navigation", { name: "Documents" });
    await list.getByRole("link", { name: "Choosing a strategy", exact: true }).click();
    await page.getByRole("heading", { name: "Choosing a strategy", level: 1 }).waitFor();
    await eventually.equal(() => list.locator('[aria-current="page"]').innerText(), "Choosing a strategy");
    await page.getByRole("link", { name: "Your own strategies", exact: true }).first().click();
    await page.getByRole("heading", { name: "Your own strategies", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Playground", exact: true }).click();
    await page.waitForSelector(".message");
    assert.deepEqual(visitor.foreignRequests, []);
  }));

it("every link on every page has a target", () => {
  const pages = readdirSync(site, { recursive: true }).filter((path) =>
    /^(docs|tests)\b.*\.html$|^[A-Z]+\.html$/.test(path),
  );
  assert.ok(pages.length > 20, `${pages.length} pages`);
  const text = new Map(pages.map((path) => [path, readFileSync(join(site, path), "utf8")]));
  const broken = [];
  for (const [path, html] of text) {
    for (const [, href] of html.matchAll(/\b(?:href|src)="([^"]*)"/g)) {
      if (/^[a-z]+:/.test(href)) continue;
      const [file, anchor] = href.split("#");
      const target = file === "" ? path : relative(site, join(site, dirname(path), file));
      const isThere = existsSync(join(site, target)) && (!anchor || text.get(target).includes(`id="${anchor}"`));
      if (!isThere) broken.push(`${path}: ${href}`);
    }
  }
  assert.deepEqual(broken, []);
});

it("the Markdown files and llms.txt are part of the site", () => {
  for (const [, path] of readFileSync(join(site, "llms.txt"), "utf8").matchAll(/\]\((.*?)\)/g)) {
    assert.equal(readFileSync(join(site, path), "utf8"), readFileSync(join(root, path), "utf8"));
  }
});

const shown = [
  "docs/index.html",
  "docs/turns.html",
  "docs/strategies.html",
  "docs/api.html",
  "tests/language/12-text.html",
];

for (const width of [1280, 360]) {
  it(`gives axe nothing to find on the pages, ${width} px`, () =>
    visit({ width }, async (visitor, page) => {
      const { origin } = new URL(page.url());
      for (const path of shown) {
        await page.goto(`${origin}/${path}`);
        await eventually.equal(() => overflow(page), 0, path);
        await eventually.deepEqual(() => visitor.axeFindings(), [], path);
      }
    }));
}

it("follows the theme of the playground, and can change it", () =>
  visit({ colorScheme: "light" }, async (visitor, page) => {
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await visitor.press("Menu");
    await visitor.choose("Dark");
    await eventually.notEqual(background, light);
    const dark = await background();
    await page.goto(new URL("docs/turns.html", page.url()).href);
    await eventually.equal(() => background(), dark);
    await eventually.equal(() => page.getByRole("button", { name: "Dark theme" }).getAttribute("aria-pressed"), "true");
    await visitor.press("Dark theme");
    await eventually.equal(() => background(), light);
    await page.reload();
    await eventually.equal(() => background(), light);
  }));

it("works by keyboard: skips the header, and scrolls wide tables", () =>
  read("docs/strategies.html", { width: 360 }, async (_, page) => {
    await page.keyboard.press("Tab");
    await eventually.equal(() => page.evaluate(() => document.activeElement.textContent), "Skip to the document");
    await page.keyboard.press("Enter");
    await eventually.equal(() => page.evaluate(() => document.activeElement.id), "document");
    const table = page.locator(".wide").first();
    await table.focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((element) => element.scrollLeft > 0, await table.elementHandle());
  }));

it("the screenshot of the README has the size of the current page", () =>
  visit({ width: 1280, height: 600 }, async (_, page) => {
    await page.evaluate(() => document.fonts.ready);
    const picture = await page.screenshot({ animations: "disabled" });
    assert.ok(picture.length < 150_000, `${picture.length} bytes`);
    const path = join(root, "docs", "playground.png");
    // Fonts differ from machine to machine, so it is taken anew only when somebody asks for it.
    if (process.env.UPDATE_SCREENSHOT || !existsSync(path)) writeFileSync(path, picture);
    const size = (bytes) => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    assert.deepEqual(size(readFileSync(path)), size(picture));
  }));
