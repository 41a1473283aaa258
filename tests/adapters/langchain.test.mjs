// The adapter to LangChain.js with the real framework, and a chat model that replies from a script.

import assert from "node:assert/strict";
import { test } from "node:test";
import { langchainModel, turnfoldMiddleware } from "../../dist/adapters/langchain.js";
import { lastNMessages } from "../../dist/chat.js";
import { refuses } from "../js/refuses.mjs";
import { packed, values } from "./frameworks.mjs";

const turnfold = packed();
const printed = (name) => values(turnfold, `langchain/${name}`);

test("turnfoldMiddleware keeps the requests of a tool loop under maxTokens; the state changes only with persist", () => {
  const [sent, persisted] = printed("agent.ts");
  for (const done of [sent, persisted]) {
    assert.equal(done.asked, 14);
    assert.ok(done.max <= 1500, `${done.max} tokens were sent`);
    assert.ok(done.paired, "calls and results are together in every request");
    assert.deepEqual(done.classes, ["SystemMessage", "HumanMessage", "AIMessage", "ToolMessage"]);
    assert.deepEqual(new Set(done.systems), new Set([1]));
    assert.match(done.answer, /^All are in Leipzig; I saw \d results\.$/);
    assert.equal(done.last, "You are welcome.");
  }
  // A question, 12 rounds and an answer; then two more.
  assert.deepEqual([sent.inState, sent.state], [26, 28]);
  assert.equal(sent.summary, undefined);
  assert.ok(sent.applied > sent.summaries, "requests share summaries");
  assert.ok(sent.summaries <= 2, `${sent.summaries} summaries`);
  assert.ok(persisted.inState < 20 && persisted.state === persisted.inState + 2);
  assert.equal(persisted.summaries, 1);
  assert.equal(persisted.applied, 1);
  assert.match(persisted.summary.kwargs.content, /summary 1: the orders were looked up\.$/);
  assert.equal(persisted.summary.kwargs.additional_kwargs.turnfold.summary.strategy, "lastNMessages");
});

test("turnfoldMiddleware asks the agent's own model for summaries, keeps them out of the stream, and reports failures", () => {
  const done = Object.fromEntries(printed("streaming.ts"));
  assert.deepEqual(done.pieces, ["You are", " welcome."]);
  assert.equal(done.asked.length, 2);
  assert.match(done.asked[0][0], /^system: /);
  assert.deepEqual(done.asked[1].slice(0, 2), ["human: They talked.", "human: Question 8"]);
  const [code, message] = done.failed;
  assert.equal(code, "compression_failed");
  assert.match(message, /the summarizer is down/);
  assert.equal(done["state after it"], 13);
  assert.deepEqual(done.trimmed, [14, 5, 1, "trimmed"], "a request that was only trimmed is not persisted");
  assert.deepEqual(done.outside, [14, false, 6]);
  assert.deepEqual(done.inside, [7, false, 7]);
  const [alone, prompted, withTool, both] = done.counts;
  assert.ok(alone < prompted && prompted < withTool);
  assert.equal(both - withTool, prompted - alone);
  assert.ok(withTool - alone > 40, "the schema of the tool is counted");
  assert.deepEqual(done.types, [2, "You are welcome.", 3]);
  assert.deepEqual(done.aborted, ["AbortError", 1]);
});

test("langchainModel streams, calls tools, sends schemas, and reports usage", () => {
  const done = Object.fromEntries(printed("model.ts"));
  const usage = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 4, cacheWriteTokens: 3 };
  const about = { toolCalls: [], usage, finishReason: "length", model: "some-model" };
  assert.deepEqual(done.streamed, [{ text: "Hel" }, { text: "lo." }, { text: " Bye." }, about]);
  assert.deepEqual(done.whole, { content: "Hello. Bye.", ...about });
  assert.deepEqual(done.tags, ["mine"]);
  assert.deepEqual(done.messages, [["HumanMessage", "Hello"]]);
  assert.deepEqual(done.calls.at(-1).toolCalls, [{ id: "c1", name: "add", args: { a: 40, b: 2 } }]);
  assert.equal(done.tools[0].function.name, "add");
  assert.deepEqual(done.choices, [null, "none"]);
  assert.deepEqual(done.broken, [{ id: "c", name: "add", args: "nonsense" }]);
  assert.deepEqual(done.schema, [{ text: '{"sum":42}', toolCalls: [], usage: {}, finishReason: "stop" }]);
  assert.equal(done["schema beside tools"].json_schema.schema.required[0], "sum");
  assert.deepEqual(done["schema of a bound model"], done["schema beside tools"]);
  assert.equal(done.agent, "It is 42.");
  assert.deepEqual(
    done["sent back"].map(([type]) => type),
    ["human", "ai", "tool"],
  );
  assert.deepEqual(done.signal, [null, "enough"]);
  assert.deepEqual([done.list, done.bound], [true, 4]);
  assert.equal(done["no model"][0], "invalid_option");
  assert.equal(done.stream[0], "invalid_option");
  assert.match(done["no tools"].join(": "), /^invalid_option: .*bindTools/);
  assert.equal(done.parser[0], "invalid_reply");
});

test("turnfoldMiddleware checks its options when it is created", () => {
  const problem = (options, code = "invalid_option") => refuses(() => turnfoldMiddleware(options), code);
  problem(undefined);
  assert.equal(problem({ maxToken: 7 }).details.option, "maxToken");
  assert.equal(problem({ persist: "yes" }).details.option, "persist");
  assert.equal(problem({ llm: 7 }).details.option, "llm");
  assert.equal(problem({ classes: { HumanMessage: 7 } }).details.option, "classes.HumanMessage");
  problem({ compressionStrategy: "digest" }, "invalid_strategy");
  assert.equal(turnfoldMiddleware({ compressionStrategy: lastNMessages(4) }).afterModel, undefined);
  refuses(() => langchainModel({ invoke() {} }), "invalid_option");
});

test("the system prompt counts when a request has it only as a text", async () => {
  const counts = [];
  const { wrapModelCall } = turnfoldMiddleware({ onReport: ({ tokens }) => counts.push(tokens.before) });
  const request = { model: null, messages: [{ role: "user", content: "Hello" }], tools: [], runtime: {} };
  const sent = [];
  for (const systemPrompt of ["", "You help customers of a lamp shop."]) {
    await wrapModelCall({ ...request, systemPrompt }, (asked) => sent.push(asked.messages));
  }
  assert.ok(counts[1] > counts[0]);
  assert.deepEqual(sent, [request.messages, request.messages]);
});
