// mcpTools with fake clients: the shapes that servers return, valid and invalid.
// tests/adapters/mcp.test.mjs has the SDK's clients and published servers.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent, Lisp, mcpTools, SubAgent, TurnfoldError, toMessages } from "turnfold";
import * as chat from "turnfold/chat";
import { ReAct } from "turnfold/predict";
import { revoked } from "./revoked.mjs";
import { scripted } from "./scripted.mjs";

const text = (content) => ({ content: [{ type: "text", text: content }] });
const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });
const named = (...names) => names.map((name) => ({ name, inputSchema: { type: "object", properties: {} } }));

/** A client with these tools, which every listing reads again; calls are recorded. */
function clientOf(tools, answer = () => text("done"), more = {}) {
  const calls = [];
  let lists = 0;
  return {
    calls,
    get lists() {
      return lists;
    },
    tools,
    async listTools() {
      lists++;
      return { tools: this.tools };
    },
    async callTool(params, _schema, options) {
      calls.push({ ...params, options });
      return answer(params);
    },
    ...more,
  };
}

const namesIn = async (tools, options) => Object.keys(await mcpTools(clientOf(tools), options));
const lineOf = (tools, name) =>
  toMessages([], null, { mission: "m", tools })
    .messages[1].content.split("\n")
    .find((line) => line.startsWith(`tool/${name}(`));

/** The error of a promise, which must be a TurnfoldError. */
async function refused(promise, code) {
  const error = await promise.then(
    (value) => assert.fail(`expected ${code}, got ${Object.keys(value)}`),
    (thrown) => thrown,
  );
  assert.ok(TurnfoldError.isInstance(error), `not our error: ${error?.stack}`);
  assert.equal(error.code, code, error.message);
  return error;
}

/** The value of a call of a tool with this result. */
async function answered(result, tool = {}) {
  const client = clientOf([{ name: "f", inputSchema: { type: "object" }, ...tool }], () => result);
  const { ok, value, error } = await new Lisp({ tools: await mcpTools(client) }).run("(tool/f)");
  return ok ? value : new Error(error.message);
}

suite("names", () => {
  test("have letters, digits, _ and -; every run of other characters becomes a -", async () => {
    const names = ["get_user", "get-user", "files.read", "a/b c", " (x) ", "größe", "1st", "_a", "-b"];
    assert.deepEqual(
      (await namesIn(named(...names))).sort(),
      ["get_user", "get-user", "files-read", "a-b-c", "x", "gr-e", "1st", "_a", "-b"].sort(),
    );
  });

  test("without any such character become the code points of their characters", async () => {
    const tools = await mcpTools(clientOf(named("天気", "__proto__", "!")));
    assert.deepEqual(Object.keys(tools), ["u5929-u6c17", "u5f-u5f-u70-u72-u6f-u74-u6f-u5f-u5f", "u21"]);
    assert.equal(lineOf(tools, "u5929-u6c17"), "tool/u5929-u6c17() -> :any  ; 天気");
    assert.equal(Object.getPrototypeOf(tools), Object.prototype);
  });

  test("that become equal get numbers, except the tool whose name is unchanged", async () => {
    const client = clientOf(named("a.b", "a b", "a-b", "a-b-2"), ({ name }) => text(name));
    const tools = await mcpTools(client);
    assert.deepEqual(Object.keys(tools).sort(), ["a-b", "a-b-2", "a-b-3", "a-b-4"]);
    const { value } = await new Lisp({ tools }).run("[(tool/a-b) (tool/a-b-2) (tool/a-b-3) (tool/a-b-4)]");
    assert.deepEqual(value, ["a-b", "a-b-2", "a.b", "a b"]);
  });

  test("have at most 64 characters, including prefix and number", async () => {
    const long = "x".repeat(80);
    const names = await namesIn(named(long, `${long}y`, `${long}z`), { prefix: "p" });
    assert.deepEqual(names, [`p_${"x".repeat(62)}`, `p_${"x".repeat(60)}-2`, `p_${"x".repeat(60)}-3`]);
  });

  test("are prefixed by prefix, with a _ between unless it ends with _ or -", async () => {
    for (const [prefix, name] of [
      ["github", "github_search"],
      ["github_", "github_search"],
      ["github-", "github-search"],
    ]) {
      assert.deepEqual(await namesIn(named("search"), { prefix }), [name]);
    }
    const client = clientOf(named("search"));
    await new Lisp({ tools: await mcpTools(client, { prefix: "github" }) }).run("(tool/github_search)");
    assert.equal(client.calls[0].name, "search");
  });

  test("ten thousand tools whose names become equal are named in linear time", async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `a${"!".repeat(1 + (index % 7))}${"?".repeat(index)}`);
    assert.equal(new Set(await namesIn(named(...names))).size, 10_000);
  });
});

suite("include", () => {
  const tools = named("read", "write", "files.list");

  test("accepts names of the server's tools", async () => {
    assert.deepEqual(await namesIn(tools, { include: ["files.list", "read"] }), ["read", "files-list"]);
    assert.deepEqual(await namesIn(tools, { include: [] }), []);
  });

  test("accepts a function of the tool", async () => {
    const seen = [];
    const include = (tool) => seen.push(tool) > 0 && tool.annotations?.readOnlyHint === true;
    const [read, write] = tools;
    const annotated = [{ ...read, title: "Read", annotations: { readOnlyHint: true } }, write];
    assert.deepEqual(await namesIn(annotated, { include }), ["read"]);
    assert.equal(seen[0].title, "Read");
    assert.deepEqual(seen[1].inputSchema, { type: "object", properties: {} });
  });

  test("refuses names that the server does not have", async () => {
    const { message, details, hint } = await refused(namesIn(tools, { include: ["read", "delete"] }), "invalid_option");
    assert.equal(message, 'include names "delete", which the server does not offer');
    assert.deepEqual(details.missing, ["delete"]);
    assert.equal(hint, 'its tools are "read", "write", "files.list"');
  });

  test("refuses a function that returns anything but a boolean, such as a promise", async () => {
    const error = await refused(namesIn(tools, { include: async () => false }), "invalid_option");
    assert.match(error.message, /include must be a function that returns true or false, got a Promise/);
    const boom = new RangeError("boom");
    const include = () => {
      throw boom;
    };
    assert.equal((await refused(namesIn(tools, { include }), "invalid_option")).cause, boom);
  });
});

suite("the arguments of mcpTools", () => {
  test("are refused when the first is not a client", async () => {
    for (const client of [undefined, null, 5, {}, { listTools() {} }, { tools: async () => ({}) }, revoked()]) {
      await refused(mcpTools(client), "invalid_argument");
    }
  });

  test("are refused when the second has invalid options", async () => {
    const client = clientOf([]);
    for (const options of [
      null,
      5,
      { includes: [] },
      { include: "read" },
      { include: [5] },
      { prefix: "" },
      { prefix: "a/b" },
      { prefix: "x".repeat(33) },
      { timeout: 0 },
      { timeout: "1s" },
      revoked(),
    ]) {
      await refused(mcpTools(client, options), "invalid_option");
    }
    assert.equal(client.lists, 0);
    await mcpTools(client, { include: undefined, prefix: undefined, timeout: undefined });
  });

  test("are the same for turnfold/chat", async () => {
    const tools = await chat.mcpTools(clientOf(named("a")));
    assert.deepEqual(Object.keys(tools), ["a"]);
  });
});

suite("the list of tools", () => {
  test("is read with all its pages", async () => {
    const pages = { start: ["a", "b"], 1: ["c"], 2: [], 3: ["d"] };
    const requests = [];
    const client = clientOf([], undefined, {
      async listTools(params) {
        requests.push(params);
        const cursor = params?.cursor ?? "start";
        const next = { start: "1", 1: "2", 2: "3", 3: null }[cursor];
        return { tools: named(...pages[cursor]), nextCursor: next };
      },
    });
    assert.deepEqual(Object.keys(await mcpTools(client)), ["a", "b", "c", "d"]);
    assert.deepEqual(requests, [undefined, { cursor: "1" }, { cursor: "2" }, { cursor: "3" }]);
  });

  test("with endless pages is an error", async () => {
    let page = 0;
    const endless = (nextCursor, names = () => []) =>
      mcpTools(
        clientOf([], undefined, { listTools: async () => ({ tools: named(...names()), nextCursor: nextCursor() }) }),
      );
    assert.match(
      (
        await refused(
          endless(() => "same"),
          "mcp_error",
        )
      ).message,
      /the cursor "same" came twice/,
    );
    assert.match(
      (
        await refused(
          endless(() => `${page++}`),
          "mcp_error",
        )
      ).message,
      /has more than 1000 pages/,
    );
    const many = () => Array.from({ length: 500 }, () => `t${page++}`);
    assert.match(
      (
        await refused(
          endless(() => `${page++}`, many),
          "mcp_error",
        )
      ).message,
      /has more than 10000 tools/,
    );
  });

  test("that is not a list is an error", async () => {
    for (const [list, message] of [
      [null, /is null/],
      [[], /is an array/],
      [{ tools: {} }, /has an object as its tools/],
      [{ tools: [null] }, /has null as a tool/],
      [{ tools: ["search"] }, /has "search" as a tool/],
      [{ tools: [{}] }, /has a tool with undefined as its name/],
      [{ tools: [{ name: "" }] }, /has a tool with "" as its name/],
      [{ tools: [], nextCursor: 3 }, /has 3 as its next cursor/],
      [{ tools: [revoked()] }, /the client of the MCP server failed: /],
    ]) {
      const error = await refused(mcpTools(clientOf([], undefined, { listTools: async () => list })), "mcp_error");
      assert.match(error.message, message);
    }
  });

  test("that can't be read is an error with its cause", async () => {
    const boom = new Error("Not connected");
    const fail = () => {
      throw boom;
    };
    for (const more of [{ listTools: fail }, { listTools: async () => fail() }, { getServerCapabilities: fail }]) {
      const error = await refused(mcpTools(clientOf([], undefined, more)), "mcp_error");
      assert.match(error.message, /Not connected/);
      assert.equal(error.cause, boom);
    }
    const getter = {
      get tools() {
        return fail();
      },
    };
    await refused(mcpTools(clientOf([], undefined, { listTools: async () => getter })), "mcp_error");
  });

  test("is empty for a server without the tools capability, and is not requested", async () => {
    const client = clientOf(named("a"), undefined, { getServerCapabilities: () => ({ prompts: {} }) });
    assert.deepEqual(await mcpTools(client), {});
    assert.equal(client.lists, 0);
    const other = clientOf(named("a"), undefined, { getServerCapabilities: () => ({ tools: {} }) });
    assert.deepEqual(Object.keys(await mcpTools(other)), ["a"]);
  });

  test("omits tools that run only as tasks, and the second of two with the same name", async () => {
    const [a, again, task, both] = named("a", "a", "task", "both");
    const list = [
      { ...a, description: "first" },
      { ...again, description: "second" },
      { ...task, execution: { taskSupport: "required" } },
      { ...both, execution: { taskSupport: "optional" } },
    ];
    const tools = await mcpTools(clientOf(list));
    assert.deepEqual(Object.keys(tools), ["a", "both"]);
    assert.equal(tools.a.description, "first");
  });
});

suite("the signature", () => {
  const lineFor = async (tool) => lineOf(await mcpTools(clientOf([{ name: "f", ...tool }])), "f");

  test("has the parameters and the result type of the schemas", async () => {
    const inputSchema = object({ query: { type: "string" }, limit: { type: "integer", default: 10 } }, ["query"]);
    const outputSchema = object({ hits: { type: "array", items: object({ id: { type: "integer" } }) } });
    assert.equal(
      await lineFor({ inputSchema, outputSchema, description: "Finds\nthings" }),
      "tool/f(query :string, limit :int?) -> {hits [{id :int}]}  ; Finds things",
    );
    for (const [schema, type] of [
      [{ type: "object", properties: {} }, ":map"],
      [{ type: ["string", "null"] }, ":string?"],
      [{ anyOf: [object({ a: {} }), { type: "null" }] }, "{a :any}?"],
      [{ type: "array", items: { type: ["integer", "null"] } }, "[:int?]"],
      [{ $ref: "#/$defs/A", $defs: { A: object({ a: { type: "boolean" } }) } }, "{a :bool}"],
    ]) {
      assert.equal(await lineFor({ inputSchema: object({}), outputSchema: schema }), `tool/f() -> ${type}`);
    }
  });

  test("of a recursive or invalid schema is finite", async () => {
    const node = object({ value: { type: "string" }, next: { $ref: "#/$defs/Node" } }, ["value"]);
    const recursive = { ...object({ list: { $ref: "#/$defs/Node" } }), $defs: { Node: node } };
    assert.equal(await lineFor({ inputSchema: recursive }), "tool/f(list {value :string, next :map?}) -> :any");
    const either = { anyOf: [object({ a: { type: "string" } }), object({ b: { type: "string" } })] };
    assert.equal(await lineFor({ inputSchema: { type: "object", ...either } }), "tool/f(...) -> :any");
    const nested = (levels) => {
      let schema = { type: "string" };
      for (let level = 0; level < levels; level++) schema = object({ a: schema });
      return schema;
    };
    const deep = { inputSchema: nested(200), outputSchema: nested(200) };
    assert.match(await lineFor(deep), /^tool\/f\((a \{){16}a :any\}{16}\) -> (\{a ){17}:any\}{17}$/);
    const deeper = { inputSchema: nested(100_000), outputSchema: nested(100_000) };
    assert.equal(await lineFor(deeper), "tool/f(...) -> :any");
    for (const inputSchema of [undefined, null, "string", [], 5]) {
      assert.equal(await lineFor({ inputSchema }), "tool/f(...) -> :any");
    }
  });

  test("has no parameters when the schema allows none, and is (...) when the schema allows any", async () => {
    for (const [inputSchema, parameters] of [
      [{ type: "object", additionalProperties: false }, ""],
      [{ type: "object", properties: {} }, ""],
      [{ type: "object" }, "..."],
      [{ type: "object", additionalProperties: { type: "string" } }, "..."],
    ]) {
      assert.equal(await lineFor({ inputSchema }), `tool/f(${parameters}) -> :any`);
    }
  });

  test("is sent to the model of a chat as a schema with properties, which providers require", async () => {
    const requests = [];
    const llm = (request) => requests.push(request) && "ok";
    const tools = [{ name: "f", inputSchema: { type: "object", additionalProperties: false } }, { name: "g" }];
    await new Agent({ llm, tools: await mcpTools(clientOf(tools)) }).chat("Go");
    assert.deepEqual(requests[0].tools, [
      { name: "f", schema: { properties: {}, type: "object", additionalProperties: false } },
      { name: "g", schema: { properties: {}, type: "object" } },
    ]);
  });

  test("is followed by the keys that it can't name", async () => {
    const inputSchema = object({ $top: { type: "integer" }, "first name": { type: "string" } });
    assert.equal(
      await lineFor({ inputSchema, description: "Lists." }),
      'tool/f(...) -> :any  ; Lists. (Takes a map with the keys "$top", "first name")',
    );
  });

  test("is followed by the title and the annotations of the tool", async () => {
    const inputSchema = object({});
    for (const [tool, shown] of [
      [{ title: "Find" }, "  ; Find"],
      [{ annotations: { title: "Find", readOnlyHint: true } }, "  ; Find (read-only)"],
      [{ annotations: { destructiveHint: true } }, "  ; (destructive)"],
      [{ annotations: { readOnlyHint: true, destructiveHint: true } }, "  ; (read-only)"],
      [{ title: "Find", description: "Finds things" }, "  ; Finds things"],
      [{ title: 5, description: {}, annotations: [] }, ""],
    ]) {
      assert.equal(await lineFor({ inputSchema, ...tool }), `tool/f() -> :any${shown}`);
    }
  });
});

suite("arguments", () => {
  const search = {
    name: "search",
    inputSchema: {
      ...object({ query: { type: "string", minLength: 2 }, state: { enum: ["open", "paid"] } }, ["query"]),
      additionalProperties: false,
    },
  };

  test("of a program that do not fit give a failed call with their paths, and the server is not called", async () => {
    const client = clientOf([search]);
    const lisp = new Lisp({ tools: await mcpTools(client) });
    const failing = async (program) => (await lisp.run(program)).error.message;
    assert.match(
      await failing('(tool/search {:query "x"})'),
      /the arguments of search do not fit: query: has 1 character: at least 2/,
    );
    assert.match(
      await failing('(tool/search {:query "lamp" :state "closed"})'),
      /state: expected one of "open", "paid"/,
    );
    assert.match((await lisp.run("(tool/search)")).error.message, /query: missing/);
    assert.deepEqual(client.calls, []);
    assert.equal((await lisp.run('(tool/search "lamp")')).value, "done");
    assert.deepEqual(client.calls[0].arguments, { query: "lamp" });
  });

  test("of a chat are checked by the schema that is sent to the model", async () => {
    const client = clientOf([search]);
    const requests = [];
    const llm = (request) => {
      requests.push(request);
      const args = [{ query: "x" }, { query: "lamp", state: "open" }][requests.length - 1];
      return args === undefined
        ? "ok"
        : { content: "", toolCalls: [{ id: `c${requests.length}`, name: "search", args }] };
    };
    await new Agent({ llm, tools: await mcpTools(client) }).chat("Go");
    assert.deepEqual(requests[0].tools, [{ name: "search", schema: search.inputSchema }]);
    const refusal = requests[1].messages.at(-1);
    assert.match(refusal.content, /^Error: the arguments of search do not fit: query: /);
    assert.equal(refusal.isError, true);
    assert.deepEqual(
      client.calls.map((call) => call.arguments),
      [{ query: "lamp", state: "open" }],
    );
  });

  test("are sent as JSON, including sets, dates and big integers", async () => {
    const client = clientOf([{ name: "f", inputSchema: { type: "object" } }]);
    const data = { at: new Date(0), map: new Map([[5, new Map([["a", 1]])]]) };
    const lisp = new Lisp({ tools: await mcpTools(client), data });
    const program = `(tool/f {:tags #{"a"} :at data/at :map data/map :big 12345678901234567890 :n 3.0 :key :word "x y" nil})`;
    assert.equal((await lisp.run(program)).value, "done");
    assert.deepEqual(client.calls[0].arguments, {
      tags: ["a"],
      at: "1970-01-01T00:00:00.000Z",
      map: { 5: { a: 1 } },
      big: "12345678901234567890",
      n: 3,
      key: "word",
      "x y": null,
    });
    const keeping = new Lisp({ tools: await mcpTools(client), keywords: "keep" });
    assert.equal((await keeping.run('(tool/f {:a :b :c {:d #{1.0}} "e" {:f 2}})')).value, "done");
    assert.deepEqual(client.calls[1].arguments, { a: "b", c: { d: [1] }, e: { f: 2 } });
  });

  test("that JSON can't express are refused with their paths", async () => {
    const client = clientOf([{ name: "f", inputSchema: { type: "object" } }]);
    const lisp = new Lisp({ tools: await mcpTools(client) });
    const { error } = await lisp.run("(tool/f {:a [1 ##Inf] :b {:c inc}})");
    assert.match(error.message, /a\/1: Infinity can't be sent; b\/c: a function can't be sent/);
    assert.match((await lisp.run("(tool/f 1)")).error.message, /arguments are given by their names, got 1/);
    assert.match((await lisp.run("(tool/f {} {})")).error.message, /f takes one map of arguments, got 2 values/);
    assert.deepEqual(client.calls, []);
  });

  test("may be absent when the schema has none", async () => {
    const client = clientOf([{ name: "f", inputSchema: { type: "object" } }]);
    const lisp = new Lisp({ tools: await mcpTools(client) });
    await lisp.run("(tool/f)", { signal: new AbortController().signal });
    assert.deepEqual(client.calls[0].arguments, {});
    assert.ok(client.calls[0].options.signal instanceof AbortSignal);
  });

  test("are not checked by an invalid schema", async () => {
    for (const inputSchema of [
      object({ a: { $ref: "#/nowhere" } }),
      object({ a: { type: "string", pattern: "(" } }),
      { type: "object", properties: { a: 5 } },
    ]) {
      const client = clientOf([{ name: "f", inputSchema }]);
      const { ok, error } = await new Lisp({ tools: await mcpTools(client) }).run('(tool/f {:a "x"})');
      assert.ok(ok, error?.message);
      assert.deepEqual(client.calls[0].arguments, { a: "x" });
    }
  });
});

suite("calls", () => {
  test("pass on the signal and the timeout in the position of the client's version", async () => {
    const given = (options) => text(`${options?.signal instanceof AbortSignal} ${options?.timeout}`);
    for (const more of [
      { callTool: async (_params, schema = "default", options = undefined) => given(schema === "default" && options) },
      { callTool: async (_params, options) => given(options) },
      { callTool: async (...args) => given(args[1]), getProtocolEra: () => "modern" },
    ]) {
      const tools = await mcpTools(clientOf(named("f"), undefined, more), { timeout: 500 });
      const { value } = await new Lisp({ tools }).run("(tool/f)", { signal: new AbortController().signal });
      assert.equal(value, "true 500");
    }
  });

  test("that the client rejects are failed calls with its message", async () => {
    const boom = Object.assign(new Error("MCP error -32000: Connection closed"), { code: -32000 });
    const fail = () => {
      throw boom;
    };
    const tools = await mcpTools(clientOf(named("f"), fail));
    const { error } = await new Lisp({ tools }).run("(tool/f)");
    assert.match(error.message, /MCP error -32000: Connection closed/);
    const thrown = await refused(tools.f.execute({}, {}), "mcp_error");
    assert.equal(thrown.cause, boom);
    assert.deepEqual(thrown.details, { tool: "f" });
  });
});

test("a ReAct calls the tools of a server", async () => {
  const client = clientOf([{ name: "add.up", inputSchema: object({ a: { type: "integer" } }) }], () =>
    text('{"sum": 42}'),
  );
  const step = (tool, args) => `Next_thought: go on\nNext_tool_name: ${tool}\nNext_tool_args: ${JSON.stringify(args)}`;
  const llm = scripted(step("add-up", { a: 40 }), step("finish", {}), "Answer: 42");
  const react = new ReAct("question -> answer: int", { tools: await mcpTools(client), llm });
  const { outputs, steps } = await react.run({ question: "40 and 2?" });
  assert.equal(outputs.answer, 42);
  assert.deepEqual(client.calls[0].arguments, { a: 40 });
  assert.deepEqual(steps[0].result, { sum: 42 });
});

suite("the result", () => {
  test("is structuredContent", async () => {
    const structuredContent = { id: 1, tags: ["a"] };
    assert.deepEqual(
      await answered({ structuredContent, content: [{ type: "text", text: "id 1" }] }),
      structuredContent,
    );
    assert.deepEqual(await answered({ structuredContent }), structuredContent);
    assert.deepEqual(await answered({ structuredContent: [1, 2], content: [] }), [1, 2]);
    assert.deepEqual(await answered({ structuredContent: 0, content: [] }), 0);
    assert.equal(await answered({ structuredContent: null, content: [{ type: "text", text: "x" }] }), "x");
  });

  test("is the text of a single part, the list of several parts, and nil without parts", async () => {
    assert.equal(await answered(text("hello")), "hello");
    assert.equal(await answered(text("")), "");
    assert.deepEqual(await answered({ content: [...text("a").content, ...text("b").content] }), ["a", "b"]);
    assert.equal(await answered({ content: [] }), null);
    assert.deepEqual(await answered({ toolResult: { old: true } }), { old: true });
  });

  test("is the parsed value of a text that is a JSON object or array, and of no other text", async () => {
    assert.deepEqual(await answered(text('\n[{"id": 1, "name": "a"}]\n')), [{ id: 1, name: "a" }]);
    assert.deepEqual(await answered({ content: [...text('{"a":1}').content, ...text("b").content] }), [{ a: 1 }, "b"]);
    for (const other of ["42", "true", "null", '"x"', "[a] list", "{not json}", '[1] and {"a": 1}']) {
      assert.equal(await answered(text(other)), other);
    }
  });

  test("has the integers beyond 2^53 of a JSON text as texts of their digits", async () => {
    const json =
      '{"id": 12345678901234567890, "neg": -9007199254740993, "safe": 9007199254740991, "f": 0.12345678901234567890, "e": 12345678901234567890e3, "s": "12345678901234567890 \\" 1"}';
    assert.deepEqual(await answered(text(json)), {
      id: "12345678901234567890",
      neg: "-9007199254740993",
      safe: 9007199254740991,
      f: 0.12345678901234568,
      e: 1.2345678901234568e22,
      s: '12345678901234567890 " 1',
    });
  });

  test("describes images, sounds and files with their sizes, without their bytes", async () => {
    const bytes = (length) => Buffer.alloc(length, 7).toString("base64");
    const parts = [
      { type: "text", text: "see" },
      { type: "image", data: bytes(100), mimeType: "image/png" },
      { type: "audio", data: bytes(101), mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///a.bin", blob: bytes(102), mimeType: "application/zip" } },
      { type: "resource", resource: { uri: "file:///a.md", text: "# A", mimeType: "text/markdown" } },
      { type: "resource_link", uri: "file:///b", name: "b", description: "B", size: 9, icons: [] },
      { type: "hologram", data: bytes(9) },
    ];
    const shown = [
      "see",
      { type: "image", mimeType: "image/png", size: 100 },
      { type: "audio", mimeType: "audio/wav", size: 101 },
      { type: "resource", uri: "file:///a.bin", mimeType: "application/zip", size: 102 },
      { type: "resource", uri: "file:///a.md", mimeType: "text/markdown", text: "# A" },
      { type: "resource_link", uri: "file:///b", name: "b", description: "B", size: 9 },
      { type: "hologram" },
    ];
    assert.deepEqual(await answered({ content: parts }), shown);
    assert.deepEqual(await answered({ content: [parts[1]] }), shown[1]);
    assert.deepEqual(await answered({ content: parts.slice(0, 2), structuredContent: { a: 1 } }), {
      a: 1,
      attachments: [shown[1]],
    });
    const own = { content: [parts[1], { deep: { files: [parts[3]] } }], attachments: "own" };
    assert.deepEqual(await answered({ content: [parts[1]], structuredContent: own }), {
      content: [shown[1], { deep: { files: [shown[3]] } }],
      attachments: "own",
    });
  });

  test("with isError is a failed call with its text", async () => {
    const failed = (result) => answered({ isError: true, ...result }).then(({ message }) => message);
    assert.match(await failed(text("no such file: /x")), /no such file: \/x$/);
    assert.match(
      await failed({ content: [...text("a").content, { type: "image", data: "", mimeType: "i/p" }] }),
      /a\n\{"type":"image"/,
    );
    assert.match(await failed({ content: [] }), /f failed$/);
    assert.match(await failed({ structuredContent: { why: "full" } }), /\{"why":"full"\}$/);
    const tools = await mcpTools(clientOf(named("f"), () => ({ isError: true, ...text("no") })));
    assert.equal((await refused(tools.f.execute({}), "tool_error")).message, "no");
  });

  test("of an invalid shape is a failed call that says what is wrong", async () => {
    const cyclic = {};
    cyclic.self = cyclic;
    let deep = 1;
    for (let level = 0; level < 20_000; level++) deep = [deep];
    for (const [result, problem] of [
      [undefined, /the result of f can't be read: it is undefined/],
      [null, /it is null/],
      ["text", /it is "text"/],
      [{}, /it has no content/],
      [{ task: { taskId: "1" } }, /it has no content/],
      [{ content: "text" }, /its content is "text"/],
      [{ content: [null] }, /a part of its content is null/],
      [{ content: [{}] }, /a part of its content has undefined as its type/],
      [{ content: [{ type: "text" }] }, /a text in it is undefined/],
      [{ structuredContent: cyclic }, /is \$?.*again|holds itself|cycl/],
      [{ structuredContent: deep }, /nest|deep/],
      [{ structuredContent: { a: () => 1 } }, /function/],
    ]) {
      const error = await answered(result);
      assert.ok(error instanceof Error, JSON.stringify(error));
      assert.match(error.message, problem);
    }
    assert.deepEqual(await answered({ content: [{ type: "resource" }, { type: "image" }] }), [
      { type: "resource" },
      { type: "image" },
    ]);
  });
});

suite("changes of the list", () => {
  /** A client whose transport notifies it of changes. */
  function changing(tools, more = {}) {
    const received = [];
    const client = clientOf(tools, ({ name }) => text(name), {
      transport: { onmessage: (message) => received.push(message) },
      ...more,
    });
    const announce = () => client.transport.onmessage({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    return { client, received, announce };
  }

  test("are read by the next run of a SubAgent, whose message lists the new tools", async () => {
    const { client, received, announce } = changing(named("a", "b"));
    const tools = await mcpTools(client);
    const agent = new SubAgent({ mission: "Go", tools, llm: scripted("(return (tool/a))", "(return (tool/c))") });
    assert.equal((await agent.run()).return, "a");
    assert.equal(client.lists, 1);
    client.tools = named("a", "c");
    announce();
    assert.deepEqual(Object.keys(tools), ["a", "b"], "the object changes when an agent reads the list");
    const step = await agent.run();
    assert.equal(step.return, "c");
    assert.match(step.messages[1].content, /tool\/a\(\) -> :any\ntool\/c\(\) -> :any/);
    assert.deepEqual(Object.keys(tools), ["a", "c"]);
    assert.match(agent.preview().messages[1].content, /tool\/c/);
    assert.equal(client.lists, 2);
    assert.equal(received.length, 1, "the client gets every message");
  });

  test("are read by the next call of an Agent", async () => {
    const { client, announce } = changing(named("a"));
    const offered = [];
    const llm = ({ tools }) => {
      offered.push(tools?.map(({ name }) => name));
      return "ok";
    };
    const agent = new Agent({ llm, tools: await mcpTools(client) });
    await agent.chat("1");
    client.tools = named("a", "b");
    announce();
    const [first, second] = await Promise.allSettled([agent.chat("2"), agent.chat("3")]);
    assert.equal(first.status, "fulfilled");
    assert.equal(second.reason.code, "busy");
    client.tools = [];
    announce();
    await agent.chat("4");
    assert.deepEqual(offered, [["a"], ["a", "b"], undefined]);
  });

  test("do not reach a copy of the object", async () => {
    const { client, announce } = changing(named("a"));
    const agent = new SubAgent({
      mission: "Go",
      tools: { ...(await mcpTools(client)) },
      llm: scripted("(return 1)"),
    });
    client.tools = named("a", "b");
    announce();
    const step = await agent.run();
    assert.doesNotMatch(step.messages[1].content, /tool\/b/);
    assert.equal(client.lists, 1);
  });

  test("do not affect tools that the host removed, replaced or added", async () => {
    const { client, announce } = changing(named("a", "b", "c"));
    const tools = await mcpTools(client);
    const [mine, other] = [() => "mine", () => "other"];
    delete tools.a;
    tools.b = mine;
    tools.d = other;
    client.tools = named("a", "b", "c", "d", "e");
    announce();
    const llm = scripted("(return [(tool/b) (tool/c) (tool/d) (tool/e)])", "(return 1)", "(return 1)");
    const agent = new SubAgent({ mission: "Go", tools, llm });
    assert.deepEqual((await agent.run()).return, ["mine", "c", "other", "e"]);
    assert.deepEqual(Object.keys(tools), ["b", "c", "d", "e"]);
    announce();
    await agent.run();
    client.tools = [];
    announce();
    await agent.run();
    assert.deepEqual(tools, { b: mine, d: other });
  });

  test("keep the names of tools, and the objects of unchanged tools", async () => {
    const { client, announce } = changing(named("a.b"));
    const tools = await mcpTools(client);
    const before = tools["a-b"];
    client.tools = named("a-b", "a.b");
    announce();
    const llm = scripted("(return [(tool/a-b) (tool/a-b-2)])", "(return 1)");
    const agent = new SubAgent({ mission: "Go", tools, llm });
    assert.deepEqual((await agent.run()).return, ["a.b", "a-b"]);
    assert.equal(tools["a-b"], before);
    client.tools = client.tools.map((tool) => ({ ...tool, description: "new" }));
    announce();
    await agent.run();
    assert.equal(tools["a-b"].description, "new");
  });

  test("that can't be read leave the list unchanged, and are read by the next run", async () => {
    const { client, announce } = changing(named("a"));
    const llm = scripted("(return 1)", "(return 1)", "(return 1)");
    const agent = new SubAgent({ mission: "Go", tools: await mcpTools(client), llm });
    const { listTools } = client;
    client.listTools = async () => {
      throw new Error("Connection closed");
    };
    announce();
    assert.match((await agent.run()).messages[1].content, /tool\/a\(/);
    client.listTools = listTools;
    client.tools = named("b");
    assert.match((await agent.run()).messages[1].content, /tool\/b\(/);
    await agent.run();
    assert.equal(client.lists, 2);
  });

  test("are read once for concurrent runs, and an abort does not wait for them", async () => {
    const { client, announce } = changing(named("a"));
    const agent = new SubAgent({ mission: "Go", tools: await mcpTools(client), llm: () => "(return 1)" });
    announce();
    await Promise.all([agent.run(), agent.run(), agent.run()]);
    assert.equal(client.lists, 2);
    announce();
    client.listTools = () => new Promise(() => {});
    // Not AbortSignal.timeout, whose timer does not keep the process alive.
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const step = await agent.run({ signal: controller.signal });
    assert.equal(step.fail.reason, "aborted");
  });

  test("are filtered by include again", async () => {
    const { client, announce } = changing(named("a"));
    const tools = await mcpTools(client, { include: ({ name }) => name !== "b" });
    client.tools = named("a", "b", "c");
    announce();
    await new SubAgent({ mission: "Go", tools, llm: scripted("(return 1)") }).run();
    assert.deepEqual(Object.keys(tools), ["a", "c"]);
  });

  test("are read after the client is connected again, and not while it is closed", async () => {
    const { client, announce } = changing(named("a"));
    const tools = await mcpTools(client);
    const agent = new SubAgent({ mission: "Go", tools, llm: () => "(return 1)" });
    client.transport = undefined;
    await agent.run();
    assert.equal(client.lists, 1);
    client.transport = { onmessage: () => {} };
    client.tools = named("b");
    await agent.run();
    assert.deepEqual(Object.keys(tools), ["b"]);
    await agent.run();
    announce();
    await agent.run();
    assert.equal(client.lists, 3);
  });

  test("of a server that announces none are read after the client is connected again", async () => {
    const { client } = changing(named("a"), { getServerCapabilities: () => ({ tools: {} }) });
    const tools = await mcpTools(client);
    const agent = new SubAgent({ mission: "Go", tools, llm: () => "(return 1)" });
    client.tools = named("b");
    await agent.run();
    assert.deepEqual(Object.keys(tools), ["a"]);
    client.transport = { onmessage: () => {} };
    await agent.run();
    assert.deepEqual(Object.keys(tools), ["b"]);
  });

  test("are observed by one handler for all tool objects of a client", async () => {
    const { client, received, announce } = changing(named("a"));
    const { onmessage } = client.transport;
    await mcpTools(client);
    const { onmessage: tapped } = client.transport;
    assert.notEqual(tapped, onmessage);
    const lists = await Promise.all(Array.from({ length: 20 }, () => mcpTools(client)));
    assert.equal(client.transport.onmessage, tapped);
    client.tools = named("b");
    announce();
    for (const tools of lists.slice(0, 3)) {
      await new SubAgent({ mission: "Go", tools, llm: scripted("(return 1)") }).run();
      assert.deepEqual(Object.keys(tools), ["b"]);
    }
    assert.equal(received.length, 1);
  });

  test("are observed by a notification handler when the client has no accessible transport, by method name or schema", async () => {
    for (const version of [1, 2]) {
      let handler;
      const client = clientOf(named("a"), undefined, {
        getServerCapabilities: () => ({ tools: { listChanged: true } }),
        setNotificationHandler(method, given) {
          // Version 1 takes a Zod schema of the method, version 2 its name.
          const name = version === 1 ? method.shape.method.value : method;
          if (name !== "notifications/tools/list_changed") throw new TypeError(`unknown: ${name}`);
          handler = given;
        },
      });
      const tools = await mcpTools(client);
      client.tools = named("b");
      await handler({ method: "notifications/tools/list_changed" });
      await new SubAgent({ mission: "Go", tools, llm: scripted("(return 1)") }).run();
      assert.deepEqual(Object.keys(tools), ["b"]);
    }
  });

  test("are not observed when the server does not announce them", async () => {
    const client = clientOf(named("a"), undefined, {
      getServerCapabilities: () => ({ tools: {} }),
      setNotificationHandler: () => assert.fail("a handler was set"),
    });
    await mcpTools(client);
    const { client: other } = changing(named("a"), {
      getServerCapabilities: () => ({ tools: { listChanged: false } }),
    });
    const { onmessage } = other.transport;
    await mcpTools(other);
    assert.equal(other.transport.onmessage, onmessage);
  });

  test("are not observed when no handler can be set, without an error", async () => {
    const fail = () => {
      throw new Error("no");
    };
    for (const more of [
      { transport: Object.freeze({ onmessage() {} }) },
      { transport: {} },
      { setNotificationHandler: fail },
    ]) {
      const client = clientOf(named("a"), undefined, more);
      const agent = new SubAgent({ mission: "Go", tools: await mcpTools(client), llm: () => "(return 1)" });
      assert.equal((await agent.run()).return, 1);
      assert.equal(client.lists, 1);
    }
  });
});

suite("calls that need an approval", () => {
  const tools = [
    { name: "read", inputSchema: object({ path: { type: "string" } }), annotations: { readOnlyHint: true } },
    { name: "remove", inputSchema: object({ path: { type: "string" } }), annotations: { destructiveHint: true } },
  ];
  const program = '[(tool/read {:path "/a"}) (tool/remove {:path "/tmp/a"}) (tool/remove {:path "/a"})]';

  test("are decided by needsApproval, from the annotations and the arguments", async () => {
    const client = clientOf(tools, ({ name }) => text(name));
    const asked = [];
    const needsApproval = async ({ name, annotations }, { path }) => {
      asked.push(`${name} ${path}`);
      return annotations?.destructiveHint === true && !path.startsWith("/tmp/");
    };
    const lisp = new Lisp({ tools: await mcpTools(client, { needsApproval }) });
    const result = await lisp.run(program);
    assert.deepEqual(
      result.waiting.map(({ tool, args, reason }) => [tool, args, reason]),
      [["remove", { path: "/a" }, "approval"]],
    );
    assert.deepEqual(asked, ["read /a", "remove /tmp/a", "remove /a"]);
    assert.equal(client.calls.length, 2);
    const { value } = await lisp.resume(result, { answers: { [result.waiting[0].id]: true } });
    assert.deepEqual(value, ["read", "remove", "remove"]);
    assert.equal(client.calls.length, 3);
  });

  test("are all or none of them with a boolean, and anything else is refused", async () => {
    for (const needsApproval of [true, false]) {
      const { status } = await new Lisp({ tools: await mcpTools(clientOf(tools), { needsApproval }) }).run(program);
      assert.equal(status, needsApproval ? "waiting" : "done");
    }
    await refused(mcpTools(clientOf(tools), { needsApproval: "destructive" }), "invalid_option");
  });
});
