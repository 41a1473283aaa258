// The JSON Schema Test Suite through the path of arguments to tools: a tool gets what its schema allows, unchanged, and is
// not called with anything else.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Agent, Lisp, mcpTools, SubAgent } from "turnfold";
import { ReAct } from "turnfold/predict";
import { INSTALL, jsonSchemaSuite } from "../../scripts/json-schema-suite.mjs";

const skip = !existsSync(jsonSchemaSuite) && process.env.CI === undefined && `install the suite: ${INSTALL}`;

/** The dialect of each draft, its number of cases, and how many groups refer to other documents or dialects, which no tool can. */
const DRAFTS = {
  "draft2020-12": { dialect: "https://json-schema.org/draft/2020-12/schema", cases: 1616, unusable: 24 },
  "draft2019-09": { dialect: "https://json-schema.org/draft/2019-09/schema", cases: 1617, unusable: 19 },
  draft7: { dialect: "http://json-schema.org/draft-07/schema#", cases: 1156, unusable: 13 },
};

/** Files that have such groups. */
const WITH_DOCUMENTS = ["defs", "definitions", "dynamicRef", "ref", "refRemote", "vocabulary"];

function groupsOf(draft) {
  const folder = join(jsonSchemaSuite, draft);
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return files.flatMap((file) =>
    JSON.parse(readFileSync(join(folder, file), "utf8")).map((group) => ({ ...group, file: file.slice(0, -5) })),
  );
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** A schema of objects whose member `x` has the schema, whose own references stay within it. */
function within(schema, dialect) {
  const $id = "schema:///x.json";
  let member = schema;
  if (isObject(schema) && schema.$id === undefined) {
    // Up to draft 7 an $id beside a $ref is ignored.
    const { $ref, ...others } = schema;
    const isIgnored = $ref !== undefined && dialect.includes("draft-0");
    member = isIgnored ? { $id, ...others, allOf: [{ $ref }] } : { $id, ...schema };
  }
  return { $schema: dialect, type: "object", properties: { x: member }, required: ["x"] };
}

/** How arguments reach a tool: each function calls the tool with them, and returns true unless there was an error. */
const PATHS = {
  "a program": async (tool, x) => (await new Lisp({ tools: { t: tool }, data: { x } }).run("(tool/t data/x)")).ok,
  "a program with names": async (tool, x) => {
    if (Object.keys(x).join() !== "x") return PATHS["a program"](tool, x);
    return (await new Lisp({ tools: { t: tool }, data: { x } }).run("(tool/t :x (get data/x :x))")).ok;
  },
  "a program of MCP": async ({ inputSchema, execute }, x) => {
    const client = {
      listTools: async () => ({ tools: [{ name: "t", inputSchema }] }),
      callTool: async ({ arguments: args }) => ({ content: [{ type: "text", text: execute(args) }] }),
    };
    return (await new Lisp({ tools: await mcpTools(client), data: { x } }).run("(tool/t data/x)")).ok;
  },
  "a chat": async (tool, args) => {
    const replies = [{ content: "", toolCalls: [{ id: "c", name: "t", args }] }, "done"];
    const agent = new Agent({ tools: { t: tool }, llm: () => replies.shift() });
    await agent.chat("Go");
    return agent.conversation.messages.find(({ role }) => role === "tool").isError !== true;
  },
  "a step": async (tool, args) => {
    const step = (name) => JSON.stringify({ next_thought: "", next_tool_name: name, next_tool_args: args });
    const replies = [step("t"), step("finish"), '{"a": "x"}'];
    const llm = () => replies.shift();
    const { steps } = await new ReAct("q -> a", { tools: { t: tool }, adapter: "json", llm }).run({ q: "x" });
    return steps[0].error === null;
  },
};

/** Returns how the path failed; undefined when it did what the suite says. */
async function failureOf(path, inputSchema, args, valid) {
  const calls = [];
  const execute = (given) => {
    calls.push(given);
    return "done";
  };
  const ok = await PATHS[path]({ inputSchema, execute }, args);
  if (!valid) return calls.length > 0 || ok ? "accepted" : undefined;
  if (calls.length === 0) return "refused";
  try {
    const plain = JSON.stringify(calls, (_, item) => (typeof item === "bigint" ? Number(item) : item));
    assert.deepEqual(JSON.parse(plain), [args]);
  } catch {
    return `changed to ${JSON.stringify(calls)}`;
  }
  return ok ? undefined : "failed";
}

/** Runs all cases of a draft. */
async function resultsOf(draft, path) {
  const results = { cases: 0, failures: [], unusable: [] };
  const { dialect } = DRAFTS[draft];
  for (const { file, description, schema, tests } of groupsOf(draft)) {
    const wrapped = within(schema, dialect);
    try {
      new Lisp({ tools: { t: { inputSchema: wrapped, execute() {} } } });
    } catch (error) {
      assert.equal(error.code, "invalid_tool");
      results.unusable.push(file);
      continue;
    }
    const own = isObject(schema) ? { $schema: dialect, ...schema } : undefined;
    for (const { data, valid, description: title } of tests) {
      const forms = [[wrapped, { x: data }], ...(own !== undefined && isObject(data) ? [[own, data]] : [])];
      for (const [inputSchema, args] of forms) {
        results.cases++;
        const failure = await failureOf(path, inputSchema, args, valid);
        if (failure !== undefined) results.failures.push(`${file}: ${description}: ${title}: ${failure}`);
      }
    }
  }
  return results;
}

for (const [draft, { cases, unusable }] of Object.entries(DRAFTS)) {
  for (const path of Object.keys(PATHS)) {
    test(`arguments of ${path} arrive unchanged or are refused, as ${draft} says`, { skip }, async () => {
      const results = await resultsOf(draft, path);
      assert.deepEqual(results.failures, []);
      assert.equal(results.cases, cases);
      assert.equal(results.unusable.length, unusable);
      assert.deepEqual(
        results.unusable.filter((file) => !WITH_DOCUMENTS.includes(file)),
        [],
      );
    });
  }
}

test("arguments of an agent's program arrive unchanged", { skip }, async () => {
  const schema = { type: "object", properties: { n: { type: "integer" } }, additionalProperties: { type: "string" } };
  const calls = [];
  const replies = ['(return (tool/t {:n 1 "own key" "x"}))', "(tool/t {:n 1 :own 2})", "(return 1)"];
  const execute = (given) => calls.push(given);
  const tools = { t: { inputSchema: schema, execute } };
  await new SubAgent({ mission: "Go", tools, llm: () => replies.shift() }).run();
  assert.deepEqual(calls, [{ n: 1, "own key": "x" }]);
});
