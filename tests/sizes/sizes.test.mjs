// What users download, against the budgets in tests/budgets.json, in kB of 1,000 bytes. `node tests/sizes/downloads.mjs` prints it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { root } from "../../scripts/tools.mjs";
import { openBrowser, serve } from "../browser.mjs";
import { downloads } from "./downloads.mjs";

const read = (path) => readFileSync(join(root, path));
const { sizes: downloaded, packed, unpacked } = await downloads();
const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;

const sizes = {
  ...Object.fromEntries(Object.entries(downloaded).map(([name, { brotli }]) => [`${name}, brotli`, () => brotli])),
  "packed tarball": () => packed,
  "unpacked tarball": () => unpacked,
  "playground's first load beside the wasm, gzip": async () => {
    const bodies = await firstLoad(join(root, "www/dist"));
    return bodies.map(gzip).reduce((sum, size) => sum + size);
  },
};

/** Everything but the wasm that a page asks its server for until it comes to rest. */
async function firstLoad(folder) {
  const server = await serve(folder);
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    const bodies = [];
    page.on("response", (response) => {
      const { origin, pathname } = new URL(response.url());
      if (origin === server.origin && !pathname.endsWith(".wasm")) bodies.push(response.body());
    });
    await page.goto(`${server.origin}/`, { waitUntil: "networkidle" });
    return await Promise.all(bodies);
  } finally {
    await browser.close();
    await server.close();
  }
}

const budgets = JSON.parse(read("tests/budgets.json"));

test("every size has a budget", () => assert.deepEqual(Object.keys(budgets), Object.keys(sizes)));

for (const [name, size] of Object.entries(sizes)) {
  test(name, async (context) => {
    const kilobytes = (await size()) / 1000;
    context.diagnostic(`${kilobytes.toFixed(1)} of ${budgets[name]} kB`);
    assert.ok(kilobytes <= budgets[name], `${kilobytes.toFixed(1)} kB is more than the budget of ${budgets[name]} kB`);
  });
}

test("the table of sizes in README.md is within 3 % of what apps download", () => {
  const [, table] = /\| import \| raw \| gzip \| brotli \|\n.*\n((?:\|.*\n)+)/.exec(read("README.md").toString());
  const rows = table
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  assert.ok(rows.length > 8, `${rows.length} rows`);
  for (const [, cell, ...cells] of rows) {
    const name = cell.replaceAll("`", "");
    const { raw, gzip, brotli } = downloaded[name] ?? {};
    for (const [column, bytes] of [raw, gzip, brotli].entries()) {
      const written = Number(cells[column]);
      const kilobytes = bytes / 1000;
      assert.ok(Math.abs(written - kilobytes) <= 0.03 * kilobytes + 0.5, `${name}: ${written} is ${kilobytes} kB`);
    }
  }
});
