// Programs in the loop of LangChain and LangGraph, with their own tools, agents, checkpointers and stores, and a fake model.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Command, InMemoryStore, interrupt, MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { langGraphStore, programToolArguments } from "../../dist/adapters/langchain.js";
import { later, programTool } from "../../dist/index.js";

/** Tools that note their calls. */
function shop() {
  const made = [];
  const noted = (name, result) => async (input, config) => {
    made.push({ name, input, config });
    return result(input, config);
  };
  const search = tool(
    noted("search", ({ query }) => [
      { order: 17, what: query, euros: 20 },
      { order: 23, what: query, euros: 900 },
      { order: 42, what: query, euros: 800 },
    ]),
    { name: "search", description: "Finds orders.", schema: z.object({ query: z.string() }) },
  );
  const refund = tool(
    noted("refund", ({ order }, { writer }) => {
      writer?.({ refund: order });
      return `refunded ${order}`;
    }),
    { name: "refund", description: "Refunds an order.", schema: z.object({ order: z.number(), euros: z.number() }) },
  );
  return {
    made,
    calls: () => made.map(({ name, input }) => `${name} ${input.order ?? ""}`.trim()),
    tools: { search, refund: Object.assign(refund, { needsApproval: ({ euros }) => euros > 50 }) },
  };
}

/** A model that writes these programs, each reply a list of them, and then says that it is done. */
class WritingModel extends BaseChatModel {
  constructor(...replies) {
    super({});
    this.replies = replies;
    this.prompts = [];
  }
  _llmType() {
    return "writing";
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    this.prompts.push(messages);
    const at = messages.filter(({ type }) => type === "ai").length;
    const programs = this.replies[at] ?? [];
    const message = new AIMessage({
      content: programs.length > 0 ? "" : "Done.",
      tool_calls: programs.map((program, index) => ({
        type: "tool_call",
        id: `call_${at}_${index}`,
        name: "run_program",
        args: { program },
      })),
    });
    return { generations: [{ message, text: message.text }] };
  }
}

const results = ({ messages }) => messages.filter(({ type }) => type === "tool").map(({ content }) => content);
const question = ({ __interrupt__: [first] }) => first.value;
const thread = (thread_id) => ({ configurable: { thread_id } });
const ask = { messages: [new HumanMessage("Refund them.")] };

/** An agent of `createAgent`. */
function agentOf(tools, replies, { store, checkpointer = new MemorySaver(), ...options } = {}) {
  const model = new WritingModel(...replies);
  const run_program = tool(...programToolArguments(programTool(tools, { store, ...options }), { interrupt }));
  return { agent: createAgent({ model, tools: [run_program], checkpointer }), model, run_program };
}

/** A graph whose node runs all calls of a reply, and again as a whole. */
function graphOf(tools, replies, { store, checkpointer = new MemorySaver() } = {}) {
  const model = new WritingModel(...replies);
  const run_program = tool(...programToolArguments(programTool(tools, { store }), { interrupt }));
  const agent = new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode("tools", new ToolNode([run_program]))
    .addEdge("__start__", "model")
    .addConditionalEdges("model", ({ messages }) => (messages.at(-1).tool_calls?.length > 0 ? "tools" : "__end__"))
    .addEdge("tools", "model")
    .compile({ checkpointer });
  return { agent, model };
}

const both = '(def orders (tool/search {:query "lamp"})) (pmap #(tool/refund (select-keys % [:order :euros])) orders)';

suite("programs in the loop of LangChain", () => {
  test("call the tools, keep the definitions of their thread, and fail as its tools do", async () => {
    const { tools, made } = shop();
    const replies = [['(def orders (tool/search {:query "lamp"}))'], ["(sum-by :euros orders)"], ["[1 (nope)]"]];
    const { agent, model } = agentOf(tools, replies);
    const done = await agent.invoke(ask, thread("ann"));
    assert.match(results(done)[0], /^;; === user\/ \(your prelude\) ===\norders +; = list\[3\], sample: \[\{:euros 20/);
    assert.equal(results(done)[1], ";; Value:\n1720");
    const failed = done.messages.filter(({ type }) => type === "tool")[2];
    assert.equal(failed.status, "error");
    assert.match(failed.content, /Error: `nope` is not defined/);
    assert.equal(done.messages.at(-1).text, "Done.");
    assert.equal(made.length, 1);
    const later = await agentOf(tools, [["orders"]]).agent.invoke(ask, thread("ann"));
    assert.match(results(later)[0], /`orders` is not defined/);
    // Another thread of the same agent.
    model.replies = [["orders"]];
    assert.match(results(await agent.invoke(ask, thread("bob")))[0], /`orders` is not defined/);
  });

  test("without a thread, definitions are those of the messages", async () => {
    const { tools } = shop();
    const model = new WritingModel(["(def n 1)"], ["(def m (inc n))", "(def o (+ n m))"], ["[n m o]"]);
    const agent = createAgent({ model, tools: [tool(...programToolArguments(programTool(tools)))] });
    const done = await agent.invoke(ask);
    assert.equal(results(done).at(-1), ";; Value:\n[1 2 3]");
    model.replies = [["n"]];
    assert.match(results(await agent.invoke(ask))[0], /`n` is not defined/);
  });

  test("inner tools get the config, and their runs are below that of the program", async () => {
    const { tools, made } = shop();
    const { agent } = agentOf(tools, [[both.replace("900", "1")]], { approve: () => true });
    const runs = new Map();
    const start = (kind) => (serialized, _input, id, parent, _tags, metadata, name) =>
      runs.set(id, { kind, parent, name: name ?? serialized.id?.at(-1), metadata });
    const callbacks = [{ handleToolStart: start("tool"), handleChainStart: start("chain") }];
    await agent.invoke(ask, { ...thread("ann"), callbacks, tags: ["lamps"], metadata: { user: "ann" } });
    const program = [...runs].find(([, { kind, name }]) => kind === "tool" && name === "run_program");
    const inner = [...runs.values()].filter(({ kind, parent }) => kind === "tool" && parent === program[0]);
    assert.deepEqual(
      inner.map(({ name }) => name),
      ["search", "refund", "refund", "refund"],
    );
    assert.equal(inner[0].metadata.user, "ann");
    const [{ config }] = made;
    assert.equal(config.configurable.thread_id, "ann");
    assert.deepEqual([config.metadata.user, config.tags.includes("lamps")], ["ann", true]);
    assert.equal(config.state.messages[0].text, "Refund them.");
  });

  test("without interrupt, the result says what waits, and the model goes on with it", async () => {
    const { tools, calls } = shop();
    const program = programTool(tools);
    const model = new WritingModel([both], ["(resume)"]);
    const agent = createAgent({
      model,
      tools: [tool(...programToolArguments(program))],
      checkpointer: new MemorySaver(),
    });
    model.replies = [[both]];
    const first = await agent.invoke(ask, thread("ann"));
    assert.match(results(first)[0], /waits for:\n- refund \{.*:order 23.*\}: an approval\n/);
    const [one, two] = await program.waiting("call_0_0", "ann");
    await program.answer("call_0_0", { [one.id]: true, [two.id]: "too expensive" }, "ann");
    model.replies = [[], [], ["(resume)"]];
    const next = await agent.invoke({ messages: [new HumanMessage("Go on.")] }, thread("ann"));
    assert.match(results(next)[1], /too expensive/);
    assert.deepEqual(calls(), ["search", "refund 17", "refund 23"]);
  });

  test("keep what they leave in the store of the agent, also in another process, and write to its stream", async () => {
    const store = new InMemoryStore();
    const checkpointer = new MemorySaver();
    const { tools, calls } = shop();
    const process = (replies) => {
      const run_program = tool(...programToolArguments(programTool(tools), { interrupt }));
      return createAgent({ model: new WritingModel(...replies), tools: [run_program], checkpointer, store });
    };
    await process([[both]]).invoke(ask, thread("ann"));
    const streamed = [];
    const input = new Command({ resume: true });
    for await (const chunk of await process([[both]]).stream(input, { ...thread("ann"), streamMode: "custom" })) {
      streamed.push(chunk);
    }
    assert.deepEqual(streamed, [{ refund: 23 }, { refund: 42 }]);
    assert.deepEqual(calls(), ["search", "refund 17", "refund 23", "refund 42"]);
    const done = await process([[], [], ["(count orders)"]]).invoke(
      { messages: [new HumanMessage("?")] },
      thread("ann"),
    );
    assert.equal(results(done).at(-1), ";; Value:\n3");
  });

  test("after an abort, a call that has ended is not made again", async () => {
    const made = [];
    const noted = (name, run) => tool(run, { name, description: name, schema: z.object({}) });
    let isStuck = true;
    const first = noted("first", async () => made.push("first"));
    const stuck = noted("stuck", async (_, { signal }) => {
      made.push("stuck");
      if (isStuck)
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("no"))));
      return 5;
    });
    const model = new WritingModel(["[(tool/first {}) (tool/stuck {})]"]);
    const run_program = tool(...programToolArguments(programTool({ first, stuck }), { interrupt }));
    const kept = { checkpointer: new MemorySaver(), store: new InMemoryStore() };
    const agent = createAgent({ model, tools: [run_program], ...kept });
    const abort = new AbortController();
    const running = agent.invoke(ask, { ...thread("ann"), signal: abort.signal });
    setTimeout(() => abort.abort(), 100);
    await assert.rejects(running);
    isStuck = false;
    const asked = await agent.invoke(null, thread("ann"));
    assert.equal(question(asked).actionRequests[0].description, "Run stuck {} again?");
    const done = await agent.invoke(new Command({ resume: true }), thread("ann"));
    assert.match(results(done)[0], /\[1 5\]$/);
    assert.deepEqual(made, ["first", "stuck", "stuck"]);
  });

  test("an abort ends the program and its calls", async () => {
    let signal;
    const wait = tool(
      (_, config) =>
        new Promise((_resolve, reject) => {
          ({ signal } = config);
          config.signal.addEventListener("abort", () => reject(new Error("stopped")));
        }),
      { name: "wait", description: "Waits.", schema: z.object({}) },
    );
    const abort = new AbortController();
    const { agent } = agentOf({ wait }, [["(tool/wait {})"]]);
    const running = agent.invoke(ask, { ...thread("ann"), signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    await assert.rejects(running);
    assert.equal(signal.aborted, true);
  });
});

for (const [name, make] of [
  ["createAgent", agentOf],
  ["a graph with a ToolNode", graphOf],
]) {
  suite(`programs that wait in ${name}`, () => {
    test("interrupt it with LangChain's request, and go on with its decisions in another process", async () => {
      const first = shop();
      const store = new InMemoryStore();
      const checkpointer = new MemorySaver();
      const asking = make(first.tools, [[both]], { store: langGraphStore(store), checkpointer });
      const asked = await asking.agent.invoke(ask, thread("ann"));
      const { actionRequests, reviewConfigs } = question(asked);
      assert.deepEqual(
        actionRequests.map(({ id, name: tool, args }) => [id, tool, args]),
        [
          ["call_0_0/2", "refund", { order: 23, euros: 900 }],
          ["call_0_0/3", "refund", { order: 42, euros: 800 }],
        ],
      );
      assert.deepEqual(reviewConfigs, [{ actionName: "refund", allowedDecisions: ["approve", "edit", "reject"] }]);
      assert.deepEqual(first.calls(), ["search", "refund 17"]);
      const second = shop();
      const going = make(second.tools, [[both]], { store: langGraphStore(store), checkpointer });
      const decisions = [
        { type: "edit", editedAction: { name: "refund", args: { order: 23, euros: 90 } } },
        { type: "approve" },
      ];
      const done = await going.agent.invoke(new Command({ resume: { decisions } }), thread("ann"));
      assert.match(results(done)[0], /\["refunded 17" "refunded 23" "refunded 42"\]/);
      assert.deepEqual(second.calls(), ["refund 23", "refund 42"]);
      assert.equal(second.made[0].input.euros, 90);
    });

    test("are answered one by one, and each answer is for its own question", async () => {
      const { tools, calls } = shop();
      const one =
        '(tool/search {:query "a"}) [(tool/refund {:order 1 :euros 100}) (tool/refund {:order 2 :euros 100})]';
      const { agent } = make(tools, [[one]]);
      const ids = async (input) =>
        question(await agent.invoke(input, thread("ann"))).actionRequests.map(({ id }) => id);
      assert.deepEqual(await ids(ask), ["call_0_0/1"]);
      // An answer that can't be read asks again, and says why.
      const again = question(await agent.invoke(new Command({ resume: { decisions: [] } }), thread("ann")));
      assert.match(again.problem, /1 calls and 0 decisions/);
      const odd = question(await agent.invoke(new Command({ resume: { "call_9/1": true } }), thread("ann")));
      assert.match(odd.problem, /the answer to refund \(1\) is an object/);
      assert.deepEqual(calls(), ["search"]);
      assert.deepEqual(await ids(new Command({ resume: { "call_0_0/1": true } })), ["call_0_0/2"]);
      assert.deepEqual(calls(), ["search", "refund 1"]);
      const done = await agent.invoke(new Command({ resume: "too expensive" }), thread("ann"));
      assert.match(results(done)[0], /too expensive/);
      assert.deepEqual(calls(), ["search", "refund 1"]);
    });

    test("several in one reply: no approval is taken for another call, and no call is made twice", async () => {
      const { tools, calls } = shop();
      const refund = (order) => `(tool/search {:query "${order}"}) (tool/refund {:order ${order} :euros 100})`;
      const { agent } = make(tools, [[`${refund(1)} ${refund(11)}`, refund(2), "(inc 1)"]]);
      let state = await agent.invoke(ask, thread("ann"));
      const asked = [];
      for (let count = 0; state.__interrupt__ !== undefined; count++) {
        assert.ok(count < 10);
        const [{ id, value }] = state.__interrupt__;
        const [action] = value.actionRequests;
        asked.push(action.args.order);
        const isDenied = action.args.order === 2;
        const resume = isDenied ? { [action.id]: "no" } : { [action.id]: true };
        state = await agent.invoke(new Command({ resume: { [id]: resume } }), thread("ann"));
      }
      assert.deepEqual(
        asked.toSorted((a, b) => a - b),
        [1, 2, 11],
      );
      assert.deepEqual(calls().toSorted(), ["refund 1", "refund 11", "search", "search", "search"]);
      const [first, second, third] = results(state);
      assert.match(first, /refunded 11/);
      assert.match(second, /no/);
      assert.match(third, /Value:\n2$/);
    });

    test("a program whose store is gone is not run again", async () => {
      const { tools, calls } = shop();
      const checkpointer = new MemorySaver();
      await make(tools, [[both]], { checkpointer }).agent.invoke(ask, thread("ann"));
      const { agent } = make(tools, [[both]], { checkpointer });
      const done = await agent.invoke(new Command({ resume: true }), thread("ann"));
      assert.match(results(done)[0], /is not in the store/);
      assert.deepEqual(calls(), ["search", "refund 17"]);
    });

    test("a tool that interrupts itself asks its own questions, and gets the answers, in another process too", async () => {
      const store = new InMemoryStore();
      const checkpointer = new MemorySaver();
      const ended = [];
      const process = () => {
        const review = tool(
          async ({ order }) => {
            const isRight = interrupt({ order, ask: "right?" });
            const because = interrupt({ order, ask: "why?" });
            ended.push(order);
            return { order, isRight, because };
          },
          { name: "review", description: "Reviews an order.", schema: z.object({ order: z.number() }) },
        );
        const { refund } = shop().tools;
        const one = "[(pmap (fn [n] (tool/review {:order n})) [1 2]) (tool/refund {:order 3 :euros 100})]";
        return make({ review, refund }, [[one]], { store: langGraphStore(store), checkpointer }).agent;
      };
      const asked = [];
      let state = await process().invoke(ask, thread("ann"));
      while (question(state).order !== undefined) {
        assert.ok(asked.length < 9);
        const { order, ask: what } = question(state);
        asked.push(`${order} ${what}`);
        state = await process().invoke(new Command({ resume: `${what} ${order}!` }), thread("ann"));
      }
      assert.deepEqual(asked, ["1 right?", "1 why?", "2 right?", "2 why?"]);
      assert.deepEqual(ended, [1, 2]);
      assert.deepEqual(question(state).actionRequests[0].args, { order: 3, euros: 100 });
      const done = await process().invoke(new Command({ resume: true }), thread("ann"));
      assert.match(results(done)[0], /:because "why\? 2!" :isRight "right\? 2!" :order 2\}\] "refunded 3"\]$/);
      assert.deepEqual(ended, [1, 2]);
    });

    test("a call whose result comes later", async () => {
      const tools = { review: ["(text :string) -> :string", ({ text }) => later({ ticket: text.length })] };
      const { agent } = make(tools, [['(tool/review "Dear Ann")']]);
      const asked = question(await agent.invoke(ask, thread("ann")));
      assert.deepEqual(asked.info, { "call_0_0/0": { ticket: 8 } });
      const refused = question(await agent.invoke(new Command({ resume: true }), thread("ann")));
      assert.match(refused.problem, /review \(0\)/);
      const resume = { "call_0_0/0": { result: "fine" } };
      assert.match(results(await agent.invoke(new Command({ resume }), thread("ann")))[0], /"fine"/);
    });
  });
}
