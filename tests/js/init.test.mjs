import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { test } from "node:test";
import { init } from "turnfold";
import { version } from "turnfold/chat";
import { typeOf } from "turnfold/lisp";
import { copyOf } from "./copies.mjs";

const wasm = new URL("../../dist/turnfold.wasm", import.meta.url);
const bytes = await readFile(wasm);

/** Imports a new copy of turnfold/slim that is not initialized. */
const slim = () => copyOf("slim.js", "lisp-slim.js");

test("the main entry needs no init, and accepts it", async () => {
  assert.equal(typeOf(1), "integer");
  await init();
  await init();
  assert.equal(typeOf(1), "integer");
});

test("version is that of package.json", async () => {
  const { version: written } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
  assert.equal(version, written);
});

test("turnfold/slim throws not_initialized before init", async () => {
  const { init, Turn, typeOf } = await slim();
  assert.throws(
    () => typeOf(1),
    (error) => error.code === "not_initialized" && /init/.test(error.hint),
  );
  await assert.rejects(init(), (error) => error.code === "not_initialized");
  assert.deepEqual(Turn.success({ memory: { x: [1] } }).memory, { x: [1] });
});

test("init of turnfold/slim accepts the wasm in every form", async () => {
  const server = createServer((request, response) => {
    response.setHeader("content-type", request.url === "/typed" ? "application/wasm" : "application/octet-stream");
    response.end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  const module = await WebAssembly.compile(bytes);
  try {
    for (const source of [
      bytes,
      new Uint8Array(bytes),
      new Uint8Array(bytes).buffer,
      module,
      Promise.resolve(module),
      { default: module },
      wasm,
      String(wasm),
      `${url}/typed`,
      new URL(`${url}/untyped`),
      fetch(`${url}/typed`),
    ]) {
      const { init, typeOf } = await slim();
      await Promise.all([init(source), init(source)]);
      await init();
      assert.equal(typeOf([1]), "list[1]");
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("init refuses input that is not a wasm, and a second init may succeed", async () => {
  const { init, typeOf } = await slim();
  const check = (source, code) => assert.rejects(init(source), (error) => error.code === code);
  await check(5, "invalid_argument");
  await check({}, "invalid_argument");
  await check(new Uint8Array([1, 2, 3]), "invalid_wasm");
  await check(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]), "invalid_wasm");
  await check(new URL("missing.wasm", wasm), "wasm_unavailable");
  await check(new Response("no", { status: 404 }), "wasm_unavailable");
  await check("http://127.0.0.1:1/", "wasm_unavailable");
  await check(Promise.reject(new TypeError("fetch failed")), "wasm_unavailable");
  await init(bytes);
  assert.equal(typeOf(1), "integer");
});
