// Schemas of tools that are not ours: they are run, and what they give is what the tool gets.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { jsonSchema, tool } from "ai";
import { Agent, Lisp, SubAgent } from "turnfold";
import { z } from "zod";

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

/** What tools were called with. */
function recorder() {
  const calls = [];
  const execute = (input) => {
    calls.push(input);
    return "done";
  };
  return { calls, execute };
}

/** What the model was told of its call, and what the tool was given. */
async function called(inputSchema, args, options) {
  const { calls, execute } = recorder();
  const asked = [];
  const llm = ({ messages }) => {
    asked.push(messages.at(-1));
    return asked.length === 1 ? { content: "", toolCalls: [{ id: "c1", name: "find", args }] } : "ok";
  };
  await new Agent({ tools: { find: tool({ inputSchema, execute }) }, llm, ...options }).invoke("Go");
  return { calls, result: asked[1] };
}

suite("tools of a chat", () => {
  test("a schema of Zod gives the tool its defaults and transforms, once", async () => {
    const approved = [];
    const approve = ({ args }) => approved.push(args) > 0;
    const { calls, result } = await called(filter, { since: "2026-05-01" }, { approve });
    assert.deepEqual(calls, [{ state: "open", since: 2026 }]);
    assert.deepEqual(approved, calls);
    assert.equal(result.content, "done");
  });

  test("what does not fit goes back to the model with its paths, and the tool is not called", async () => {
    for (const [schema, args, problem] of [
      [filter, { state: "closed" }, /^Error: the arguments of find do not fit: state: .*; since: /],
      [standard, {}, /^Error: the arguments of find do not fit: id: a number is needed$/],
      [
        { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
        { id: "x" },
        /do not fit: id: .*integer/,
      ],
      [jsonSchema({ type: "object", required: ["id"] }), {}, /do not fit: .*"id"/],
      [
        jsonSchema({ type: "object" }, { validate: () => ({ success: false, error: new Error("nothing fits") }) }),
        {},
        /do not fit: nothing fits$/,
      ],
    ]) {
      const { calls, result } = await called(schema, args);
      assert.deepEqual(calls, []);
      assert.match(result.content, problem);
      assert.equal(result.isError, true);
    }
  });

  test("validators of any kind give what the tool gets", async () => {
    const validate = async (value) => ({ success: true, value: { ...value, seen: true } });
    for (const [schema, expected] of [
      [standard, { id: 2 }],
      [jsonSchema({ type: "object" }, { validate }), { id: 1, seen: true }],
      [{ type: "object", properties: { id: { type: "integer" } } }, { id: 1 }],
      [{ $ref: "#/nowhere" }, { id: 1 }],
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

  test("get what a validator gives", async () => {
    const { calls } = await agent(filter, '(return (tool/find {:since "2026-05-01"}))');
    assert.deepEqual(calls, [{ state: "open", since: 2026 }]);
    const own = await agent(standard, "(return (tool/find {:id 1}))");
    assert.deepEqual(own.calls, [{ id: 2 }]);
  });

  test("that do not fit are failed calls, which the model reads", async () => {
    const { calls, asked, step } = await agent(standard, '(tool/find {:id "x"})');
    assert.deepEqual(calls, []);
    assert.match(asked, /the arguments of find do not fit: id: a number is needed/);
    assert.equal(step.ok, true);
  });

  test("are called with no arguments by a call without any, whatever the run has", async () => {
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

  test("stay synchronous where their validator is", () => {
    const { calls, execute } = recorder();
    const lisp = new Lisp({ tools: { find: { inputSchema: standard, execute } } });
    assert.equal(lisp.runSync("(tool/find {:id 1})").value, "done");
    assert.deepEqual(calls, [{ id: 2 }]);
  });
});
