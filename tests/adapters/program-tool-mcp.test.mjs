// The server of docs/adapters/mcp.md: one tool in front of another server's, with the SDK's client over stdio.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { root } from "../../scripts/tools.mjs";
import { app, packed } from "./frameworks.mjs";

const turnfold = packed();
let folder;

const SHOP = `
import { writeFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "shop", version: "1.0.0" });
const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
const orders = Array.from({ length: 60 }, (_, order) => ({ order, euros: order * 10 }));
server.registerTool("orders", { annotations: { readOnlyHint: true } }, async () => text(orders));
const order = { order: z.number() };
server.registerTool("refund", { inputSchema: order, annotations: { destructiveHint: true } }, async (each) => text(each));
server.registerTool("wait", {}, ({ signal }) => new Promise(() => {
  signal.addEventListener("abort", () => writeFileSync(process.argv[2], "aborted"));
}));
await server.connect(new StdioServerTransport());
`;

before(() => {
  const [, program] = /```mjs\n([\s\S]*?)```/.exec(readFileSync(join(root, "docs/adapters/mcp.md"), "utf8"));
  folder = app(turnfold, "run-program", { "run-program.mjs": program, "shop.mjs": SHOP });
});

/** A client of the server; `decide` answers its questions. */
async function connected(t, decide) {
  const capabilities = decide === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities });
  if (decide !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({ action: decide(params.message), content: {} }));
  }
  const args = ["run-program.mjs", process.execPath, "shop.mjs", join(folder, "aborted.txt")];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: folder }));
  t.after(() => client.close());
  const run = async (program, options) => {
    const { content, isError } = await client.callTool(
      { name: "run_program", arguments: { program } },
      undefined,
      options,
    );
    return { text: content[0].text, isError: isError === true };
  };
  return { client, run };
}

test("lists one tool, keeps definitions, and fails as tools do", async (t) => {
  const { client, run } = await connected(t);
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties)]),
    [["run_program", ["program"]]],
  );
  assert.match(tools[0].description, /tool\/orders\(\) -> :any {2}; \(read-only\)/);
  assert.match((await run("(def all (tool/orders))")).text, /all +; = list\[60\]/);
  assert.deepEqual(await run("(sum-by :euros all)"), { text: ";; Value:\n17700", isError: false });
  const failed = await run("(nope)");
  assert.match(failed.text, /^Error: `nope` is not defined/);
  assert.equal(failed.isError, true);
});

test("asks the user about each destructive call", async (t) => {
  const asked = [];
  const { run } = await connected(t, (message) => asked.push(message) && (/17/.test(message) ? "accept" : "decline"));
  assert.match((await run("(tool/refund {:order 17})")).text, /;; Value:\n\{:order 17\}$/);
  const { text, isError } = await run("[(tool/refund {:order 17}) (tool/refund {:order 23})]");
  assert.match(text, /The user did not approve it\./);
  assert.equal(isError, true);
  assert.deepEqual(asked, [
    'Run refund with {"order":17}?',
    'Run refund with {"order":17}?',
    'Run refund with {"order":23}?',
  ]);
  const plain = await connected(t);
  assert.match((await plain.run("(tool/refund {:order 17})")).text, /This client can't ask its user\./);
});

test("a cancelled call is cancelled at the other server", async (t) => {
  const { run } = await connected(t);
  await assert.rejects(run("(tool/wait)", { signal: AbortSignal.timeout(300) }));
  const deadline = Date.now() + 5000;
  const isAborted = () => {
    try {
      return readFileSync(join(folder, "aborted.txt"), "utf8") === "aborted";
    } catch {
      return false;
    }
  };
  while (!isAborted() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.ok(isAborted());
});
