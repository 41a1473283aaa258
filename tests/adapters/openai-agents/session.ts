// turnfoldSession as the session of real runs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, type AgentInputItem, MemorySession, run, type Session, tool, withTrace } from "@openai/agents";
import { OpenAIResponsesModel } from "@openai/agents-openai";
import { agentsModel, turnfoldInputFilter, turnfoldSession } from "turnfold/adapters/openai-agents";
import { chunked, type HistoryReport, lastNMessages, SummaryStore, TurnfoldError, wholeHistory } from "turnfold/chat";
import { z } from "zod";
import { answered, clientOf } from "./api.js";
import { called, problemsOf, ScriptedModel, said, textOf } from "./scripted.js";

/** An agent that answers each question, and its model. */
function talker() {
  let answers = 0;
  const model = new ScriptedModel(() => [said(`Answer ${++answers}`)]);
  return { model, agent: new Agent({ name: "talker", instructions: "You talk.", model }) };
}

const all = (count: number) =>
  Array.from({ length: count }, (_, index) => [`Question ${index + 1}`, `Answer ${index + 1}`]).flat();

test("runs continue with the managed history, and the transcript has all items", async () => {
  let summaries = 0;
  const llm = async () => `Summary ${++summaries}`;
  const reports: HistoryReport[] = [];
  const session = turnfoldSession({
    compressionStrategy: lastNMessages(4),
    maxHistorySize: 10,
    llm,
    onReport: (report) => reports.push(report),
  });
  const asSession: Session = session;
  const { agent, model } = talker();
  for (let turn = 1; turn <= 12; turn++) await run(agent, `Question ${turn}`, { session: asSession });
  assert.deepEqual((await session.transcript()).map(textOf), all(12));
  for (const input of model.inputs) {
    assert.ok(input.length <= 11, `${input.length} items`);
    assert.deepEqual(problemsOf(input), []);
  }
  assert.match(textOf(model.inputs.at(-1)?.[0]), /^Summary of \d+ earlier messages:/);
  assert.ok(summaries >= 1 && summaries <= 4, `${summaries} summaries`);
  assert.ok(reports.some(({ outcome }) => outcome === "applied"));
  const items = await session.getItems();
  const before = summaries;
  assert.deepEqual(await session.getItems(), items);
  assert.equal(summaries, before, "what was summarized is not summarized again");
  assert.deepEqual(await session.getItems(2), items.slice(-2));
  assert.deepEqual(await session.getItems(0), []);
});

test("a model of the SDK writes the summaries of a session", async () => {
  const requests: string[] = [];
  const client = clientOf(({ instructions = "" }) => {
    requests.push(instructions);
    return [answered(instructions === "You talk." ? "Answer" : "They talked.")];
  });
  const model = new OpenAIResponsesModel(client as never, "gpt-5.4-mini");
  const session = turnfoldSession({
    compressionStrategy: wholeHistory(),
    minMessages: 4,
    llm: agentsModel(model, { withTrace }),
  });
  const agent = new Agent({ name: "talker", instructions: "You talk.", model });
  for (let turn = 1; turn <= 4; turn++) await run(agent, `Question ${turn}`, { session });
  assert.equal(requests.filter((instructions) => instructions === "You talk.").length, 4);
  assert.ok(requests.some((instructions) => instructions.startsWith("You write the memory of an assistant")));
});

test("the option session stores the items, and another process with the same store reuses the summaries", async () => {
  const stored = new MemorySession({ sessionId: "mine" });
  const summaryStore = new SummaryStore();
  let summaries = 0;
  const llm = async () => `Summary ${++summaries}`;
  const make = () =>
    turnfoldSession({ compressionStrategy: wholeHistory(), minMessages: 4, session: stored, llm, summaryStore });
  const { agent } = talker();
  for (let turn = 1; turn <= 5; turn++) await run(agent, `Question ${turn}`, { session: make() });
  assert.equal(await make().getSessionId(), "mine");
  assert.deepEqual((await stored.getItems()).map(textOf), all(5));
  const typed: AgentInputItem[] = await make().getItems();
  assert.ok(typed.length < 6);
  const before = summaries;
  await make().getItems();
  assert.equal(summaries, before);
});

test("concurrent getItems calls request one summary", async () => {
  let summaries = 0;
  const llm = async () => {
    await new Promise((wait) => setTimeout(wait, 10));
    return `Summary ${++summaries}`;
  };
  const session = turnfoldSession({ compressionStrategy: wholeHistory(), llm });
  const { agent } = talker();
  for (let turn = 1; turn <= 4; turn++) await run(agent, `Question ${turn}`, { session });
  await session.addItems(all(4).map((text) => ({ role: "user", content: text })));
  const [first, second] = await Promise.all([session.getItems(), session.getItems()]);
  assert.deepEqual(first, second);
  assert.equal(summaries, 1);
});

test("popItem removes the last item, clearSession all of them", async () => {
  const session = turnfoldSession<AgentInputItem>({ maxHistorySize: 4, sessionId: "s" });
  assert.equal(await session.getSessionId(), "s");
  await session.addItems(Array.from({ length: 8 }, (_, index) => ({ role: "user", content: `Question ${index}` })));
  assert.equal(textOf(await session.popItem()), "Question 7");
  assert.equal((await session.transcript()).length, 7);
  assert.equal(textOf((await session.getItems()).at(-1)), "Question 6");
  await session.clearSession();
  assert.deepEqual(await session.getItems(), []);
  assert.deepEqual(await session.transcript(), []);
  assert.equal(await session.popItem(), undefined);
});

test("changing an item that was given or returned does not change the session", async () => {
  const session = turnfoldSession<AgentInputItem>({});
  const given: AgentInputItem[] = [{ role: "user", content: "Hello" }];
  await session.addItems(given);
  Object.assign(given[0] as object, { content: "changed" });
  Object.assign((await session.getItems())[0] as object, { content: "changed" });
  assert.deepEqual((await session.transcript()).map(textOf), ["Hello"]);
});

test("a run that waits for an approval resumes with its session", async () => {
  const session = turnfoldSession({
    compressionStrategy: chunked(4),
    maxHistorySize: 8,
    llm: async () => "They talked.",
  });
  const talking = talker();
  for (let turn = 1; turn <= 6; turn++) await run(talking.agent, `Question ${turn}`, { session });
  const refunded: number[] = [];
  const refund = tool({
    name: "refund",
    description: "Refunds an order",
    parameters: z.object({ order: z.number() }),
    needsApproval: true,
    execute: async ({ order }) => {
      refunded.push(order);
      return "refunded";
    },
  });
  let requestCount = 0;
  const model = new ScriptedModel(() =>
    ++requestCount === 1 ? [called("refund", { order: 17 })] : [said("It is refunded.")],
  );
  const agent = new Agent({ name: "refunds", model, tools: [refund] });
  const waiting = await run(agent, "Refund 17", { session });
  const [interruption] = waiting.interruptions;
  assert.ok(interruption);
  waiting.state.approve(interruption);
  const done = await run(agent, waiting.state, { session });
  assert.equal(done.finalOutput, "It is refunded.");
  assert.deepEqual(refunded, [17]);
  for (const input of model.inputs) assert.deepEqual(problemsOf(input), []);
  const transcript = await session.transcript();
  assert.deepEqual(
    transcript.slice(12).map(({ type = "message" }) => type),
    ["message", "function_call", "function_call_result", "message"],
  );
});

test("approving a call with other arguments changes it in the transcript", async () => {
  const session = turnfoldSession<AgentInputItem>({});
  const call = called("refund", { order: 17 }) as AgentInputItem & { type: "function_call" };
  await session.addItems([{ role: "user", content: "Refund" }, call]);
  const replacement = { ...call, arguments: '{"order":18}' };
  await session.applyHistoryMutations?.({
    mutations: [{ type: "replace_function_call", callId: call.callId, replacement }],
  });
  assert.deepEqual((await session.transcript())[1], replacement);
});

test("a tool loop is managed within the run when the filter is given too", async () => {
  let round = 0;
  const model = new ScriptedModel(() => (++round > 10 ? [said("Done.")] : [called("lookup", { order: round })]));
  const lookup = tool({
    name: "lookup",
    description: "Finds an order",
    parameters: z.object({ order: z.number() }),
    execute: async ({ order }) => `order ${order} is in Leipzig. `.repeat(30),
  });
  const parameters = { maxTokens: 1200 };
  const session = turnfoldSession(parameters);
  const callModelInputFilter = turnfoldInputFilter(parameters);
  const agent = new Agent({ name: "clerk", model, tools: [lookup] });
  await run(agent, "Where are they?", { session, maxTurns: 20, callModelInputFilter });
  await run(agent, "Thank you", { session, maxTurns: 20, callModelInputFilter });
  assert.equal((await session.transcript()).length, 24);
  for (const input of model.inputs) assert.deepEqual(problemsOf(input), []);
});

test("requests continue from the provider's compaction item, and the transcript keeps the items before it", async () => {
  let requestCount = 0;
  const compaction = { type: "compaction" as const, id: "cmp_1", encrypted_content: "all of it" };
  const model = new ScriptedModel(() =>
    ++requestCount === 2 ? [compaction, said("Compacted.")] : [said(`Answer ${requestCount}`)],
  );
  const agent = new Agent({ name: "talker", model });
  const session = turnfoldSession({ maxHistorySize: 20 });
  for (const question of ["One", "Two", "Three"]) await run(agent, question, { session });
  const transcript = await session.transcript();
  assert.equal(textOf(transcript[0]), "One");
  assert.deepEqual(
    model.inputs.at(-1)?.map(({ type = "message" }) => type),
    ["compaction", "message", "message"],
  );
  assert.deepEqual(model.inputs.at(-1)?.[0], compaction);
});

test("a summary that fails changes nothing, and the next call asks again", async () => {
  let fails = true;
  const llm = async () => {
    if (fails) throw new Error("the summarizer is down");
    return "They talked.";
  };
  const session = turnfoldSession({ compressionStrategy: wholeHistory(), minMessages: 4, llm, onWarning: () => {} });
  await session.addItems(all(4).map((text) => ({ role: "user", content: text })));
  await assert.rejects(
    session.getItems(),
    (error: unknown) => TurnfoldError.isInstance(error) && error.code === "compression_failed",
  );
  assert.equal((await session.transcript()).length, 8);
  fails = false;
  assert.match(textOf((await session.getItems())[0]), /They talked\.$/);
});

test("the storing session keeps its own options acceptsRunContext and prepareHistoryItemForModelInput", async () => {
  const contexts: unknown[] = [];
  class Own extends MemorySession {
    readonly acceptsRunContext = true;
    override async getItems(limit?: number, context?: unknown) {
      contexts.push(context);
      return super.getItems(limit);
    }
    prepareHistoryItemForModelInput(item: AgentInputItem): AgentInputItem {
      const { id: _, ...rest } = item as AgentInputItem & { id?: string };
      return rest as AgentInputItem;
    }
  }
  const session = turnfoldSession({ maxHistorySize: 10, session: new Own() as Session });
  const { agent, model } = talker();
  await run(agent, "Question 1", { session, context: { user: "ada" } });
  await run(agent, "Question 2", { session, context: { user: "ada" } });
  assert.ok(
    contexts.some((context) => (context as { context?: { user?: string } } | undefined)?.context?.user === "ada"),
  );
  assert.equal("id" in (model.inputs.at(-1)?.[1] ?? {}), false);
});

test("turnfoldSession checks its options when it is created", () => {
  const refused = (make: () => unknown, message: RegExp) =>
    assert.throws(make, (error: unknown) => {
      assert.ok(TurnfoldError.isInstance(error));
      assert.equal(error.code, "invalid_option");
      assert.match(error.message, message);
      return true;
    });
  refused(() => turnfoldSession({ session: {} as never }), /session must be a session of the SDK, with getSessionId/);
  refused(() => turnfoldSession({ llm: talker().model as never }), /llm must be a function/);
  refused(() => turnfoldSession({ sessionId: "" }), /sessionId must be a text/);
  refused(() => turnfoldSession({ sessionId: "a", session: new MemorySession() }), /sessionId must be left out beside/);
});
