// What users download, against the budgets in tests/budgets.json, in kB of 1,000 bytes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { root } from "../../scripts/tools.mjs";
import { pack } from "../packaging/tarball.mjs";

const read = (path) => readFileSync(join(root, path));
const brotli = (path) => brotliCompressSync(read(path)).length;
const gzip = (bytes) => gzipSync(bytes, { level: 9 }).length;

const sizes = {
  "wasm, brotli": () => brotli("dist/turnfold.wasm"),
  "turnfold, brotli": () => brotli("dist/index.js"),
  "turnfold/slim, brotli": () => brotli("dist/slim.js"),
  "packed tarball": () => {
    const packed = pack();
    packed.remove();
    return packed.size;
  },
  "playground's first load beside the wasm, gzip": () => {
    const html = read("www/dist/index.html").toString();
    const assets = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path]) =>
      read(join("www/dist", path)),
    );
    assert.ok(assets.length > 0, "www/dist/index.html names no assets");
    const loaded = [Buffer.from(html), ...assets].map(gzip).reduce((sum, size) => sum + size);
    return loaded - gzip(read("dist/turnfold.wasm").toString("base64"));
  },
};

const budgets = JSON.parse(read("tests/budgets.json"));

test("every size has a budget", () => assert.deepEqual(Object.keys(budgets), Object.keys(sizes)));

for (const [name, size] of Object.entries(sizes)) {
  test(name, (context) => {
    const kilobytes = size() / 1000;
    context.diagnostic(`${kilobytes.toFixed(1)} of ${budgets[name]} kB`);
    assert.ok(kilobytes <= budgets[name], `${kilobytes.toFixed(1)} kB is more than the budget of ${budgets[name]} kB`);
  });
}
