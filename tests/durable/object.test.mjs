// The Durable Object of docs/durable.md, in workerd.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { commandsOf, textsOf, writePrograms } from "./documents.mjs";
import { waitFor } from "./node.mjs";
import { bankAt } from "./yours.mjs";

/** Starts workerd with the program, whose objects are in its folder. `lines` are those that it has printed. */
function start(folder, outboundService) {
  const lines = [];
  const [wasm] = readdirSync(join(folder, "dist")).filter((name) => name.endsWith(".wasm"));
  const miniflare = new Miniflare({
    cf: false,
    compatibilityDate: "2026-04-01",
    modulesRoot: join(folder, "dist"),
    modules: [
      { type: "ESModule", path: join(folder, "dist", "object.mjs") },
      { type: "CompiledWasm", path: join(folder, "dist", wasm) },
    ],
    durableObjects: { RUNS: { className: "Run", useSQLite: true } },
    durableObjectsPersist: join(folder, "objects"),
    outboundService,
    handleRuntimeStdio(stdout, stderr) {
      createInterface({ input: stdout }).on("line", (line) => lines.push(line));
      stderr.pipe(process.stderr);
    },
  });
  return { miniflare, lines };
}

test("an object begins a run, goes on after workerd was killed, and takes an answer once", async () => {
  const folder = writePrograms("object", { "yours.mjs": bankAt("http://bank") });
  await build({
    absWorkingDir: folder,
    entryPoints: ["object.mjs"],
    external: ["cloudflare:workers"],
    bundle: true,
    format: "esm",
    conditions: ["workerd"],
    loader: { ".wasm": "copy" },
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    logLevel: "silent",
  });
  const paid = [];
  let isFirst = true;
  const bank = async (request) => {
    const { order, key } = await request.json();
    if (new URL(request.url).pathname === "/find") {
      const found = paid.find((each) => each.key === key);
      return new Response(found?.text, { status: found === undefined ? 404 : 200 });
    }
    const text = `refunded ${order}`;
    paid.push({ key, order, text });
    // The first answer never arrives.
    if (isFirst) await new Promise(() => {});
    return new Response(text);
  };
  const [session] = textsOf("PostgreSQL and a queue", "console");
  const [begin, ...answers] = commandsOf(session);
  const post = async ({ miniflare }, { command, printed }) => {
    const [, address, quoted, bare] = /^curl (\S+) -d (?:'(.*)'|(.*))$/.exec(command);
    const response = await miniflare.dispatchFetch(`http://${address}`, { method: "POST", body: quoted ?? bare });
    assert.equal(await response.text(), printed, command);
  };
  const first = start(folder, bank);
  await post(first, begin);
  await waitFor(() => paid.length > 0);
  assert.deepEqual(first.lines, []);
  isFirst = false;
  // With SIGKILL.
  await first.miniflare.dispose();

  const second = start(folder, bank);
  try {
    await second.miniflare.ready;
    await waitFor(() => second.lines.length === 1);
    for (const [index, answer] of answers.entries()) {
      await post(second, answer);
      if (index === 0) await waitFor(() => second.lines.length === 2);
    }
    assert.equal(second.lines.join("\n"), textsOf("PostgreSQL and a queue", "text")[0]);
    assert.deepEqual(
      paid.map(({ order }) => order),
      [17, 23],
    );
  } finally {
    await second.miniflare.dispose();
  }
});
