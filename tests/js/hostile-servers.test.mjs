// A share of the target `servers` of `npm run fuzz`.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Agent, Lisp, mcpTools, toMessages } from "turnfold";
import { hostileEndpoint, hostileServer } from "./hostile-servers.mjs";
import { seeded } from "./random.mjs";

const endpoint = await hostileEndpoint();
after(() => endpoint.close());

test("calls of hostile MCP servers and endpoints end with a value or a documented error", async () => {
  const outcomes = new Set();
  for (let seed = 1; seed <= 300; seed++) {
    try {
      outcomes.add(await hostileServer(seeded(seed), endpoint, seed % 30 === 0 ? 20_000 : 300));
    } catch (error) {
      throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
    }
  }
  // The servers are not so hostile that nothing succeeds.
  for (const outcome of ["mcp chat ok", "mcp run ok", "mcp program ok", "model ok", "model llm_error"]) {
    assert.ok(outcomes.has(outcome), `${outcome} is not among ${[...outcomes].join(", ")}`);
  }
});

const serverOf = (tool, result = { content: [] }) => ({
  listTools: async () => ({ tools: [tool] }),
  callTool: async () => result,
});

test("what a prompt shows of an MCP tool has no control characters and none that override the direction of text", async () => {
  const hidden = "a\u001b[2Jb\u009bc\u202ed\u2028e";
  const tool = {
    name: hidden,
    description: hidden,
    inputSchema: { type: "object", properties: { way: { enum: [hidden, "up"] }, [hidden]: {} } },
  };
  for (const described of [
    tool,
    { ...tool, description: undefined },
    { ...tool, inputSchema: { type: "object", properties: { way: { enum: [hidden] } } } },
  ]) {
    const tools = await mcpTools(serverOf(described));
    const requests = [];
    await new Agent({ llm: ({ tools: offered }) => requests.push(offered) && "Done.", tools }).chat("Go");
    const shown = [
      ...toMessages([], null, { mission: "m", tools }).messages.map(({ content }) => content),
      ...requests.flat().map(({ name, description }) => `${name} ${description}`),
    ].join("\n");
    assert.match(shown, /tool\/a-2Jb-c-d-e/);
    assert.doesNotMatch(shown, /(?!\n)[\p{Cc}\u2028-\u202E]/u);
  }
});

test("an error of an MCP tool whose data JSON can't express is an error of the tool", async () => {
  const cyclic = [];
  cyclic.push(cyclic);
  for (const result of [
    { isError: true, content: [], structuredContent: cyclic },
    { isError: true, content: [{ type: "image", data: "", mimeType: cyclic }] },
    { isError: true, content: [], structuredContent: { big: 1n } },
  ]) {
    const tools = await mcpTools(serverOf({ name: "f", inputSchema: { type: "object" } }, result));
    await assert.rejects(tools.f.execute({}, {}), { code: "tool_error" });
    const { ok, error } = await new Lisp({ tools }).run("(tool/f)");
    assert.equal(ok, false);
    assert.equal(error.kind, "tool_error");
  }
});
