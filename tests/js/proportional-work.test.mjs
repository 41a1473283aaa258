// Work in proportion to the input. Without it, these tests would run for hours.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, formatTrace, mcpTools, replay, SubAgent, T, Turn } from "turnfold";
import { mergeRoles } from "turnfold/chat";
import { openai } from "turnfold/formats/openai";
import { check } from "turnfold/lisp";
import { fetchModel } from "turnfold/models/fetch";

const objectOf = (schema, value) =>
  new Agent({ llm: () => JSON.stringify(value), onWarning: () => {} }).generateObject("Go", schema, { maxRepairs: 0 });

/** A value nested in lists. */
const nested = (levels, inner) => (levels === 0 ? inner : { next: nested(levels - 1, inner) });

const node = (...alternatives) => ({ $defs: { node: { type: "object", anyOf: alternatives } }, $ref: "#/$defs/node" });
const next = { properties: { next: { $ref: "#/$defs/node" } } };
const RECURSIVE = {
  anyOf: node({ ...next, required: ["a"] }, { ...next, required: ["b"] }, next),
  "allOf and properties": { $defs: { node: { allOf: [next, next], ...next } }, $ref: "#/$defs/node" },
  "a reference beside properties": {
    $defs: { other: { ...next }, node: { $ref: "#/$defs/other", ...next } },
    $ref: "#/$defs/node",
  },
  "properties and patternProperties": {
    $defs: { node: { ...next, patternProperties: { "^n": { $ref: "#/$defs/node" } } } },
    $ref: "#/$defs/node",
  },
  "dynamic references": {
    $id: "https://example.org/tree",
    $dynamicAnchor: "node",
    anyOf: [
      { properties: { next: { $dynamicRef: "#node" } }, required: ["a"] },
      { properties: { next: { $dynamicRef: "#node" } } },
    ],
  },
};

test("a member and its name are both checked when one schema is for both", async () => {
  const text = { $ref: "#/$defs/text" };
  const schema = { $defs: { text: { type: "string" } }, propertyNames: text, additionalProperties: text };
  assert.deepEqual((await objectOf(schema, { a: "b" })).object, { a: "b" });
  await assert.rejects(objectOf(schema, { a: 5 }), { code: "invalid_object", message: /a: expected string, got 5/ });
});

for (const [name, schema] of Object.entries(RECURSIVE)) {
  test(`a schema that refers to itself more than once is applied once to each value: ${name}`, async () => {
    const value = nested(60, {});
    assert.deepEqual((await objectOf(schema, value)).object, value);
  });
}

test("the problems of nested alternatives have a limited length", async () => {
  const schema = node({ ...next, required: ["a"] }, { ...next, required: ["b"] });
  await assert.rejects(objectOf(schema, nested(60, {})), ({ code, message }) => {
    assert.equal(code, "invalid_object");
    assert.match(message, /fits none of 2 alternatives/);
    assert.ok(message.length < 3000, String(message.length));
    return true;
  });
});

test("at most 100 problems are reported", async () => {
  const schema = { type: "object", properties: { a: { items: { type: "string" } } } };
  const { details } = await objectOf(schema, { a: Array.from({ length: 5000 }, (_, index) => index) }).catch(
    (error) => error,
  );
  assert.equal(details.problems.length, 101);
  assert.equal(details.problems[99], "a[99]: expected string, got 99");
  assert.equal(details.problems[100], "4900 more problems");
});

test("a schema that refers to itself without end is a problem of the value", async () => {
  const loop = { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" };
  await assert.rejects(objectOf(loop, {}), { code: "invalid_object", message: /refers to itself without end/ });
});

test("a text of an MCP tool that looks like JSON is read once", async () => {
  const log = Array.from({ length: 20_000 }, (_, index) => `[${index}] "GET /orders/1234567890123456789`).join("\n");
  const tools = await mcpTools({
    listTools: async () => ({ tools: [{ name: "log", inputSchema: { type: "object" } }] }),
    callTool: async () => ({ content: [{ type: "text", text: log }] }),
  });
  assert.equal(await tools.log.execute({}, {}), log);
});

test("arguments that are nested deeply stay what the model wrote", () => {
  for (const levels of [900, 5000, 200_000]) {
    const text = `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    const message = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "1", type: "function", function: { name: "search", arguments: text } }],
    };
    const result = { role: "tool", tool_call_id: "1", content: "found" };
    const conversation = openai.from([message, result]);
    assert.deepEqual(conversation.lint(), []);
    const [sent] = openai.to(conversation);
    JSON.parse(sent.tool_calls[0].function.arguments);
  }
});

test("a replay reads the calls of a recorded turn once", async () => {
  const agent = new SubAgent({
    mission: "Go",
    maxTurns: 1,
    tools: { search: ["(n :int) -> :int", ({ n }) => n] },
    llm: () => "```clojure\n(return (count (map (fn [n] (tool/search {:n n})) (range 50))))\n```",
  });
  const step = await agent.run();
  const { toJSON } = Turn.prototype;
  let reads = 0;
  Turn.prototype.toJSON = function () {
    reads++;
    return toJSON.call(this);
  };
  try {
    assert.equal((await replay(agent, step)).return, 50);
  } finally {
    Turn.prototype.toJSON = toJSON;
  }
  assert.ok(reads < 10, String(reads));
});

test("messages of one role are merged in their order, and none is copied for each of the others", () => {
  const messages = Array.from({ length: 1000 }, (_, index) => ({
    role: "user",
    content: index % 3 === 0 ? [{ type: "text", text: `${index}` }] : `${index}`,
  }));
  const [merged, ...others] = mergeRoles(messages);
  assert.deepEqual(others, []);
  assert.equal(merged.content.map(({ text }) => text).join("\n\n"), messages.map((_, index) => index).join("\n\n"));
});

test("of a stream of events, each line is searched once, whatever ends it", async () => {
  const event = (end) => `data: {"choices":[{"delta":{"content":"Hi."},"finish_reason":"stop"}]}${end}${end}`;
  for (const end of ["\n", "\r", "\r\n"]) {
    const body = `${"\n".repeat(4 << 20)}\r${event(end)}data: [DONE]${end}${end}`;
    for (const pieces of [[body], body.slice(4 << 20).split(/(?<=\r)/)]) {
      const stream = new ReadableStream({
        start(controller) {
          for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
          controller.close();
        },
      });
      const fetch = async () => new Response(stream, { headers: { "content-type": "text/event-stream" } });
      const llm = fetchModel("http://localhost/v1", { model: "m", fetch });
      assert.equal((await new Agent({ llm }).chat("Hello")).text, "Hi.");
    }
  }
});

test("of many unknown names, each is compared with the known ones only until that has taken long", () => {
  const name = (index) => `unknown-${index}-${"ab".repeat(index % 9)}`;
  const known = Array.from({ length: 15_000 }, (_, index) => `known-${index}-${"ba".repeat(index % 9)}`);
  const names = { tools: known, data: known, memory: known };
  for (const prefix of ["", "tool/", "data/", "Math/"]) {
    const lines = Array.from({ length: 15_000 }, (_, index) => `(str ${prefix}${name(index)})`);
    const problems = check([...lines, lines[0]].join("\n"), names);
    assert.equal(problems.length, 15_001);
    assert.ok(problems.every(({ message, hint }) => message.includes("unknown-") && hint !== null));
    assert.equal(problems.at(-1).message, problems[0].message);
  }
});

test("a template is searched once for its tags, and a line with many sections once for its beginning", () => {
  const braces = "{{".repeat(1 << 20);
  assert.deepEqual(T(braces).placeholders, []);
  const sections = T("x {{#a}} {{.}}{{/a}}".repeat(50_000));
  assert.equal(sections.expand({ a: 1 }), "x  1".repeat(50_000));
});

test("the positions of 20,000 problems are counted once, in lines, characters and UTF-16 units", () => {
  const source = Array.from(
    { length: 20_000 },
    (_, index) => `é👩src/m${index}.ts${index % 3000 === 0 ? "\n" : " "}`,
  ).join("");
  const problems = check(source);
  assert.equal(problems.length, 20_000);
  for (const { span } of [problems[0], problems[1], problems[2999], problems[3001], problems.at(-1)]) {
    const before = source.slice(0, span.start);
    assert.ok(source.slice(span.start, span.end).endsWith(".ts"));
    assert.equal(span.line, before.split("\n").length);
    assert.equal(span.column, Array.from(before.slice(before.lastIndexOf("\n") + 1)).length + 1);
  }
});

test("a trace with a long line of composed characters measures each character once", async () => {
  const line = "👩‍🚀é".repeat(400_000);
  const llm = () => `\`\`\`clojure\n(return "${line}")\n\`\`\``;
  const step = await new SubAgent({ mission: line, maxTurns: 1, llm }).run();
  const lines = formatTrace(step).split("\n");
  // Each character of three columns is whole.
  assert.ok(lines.some((text) => text.includes("👩‍🚀é".repeat(10))));
});
