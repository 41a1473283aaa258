// Programs in the loop of Mastra, with its own tools, agents, memory and storage, and a fake model.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { MockMemory } from "@mastra/core/memory";
import { RequestContext } from "@mastra/core/request-context";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";
import { programToolOptions } from "../../dist/adapters/mastra.js";
import { programTool } from "../../dist/index.js";

/** Tools that note their calls. */
function shop() {
  const made = [];
  const noted = (name, result) => async (input, context) => {
    made.push({ name, input, context });
    return result(input);
  };
  return {
    made,
    calls: () => made.map(({ name, input }) => `${name} ${input.order ?? ""}`.trim()),
    tools: {
      search: createTool({
        id: "search",
        description: "Finds orders.",
        inputSchema: z.object({ query: z.string() }),
        execute: noted("search", ({ query }) => [
          { order: 17, what: query, euros: 20 },
          { order: 23, what: query, euros: 900 },
          { order: 42, what: query, euros: 800 },
        ]),
      }),
      refund: createTool({
        id: "refund",
        description: "Refunds an order.",
        inputSchema: z.object({ order: z.number(), euros: z.number() }),
        requireApproval: ({ euros }) => euros > 50,
        execute: noted("refund", ({ order }) => `refunded ${order}`),
      }),
    },
  };
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that writes these programs, each reply a list of them, and then says that it is done. */
function writing(replies) {
  const prompts = [];
  const parts = ({ prompt }) => {
    prompts.push(prompt);
    const at = prompt.filter(({ role }) => role === "assistant").length;
    const programs = replies[at] ?? [];
    const calls = programs.map((program, index) => ({
      type: "tool-call",
      toolCallId: `call_${at}_${index}`,
      toolName: "run_program",
      input: JSON.stringify({ program }),
    }));
    const unified = calls.length > 0 ? "tool-calls" : "stop";
    const finish = { type: "finish", finishReason: { unified, raw: unified }, usage };
    const text = [
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "Done." },
      { type: "text-end", id: "1" },
    ];
    return [{ type: "stream-start", warnings: [] }, ...(calls.length > 0 ? calls : text), finish];
  };
  const model = new MockLanguageModelV3({
    modelId: "writing",
    doGenerate: async (request) => {
      const all = parts(request);
      const content = all.filter(({ type }) => type === "tool-call");
      const { finishReason } = all.at(-1);
      return {
        content: content.length > 0 ? content : [{ type: "text", text: "Done." }],
        finishReason,
        usage,
        warnings: [],
      };
    },
    doStream: async (request) => ({
      stream: new ReadableStream({
        start(controller) {
          for (const part of parts(request)) controller.enqueue(part);
          controller.close();
        },
      }),
    }),
  });
  return { model, prompts };
}

/** What the model has read of its programs. */
const results = (prompts) =>
  prompts.at(-1).flatMap(({ role, content }) => (role === "tool" ? content.map(({ output }) => output) : []));
const texts = (prompts) =>
  results(prompts).map(({ value }) => (typeof value === "string" ? value : JSON.stringify(value)));

function agentOf(tools, replies, { storage = new InMemoryStore(), ...options } = {}) {
  const { model, prompts } = writing(replies);
  const memory = new MockMemory({ storage });
  const run_program = createTool(programToolOptions(programTool(tools, options)));
  const about = { id: "clerk", name: "Clerk", instructions: "You refund orders." };
  const agent = new Agent({ ...about, model, memory, tools: { run_program } });
  new Mastra({ agents: { clerk: agent }, storage, logger: false });
  return { agent, prompts, run_program };
}

const inThread = (thread) => ({ memory: { thread, resource: "shop" }, maxSteps: 8 });
const both = '(def orders (tool/search {:query "lamp"})) (pmap #(tool/refund (select-keys % [:order :euros])) orders)';
const asked = async (output) => (await output.suspendPayload) ?? {};

suite("programs in the loop of Mastra", () => {
  test("call the tools, keep the definitions of their thread, and fail as its tools do", async () => {
    const { tools, made } = shop();
    const programs = [['(def orders (tool/search {:query "lamp"}))'], ["(sum-by :euros orders)"], ["[1 (nope)]"]];
    const { agent, prompts } = agentOf(tools, programs);
    const { text } = await agent.generate("Look.", inThread("ann"));
    assert.equal(text, "Done.");
    const [first, second, third] = texts(prompts);
    assert.match(first, /^;; === user\/ \(your prelude\) ===\norders +; = list\[3\], sample: \[\{:euros 20/);
    assert.equal(second, ";; Value:\n1720");
    assert.match(third, /Error: `nope` is not defined/);
    assert.equal(made.length, 1);
    const other = agentOf(tools, [["orders"]]);
    await other.agent.generate("Look.", inThread("ann"));
    assert.match(texts(other.prompts)[0], /`orders` is not defined/);
  });

  test("without a thread, definitions stay for one call of the agent", async () => {
    const { tools } = shop();
    const { agent, prompts } = agentOf(tools, [["(def n 1)"], ["(inc n)"]]);
    await agent.generate("Look.", { maxSteps: 8 });
    assert.equal(texts(prompts)[1], ";; Value:\n2");
    const again = agentOf(tools, [["n"], ["(def n 1)"]]);
    await again.agent.generate("Look.", { maxSteps: 8 });
    await again.agent.generate("Look.", { maxSteps: 8 });
    assert.match(texts(again.prompts)[0], /`n` is not defined/);
  });

  test("inner tools get the context of the agent, and spans below that of the program", async () => {
    const { tools, made } = shop();
    const { agent } = agentOf(tools, [['(tool/search {:query "lamp"})']]);
    const requestContext = new RequestContext([["user", "ann"]]);
    await agent.generate("Look.", { ...inThread("ann"), requestContext });
    const [{ context }] = made;
    assert.equal(context.requestContext.get("user"), "ann");
    assert.deepEqual([context.agent.toolCallId, context.agent.threadId], ["call_0_0/0", "ann"]);
    const spans = [];
    const currentSpan = {
      createChildSpan: (options) => ({
        end: ({ output }) => spans.push({ ...options, output }),
        error: ({ error }) => spans.push({ ...options, error: error.message }),
      }),
    };
    const { run_program } = agentOf({ ...tools, bad: () => Promise.reject(new Error("no")) }, []);
    const given = { tracingContext: { currentSpan }, requestContext };
    await assert.rejects(run_program.execute({ program: '(tool/search {:query "a"}) (tool/bad)' }, given), /no/);
    assert.deepEqual(
      spans.map(({ type, name, input, error }) => [type, name, input, error]),
      [
        ["tool_call", "tool: 'search'", { query: "a" }, undefined],
        ["tool_call", "tool: 'bad'", {}, "no"],
      ],
    );
  });
});

suite("programs that wait in Mastra", () => {
  test("suspend the agent, and its approval in another process lets them go on", async () => {
    const first = shop();
    const store = new Map();
    const storage = new InMemoryStore();
    const asking = agentOf(first.tools, [[both]], { store, storage });
    const suspended = await asking.agent.generate("Refund.", inThread("ann"));
    assert.equal(suspended.finishReason, "suspended");
    const payload = await asked(suspended);
    assert.deepEqual(
      payload.suspendPayload.waiting.map(({ id, tool, args }) => [id, tool, args]),
      [
        ["call_0_0/2", "refund", { order: 23, euros: 900 }],
        ["call_0_0/3", "refund", { order: 42, euros: 800 }],
      ],
    );
    assert.deepEqual(first.calls(), ["search", "refund 17"]);
    const second = shop();
    const later = new Map(JSON.parse(JSON.stringify([...store])));
    const going = agentOf(second.tools, [[both]], { store: later, storage });
    const about = { runId: suspended.runId, toolCallId: payload.toolCallId, ...inThread("ann") };
    const done = await going.agent.approveToolCallGenerate(about);
    assert.equal(done.text, "Done.");
    assert.match(texts(going.prompts)[0], /\["refunded 17" "refunded 23" "refunded 42"\]/);
    assert.deepEqual(second.calls(), ["refund 23", "refund 42"]);
  });

  test("are answered one by one, with other arguments, and denied with a reason", async () => {
    const { tools, calls, made } = shop();
    const { agent, prompts } = agentOf(tools, [[both]]);
    let output = await agent.generate("Refund.", inThread("ann"));
    const { runId } = output;
    const resume = async (data) => {
      output = await agent.resumeGenerate(data, { runId, toolCallId: "call_0_0", ...inThread("ann") });
      return (await asked(output)).suspendPayload;
    };
    const { problem, waiting } = await resume({});
    assert.match(problem, /2 calls: answer them by their ids/);
    assert.equal(waiting.length, 2);
    const next = await resume({ "call_0_0/2": { args: { order: 23, euros: 90 } } });
    assert.deepEqual(
      next.waiting.map(({ id }) => id),
      ["call_0_0/3"],
    );
    assert.equal(made.at(-1).input.euros, 90);
    const last = await agent.declineToolCallGenerate({
      runId,
      toolCallId: "call_0_0",
      reason: "too expensive",
      ...inThread("ann"),
    });
    assert.equal(last.text, "Done.");
    assert.match(texts(prompts)[0], /too expensive/);
    assert.deepEqual(calls(), ["search", "refund 17", "refund 23"]);
  });

  test("an approval of a call that is no longer asked about is taken for no other", async () => {
    const { tools, calls } = shop();
    const { run_program } = agentOf(tools, []);
    const program = "[(tool/refund {:order 1 :euros 100}) (tool/refund {:order 2 :euros 100})]";
    const payloads = [];
    const call = (more) =>
      run_program.execute(
        { program },
        {
          agent: {
            agentId: "clerk",
            toolCallId: "a",
            messages: [],
            threadId: "ann",
            suspend: async (payload) => payloads.push(payload),
            ...more,
          },
        },
      );
    await call({});
    await call({ resumeData: { approved: true }, suspendPayload: payloads[0] });
    // The process ended before Mastra stored the second suspension: it resumes from the first once more.
    await call({ resumeData: { approved: true }, suspendPayload: payloads[0] });
    assert.deepEqual(calls(), ["refund 1"]);
    assert.equal(payloads[2].problem, "the program waits for other calls");
    assert.match(
      await call({ resumeData: { approved: true }, suspendPayload: payloads[2] }),
      /\["refunded 1" "refunded 2"\]/,
    );
    assert.deepEqual(calls(), ["refund 1", "refund 2"]);
  });

  test("a program whose store is gone is not run again", async () => {
    const { tools, calls } = shop();
    const storage = new InMemoryStore();
    const suspended = await agentOf(tools, [[both]], { storage }).agent.generate("Refund.", inThread("ann"));
    const { agent, prompts } = agentOf(tools, [[both]], { storage });
    await agent.approveToolCallGenerate({ runId: suspended.runId, toolCallId: "call_0_0", ...inThread("ann") });
    assert.match(texts(prompts)[0], /is not in the store/);
    assert.deepEqual(calls(), ["search", "refund 17"]);
  });

  test("a tool that suspends itself asks, and gets the data of the resumption", async () => {
    const ended = [];
    const review = createTool({
      id: "review",
      description: "Reviews an order.",
      inputSchema: z.object({ order: z.number() }),
      suspendSchema: z.object({ ask: z.string() }),
      resumeSchema: z.object({ approved: z.boolean(), note: z.string() }),
      execute: async ({ order }, { agent }) => {
        if (agent.resumeData === undefined) return agent.suspend({ ask: `Is ${order} right?` });
        ended.push(order);
        return agent.resumeData.note;
      },
    });
    const { agent, prompts } = agentOf({ review }, [["(pmap (fn [n] (tool/review {:order n})) [1 2])"]]);
    let output = await agent.generate("Review.", inThread("ann"));
    const { runId } = output;
    const asking = [];
    for (const note of ["yes", "no"]) {
      const { waiting } = (await asked(output)).suspendPayload;
      asking.push(waiting.map(({ reason, info }) => `${reason}: ${info.ask}`));
      const about = { runId, toolCallId: "call_0_0", ...inThread("ann") };
      output = await agent.resumeGenerate({ approved: false, note }, about);
    }
    assert.deepEqual(asking, [["suspended: Is 1 right?", "suspended: Is 2 right?"], ["suspended: Is 2 right?"]]);
    assert.match(texts(prompts)[0], /\["yes" "no"\]/);
    assert.deepEqual(ended, [1, 2]);
  });

  test("several in one reply are answered by their own resumptions", async () => {
    const { tools, calls } = shop();
    const refund = (order) => `(tool/refund {:order ${order} :euros 100})`;
    const { agent, prompts } = agentOf(tools, [[refund(1), refund(2)]]);
    let output = await agent.generate("Refund.", inThread("ann"));
    const { runId } = output;
    for (let count = 0; output.finishReason === "suspended"; count++) {
      assert.ok(count < 5);
      const { toolCallId } = await asked(output);
      output = await agent.resumeGenerate(
        { approved: toolCallId === "call_0_0" },
        { runId, toolCallId, ...inThread("ann") },
      );
    }
    assert.equal(output.text, "Done.");
    assert.deepEqual(calls(), ["refund 1"]);
    assert.match(texts(prompts).join("\n"), /refunded 1[\s\S]*not approved/);
  });
});
