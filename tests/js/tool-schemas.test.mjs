// Foreign schemas of tools: they validate the arguments, and the tool gets their output.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { jsonSchema, tool, zodSchema } from "ai";
import { Agent, Lisp, SubAgent, toMessages } from "turnfold";
import { ReAct } from "turnfold/predict";
import { z } from "zod";
import { refuses } from "./refuses.mjs";

/** A Standard Schema that has no JSON Schema. */
const standard = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) =>
      typeof value?.id === "number"
        ? { value: { ...value, id: value.id + 1 } }
        : { issues: [{ message: "a number is needed", path: ["id"] }] },
  },
};

const filter = z.object({
  state: z.enum(["open", "paid"]).default("open"),
  since: z.string().transform((text) => new Date(text).getUTCFullYear()),
});

/** A tool function and the arguments of its calls. */
function recorder() {
  const calls = [];
  const execute = (input) => {
    calls.push(input);
    return "done";
  };
  return { calls, execute };
}

/** Lets the model call a tool; returns the arguments that the tool got and the result that the model got. */
async function called(inputSchema, args, options) {
  const { calls, execute } = recorder();
  const requests = [];
  const llm = ({ messages }) => {
    requests.push(messages.at(-1));
    return requests.length === 1 ? { content: "", toolCalls: [{ id: "c1", name: "find", args }] } : "ok";
  };
  await new Agent({ tools: { find: tool({ inputSchema, execute }) }, llm, ...options }).chat("Go");
  return { calls, result: requests[1] };
}

suite("tools of a chat", () => {
  test("a Zod schema applies its defaults and transforms once", async () => {
    const approved = [];
    const approve = ({ args }) => approved.push(args) > 0;
    const { calls, result } = await called(filter, { since: "2026-05-01" }, { approve });
    assert.deepEqual(calls, [{ state: "open", since: 2026 }]);
    assert.deepEqual(approved, calls);
    assert.equal(result.content, "done");
  });

  test("arguments that do not fit are returned to the model with their paths, and the tool is not called", async () => {
    for (const [schema, args, problem] of [
      [filter, { state: "closed" }, /^Error: the arguments of find do not fit: state: .*; since: /],
      [standard, {}, /^Error: the arguments of find do not fit: id: a number is needed$/],
      [
        { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
        { id: "x" },
        /do not fit: id: .*integer/,
      ],
      [jsonSchema({ type: "object", required: ["id"] }), {}, /do not fit: id: missing$/],
      [
        jsonSchema({ type: "object" }, { validate: () => ({ success: false, error: new Error("nothing fits") }) }),
        {},
        /do not fit: nothing fits$/,
      ],
      [zodSchema(filter), { state: "closed", since: "2026" }, /do not fit: state: Invalid option: [^;{]*$/],
    ]) {
      const { calls, result } = await called(schema, args);
      assert.deepEqual(calls, []);
      assert.match(result.content, problem);
      assert.equal(result.isError, true);
    }
  });

  test("the tool gets the output of validators of any kind", async () => {
    const validate = async (value) => ({ success: true, value: { ...value, seen: true } });
    for (const [schema, expected] of [
      [standard, { id: 2 }],
      [jsonSchema({ type: "object" }, { validate }), { id: 1, seen: true }],
      [{ type: "object", properties: { id: { type: "integer" } } }, { id: 1 }],
    ]) {
      const { calls, result } = await called(schema, { id: 1 });
      assert.deepEqual(calls, [expected], result.content);
    }
  });
});

suite("tools of programs", () => {
  const agent = (inputSchema, program) => {
    const { calls, execute } = recorder();
    const replies = [program, "(return :ended)"];
    const llm = ({ messages }) => {
      asked = messages.at(-1).content;
      return replies.shift();
    };
    let asked = "";
    const run = new SubAgent({ mission: "Go", tools: { find: tool({ inputSchema, execute }) }, llm }).run();
    return run.then((step) => ({ calls, step, asked }));
  };

  test("get the output of the validator", async () => {
    const { calls } = await agent(filter, '(return (tool/find {:since "2026-05-01"}))');
    assert.deepEqual(calls, [{ state: "open", since: 2026 }]);
    const own = await agent(standard, "(return (tool/find {:id 1}))");
    assert.deepEqual(own.calls, [{ id: 2 }]);
  });

  test("with arguments that do not fit are failed calls, which the model reads", async () => {
    const { calls, asked, step } = await agent(standard, '(tool/find {:id "x"})');
    assert.deepEqual(calls, []);
    assert.match(asked, /the arguments of find do not fit: id: a number is needed/);
    assert.equal(step.ok, true);
  });

  test("are called with an empty object by a call without arguments, also with a signal", async () => {
    const { signal } = new AbortController();
    for (const inputSchema of [{ type: "object" }, { ...standard }]) {
      const calls = [];
      const execute = (...given) => calls.push(given);
      const validate = (value) => ({ value });
      const schema = "~standard" in inputSchema ? { "~standard": { ...standard["~standard"], validate } } : inputSchema;
      await new Lisp({ tools: { find: { inputSchema: schema, execute } } }).run("(tool/find)", { signal });
      assert.deepEqual(calls[0][0], {});
      assert.ok(calls[0][1].signal instanceof AbortSignal);
    }
  });

  test("stay synchronous with a synchronous validator", () => {
    const { calls, execute } = recorder();
    const lisp = new Lisp({ tools: { find: { inputSchema: standard, execute } } });
    assert.equal(lisp.runSync("(tool/find {:id 1})").value, "done");
    assert.deepEqual(calls, [{ id: 2 }]);
  });
});

suite("null", () => {
  const nullable = {
    type: "object",
    properties: { a: { type: ["string", "null"] }, b: { type: ["integer", "null"] } },
    required: ["a"],
  };
  const tools = {
    "a signature": (execute) => ["(a :string | nil, b :int?) -> :any", execute],
    "a signature of programs": (execute) => ({ signature: "a: str, b: int? -> c: Any", run: execute }),
    "JSON Schema": (execute) => ({ inputSchema: nullable, execute }),
    Zod: (execute) => tool({ inputSchema: z.object({ a: z.string().nullable(), b: z.int().nullish() }), execute }),
  };
  const args = { a: null, b: null };

  for (const [name, make] of Object.entries(tools)) {
    // The notation of programs can't express a required nullable field.
    const may = name === "a signature of programs" ? "x" : null;
    const taken = { a: may };
    // A foreign schema that accepts null for the optional parameter gets the null that the model wrote.
    const allowed = name === "JSON Schema" || name === "Zod" ? args : taken;
    const program = `(tool/t {:a ${may === null ? "nil" : '"x"'} :b nil})`;

    test(`reaches a required parameter of ${name} in programs, and an optional one of a schema that allows it`, async () => {
      const { calls, execute } = recorder();
      new Lisp({ tools: { t: make(execute) } }).runSync(program);
      await new SubAgent({ mission: "Go", tools: { t: make(execute) }, llm: () => `(return ${program})` }).run();
      assert.deepEqual(calls, [allowed, allowed]);
    });

    test(`reaches a required parameter of ${name} in chats and steps`, async () => {
      const { calls, execute } = recorder();
      const t = make(execute);
      const toolCalls = [{ id: "c1", name: "t", args: { ...args, a: may } }];
      const replies = [{ content: "", toolCalls }, "ok"];
      await new Agent({ tools: { t }, llm: () => replies.shift() }).chat("Go");
      assert.deepEqual(calls, [allowed]);
      const step = JSON.stringify({ next_thought: "x", next_tool_name: "t", next_tool_args: { ...args, a: may } });
      const steps = [step, step.replace('"t"', '"finish"'), '{"answer": "x"}'];
      await new ReAct("q -> answer", { tools: { t }, adapter: "json", llm: () => steps.shift() }).call({ q: "x" });
      assert.deepEqual(calls.slice(1), [allowed]);
    });
  }

  test("a required parameter that is missing is refused", () => {
    const { calls, execute } = recorder();
    const { error } = new Lisp({ tools: { t: tools["a signature"](execute) } }).runSync("(tool/t {:b 1})");
    assert.match(error.message, /a: missing, expected string or nil/);
    assert.deepEqual(calls, []);
  });
});

suite("arguments that do not fit a signature", () => {
  const purge = "(filter {status :string?}, limit :int?) -> :int";

  /** Calls the tool in a program, in an agent's program, in a step and in a chat; returns the errors. */
  async function errorsOf(args, program) {
    const { calls, execute } = recorder();
    const tools = { purge: [purge, execute] };
    const lisp = await new Lisp({ tools }).run(program);
    const replies = [program, "(return 1)"];
    const run = await new SubAgent({ mission: "m", tools, llm: () => replies.shift() }).run();
    const chat = [{ content: "", toolCalls: [{ id: "c1", name: "purge", args }] }, "ok"];
    const agent = new Agent({ tools, llm: () => chat.shift() });
    await agent.chat("Go");
    const step = JSON.stringify({ next_thought: "x", next_tool_name: "purge", next_tool_args: args });
    const replied = [step, step.replace('"purge"', '"finish"'), '{"a": "x"}'];
    const llm = () => replied.shift();
    const { steps } = await new ReAct("q -> a", { tools, adapter: "json", llm }).run({ q: "x" });
    assert.deepEqual(calls, []);
    const { content, isError } = agent.conversation.messages[2];
    assert.equal(isError, true);
    return [lisp.error.message, run.turns[0].result.message, content, steps[0].error];
  }

  for (const [what, args, program, problem] of [
    ["a text for a map", { filter: "status=closed" }, '{:filter "status=closed"}', "filter: expected map, got string"],
    ["a misspelt parameter", { fitler: {} }, "{:fitler {}}", "`fitler` is not declared; did you mean `filter`?"],
    ["an unknown key of a map", { filter: { state: 1 } }, "{:filter {:state 1}}", "filter: `state` is not declared"],
    ["a further name", { filter: {}, page: 1 }, "{:filter {} :page 1}", "`page` is not declared; declared are"],
  ]) {
    test(`${what} is an error with its path, in programs, steps and chats`, async () => {
      for (const error of await errorsOf(args, `(tool/purge ${program})`)) assert.ok(error.includes(problem), error);
    });
  }

  test("a map without the name of a parameter is the first one's value in programs only", async () => {
    const { calls, execute } = recorder();
    const tools = { purge: [purge, execute] };
    await new Lisp({ tools }).run('(tool/purge {:status "closed"})');
    const replies = [{ content: "", toolCalls: [{ id: "c1", name: "purge", args: { status: "closed" } }] }, "ok"];
    const agent = new Agent({ tools, llm: () => replies.shift() });
    await agent.chat("Go");
    assert.deepEqual(calls, [{ filter: { status: "closed" } }]);
    assert.match(agent.conversation.messages[2].content, /filter: missing, expected map/);
  });
});

suite("JSON Schema of a tool", () => {
  const allowed = [
    ["unknown keys", { properties: { a: { type: "integer" } } }, { a: 1, b: { c: null } }],
    ["additionalProperties: true", { properties: {}, additionalProperties: true }, { "a-b": [1.5], a_b: 2 }],
    ["a schema of other keys", { properties: { a: {} }, additionalProperties: { type: "string" } }, { a: 1, A: "x" }],
    ["nested other keys", { properties: { a: { type: "object", properties: { b: {} } } } }, { a: { b: 1, c: 2 } }],
    ["patternProperties", { patternProperties: { "^x-": { type: "integer" } } }, { "x-1": 1, y: "2" }],
    ["null for an optional key", { properties: { a: { type: ["string", "null"] } } }, { a: null }],
    ["properties that need not be in objects", { properties: { a: { properties: { b: {} } } } }, { a: "text" }],
    ["boolean schemas", { properties: { a: true, b: false } }, { a: [] }],
    ["a format, which annotates", { properties: { a: { type: "string", format: "email" } } }, { a: "no address" }],
    ["$ref", { properties: { a: { $ref: "#/$defs/t" } }, $defs: { t: { required: ["b"] } } }, { a: { b: 1, c: 2 } }],
  ];
  const forbidden = [
    ["a type", { properties: { a: { type: "integer" } } }, { a: "5" }, 'a: expected integer, got "5"'],
    [
      "other keys",
      { properties: { ab: {} }, additionalProperties: false },
      { c: 1 },
      "c: is not declared; declared are ab",
    ],
    ["the schema of other keys", { additionalProperties: { type: "string" } }, { a: 1 }, "a: expected string, got 1"],
    [
      "patternProperties",
      { patternProperties: { "^x-": { type: "integer" } } },
      { "x-1": "1" },
      "x-1: expected integer",
    ],
    [
      "a boolean schema",
      { properties: { a: { properties: { b: false } } } },
      { a: { b: 1 } },
      "a.b: nothing is allowed",
    ],
    [
      "$dynamicRef",
      {
        $id: "https://example.com/numbers",
        properties: { list: { $ref: "list" } },
        $defs: {
          item: { $dynamicAnchor: "item", type: "number" },
          list: {
            $id: "list",
            items: { $dynamicRef: "#item" },
            $defs: { item: { $dynamicAnchor: "item" } },
          },
        },
      },
      { list: [1, "x"] },
      'list[1]: expected number, got "x"',
    ],
    [
      "unevaluatedProperties",
      { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
      { a: 1, b: 2 },
      "b: is not declared",
    ],
  ];

  async function calledBy(schema, args) {
    const { calls, execute } = recorder();
    const t = { inputSchema: { type: "object", ...schema }, execute };
    const replies = [{ content: "", toolCalls: [{ id: "c1", name: "t", args }] }, "ok"];
    const agent = new Agent({ tools: { t }, llm: () => replies.shift() });
    await agent.chat("Go");
    const { error } = await new Lisp({ tools: { t }, data: { args } }).run("(tool/t data/args)");
    return { calls, problems: [agent.conversation.messages[2].content, error?.message] };
  }

  for (const [what, schema, args] of allowed) {
    test(`passes ${what} unchanged in chats and programs`, async () => {
      assert.deepEqual((await calledBy(schema, args)).calls, [args, args]);
    });
  }

  for (const [what, schema, args, problem] of forbidden) {
    test(`refuses what ${what} forbids, with the path, in chats and programs`, async () => {
      const { calls, problems } = await calledBy(schema, args);
      assert.deepEqual(calls, []);
      for (const each of problems) assert.ok(each.includes(problem), each);
    });
  }

  test("gets the sets, dates, names and spellings of programs as JSON", () => {
    const { calls, execute } = recorder();
    const list = { type: "array", items: { type: "object", properties: { maxItems: { type: "integer" } } } };
    const properties = { a: { type: "array" }, since: { type: "string" }, state: { enum: ["open"] }, list };
    const t = { inputSchema: { type: "object", properties, required: ["a"] }, execute };
    const lisp = new Lisp({ tools: { t } });
    const run = (program) => lisp.runSync(program);
    run('(tool/t {:a #{1} :since #inst "2026-05-01" :state :open :list [{:max-items 2}]})');
    run("(tool/t :a [] :state :open)");
    run("(tool/t {:a [] :since nil})");
    run("(tool/t [1])");
    assert.deepEqual(calls, [
      { a: [1], since: "2026-05-01T00:00:00.000Z", state: "open", list: [{ maxItems: 2 }] },
      { a: [], state: "open" },
      { a: [] },
      { a: [1] },
    ]);
  });

  test("a validator gets sets and dates as they are when it takes them, and otherwise as JSON", () => {
    const { calls, execute } = recorder();
    const inputSchema = z.object({
      a: z.set(z.int()).optional(),
      b: z.date().optional(),
      c: z.array(z.int()).optional(),
    });
    const lisp = new Lisp({ tools: { t: tool({ inputSchema, execute }) } });
    assert.equal(lisp.runSync('(tool/t {:a #{1} :b #inst "2026-05-01"})').ok, true);
    assert.equal(lisp.runSync("(tool/t {:c #{1}})").ok, true);
    assert.deepEqual(calls, [{ a: new Set([1]), b: new Date("2026-05-01") }, { c: [1] }]);
  });

  const inputSchema = {
    type: "object",
    properties: { limit: { type: "integer", minimum: 1, maximum: 9 }, state: { enum: ["open", "paid"] } },
  };

  test("is checked synchronously, in programs as in chats", () => {
    const { calls, execute } = recorder();
    for (const schema of [inputSchema, jsonSchema(inputSchema)]) {
      const lisp = new Lisp({ tools: { t: { inputSchema: schema, execute } } });
      const { error } = lisp.runSync("(tool/t {:limit 10})");
      assert.match(error.message, /the arguments of t do not fit: limit: 10 is greater than 9/);
      assert.equal(lisp.runSync("(tool/t {:limit 9.0 :state :open})").ok, true);
      assert.match(lisp.runSync("(tool/t {:state :closed})").error.message, /state: expected one of "open", "paid"/);
    }
    assert.deepEqual(calls, [
      { limit: 9, state: "open" },
      { limit: 9, state: "open" },
    ]);
  });

  test("that can't be used is refused when the tool is given", () => {
    const llm = () => "ok";
    for (const [part, problem] of [
      [{ $ref: "#/nowhere" }, 'refers to "#/nowhere", which it does not have'],
      [{ $ref: "https://example.com/a.json" }, 'refers to "https://example.com/a.json"'],
      [{ pattern: "(" }, 'has the pattern "("'],
      [
        { $id: "https://example.com/a", $schema: "https://example.com/own" },
        'has the $schema "https://example.com/own"',
      ],
    ]) {
      const tools = { t: { inputSchema: { type: "object", properties: { a: part } }, execute() {} } };
      for (const make of [
        () => new Lisp({ tools }),
        () => new SubAgent({ mission: "m", tools, llm }),
        () => new Agent({ tools, llm }),
      ]) {
        const { message, details } = refuses(make, "invalid_tool");
        assert.ok(message.includes(problem), message);
        assert.equal(details.tool, "t");
      }
    }
  });
});

suite("the description of a tool for models", () => {
  const listed = (tools) => toMessages([], null, { mission: "m", tools }).messages[1].content.split("\n\n")[1];
  const described = {
    signature: "(filters [{since :string}], limit :int?, _key :string) -> [:int]",
    description: "Find orders",
    fieldDescriptions: { limit: "1 to\n9", "filters.since": "the first day" },
    run: () => [],
  };

  test("fieldDescriptions are lines below a tool of programs and of steps, in the order of the signature", async () => {
    assert.deepEqual(listed({ t: described }).split("\n").slice(1), [
      "tool/t(filters [{since :string}], limit :int?) -> [:int]  ; Find orders",
      ";   filters.since: the first day",
      ";   limit: 1 to 9",
    ]);
    const react = new ReAct("q -> a", { tools: { t: described }, llm: () => "" });
    assert.match(
      react.messages({ q: "x" })[0].content,
      /- t\(filters .* -> \[:int\]: Find orders\n {2}- limit: 1 to 9\n {2}- filters\.since: the first day\n/,
    );
  });

  test("fieldDescriptions are descriptions in the schema of a tool of a chat", async () => {
    let offered;
    const llm = ({ tools }) => {
      offered = tools;
      return "ok";
    };
    await new Agent({ tools: { t: described }, llm }).chat("Go");
    const { filters, limit } = offered[0].schema.properties;
    assert.equal(limit.description, "1 to\n9");
    assert.equal(filters.items.properties.since.description, "the first day");
  });

  test("fieldDescriptions of unknown fields are refused", () => {
    const llm = () => "ok";
    const withField = (fieldDescriptions, more = {}) => ({ t: { ...described, ...more, fieldDescriptions } });
    for (const tools of [withField({ page: "x" }), withField({ _key: "x" }), withField({ "filters.until": "x" })]) {
      refuses(
        () => new SubAgent({ mission: "m", tools, llm }),
        "invalid_tool",
        Object.keys(tools.t.fieldDescriptions)[0],
      );
      refuses(() => new Agent({ tools, llm }), "invalid_tool");
      refuses(() => new ReAct("q -> a", { tools, llm }), "invalid_tool");
    }
    for (const tools of [withField(5), withField({ limit: 5 }), withField({ limit: "x" }, { signature: undefined })]) {
      refuses(() => new SubAgent({ mission: "m", tools, llm }), "invalid_tool");
      refuses(() => new Agent({ tools, llm }), "invalid_tool");
    }
  });

  test("dates and other types without JSON are :any, and the other fields are listed", () => {
    const inputSchema = z.object({ since: z.coerce.date(), limit: z.int().max(9) });
    assert.equal(
      listed({ t: tool({ inputSchema, execute: () => 1 }) }),
      ";; === tool/ ===\ntool/t(since :any, limit :int) -> :any\n;   limit: at most 9",
    );
  });

  test("a signature beside a schema without JSON Schema is listed, and becomes the schema for providers", async () => {
    const { calls, execute } = recorder();
    const t = { signature: "(id :int) -> :string", inputSchema: standard, execute };
    assert.equal(listed({ t }), ";; === tool/ ===\ntool/t(id :int) -> :string");
    assert.deepEqual(new Lisp({ tools: { t } }).warnings, []);
    const replies = [{ content: "", toolCalls: [{ id: "c1", name: "t", args: { id: 1 } }] }, "ok"];
    const requests = [];
    const llm = (request) => {
      requests.push(request);
      return replies.shift();
    };
    await new Agent({ tools: { t }, llm, onWarning: assert.fail }).chat("Go");
    assert.deepEqual(requests[0].tools[0].schema.properties, { id: { type: "integer" } });
    assert.deepEqual(calls, [{ id: 2 }]);
  });

  test("a description that is a function is called", () => {
    const execute = () => 1;
    const parameters = { type: "object", properties: {} };
    assert.match(listed({ t: { description: () => "Now", parameters, execute } }), /tool\/t\(\) -> :any {2}; Now/);
    const needs = ({ context }) => context.user.name;
    assert.match(listed({ t: { description: needs, parameters, execute } }), /tool\/t\(\) -> :any$/);
  });
});

suite("a step", () => {
  test("with descriptions and literals is saved and rendered to the same bytes", async () => {
    const { Step, replay } = await import("turnfold");
    const t = tool({ inputSchema: filter, execute: () => 1 });
    const agent = new SubAgent({ mission: "m", tools: { t }, llm: () => '(return (tool/t {:since "2026-05-01"}))' });
    const step = await agent.run();
    assert.match(step.messagesAt(1)[1].content, /state \("open" \| "paid"\)\?.*\n; {3}state: default "open"\n/);
    const loaded = Step.fromJSON(JSON.stringify(step));
    assert.deepEqual(loaded.messagesAt(1), step.messagesAt(1));
    assert.equal((await replay(agent, loaded)).ok, true);
  });
});
