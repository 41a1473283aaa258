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
const compressed = new Map();

/** The bytes of a file after brotli; a big one takes seconds. */
function brotli(path) {
  const size = compressed.get(path) ?? brotliCompressSync(read(path)).length;
  compressed.set(path, size);
  return size;
}

const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;

const sizes = {
  "wasm, brotli": () => brotli("dist/turnfold.wasm"),
  "turnfold, brotli": () => brotli("dist/index.js"),
  "turnfold/slim, brotli": () => brotli("dist/slim.js"),
  "wasm of chats, brotli": () => brotli("dist/chat.wasm"),
  "turnfold/chat, brotli": () => brotli("dist/chat.js"),
  "turnfold/chat/slim, brotli": () => brotli("dist/chat-slim.js"),
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

/** The files of the rows of README.md's table of sizes. */
const files = {
  "`turnfold`": "dist/index.js",
  "`turnfold/chat`": "dist/chat.js",
  "`turnfold/slim`": "dist/slim.js",
  "with `turnfold/turnfold.wasm`": "dist/turnfold.wasm",
  "`turnfold/chat/slim`": "dist/chat-slim.js",
  "with `turnfold/chat.wasm`": "dist/chat.wasm",
  "`turnfold/tokens/o200k`": "dist/tokens/o200k.js",
  "with its vocabulary": "dist/tokens/o200k.vocabulary.js",
};

test("the table of sizes in README.md is within 3 % of the files", () => {
  const [, table] = /\| import \| raw \| gzip \| brotli \|\n.*\n((?:\|.*\n)+)/.exec(read("README.md").toString());
  const rows = table
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  assert.deepEqual(
    rows.map(([, name]) => name),
    Object.keys(files),
  );
  for (const [, name, ...cells] of rows) {
    const bytes = read(files[name]);
    const measured = [bytes.length, gzip(bytes), brotli(files[name])].map((size) => size / 1000);
    for (const [column, kilobytes] of measured.entries()) {
      const written = Number(cells[column]);
      assert.ok(
        Math.abs(written - kilobytes) <= 0.03 * kilobytes + 0.5,
        `${name}: ${written} is ${kilobytes.toFixed(1)} kB`,
      );
    }
  }
});
