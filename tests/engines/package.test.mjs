// The programs of the documents and of the reference, which use every export, do in Firefox and WebKit what they do in Node.

import assert from "node:assert/strict";
import { relative } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { root } from "../../scripts/tools.mjs";
import { serve } from "../browser.mjs";
import { hosts, paths, runnable } from "../js/documents/programs.mjs";
import { record } from "../js/documents/record.mjs";
import { eventually } from "../www/eventually.mjs";
import { skipOf, startEngine } from "./webdriver.mjs";

// The programs of the others call servers of the tests or their strict receivers, or write files.
const documents = paths.filter(
  (path) => !/\/(quickstart|provider-compaction|proxy|models|playground|waiting)\.md$/.test(path),
);

const inNode = new Map();
let server;

before(async () => {
  server = await serve(root);
});

after(() => server.close());

for (const name of ["Firefox", "WebKit"]) {
  describe(`the package in ${name}`, { skip: skipOf(name) }, () => {
    let window;

    before(async () => {
      window = await startEngine(name);
    });

    after(() => window?.close());

    for (const path of documents) {
      it(`runs the programs of ${path}`, async () => {
        const program = relative(root, await runnable(path, hosts.browser));
        await window.goto(`${server.origin}/tests/engines/package.html`);
        await eventually.ok(() => window.evaluate(() => "run" in globalThis));
        const found = await window.evaluate((url) => globalThis.run(url), `/${program}`);
        if (!inNode.has(path)) {
          const same = pathToFileURL(await runnable(path));
          inNode.set(path, await record(() => import(same)));
        }
        assert.deepEqual(found, inNode.get(path));
      });
    }
  });
}
