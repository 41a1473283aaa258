// The pages of the documents beside the playground, and the screenshot of the playground in the README.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { root } from "../../scripts/tools.mjs";
import { eventually } from "./eventually.mjs";
import { visit } from "./visit.mjs";

const site = join(root, "www", "dist");

/** Visits a page of the documents. */
const read = (path, options, journey) => visit({ path, ready: "h1", ...options }, journey);

it("links lead from the playground to a guide and back", () =>
  visit({}, async (visitor, page) => {
    await page.getByRole("link", { name: "Docs", exact: true }).click();
    await page.getByRole("heading", { name: "Turnfold: the documents", level: 1 }).waitFor();
    const list = page.getByRole("navigation", { name: "Sidebar Navigation" });
    await list.getByRole("link", { name: "Choosing a strategy", exact: true }).click();
    await page.getByRole("heading", { name: "Choosing a strategy", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Your own strategies", exact: true }).first().click();
    await page.getByRole("heading", { name: "Your own strategies", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Playground", exact: true }).click();
    await page.waitForSelector(".message");
    assert.deepEqual(visitor.foreignRequests, []);
  }));

it("the search finds a word in a guide and how to install the package, without a server", () =>
  read("docs/index.html", {}, async (visitor, page) => {
    // Until its script runs, the page is readable but the button does nothing.
    await page.waitForFunction(() => document.querySelector("#app").__vue_app__ !== undefined);
    await page.getByRole("button", { name: "Search" }).first().click();
    const first = page.getByRole("listbox").getByRole("option").first();
    await page.locator("#localsearch-input").fill("install");
    await eventually.match(() => first.innerText(), /Quickstart\s+Install$/);
    await page.locator("#localsearch-input").fill("clearToolResults");
    await eventually.match(() => first.innerText(), /clearToolResults/i);
    await first.click();
    await page.waitForURL(/\/docs\/.*\.html/);
    assert.deepEqual(visitor.foreignRequests, []);
  }));

it("a program of the language opens in the playground", () =>
  read("tests/language/12-text.html", {}, async (_, page) => {
    await page.getByRole("link", { name: "Open in the playground" }).first().click();
    await page.waitForURL(/index\.html#/);
    await page.getByText('(str "a" "b") ; => "ab"').first().waitFor();
  }));

it("a typed call opens on the tab of typed calls with its signature, input and reply", () =>
  read("docs/typed-calls.html", {}, async (visitor, page) => {
    const program = page.locator("div.language-js", { hasText: "const judge = new Predict" }).first();
    await program
      .locator("xpath=following-sibling::p[1]")
      .getByRole("link", { name: "Open in the playground" })
      .click();
    await page.waitForURL(/index\.html#.*&tab=programs$/);
    await visitor.sees("Bright, and easy to set up.");
    await eventually.match(
      () => visitor.read("Signature"),
      /^review: str -> mood: Literal\["good", "bad"\], score: float$/,
    );
    await eventually.ok(() =>
      page.locator("textarea").evaluateAll((all) => all.some(({ value }) => value === "Mood: good\nScore: 4.5")),
    );
  }));

it("every link leads to a page of the site, and every anchor to a heading", () => {
  const pages = new Map(
    readdirSync(site, { recursive: true })
      .filter((path) => path.endsWith(".html"))
      .map((path) => {
        const html = readFileSync(join(site, path), "utf8");
        return [path, { html, ids: new Set(Array.from(html.matchAll(/\sid="([^"]+)"/g), ([, id]) => id)) }];
      }),
  );
  const isAlive = (from, href) => {
    const { pathname, hash } = new URL(href, `file:///${from}`);
    const path = decodeURIComponent(pathname.slice(1)).replace(/(?<=^|\/)$/, "index.html");
    if (!pages.has(path)) return existsSync(join(site, path));
    // The fragment of the playground is a state.
    return hash === "" || path === "index.html" || pages.get(path).ids.has(decodeURIComponent(hash.slice(1)));
  };
  const dead = new Set();
  for (const [from, { html }] of pages)
    for (const [, href] of html.matchAll(/<a\s[^>]*?href="(?![a-z]+:)([^"]+)"/g))
      if (!isAlive(from, href.replaceAll("&amp;", "&"))) dead.add(`${from}: ${href}`);
  assert.deepEqual([...dead], []);
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
  "docs/api/functions/turnfold_turns.toMessages.html",
  "tests/language/17-looking-things-up.html",
];

for (const path of shown)
  it(`the page ${path} fits 1280 px and 360 px and has no axe violations`, () =>
    read(path, {}, (visitor) => visitor.fits(1280, 360)));

it("the documents share the theme with the playground", () =>
  visit({ colorScheme: "light" }, async (visitor, page) => {
    const isDark = () => page.evaluate(() => document.documentElement.classList.contains("dark"));
    await visitor.press("Menu");
    await visitor.choose("Dark");
    await page.goto(new URL("docs/turns.html", page.url()).href);
    await eventually.equal(isDark, true);
    await page.getByRole("switch").first().click();
    await eventually.equal(isDark, false);
    await page.reload();
    await eventually.equal(isDark, false);
  }));

it("the first key can skip the header", () =>
  read("docs/strategies.html", { width: 360 }, async (_, page) => {
    await page.keyboard.press("Tab");
    await eventually.equal(() => page.evaluate(() => document.activeElement.textContent), "Skip to content");
    await page.keyboard.press("Enter");
    await eventually.equal(() => page.evaluate(() => document.activeElement.id), "VPContent");
  }));

it("the screenshot of the README has the size of the current page", () =>
  visit({ fragment: "", width: 1280, height: 900, details: false }, async (_, page) => {
    await page.evaluate(() => document.fonts.ready);
    await page.getByText(/\$[\d.]+ → \$[\d.]+ a run/).waitFor();
    const picture = await page.screenshot({ animations: "disabled" });
    const path = join(root, "docs", "playground.png");
    // Fonts differ from machine to machine, so the screenshot is only replaced on request. The stored one has 256 colours,
    // which is a third of the bytes.
    if (process.env.UPDATE_SCREENSHOT || !existsSync(path)) writeFileSync(path, picture);
    const size = (bytes) => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    const stored = readFileSync(path);
    assert.deepEqual(size(stored), size(picture));
    assert.ok(stored.length < 250_000, `${stored.length} bytes`);
  }));
