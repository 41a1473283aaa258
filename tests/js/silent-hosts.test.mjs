// Functions of the host that never answer: an abort ends every call, and a store has a deadline.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Agent, Conversation, Lisp, lastNMessages, manageHistory, mcpTools, Predict, SubAgent } from "turnfold";
import { SummaryStore } from "turnfold/chat";
import { ReAct } from "turnfold/predict";

const silence = () => new Promise(() => {});
/** A thenable that never settles, and whose `then` returns nothing. */
// biome-ignore lint/suspicious/noThenProperty: it is a thenable.
const silentThenable = () => ({ then() {} });
const SILENT = { "a promise": silence, "a thenable": silentThenable };

const quiet = { onWarning: () => {} };
const history = new Conversation({
  messages: Array.from({ length: 12 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index}: ${"the order left the warehouse on Monday. ".repeat(4)}`,
  })),
});
const summarizing = { compressionStrategy: lastNMessages(2), minMessages: 0 };
const callTool = (name) => (request) =>
  request.messages.at(-1).role === "user" ? { content: "", toolCalls: [{ id: "1", name, args: { a: 1 } }] } : "Done.";
const schemaOf = (validate) => ({ "~standard": { version: 1, vendor: "test", validate } });
const program = "```clojure\n(return (tool/wait {:a 1}))\n```";

/** An agent, and a call of it, which waits for a function of the host. */
const agentCall = (options, act = (agent, signal) => agent.chat("Hello?", { signal })) => ({
  agent: new Agent({ ...quiet, ...options }),
  act,
});

/** Calls that wait for the host, by what does not answer. */
const CALLS = {
  "the model of Agent": (hang) => agentCall({ llm: hang }),
  "the stream of a model": (hang) =>
    agentCall({ llm: () => ({ [Symbol.asyncIterator]: () => ({ next: hang, return: hang }) }) }),
  "a tool of Agent": (hang) => agentCall({ llm: callTool("wait"), tools: { wait: hang } }),
  "an approval of Agent": (hang) => agentCall({ llm: callTool("wait"), tools: { wait: () => 1 }, approve: hang }),
  "needsApproval of a tool": (hang) =>
    agentCall({ llm: callTool("wait"), tools: { wait: { needsApproval: hang, run: () => 1 } } }),
  "the schema of a tool": (hang) =>
    agentCall({ llm: callTool("wait"), tools: { wait: { inputSchema: schemaOf(hang), execute: () => 1 } } }),
  "toModelOutput of a tool": (hang) =>
    agentCall({
      llm: callTool("wait"),
      tools: { wait: { inputSchema: { type: "object" }, execute: () => 1, toModelOutput: hang } },
    }),
  "the schema of an object": (hang) =>
    agentCall({ llm: () => "{}" }, (agent, signal) => agent.generateObject("An object?", schemaOf(hang), { signal })),
  "onRecord of Agent": (hang) => agentCall({ llm: () => "Hello.", onRecord: hang }),
  "onRecord of Agent, before a tool": (hang) =>
    agentCall({
      llm: callTool("wait"),
      tools: { wait: () => 1 },
      onRecord: ({ type }) => (type === "call" ? hang() : undefined),
    }),
  "the model of a summary": (hang) =>
    agentCall(
      { llm: ({ purpose }) => (purpose === "answer" ? "Hello." : hang()), conversation: history },
      (agent, signal) => agent.chat("Hello?", { ...summarizing, signal }),
    ),
  "get of a store": (hang) =>
    agentCall(
      { llm: () => "Hello.", conversation: history, summaryStore: { get: hang, set: () => {} } },
      (agent, signal) => agent.chat("Hello?", { ...summarizing, signal }),
    ),
  "set of a store": (hang) =>
    agentCall(
      { llm: () => "Hello.", conversation: history, summaryStore: { get: () => null, set: hang } },
      (agent, signal) => agent.chat("Hello?", { ...summarizing, signal }),
    ),
  "the tools of an MCP server": (hang) => {
    let listed = 0;
    const transport = { onmessage: () => {} };
    const client = {
      transport,
      listTools: async () => (listed++ === 0 ? { tools: [{ name: "wait", inputSchema: { type: "object" } }] } : hang()),
      callTool: async () => ({ content: [] }),
    };
    return {
      async start() {
        const tools = await mcpTools(client);
        transport.onmessage({ method: "notifications/tools/list_changed" });
        this.agent = new Agent({ llm: () => "Hello.", tools, ...quiet });
      },
      act: (agent, signal) => agent.chat("Hello?", { signal }),
    };
  },
  "a nested agent": (hang) =>
    agentCall({ llm: callTool("inner"), tools: { inner: new SubAgent({ mission: "Wait for {{a}}", llm: hang }) } }),
  "the model of SubAgent": (hang) => ({
    act: (_, signal) => new SubAgent({ mission: "Wait", llm: hang }).run({ signal }),
  }),
  "a tool of SubAgent": (hang) => ({
    act: (_, signal) => new SubAgent({ mission: "Wait", llm: () => program, tools: { wait: hang } }).run({ signal }),
  }),
  "an approval of SubAgent": (hang) => ({
    act: (_, signal) =>
      new SubAgent({
        mission: "Wait",
        llm: () => program,
        tools: { wait: { needsApproval: true, run: () => 1 } },
        approve: hang,
      }).run({ signal }),
  }),
  "a tool of Lisp": (hang) => ({
    act: (_, signal) => new Lisp({ tools: { wait: hang } }).run("(tool/wait {:a 1})", { signal }),
  }),
  "needsApproval of a tool of Lisp": (hang) => ({
    act: (_, signal) =>
      new Lisp({ tools: { wait: { needsApproval: hang, run: () => 1 } } }).run("(tool/wait {:a 1})", { signal }),
  }),
  "the schema of a tool of Lisp": (hang) => ({
    act: (_, signal) =>
      new Lisp({ tools: { wait: { inputSchema: schemaOf(hang), execute: () => 1 } } }).run("(tool/wait {:a 1})", {
        signal,
      }),
  }),
  "the model of Predict": (hang) => ({
    act: (_, signal) => new Predict("question -> answer", { llm: hang }).call({ question: "?" }, { signal }),
  }),
  "a tool of ReAct": (hang) => ({
    act: (_, signal) =>
      new ReAct("question -> answer", {
        llm: () => '{"next_thought": "t", "next_tool_name": "wait", "next_tool_args": {}}',
        tools: { wait: hang },
      }).call({ question: "?" }, { signal }),
  }),
  "the model of manageHistory": (hang) => ({
    act: (_, signal) => manageHistory(history, summarizing, { llm: hang, signal, ...quiet }),
  }),
};

/** Waits for the turns of the event loop that a call needs until it waits for the host, or ends. */
const settleTasks = async () => {
  for (let count = 0; count < 20; count++) await new Promise((resolve) => setImmediate(resolve));
};

describe("an abort ends a call that waits for", () => {
  for (const [name, make] of Object.entries(CALLS)) {
    for (const [kind, hang] of Object.entries(SILENT)) {
      test(`${name}, ${kind}`, async () => {
        const call = make(hang);
        await call.start?.();
        const controller = new AbortController();
        let isOver = false;
        const ended = Promise.resolve(call.act(call.agent, controller.signal)).then(
          (value) => {
            isOver = true;
            return value;
          },
          (error) => {
            isOver = true;
            return error;
          },
        );
        await settleTasks();
        assert.equal(isOver, false, "it waits");
        controller.abort();
        await settleTasks();
        assert.equal(isOver, true, "it has ended");
        const { code, error, fail } = await ended;
        // A call whose summaries are there already may end with its result.
        if (name !== "set of a store") assert.equal(code ?? error?.kind ?? fail?.reason, "aborted");
        // The agent can be called again.
        if (call.agent) {
          await assert.rejects(call.agent.chat("Hello?", { signal: AbortSignal.abort() }), { code: "aborted" });
        }
      });
    }
  }
});

for (const method of ["get", "set"]) {
  test(`a store whose ${method} does not answer causes a warning after 5 seconds`, async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const calls = [];
    const summaryStore = {
      get(key) {
        calls.push(key);
        return method === "get" ? silence() : null;
      },
      set(key) {
        calls.push(key);
        return silence();
      },
    };
    const warnings = [];
    const managing = manageHistory(history, summarizing, {
      llm: () => "They spoke of an order.",
      summaryStore,
      onWarning: (text) => warnings.push(text),
    });
    await settleTasks();
    context.mock.timers.tick(4999);
    await settleTasks();
    assert.deepEqual(warnings, []);
    const count = calls.length;
    context.mock.timers.tick(1);
    const { report } = await managing;
    assert.equal(report.outcome, "applied");
    const done = method === "get" ? "read" : "written";
    assert.deepEqual(warnings, [`the summary store could not be ${done}: it did not answer within 5 seconds`]);
    // It is not called again.
    assert.equal(calls.length, count);
  });
}

test("a store that answers leaves no timer", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const store = new SummaryStore();
  const slow = { get: async (key) => store.get(key), set: async (key, text) => store.set(key, text) };
  const warnings = [];
  const options = {
    llm: () => "They spoke of an order.",
    summaryStore: slow,
    onWarning: (text) => warnings.push(text),
  };
  await manageHistory(history, summarizing, options);
  context.mock.timers.tick(60_000);
  const { report } = await manageHistory(history, summarizing, options);
  assert.equal(report.llmCalls, 0);
  assert.deepEqual(warnings, []);
});
