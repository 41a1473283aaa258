// What users download, against the budgets in tests/budgets.json, in kB of 1,000 bytes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { root } from "../../scripts/tools.mjs";
import { openBrowser, serve } from "../browser.mjs";
import { pack } from "../packaging/tarball.mjs";

const read = (path) => readFileSync(join(root, path));
const brotli = (path) => brotliCompressSync(read(path)).length;
const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;

const sizes = {
  "wasm, brotli": () => brotli("dist/turnfold.wasm"),
  "turnfold, brotli": () => brotli("dist/index.js"),
  "turnfold/slim, brotli": () => brotli("dist/slim.js"),
  "turnfold/tokens/o200k, brotli": () => brotli("dist/tokens/o200k.js"),
  "vocabulary of o200k, brotli": () => brotli("dist/tokens/o200k.vocabulary.js"),
  "vocabulary of cl100k, brotli": () => brotli("dist/tokens/cl100k.vocabulary.js"),
  "packed tarball": () => {
    const packed = pack();
    packed.remove();
    return packed.size;
  },
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
