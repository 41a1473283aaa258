// mcpTools with both versions of the SDK, in memory and over stdio, and with servers from npm.

import assert from "node:assert/strict";
import { before, suite, test } from "node:test";
import { app, packed, program, run } from "./frameworks.mjs";

const turnfold = packed();
let folder;

before(() => {
  const names = ["server", "stdio-server", "lamps", "in-memory", "version-2", "published"];
  folder = app(turnfold, "mcp", Object.fromEntries(names.map((name) => [`${name}.ts`, program(`mcp/${name}.ts`)])));
});

const printed = (name) => JSON.parse(run(folder, `${name}.ts`));

/** Checks the results of agents that used the lamp server's tools; they are the same with every client. */
function checkLamps(used) {
  assert.match(
    used.listed,
    /^tool\/search\(query :string, limit :int\?\) -> \{hits \[\{id :int, name :string, price :float\}\]\} {2}; Lamps whose names contain the query \(read-only\)$/m,
  );
  assert.match(used.listed, /^tool\/stock-of\(id :int\) -> :any {2}; stock\.of$/m);
  const [short, missing, ...others] = used.turns;
  assert.match(short, /the arguments of search do not fit: query: /);
  assert.match(missing, /there is no lamp 9/);
  assert.deepEqual(others, [true, true]);
  assert.deepEqual(used.returned, { name: "Desk lamp", price: 42.75, stock: [{ id: 1, stock: 3 }] });
  const [refusal, photo, restocked] = used.results;
  assert.match(refusal, /^Error: the arguments of search do not fit: query: /);
  const parts = [
    "Lamp 1",
    { type: "image", mimeType: "image/png", size: 1000 },
    { type: "resource_link", uri: "lamps://1", name: "lamp 1", size: 12 },
  ];
  assert.deepEqual(JSON.parse(photo), parts);
  assert.equal(restocked, "null");
  const before = ["search", "stock-of", "photo", "wait", "aborted", "restock"];
  assert.deepEqual(used.offered, [before, before, before, before, [...before, "order"]]);
  assert.equal(used.aborted, "aborted");
  assert.deepEqual(used.programs, {
    "(tool/aborted)": "1 calls",
    "(tool/order 2)": "ordered 2",
    "(tool/photo 1)": parts,
  });
  const named = ["search", "stock-of", "photo", "aborted", "restock", "order"].map((name) => `lamps_${name}`);
  assert.deepEqual(used.prefixed, named);
  assert.deepEqual(used.few, [["stock-of"], '[{"id":2,"stock":3}]']);
}

suite("@modelcontextprotocol/sdk", () => {
  let used;
  before(() => {
    used = printed("in-memory");
  });

  test("gives agents its tools: arguments, results, failures, aborts, and tools that are added later", () =>
    checkLamps(used));

  test("keeps the host's own handler for changes of the tool list", () => assert.equal(used.changes, 1));

  test("enforces the timeout", () => assert.match(used.timedOut, /Request timed out/));

  test("calls fail with the client's message while it is closed, and work again after it is connected", () => {
    assert.match(used.closed, /Not connected|closed/i);
    assert.equal(used.unlisted, "mcp_error");
    assert.equal(used.again, 2);
  });
});

test("@modelcontextprotocol/client gives agents its tools, over stdio", () => checkLamps(printed("version-2")));

test("the npm servers everything and filesystem work in a SubAgent and in an Agent", () => {
  const { listed, turns, prints, returned, results, text } = printed("published");
  assert.match(listed, /^tool\/get-sum\(a :float, b :float\) -> :any {2}; Returns the sum/m);
  assert.match(listed, /^tool\/files_edit_file\(path :string, edits \[\{oldText :string, newText :string\}\], /m);
  assert.deepEqual([turns[0], turns[2], turns.length], [true, true, 3]);
  assert.match(turns[1], /Access denied - path outside allowed directories/);
  assert.match(prints[0], /:mimeType "image\/png"/);
  assert.match(prints[0], /:size 3000/);
  assert.ok(prints[0].length < 200, prints[0]);
  const { weather, image, ...rest } = returned;
  assert.equal(typeof weather, "number");
  assert.deepEqual(Object.keys(image).sort(), ["mimeType", "size", "type"]);
  assert.deepEqual(rest, {
    sum: "The sum of 1 and 2 is 3.",
    length: 26,
    links: ["demo://resource/dynamic/blob/1", "demo://resource/dynamic/text/2"],
  });
  const [written, read, refused] = results;
  assert.match(written, /Successfully wrote/);
  assert.equal(read, '{"content":"hello"}');
  assert.match(refused, /^Error: the arguments of read_text_file do not fit: path: /);
  assert.equal(text, "Done.");
});
