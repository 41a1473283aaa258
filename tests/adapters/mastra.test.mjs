// The adapter to Mastra with the real framework, and a language model of the AI SDK that replies from a script.

import assert from "node:assert/strict";
import { test } from "node:test";
import { turnfoldProcessor } from "../../dist/adapters/mastra.js";
import { clearToolResults, lastNMessages } from "../../dist/chat.js";
import { refuses } from "../js/refuses.mjs";
import { packed, values } from "./frameworks.mjs";

const turnfold = packed();
const printed = (name) => values(turnfold, `mastra/${name}`);

test("turnfoldProcessor keeps the prompts of a tool loop under maxTokens and does not change the memory", () => {
  const [done] = printed("agent.ts");
  assert.equal(done.asked, 14);
  assert.equal(done.outcomes.length, 14);
  assert.ok(done.max <= 1500, `${done.max} tokens were sent`);
  assert.match(done.answer, /^All are in Leipzig; I saw \d results\.$/);
  assert.equal(done.text, "You are welcome.");
  const applied = done.outcomes.filter((outcome) => outcome === "applied").length;
  assert.ok(applied > done.summaries && done.summaries <= 2, `${done.summaries} summaries for ${applied} requests`);
  assert.deepEqual(done.roles.slice(0, 2), ["system", "user"]);
  const types = done.stored.map(([role, parts]) => [role, parts.filter((type) => type === "tool-invocation").length]);
  assert.deepEqual(types, [
    ["user", 0],
    ["assistant", 12],
    ["user", 0],
    ["assistant", 0],
  ]);
});

test("turnfoldProcessor asks the agent's own model for summaries, and reports failures", () => {
  const done = Object.fromEntries(printed("requests.ts"));
  assert.equal(done.answer, "You are welcome.");
  assert.equal(done.asked.length, 2);
  assert.match(done.asked[0][0], /^system: Write/);
  assert.deepEqual(done.asked[1].slice(0, 3), [
    "system: You help customers.",
    "user: They talked.",
    "user: Question 8",
  ]);
  assert.equal(done.pieces.join(""), "You are welcome.");
  const [shortened, whole] = done.pinned;
  assert.deepEqual(shortened.slice(0, 3), [
    "system: You help customers.",
    "user: I am allergic to nuts.",
    "user: They talked.",
  ]);
  assert.equal(whole.length, 15, "nothing is older than a minute");
  assert.deepEqual(done.failed, [
    "compression_failed",
    "llm_error",
    "lastNMessages: the model could not be asked: the summarizer is down",
  ]);
  assert.equal(done.trimmed[0], "Fine.");
  assert.ok(done.trimmed[1] <= 8 && done.trimmed[2] === 1);
  assert.deepEqual(done.object, { sum: 42 });
  const [plain, tools, schema] = done.counts;
  assert.ok(tools - plain > 40, "the schema of the tool is counted");
  assert.ok(schema - plain > 20, "the schema of the answer is counted");
});

test("in a workflow, turnfoldProcessor replaces the remembered messages and stores none of its own", () => {
  const done = Object.fromEntries(printed("workflow.mjs"));
  const start = ["system: You help customers.", "user: They talked, 1.", "user: Fact 5", "assistant: Noted."];
  assert.deepEqual(done["Thanks."].slice(0, 4), start);
  assert.equal(done["Thanks."].at(-1), "user: Thanks.");
  assert.deepEqual(done["Bye."].slice(0, 4), start);
  assert.deepEqual(done.outcomes, [["applied", "applied"], 1]);
  assert.equal(done.stored.length, 16);
  assert.ok(!done.stored.some((message) => message.includes("They talked")));
  assert.deepEqual(done.read, [16, 16, true]);
});

test("turnfoldProcessor checks its options when it is created", () => {
  const problem = (options, code = "invalid_option") => refuses(() => turnfoldProcessor(options), code);
  problem(undefined);
  assert.equal(problem({ maxToken: 7 }).details.option, "maxToken");
  assert.equal(problem({ llm: 7 }).details.option, "llm");
  assert.equal(problem({ id: "" }).details.option, "id");
  problem({ compressionStrategy: "digest" }, "invalid_strategy");
  assert.equal(turnfoldProcessor({ compressionStrategy: lastNMessages(4) }).id, "turnfold");
  assert.equal(turnfoldProcessor({ id: "history" }).id, "history");
});

test("only the active tools of a step count", async () => {
  const counts = [];
  const processor = turnfoldProcessor({ onReport: ({ tokens }) => counts.push(tokens.before) });
  const tools = Object.fromEntries(["one", "two"].map((name) => [name, { description: "A tool ".repeat(20) }]));
  for (const activeTools of [undefined, ["one"], []]) {
    const state = {};
    await processor.processInputStep({ messages: [], state, tools, activeTools, llmRequestStage: true });
    const prompt = [{ role: "user", content: [{ type: "text", text: "Hello" }] }];
    assert.equal(await processor.processLLMRequest({ prompt, state, model: null }), undefined);
  }
  const [both, one, none] = counts;
  assert.ok(both > one && one > none);
});

test("messages of a prompt that stay are the same objects, and pinned messages stay", async () => {
  const prompt = Array.from({ length: 20 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: [{ type: "text", text: `Message ${index}` }],
    ...(index === 2 ? { providerOptions: { turnfold: { pinned: true } } } : {}),
  }));
  const processor = turnfoldProcessor({ maxHistorySize: 8 });
  const sent = (await processor.processLLMRequest({ prompt, state: {}, model: null })).prompt;
  assert.ok(sent.length <= 8 && sent.length > 1);
  for (const message of sent) assert.ok(prompt.includes(message));
  assert.equal(sent[0], prompt[2]);
});

test("tool values other than plain data are read as JSON, and cleared results keep their provider options", async () => {
  class Money {
    toJSON() {
      return { euros: 12 };
    }
  }
  const result = (id, output) => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId: id, toolName: "price", output, providerOptions: { mine: { id } } }],
    providerOptions: { mine: { whole: true } },
  });
  const call = (id) => ({
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: id, toolName: "price", input: {} }],
  });
  const said = (role, text) => ({ role, content: [{ type: "text", text }] });
  const prompt = [
    said("user", "How much?"),
    call("a"),
    result("a", { type: "text", value: "12 euros ".repeat(100) }),
    call("b"),
    result("b", { type: "json", value: { price: new Money() } }),
    said("assistant", "Twelve."),
    said("user", "Thanks."),
  ];
  const compressionStrategy = clearToolResults({ keep: 1, atLeast: 0 });
  const processor = turnfoldProcessor({ compressionStrategy, minMessages: 0 });
  const sent = (await processor.processLLMRequest({ prompt, state: {}, model: null })).prompt;
  const [changed, ...others] = sent.filter((message, index) => message !== prompt[index]);
  assert.deepEqual([sent.indexOf(changed), others], [2, []]);
  assert.deepEqual(changed.providerOptions, { mine: { whole: true } });
  assert.deepEqual(changed.content[0].providerOptions, { mine: { id: "a" } });
  assert.match(changed.content[0].output.value, /cleared/);
});
